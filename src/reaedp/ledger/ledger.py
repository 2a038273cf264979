"""The durable budget of data sets: a charge is on disk, and within the budget, before any noise is drawn.

The only mutable object of the project. Every call is one transaction or fails as a whole; what cannot be read is
an error, never "nothing spent". Charges of one call are one plan, whose prices are fixed together; plans may be chosen
in view of everything that was answered before. What needs numerical mathematics is computed before the ledger is
locked, and remembered.
"""

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path, PurePath
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection

from reaedp.errors import BudgetRefused, DeclarationError, LedgerBusy, sentence
from reaedp.ledger.admission import spent_epsilon
from reaedp.ledger.approvals import NO_CONTRACT, Approvals, asked_for, check_approved, lifting, read_approvals
from reaedp.ledger.book import (
    Head,
    append,
    confirm,
    dataset_names,
    find_account,
    finish_rows,
    read_finish,
    read_head,
    read_row,
    read_rows,
    read_terms,
)
from reaedp.ledger.canonical_json import write
from reaedp.ledger.entry import (
    UNREADABLE,
    Charge,
    Decision,
    Entry,
    Finish,
    Raise,
    Registration,
    TwoPeople,
    act_record,
    protects_alike,
    read_act,
    stamp,
)
from reaedp.ledger.posting import change_terms, find_known, note, post, postings, read_scopes, register
from reaedp.ledger.recovery import check, give_up, lost_after, watch
from reaedp.ledger.storage import Storage
from reaedp.ledger.verification import check_book
from reaedp.privacy.accounting import Tally, tally
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import ApproxDP, Price, PureDP
from reaedp.privacy.rest import Rest
from reaedp.privacy.second_opinion import SecondOpinion, second_opinion
from reaedp.privacy.spending import Spending, copies, decimal_floor, room
from reaedp.privacy.unit import Unit

__all__ = ["Charge", "Entry", "Ledger"]

#: Entries that are read in one transaction of `history`.
PAGE = 1000
#: A forecast stops counting here.
MOST_COPIES = 1_000_000


