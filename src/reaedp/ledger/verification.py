"""A third party's check of a whole ledger: every hash, every link, and all that is computed from the entries.

It finds any edit, deletion, reordering or gap that does not carry its consequences through the whole ledger.
Whoever can write to the database can also compute all hashes anew; only a checkpoint kept elsewhere finds that,
and entries cut off at the end.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from reaedp.errors import LedgerDamaged
from reaedp.ledger import statements
from reaedp.ledger.account import WHOLE, Account
from reaedp.ledger.admission import together
from reaedp.ledger.approvals import Approvals, asked_for, lifting
from reaedp.ledger.book import Head, dataset_names, find_account, read_tally, stated_head
from reaedp.ledger.database import SQLITE, Connection
from reaedp.ledger.entry import Charge, Entry, Finish, Raise, Registration, TwoPeople, genesis, read_entry
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import Loss
from reaedp.privacy.spending import NOTHING, Spending, admit

#: Doubles differ between machines, and bounds between versions of the program, by far less than this.
SLACK = 1e-3
#: Entries that are in memory at a time.
PAGE = 1000
#: Of 64 bits.
LEAST_NUMBER = -(2**63)


@dataclass(slots=True)
class Replay:
    """What the entries read so far add up to; `plan` are the charges of the plan that is being read."""

    tallies: dict[str, dict[str, Counter[Loss]]] = field(default_factory=dict)
    spent: dict[str, dict[str, Spending]] = field(default_factory=dict)
    budgets: dict[str, Budget] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)
    terms: dict[str, int] = field(default_factory=dict)
    charges: set[int] = field(default_factory=set)
    finished: dict[int, int] = field(default_factory=dict)
    plan: list[Entry] = field(default_factory=list)
    approvals: dict[str, Approvals] = field(default_factory=dict)
    rules: dict[str, int] = field(default_factory=dict)

    def take(self, entry: Entry) -> None:
        """Add one entry to what was replayed so far."""
        if self.plan and (entry.plan is None or entry.plan != self.plan[0].plan):
            self.close_plan()
        _TAKE[entry.kind](self, entry)
        if entry.dataset is not None:
            self.last[entry.dataset] = entry.number

    def close_plan(self) -> None:
        """Decide once more about the charges that were made together."""
        entries = self.plan
        charges = [entry.charge for entry in entries if entry.charge]
        number, planned = (self.plan[0].number, self.plan[0].plan) if self.plan else (0, None)
        self.plan = []
        if planned is not None and planned != number:
            raise LedgerDamaged(f"Entry {number} of the ledger claims to belong to a plan that began earlier.")
        if entries:
            self.check_approved(entries[0], asked_for(charges))
        for entry in entries:
            self.approvals[str(entry.dataset)].take(entry)
        for dataset in sorted({charge.dataset for charge in charges}):
            prices: dict[str, Counter[Loss]] = {}
            for charge in charges:
                if charge.dataset == dataset:
                    prices.setdefault(charge.part or WHOLE, Counter()).update(charge.price)
            self._spend(dataset, prices, number, decide=planned is not None)

    def check_approved(self, entry: Entry, wanted: Mapping[str, Sequence[str]]) -> None:
        """Find what began without the second person whom a rule asks for."""
        if any(self.approvals[dataset].lacking(requests, entry.user) for dataset, requests in wanted.items()):
            raise LedgerDamaged(f"Entry {entry.number} of the ledger needs two people, and nobody else approved it.")

    def _spend(self, dataset: str, prices: Mapping[str, Counter[Loss]], number: int, *, decide: bool) -> None:
        spent, budget = self.spent.setdefault(dataset, {WHOLE: NOTHING}), self.budgets[dataset]
        names = set(prices) | (set(spent) if WHOLE in prices else set())
        fresh = spent[WHOLE]
        for name in sorted(names):
            price = together(*(prices.get(part, {}) for part in {WHOLE, name}))
            before = spent.get(name, fresh)
            after = _decided(before, price, budget) if decide else before.after(price, budget)
            if after is None:
                raise LedgerDamaged(f"Entry {number} of the ledger begins a plan that did not fit in the budget.")
            spent[name] = after


def _decided(before: Spending, price: Counter[Loss], budget: Budget) -> Spending | None:
    """Decide as the ledger did, and if that says no, allow for what another machine may have rounded otherwise."""
    after = admit(before, price, budget)
    if after is not None or not before.plans:
        return after or admit(before, price, replace(budget, epsilon=budget.epsilon * (1 + SLACK)))
    after = before.after(price, budget)
    return after if after.fits(replace(budget, epsilon=budget.epsilon * (1 + SLACK))) else None


def check_book(connection: Connection) -> Head:
    """Check the whole ledger, and decide once more about every plan."""
    head = stated_head(connection)
    accounts, problem = _accounts(connection)
    replay = replayed(connection, head)
    if problem:
        raise problem
    if set(accounts) != set(replay.last) or dataset_names(connection) != tuple(sorted(accounts)):
        raise LedgerDamaged("The accounts of the ledger are not those of the data sets in its entries.")
    for dataset, account in accounts.items():
        _check_account(dataset, account, replay)
    _check_tallies(connection, accounts, replay)
    _check_pages(connection)
    return head


def _accounts(connection: Connection) -> tuple[dict[str, Account], LedgerDamaged | None]:
    """All accounts; a bad one is told only after the entries, because a bad entry says more."""
    found: dict[str, Account] = {}
    for name in connection.column(statements.MENTIONED):
        try:
            account = find_account(connection, name)
        except LedgerDamaged as error:
            return found, error
        found.update({name: account} if account else {})
    return found, None


def replayed(connection: Connection, head: Head) -> Replay:
    """Read all entries, each with its hash and its link, and add them up."""
    replay = Replay()
    noted: dict[int, int] = {}
    number, previous = 0, genesis(head.identity)
    for row in _rows(connection):
        entry = _linked(row, number + 1, previous)
        replay.take(entry)
        noted.update({entry.number: row.finished} if row.finished is not None else {})
        number, previous = entry.number, row.hash
    replay.close_plan()
    if (head.number, head.hash) != (number, previous):
        raise LedgerDamaged(f"The ledger should end with entry {head.number}; it ends with entry {number}.")
    wrong = noted.items() ^ replay.finished.items()
    if wrong:
        raise LedgerDamaged(
            f"Entry {min(wrong)[0]} of the ledger is marked as finished by the wrong entry, or by none."
        )
    return replay


def _rows(connection: Connection) -> Iterator[Any]:
    """All entries in their order, whatever numbers somebody gave them, a page at a time."""
    first = LEAST_NUMBER
    while page := connection.rows(statements.NEXT_ENTRIES, {"first": first, "many": PAGE}):
        yield from page
        first = page[-1].number + 1


def _linked(row: Any, number: int, previous: str) -> Entry:
    if row.number != number:
        raise LedgerDamaged(f"Entry {number} of the ledger is missing.")
    entry = read_entry(number, row.body, row.hash)
    if entry.previous != previous:
        raise LedgerDamaged(f"Entry {number} of the ledger does not follow the entry before it.")
    if entry.dataset != row.dataset:
        raise LedgerDamaged(f"Entry {number} of the ledger is filed under another data set.")
    return entry


def _take_terms(replay: Replay, entry: Entry) -> None:
    if (entry.kind == "register") != (entry.dataset not in replay.last):
        raise LedgerDamaged(f"Entry {entry.number} of the ledger registers a data set twice, or raises an unknown one.")
    if isinstance(entry.act, Registration | Raise):
        replay.budgets[entry.act.dataset] = entry.act.budget
        replay.approvals.setdefault(entry.act.dataset, Approvals())
    replay.terms[str(entry.dataset)] = entry.number


def _take_charge(replay: Replay, entry: Entry) -> None:
    charge = entry.act
    if not isinstance(charge, Charge) or charge.dataset not in replay.last:
        raise LedgerDamaged(f"Entry {entry.number} of the ledger charges a data set that was not registered.")
    replay.tallies.setdefault(charge.dataset, {}).setdefault(charge.part or WHOLE, Counter()).update(charge.price)
    replay.charges.add(entry.number)
    replay.plan.append(entry)
    if entry.plan is None:
        replay.close_plan()


def _take_finish(replay: Replay, entry: Entry) -> None:
    numbers = entry.act.entries if isinstance(entry.act, Finish) else ()
    if not replay.charges.issuperset(numbers) or not replay.finished.keys().isdisjoint(numbers):
        raise LedgerDamaged(f"Entry {entry.number} of the ledger finishes something that is not an open charge.")
    replay.finished.update(dict.fromkeys(numbers, entry.number))


def _take_recovery(replay: Replay, entry: Entry) -> None:
    """Nothing is computed from it; `Recovery` itself refuses what cannot be."""


def _take_note(replay: Replay, entry: Entry) -> None:
    dataset, act = str(entry.dataset), entry.act
    if dataset not in replay.approvals:
        raise LedgerDamaged(f"Entry {entry.number} of the ledger is about a data set that was not registered.")
    if isinstance(act, TwoPeople):
        if not act.required:
            replay.check_approved(entry, {dataset: [lifting(dataset)]})
        replay.rules[dataset] = entry.number
    replay.approvals[dataset].take(entry)


_TAKE: dict[str, Callable[[Replay, Entry], None]] = {
    "register": _take_terms,
    "raise": _take_terms,
    "charge": _take_charge,
    "finish": _take_finish,
    "recover": _take_recovery,
    "decide": _take_note,
    "rule": _take_note,
}


def _check_account(dataset: str, account: Account, replay: Replay) -> None:
    said = (account.last, account.terms, account.rule, set(account.scopes))
    parts = {WHOLE, *replay.tallies.get(dataset, {})}
    if said != (replay.last[dataset], replay.terms[dataset], replay.rules.get(dataset, 0), parts):
        raise LedgerDamaged(f"The account of data set {dataset!r} does not follow from its entries.")
    spent = replay.spent.get(dataset, {WHOLE: NOTHING})
    for name, scope in account.scopes.items():
        if not _alike(scope.spending, spent[name]):
            raise LedgerDamaged(f"The account of data set {dataset!r} does not sum up its entries.")


def _alike(said: Spending, found: Spending) -> bool:
    """Whether exact numbers are the same, and computed ones nearly."""
    same = (said.plans, said.aside, said.first, said.sums.pure, said.sums.failures) == (
        found.plans,
        found.aside,
        found.first,
        found.sums.pure,
        found.sums.failures,
    )
    pairs = [(said.base, found.base)]
    pairs += [(getattr(said.sums, name), getattr(found.sums, name)) for name in ("smooth", "covered", "rho")]
    return same and all(_near(first, second) for first, second in pairs)


def _near(said: Fraction | int | None, found: Fraction | int | None) -> bool:
    if said is None or found is None:
        return said is found
    return abs(Fraction(said) - found) <= Fraction(SLACK) * Fraction(max(said, found))


def _check_tallies(connection: Connection, accounts: Mapping[str, Account], replay: Replay) -> None:
    for dataset, account in accounts.items():
        for part, scope in account.scopes.items():
            counted = read_tally(connection, dataset, part, scope.fingerprint)
            if counted != replay.tallies.get(dataset, {}).get(part, Counter()):
                raise LedgerDamaged(f"The tally of data set {dataset!r} is not what its entries add up to.")
    rows = sum(len(tally) for tallies in replay.tallies.values() for tally in tallies.values())
    if connection.first(statements.ALL_COUNTS).many != rows:
        raise LedgerDamaged("The ledger has a tally for a data set that has no entries.")


def _check_pages(connection: Connection) -> None:
    if connection.dialect == SQLITE:
        (found,) = connection.first("PRAGMA integrity_check(1)")
        if found != "ok":
            raise LedgerDamaged(f"The file of the ledger is damaged ({str(found).splitlines()[-1]}).")
