"""What is known of the spending of one data set without reading its history.

A data set has one scope for charges to all of its rows, named "", and one for each part under a public split,
which holds the charges to that part and to all rows. In every scope the entries up to some number are covered
by a certificate, and the later ones are summed: (ε, δ)-privacy of the first block and basic composition with
the rest bound what the scope has spent, at a cost that does not grow with the history.
"""

import json
import math
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from reaedp.errors import LedgerDamaged
from reaedp.privacy.accounting import Tally, simple_epsilon
from reaedp.privacy.admission import pure_sum, together
from reaedp.privacy.budget import Budget
from reaedp.privacy.canonical import digest, loss_record, read_fraction, read_loss, write
from reaedp.privacy.entry import UNREADABLE
from reaedp.privacy.loss import SMALLEST, Loss, Pure, exact

#: The scope of charges to all rows of a data set.
WHOLE = ""


def _is_number(value: object) -> bool:
    return type(value) is int and value >= 0


@dataclass(frozen=True, slots=True)
class Certificate:
    """All charges of a scope up to entry `upto` are together (ε, δ)-differentially private."""

    epsilon: float = 0.0
    delta: float = 0.0
    upto: int = 0

    def __post_init__(self) -> None:
        if not (0 <= self.epsilon < math.inf and 0 <= self.delta < 1 and _is_number(self.upto)):
            raise ValueError("no certificate says this")


@dataclass(frozen=True, slots=True)
class Scope:
    """A certificate, the exact sum of later pure ε, the later losses of other kinds, and a mark of the tally."""

    certificate: Certificate = Certificate()
    pure: Fraction = Fraction(0)
    others: tuple[tuple[Loss, int], ...] = ()
    fingerprint: int = 0

    def __post_init__(self) -> None:
        if self.pure < 0 or not all(type(count) is int and count > 0 for _, count in self.others):
            raise ValueError("no losses add up to this")

    def plus(self, added: Tally) -> "Scope":
        """Give the same scope after more losses."""
        others = together(dict(self.others), {loss: n for loss, n in added.items() if not isinstance(loss, Pure)})
        return replace(self, pure=self.pure + pure_sum(added), others=tuple(others.items()))

    def surely_fits(self, budget: Budget) -> bool:
        """Whether certificate and later losses fit by basic composition; False says nothing."""
        # One part in a million less than the difference swallows the rounding of the subtraction.
        spare = (budget.delta - self.certificate.delta) * (1 - 2**-20)
        if spare < 0 or (self.others and spare < SMALLEST):
            return False
        rest = simple_epsilon(dict(self.others), spare) if self.others else 0.0
        room = exact(budget.epsilon) - exact(self.certificate.epsilon) - self.pure
        return rest <= room


@dataclass(frozen=True, slots=True)
class Account:
    """The state of a data set: its last entry, the entry with its terms, and its scopes."""

    last: int
    terms: int
    scopes: Mapping[str, Scope]

    def __post_init__(self) -> None:
        if WHOLE not in self.scopes or not (_is_number(self.last) and _is_number(self.terms)):
            raise ValueError("no account says this")

    @property
    def parts(self) -> Set[str]:
        """The parts that were ever charged."""
        return self.scopes.keys() - {WHOLE}


def write_account(account: Account) -> str:
    """Give the only text of an account."""
    scopes = {name: _scope_record(scope) for name, scope in account.scopes.items()}
    return write({"last": account.last, "terms": account.terms, "scopes": scopes})


def read_account(dataset: str, text: str, seal: str) -> Account:
    """Build an account again from its row, or say that the row is not one that the ledger wrote."""
    if not isinstance(text, str) or seal_of(dataset, text) != seal:
        raise LedgerDamaged(f"The account of data set {dataset!r} does not have the hash that is written beside it.")
    try:
        record = json.loads(text)
        scopes = {name: _read_scope(scope) for name, scope in record["scopes"].items()}
        account = Account(record["last"], record["terms"], scopes)
        intact = write_account(account) == text
    except UNREADABLE as error:
        raise LedgerDamaged(f"The account of data set {dataset!r} cannot be read.") from error
    if not intact:
        raise LedgerDamaged(f"The account of data set {dataset!r} is not written as this program writes it.")
    return account


def seal_of(dataset: str, text: str) -> str:
    """Give the hash beside an account, which finds damage but not forgery; `verify` recomputes the account."""
    return digest(f"{dataset}\n{text}")


def mark(dataset: str, part: str, loss: str, count: int) -> int:
    """Give the share of one row of the tally in the fingerprint, which is the sum of all shares modulo 2^256."""
    return int(digest(f"{dataset}\n{part}\n{loss}\n{count}"), 16)


def _scope_record(scope: Scope) -> dict[str, object]:
    certificate = scope.certificate
    others = sorted(([loss_record(loss), count] for loss, count in scope.others), key=write)
    return {
        "certificate": [float(certificate.epsilon), float(certificate.delta), certificate.upto],
        "pure": str(scope.pure),
        "others": others,
        "fingerprint": f"{scope.fingerprint:064x}",
    }


def _read_scope(record: dict[str, Any]) -> Scope:
    others = tuple((read_loss(loss), count) for loss, count in record["others"])
    return Scope(
        Certificate(*record["certificate"]), read_fraction(record["pure"]), others, int(record["fingerprint"], 16)
    )
