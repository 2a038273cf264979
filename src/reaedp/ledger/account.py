"""What is known of the spending of one data set without reading its history.

A data set has one scope for charges to all of its rows, named "", and one for each part under a public split,
which holds the charges to that part and to all rows. A scope is the sums of its charges that the privacy filters
look at, so a charge is decided at a cost that does not grow with the history.
"""

import json
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

from reaedp.errors import LedgerDamaged
from reaedp.ledger.canonical_json import digest, read_fraction, write
from reaedp.ledger.entry import UNREADABLE
from reaedp.privacy.filters import LossSums
from reaedp.privacy.spending import NOTHING, Spending

#: The scope of charges to all rows of a data set.
WHOLE = ""


def _is_number(value: object) -> bool:
    return type(value) is int and value >= 0


@dataclass(frozen=True, slots=True)
class Scope:
    """What was spent, and a mark of the tally."""

    spending: Spending = NOTHING
    fingerprint: int = 0


@dataclass(frozen=True, slots=True)
class Account:
    """The state of a data set: its last entry, the entry with its terms, its scopes, and the entry with its rule.

    `rule` is 0 while nobody ever asked for two people; such an account keeps the text that it always had.
    """

    last: int
    terms: int
    scopes: Mapping[str, Scope]
    rule: int = 0

    def __post_init__(self) -> None:
        if WHOLE not in self.scopes or not all(map(_is_number, (self.last, self.terms, self.rule))):
            raise ValueError("these numbers do not describe any account")

    @property
    def parts(self) -> Set[str]:
        """The parts that were ever charged."""
        return self.scopes.keys() - {WHOLE}


def write_account(account: Account) -> str:
    """Give the only text of an account."""
    scopes = {name: _scope_record(scope) for name, scope in account.scopes.items()}
    ruled = {"rule": account.rule} if account.rule else {}
    return write({"last": account.last, "terms": account.terms, "scopes": scopes} | ruled)


def read_account(dataset: str, text: str, seal: str) -> Account:
    """Build an account again from its row, or say that the row is not one that the ledger wrote."""
    record = read_state(dataset, text, seal)
    try:
        scopes = {name: _read_scope(scope) for name, scope in record["scopes"].items()}
        account = Account(record["last"], record["terms"], scopes, record.get("rule", 0))
        intact = write_account(account) == text
    except UNREADABLE as error:
        raise LedgerDamaged(f"The account of data set {dataset!r} is damaged and cannot be read.") from error
    if not intact:
        raise LedgerDamaged(
            f"The account of data set {dataset!r} was edited: it is not in the form in which it was written."
        )
    return account


def read_state(dataset: str, text: str, seal: str) -> dict[str, Any]:
    """Read the text of an account, of whatever version, that has its hash beside it."""
    if not isinstance(text, str) or seal_of(dataset, text) != seal:
        raise LedgerDamaged(f"The account of data set {dataset!r} was edited: its hash does not match.")
    try:
        return dict(json.loads(text))
    except UNREADABLE as error:
        raise LedgerDamaged(f"The account of data set {dataset!r} is damaged and cannot be read.") from error


def seal_of(dataset: str, text: str) -> str:
    """Give the hash beside an account, which finds damage but not forgery; `verify` recomputes the account."""
    return digest(f"{dataset}\n{text}")


def mark(dataset: str, part: str, loss: str, count: int) -> int:
    """Give the share of one row of the tally in the fingerprint, which is the sum of all shares modulo 2^256."""
    return int(digest(f"{dataset}\n{part}\n{loss}\n{count}"), 16)


def _scope_record(scope: Scope) -> dict[str, object]:
    spending, sums = scope.spending, scope.spending.sums
    return {
        "plans": spending.plans,
        "base": str(spending.base),
        "aside": str(spending.aside),
        "first": str(spending.first),
        "pure": str(sums.pure),
        "failures": str(sums.failures),
        # JSON of other programs has no whole numbers of this length.
        **{name: _text(getattr(sums, name)) for name in ("smooth", "covered", "rho")},
        "fingerprint": f"{scope.fingerprint:064x}",
    }


def _read_scope(record: dict[str, Any]) -> Scope:
    grains = (None if record[name] is None else int(record[name]) for name in ("smooth", "covered", "rho"))
    sums = LossSums(read_fraction(record["pure"]), read_fraction(record["failures"]), *grains)
    base, aside, first = (read_fraction(record[name]) for name in ("base", "aside", "first"))
    return Scope(Spending(record["plans"], base, aside, first, sums), int(record["fingerprint"], 16))


def _text(number: int | None) -> str | None:
    return None if number is None else str(number)