class Ledger:
    """All spending of some data sets, in a file or a database that processes, users and machines share.

    `create` and `open` take its `address`; the constructor, which takes a `storage`, is for this package. `charges` are
    `Charge` records, each with a `price`, its privacy loss; `entries` and `number` are numbers of entries; a `reason`
    stays in the ledger; a `checkpoint` is a file that `reaedp ledger checkpoint` wrote.

    >>> with Ledger.open("budget.sqlite") as ledger:
    ...     ledger.budget("clinic").epsilon, ledger.holds("clinic")
    (100.0, True)
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._closed = False
        #: What was charged last: its cover is known in this process.
        self._weighed: tuple[object, ...] = ()

    @classmethod
    def open(cls, address: str | Path) -> Self:
        """Open a ledger that exists, by its file path or its postgresql:// address."""
        storage = _opened(address)
        with storage.closed_on_error():
            watch(storage)
        return cls(storage)

    @classmethod
    def create(cls, address: str | Path) -> Self:
        """Make an empty ledger where there is none, and open it: once for a data set, never by the way."""
        if isinstance(address, str) and "://" in address:
            from reaedp.ledger.postgres_server import create_server

            create_server(address)
        else:
            from reaedp.ledger.sqlite_file import create_file

            create_file(Path(address))
        return cls.open(address)

    @classmethod
    def recover(
        cls, address: str | Path, lost: Mapping[str, tuple[float, float] | None], reason: str
    ) -> tuple[int, int]:
        """Go on with an older copy of a ledger: enter what the lost entries cost, and record that they are lost.

        `lost` gives ε and δ for every data set, (0, 0) if nothing of it was lost and None for all that is left of its
        budget. The first and the last number of the lost entries are returned.
        """
        storage = _opened(address)
        with storage.closed_on_error():
            kept, last = lost_after(storage)
            book = cls(dataclasses.replace(storage, marks=()))
            if unstated := set(book.datasets()) ^ set(lost):
                rule = "What was lost must be stated for every data set of the ledger, and for no other"
                raise DeclarationError(sentence(rule, given=sorted(unstated)))
            # If this stops half-way, what was entered is entered again by the next try: too much, never too little.
            book.charge([charge for name, cost in lost.items() for charge in book._lost(name, cost, kept, last)])
            give_up(storage, kept, last, reason)
        storage.close()
        return kept + 1, last

    @property
    def place(self) -> str:
        """Where the ledger is: the absolute path of its file, or its server's address without a password."""
        return self._storage.place

    @property
    def name(self) -> str:
        """The last part of the place, which may be published: that of the file, or of the database."""
        return PurePath(self._storage.place.partition("?")[0]).name

    @property
    def identity(self) -> str:
        """Which ledger this is, wherever it is moved or copied: a random text, drawn when it was made."""
        with self._reading() as connection:
            return read_head(connection).identity

    def close(self) -> None:
        """Let go of the file or the connection."""
        self._closed = True
        self._storage.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def register(self, dataset: str, budget: Budget, unit: Unit) -> None:
        """Declare the budget and the unit of a data set at its first use; the same again changes nothing."""
        terms = Registration(dataset, budget, unit)
        with self._reading() as connection:
            if _agree(connection, terms):
                return
        with self._writing() as connection:
            head = read_head(connection, lock=True)
            if not _agree(connection, terms):
                head = register(connection, head, terms, stamp())
        self._storage.remember(head.checkpoint)

    def charge(self, charges: Sequence[Charge]) -> tuple[int, ...]:
        """Record charges as one plan, all or none, on disk; their entry numbers, or `BudgetRefused`, nothing spent."""
        # What is counted is what is written: each charge is read back from its own text.
        written = [_as_written(charge) for charge in charges]
        if not written:
            return ()
        wanted = tuple((charge.dataset, charge.part, charge.price) for charge in written)
        if wanted != self._weighed:
            # Covering a price for the first time may take long and import much; others go on meanwhile.
            self.admits(written)
            self._weighed = wanted
        with self._writing() as connection:
            head = read_head(connection, lock=True)
            decided = [(posting, posting.decided()) for posting in postings(connection, written)]
            accounts, now = {posting.dataset: posting.account for posting, _ in decided}, stamp()
            check_approved(connection, accounts, asked_for(written), now.user)
            end = post(connection, head, written, decided, now)
        self._storage.remember(end.checkpoint)
        return tuple(range(end.number + 1 - len(written), end.number + 1))

    def admits(self, charges: Sequence[Charge]) -> bool:
        """Say whether charges would be admitted as one plan now; nothing is recorded."""
        with self._reading() as connection:
            read_head(connection)
            sorted_charges = postings(connection, charges)
        try:
            for posting in sorted_charges:
                posting.decided()
        except BudgetRefused:
            return False
        return True

    def finish(self, entries: Sequence[int], manifest: str | None = None) -> None:
        """Record that the releases behind some charges were published; again is no harm, and changes nothing.

        `manifest` is the SHA-256 of the `release.json` that describes them.
        """
        if not entries:
            return
        wanted = Finish(tuple(sorted(set(entries))), manifest)
        with self._writing() as connection:
            head = read_head(connection, lock=True)
            still_open = tuple(number for number in wanted.entries if _is_open(connection, head, number))
            if still_open:
                head = append(connection, head, [Finish(still_open, manifest)], stamp())
                finish_rows(connection, still_open, head.number)
        self._storage.remember(head.checkpoint)

    def raise_budget(self, dataset: str, budget: Budget, reason: str) -> int:
        """Give a data set a larger budget, for a reason that stays in the ledger; the entry's number."""
        with self._writing() as connection:
            head = read_head(connection, lock=True)
            account = find_known(connection, dataset)
            terms = read_terms(connection, account)
            _check_larger(terms.budget, budget)
            head = change_terms(connection, head, account, Raise(dataset, budget, terms.unit, reason), stamp())
        self._storage.remember(head.checkpoint)
        return head.number

    def decide(self, dataset: str, requests: Sequence[str], asked_by: str, *, approved: bool, reason: str) -> int:
        """Record the answer to somebody who asked for some releases, by the SHA-256 of each; the entry's number.

        An approval is for one charge of exactly these requests; a later answer about them replaces it.
        """
        return self._note(Decision(dataset, tuple(sorted(requests)), asked_by, approved, reason))

    def require_two_people(self, dataset: str, reason: str, *, required: bool = True) -> int:
        """From here on let nobody charge to a data set what nobody else approved; the entry's number.

        To lift the rule, `required=False`, takes two people as well: one approves `approvals.lifting`, another lifts.
        """
        return self._note(TwoPeople(dataset, required, reason))

    def needs_two_people(self, dataset: str) -> bool:
        """Say whether charges to a data set need somebody else's approval."""
        return self._approvals(dataset).required

    def lacks_approval(self, dataset: str, requests: Sequence[str]) -> bool:
        """Say whether these requests would be refused now because nobody else has approved them."""
        return self._approvals(dataset).lacking(requests, stamp().user)

    def _approvals(self, dataset: str) -> Approvals:
        with self._reading() as connection:
            read_head(connection)
            return read_approvals(connection, dataset, find_known(connection, dataset))

    def _note(self, act: Decision | TwoPeople) -> int:
        with self._writing() as connection:
            head, now = read_head(connection, lock=True), stamp()
            account = find_known(connection, act.dataset)
            if isinstance(act, TwoPeople) and not act.required:
                check_approved(connection, {act.dataset: account}, {act.dataset: [lifting(act.dataset)]}, now.user)
            head = note(connection, head, account, act, now)
        self._storage.remember(head.checkpoint)
        return head.number

    def budget(self, dataset: str) -> Budget:
        """Tell what a data set may spend in all its releases together."""
        return self._terms(dataset).budget

    def spent(self, dataset: str) -> float:
        """Give the least ε at the budget's δ that is certified for all charges so far; the worst part decides."""
        budget, scopes = self._scopes(dataset)
        return max(spent_epsilon(spending, losses, budget) for spending, losses in scopes)

    def remaining(self, dataset: str) -> float:
        """Give the ε of one more pure release of all rows that is sure to fit; rounded down."""
        budget, scopes = self._scopes(dataset)
        return decimal_floor(min(room(spending, budget) for spending, _ in scopes))

    def rest(self, dataset: str) -> Rest:
        """Give what is left for plans of all rows, as it is now, to be asked what fits."""
        with self._reading() as connection:
            read_head(connection)
            account = find_known(connection, dataset)
            spent = tuple(dict.fromkeys(scope.spending for scope in account.scopes.values()))
            return Rest(read_terms(connection, account).budget, spent)

    def unit(self, dataset: str) -> Unit:
        """Tell whose privacy the budget of a data set is for."""
        return self._terms(dataset).unit

    def holds(self, dataset: str) -> bool:
        """Say whether all charges are within the budget; false only after charges that an earlier program admitted."""
        budget, scopes = self._scopes(dataset)
        return all(spending.fits(budget) for spending, _ in scopes)

    def second_opinion(self, dataset: str) -> SecondOpinion | None:
        """What dp-accounting says of all losses, as if prices were fixed, where it can; the worst part decides."""
        budget, scopes = self._scopes(dataset)
        _, worst = max(scopes, key=lambda scope: spent_epsilon(scope[0], scope[1], budget))
        return second_opinion(worst, budget.delta)

    def copies_left(self, dataset: str, price: Price) -> int:
        """How many more releases of all rows at this price fit, one by one, counted up to a million."""
        budget, scopes = self._scopes(dataset)
        once = tally([price])
        return min(copies(spending, once, budget, MOST_COPIES) for spending, _ in scopes)

    def datasets(self) -> tuple[str, ...]:
        """Give the registered data sets, by name."""
        with self._reading() as connection:
            read_head(connection)
            return dataset_names(connection)

    def history(self, dataset: str | None = None) -> Iterator[Entry]:
        """All entries, or those of one data set, in their order, each with its own hash checked."""
        last = 0
        while True:
            with self._reading() as connection:
                read_head(connection)
                if dataset is not None:
                    find_known(connection, dataset)
                page = read_rows(connection, last, dataset, PAGE)
            yield from page
            if len(page) < PAGE:
                return
            last = page[-1].number

    def payment(self, number: int) -> tuple[Charge, Finish | None] | None:
        """Give the charge with this number and what finished it, if anything did; None if there is no such charge."""
        with self._reading() as connection:
            head = read_head(connection)
            entry = read_row(connection, number) if 1 <= number <= head.number else None
            if entry is None or entry.charge is None:
                return None
            finish = read_finish(connection, number) if entry.finished else None
            return entry.charge, finish

    def verify(self, checkpoint: Path | None = None) -> int:
        """Check the whole ledger, and that it contains a checkpoint; how many entries there are."""
        remembered = None if checkpoint is None else _read_checkpoint(checkpoint)
        with self._reading() as connection:
            head = check_book(connection)
            if remembered is not None:
                confirm(connection, head, remembered, f"the checkpoint {checkpoint}")
        return head.number

    def checkpoint(self) -> dict[str, Any]:
        """Give a small record of the last entry, to be kept where whoever writes the ledger cannot write."""
        with self._reading() as connection:
            return read_head(connection).checkpoint

    def _lost(self, dataset: str, cost: tuple[float, float] | None, kept: int, last: int) -> Iterator[Charge]:
        """What a data set may have spent in entries that are gone; nobody knows by which mechanism."""
        epsilon, delta = (self.remaining(dataset), 0.0) if cost is None else cost
        if epsilon == delta == 0:
            return
        with self._reading() as connection:
            unit = read_terms(connection, find_known(connection, dataset)).unit
        price: Price = (ApproxDP(epsilon, delta) if delta else PureDP(epsilon),)
        yield Charge(dataset, f"lost entries {kept + 1} to {last}", "unknown", price, unit, contract=NO_CONTRACT)

    def _terms(self, dataset: str) -> Registration | Raise:
        with self._reading() as connection:
            read_head(connection)
            return read_terms(connection, find_known(connection, dataset))

    def _reading(self) -> AbstractContextManager[Connection]:
        return self._transaction(write=False)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """A transaction on a ledger that still contains all that was noted of it before."""
        noted = self._storage.noted()
        with self._transaction(write=True) as connection:
            check(connection, noted)
            yield connection

    def _transaction(self, *, write: bool) -> AbstractContextManager[Connection]:
        if self._closed:
            raise LedgerBusy(f"The ledger {self._storage.place} was closed; open it again.")
        return self._storage.transaction(write=write)

    def _scopes(self, dataset: str) -> tuple[Budget, list[tuple[Spending, Tally]]]:
        """Give the budget, and what all rows and each part have spent.

        A part bears all losses of all rows and more, but may have more room: filters admit some histories and not
        shorter ones.
        """
        with self._reading() as connection:
            read_head(connection)
            account = find_known(connection, dataset)
            terms = read_terms(connection, account)
            losses = read_scopes(connection, dataset, account, account.scopes)
            return terms.budget, [(account.scopes[name].spending, losses[name]) for name in losses]


