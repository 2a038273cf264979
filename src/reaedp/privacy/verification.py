"""A third party's check of a whole ledger: every hash, every link, and all that is computed from the entries.

It finds any edit, deletion, reordering or gap that does not carry its consequences through the whole ledger.
Whoever can write to the database can also compute all hashes anew; only a checkpoint kept elsewhere finds that,
and entries cut off at the end.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row

from reaedp.errors import LedgerDamaged
from reaedp.privacy import statements
from reaedp.privacy.account import WHOLE, Account, Certificate
from reaedp.privacy.accounting import fits
from reaedp.privacy.admission import pure_sum, together
from reaedp.privacy.book import Head, dataset_names, find_account, read_tally, stated_head
from reaedp.privacy.budget import Budget
from reaedp.privacy.entry import Charge, Entry, Finish, genesis, read_entry
from reaedp.privacy.loss import Loss, Pure

#: Doubles differ between machines, and bounds between versions of the program, by far less than this.
SLACK = 1e-3


@dataclass(frozen=True, slots=True)
class Claim:
    """An account says that these losses are together (ε, δ)-private."""

    dataset: str
    certificate: Certificate
    losses: Counter[Loss]


@dataclass(slots=True)
class Replay:
    """What the entries read so far add up to; `marks` are the scopes to be remembered after an entry."""

    marks: dict[int, list[tuple[str, str]]]
    tallies: dict[str, dict[str, Counter[Loss]]] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)
    terms: dict[str, int] = field(default_factory=dict)
    charges: set[int] = field(default_factory=set)
    finished: dict[int, int] = field(default_factory=dict)
    remembered: dict[tuple[str, str], Counter[Loss]] = field(default_factory=dict)

    def take(self, entry: Entry) -> None:
        """Add one entry."""
        _TAKE[entry.kind](self, entry)
        if entry.dataset is not None:
            self.last[entry.dataset] = entry.number
        for place in self.marks.get(entry.number, ()):
            self.remembered[place] = self.scope(*place)

    def scope(self, dataset: str, scope: str) -> Counter[Loss]:
        """All losses of a scope so far."""
        tallies = self.tallies.get(dataset, {})
        return together(*(tallies.get(part, {}) for part in {WHOLE, scope}))


def check_book(connection: Connection) -> tuple[Head, list[Claim]]:
    """Check all that needs no numerical mathematics, and return what does."""
    head = stated_head(connection)
    accounts, problem = _accounts(connection)
    replay = _replayed(connection, head, accounts)
    if problem:
        raise problem
    if set(accounts) != set(replay.last) or dataset_names(connection) != tuple(sorted(accounts)):
        raise LedgerDamaged("The accounts of the ledger are not those of the data sets in its entries.")
    for dataset, account in accounts.items():
        _check_account(dataset, account, replay)
    _check_tallies(connection, accounts, replay)
    _check_pages(connection)
    return head, [
        Claim(dataset, scope.certificate, replay.remembered.get((dataset, name), Counter()))
        for dataset, account in accounts.items()
        for name, scope in account.scopes.items()
    ]


def check_claims(claims: list[Claim]) -> None:
    """Prove every certificate again from the losses that it covers."""
    for claim in claims:
        certificate = claim.certificate
        limit = certificate.epsilon * (1 + SLACK)
        if claim.losses and not (limit and fits(claim.losses, Budget(limit, certificate.delta))):
            raise LedgerDamaged(
                f"The account of data set {claim.dataset!r} certifies less than the entries up to "
                f"{certificate.upto} cost."
            )


def _accounts(connection: Connection) -> tuple[dict[str, Account], LedgerDamaged | None]:
    """All accounts; a bad one is told only after the entries, because a bad entry says more."""
    found: dict[str, Account] = {}
    for name in connection.execute(statements.MENTIONED).scalars().all():
        try:
            account = find_account(connection, name)
        except LedgerDamaged as error:
            return found, error
        found.update({name: account} if account else {})
    return found, None


def _replayed(connection: Connection, head: Head, accounts: Mapping[str, Account]) -> Replay:
    replay = Replay(_marks(accounts))
    noted: dict[int, int] = {}
    number, previous = 0, genesis(head.identity)
    for row in connection.execute(statements.ALL_ENTRIES, execution_options={"yield_per": 1000}):
        entry = _linked(row, number + 1, previous)
        replay.take(entry)
        noted.update({entry.number: row.finished} if row.finished is not None else {})
        number, previous = entry.number, row.hash
    if (head.number, head.hash) != (number, previous):
        raise LedgerDamaged(f"The ledger should end with entry {head.number}; it ends with entry {number}.")
    wrong = noted.items() ^ replay.finished.items()
    if wrong:
        raise LedgerDamaged(f"Entry {min(wrong)[0]} of the ledger is marked as finished by the wrong entry or by none.")
    return replay


def _linked(row: Row[Any], number: int, previous: str) -> Entry:
    if row.number != number:
        raise LedgerDamaged(f"Entry {number} of the ledger is missing.")
    entry = read_entry(number, row.body, row.hash)
    if entry.previous != previous:
        raise LedgerDamaged(f"Entry {number} of the ledger does not follow the entry before it.")
    if entry.dataset != row.dataset:
        raise LedgerDamaged(f"Entry {number} of the ledger is filed under another data set.")
    return entry


def _marks(accounts: Mapping[str, Account]) -> dict[int, list[tuple[str, str]]]:
    marks: dict[int, list[tuple[str, str]]] = {}
    for dataset, account in accounts.items():
        for name, scope in account.scopes.items():
            marks.setdefault(scope.certificate.upto, []).append((dataset, name))
    return marks


def _take_terms(replay: Replay, entry: Entry) -> None:
    if (entry.kind == "register") != (entry.dataset not in replay.last):
        raise LedgerDamaged(f"Entry {entry.number} of the ledger registers a data set twice, or raises an unknown one.")
    replay.terms[str(entry.dataset)] = entry.number


def _take_charge(replay: Replay, entry: Entry) -> None:
    charge = entry.act
    if not isinstance(charge, Charge) or charge.dataset not in replay.last:
        raise LedgerDamaged(f"Entry {entry.number} of the ledger charges a data set that was not registered.")
    replay.tallies.setdefault(charge.dataset, {}).setdefault(charge.part or WHOLE, Counter()).update(charge.price)
    replay.charges.add(entry.number)


def _take_finish(replay: Replay, entry: Entry) -> None:
    numbers = entry.act.entries if isinstance(entry.act, Finish) else ()
    if not replay.charges.issuperset(numbers) or not replay.finished.keys().isdisjoint(numbers):
        raise LedgerDamaged(f"Entry {entry.number} of the ledger finishes what is no open charge.")
    replay.finished.update(dict.fromkeys(numbers, entry.number))


def _take_recovery(replay: Replay, entry: Entry) -> None:
    """Nothing is computed from it; `Recovery` itself refuses what cannot be."""


_TAKE: dict[str, Callable[[Replay, Entry], None]] = {
    "register": _take_terms,
    "raise": _take_terms,
    "charge": _take_charge,
    "finish": _take_finish,
    "recover": _take_recovery,
}


def _check_account(dataset: str, account: Account, replay: Replay) -> None:
    said = (account.last, account.terms, set(account.scopes))
    if said != (replay.last[dataset], replay.terms[dataset], {WHOLE, *replay.tallies.get(dataset, {})}):
        raise LedgerDamaged(f"The account of data set {dataset!r} is not what its entries make of it.")
    for name, scope in account.scopes.items():
        later = replay.scope(dataset, name)
        later.subtract(replay.remembered.get((dataset, name), Counter()))
        others = {loss: count for loss, count in later.items() if count and not isinstance(loss, Pure)}
        if (scope.pure, dict(scope.others)) != (pure_sum(later), others):
            raise LedgerDamaged(f"The account of data set {dataset!r} does not sum up its entries.")


def _check_tallies(connection: Connection, accounts: Mapping[str, Account], replay: Replay) -> None:
    for dataset, account in accounts.items():
        for part, scope in account.scopes.items():
            counted = read_tally(connection, dataset, part, scope.fingerprint)
            if counted != replay.tallies.get(dataset, {}).get(part, Counter()):
                raise LedgerDamaged(f"The tally of data set {dataset!r} is not what its entries add up to.")
    rows = sum(len(tally) for tallies in replay.tallies.values() for tally in tallies.values())
    if connection.execute(statements.ALL_COUNTS).scalar() != rows:
        raise LedgerDamaged("The ledger has a tally for a data set that has no entries.")


def _check_pages(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        found = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar()
        if found != "ok":
            raise LedgerDamaged(f"The file of the ledger is damaged ({str(found).splitlines()[-1]}).")