def _opened(address: str | Path) -> Storage:
    if isinstance(address, str) and "://" in address:
        from reaedp.ledger.postgres_server import open_server

        return open_server(address)
    from reaedp.ledger.sqlite_file import open_file

    return open_file(Path(address))


def _as_written(charge: Charge) -> Charge:
    try:
        written = read_act("charge", json.loads(write(act_record(charge))))
    except UNREADABLE:
        written = None
    if not isinstance(written, Charge) or written != charge:
        raise DeclarationError(sentence("A charge must read the same after being written and read back", given=charge))
    return written


def _agree(connection: Connection, terms: Registration) -> bool:
    """Whether a data set is registered with these terms already; other terms are refused."""
    read_head(connection)
    account = find_account(connection, terms.dataset)
    if account is None:
        return False
    known = read_terms(connection, account)
    if known.budget != terms.budget:
        raise DeclarationError(
            f"Data set {terms.dataset!r} has the budget {_named(known.budget)} in the ledger; given "
            f"{_named(terms.budget)}. Declare the former, or change it with `reaedp ledger raise`."
        )
    if not protects_alike(known.unit, terms.unit):
        rule = f"All releases of data set {terms.dataset!r} must use the same privacy unit, {known.unit}"
        raise DeclarationError(sentence(rule, given=terms.unit))
    return True


def _is_open(connection: Connection, head: Head, number: int) -> bool:
    entry = read_row(connection, number) if number <= head.number else None
    if entry is None or entry.charge is None:
        raise DeclarationError(sentence("Only an entry of kind charge can be marked as finished", given=number))
    return not entry.finished


def _check_larger(known: Budget, budget: Budget) -> None:
    if budget == known or budget.epsilon < known.epsilon or budget.delta < known.delta:
        rule = f"A budget can be raised but not lowered; the ledger has {_named(known)}"
        raise DeclarationError(f"{rule}; given {_named(budget)}.")


def _named(budget: Budget) -> str:
    return f"ε = {float(budget.epsilon)!r}, δ = {float(budget.delta)!r}"


def _read_checkpoint(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text())
        return {name: record[name] for name in ("ledger", "number", "hash")}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DeclarationError(
            sentence("A checkpoint must be a file written by `reaedp ledger checkpoint`", given=str(path))
        ) from error
