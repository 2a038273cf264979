"""The durable budget of data sets: a charge is on disk, and within the budget, before any noise is drawn.

The only mutable object of the project. Every call is one transaction or fails as a whole; what cannot be read is
an error, never "nothing spent". Charges of one call are one plan, whose prices are fixed together; plans may be chosen
in view of everything that was answered before. What needs numerical mathematics is computed before the ledger is
locked, and remembered.
"""

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from reaedp.errors import BudgetRefused, DeclarationError, sentence
from reaedp.ledger.approvals import NO_CONTRACT, asked_for, check_approved, lifting
from reaedp.ledger.book import (
    Head,
    append,
    find_account,
    finish_rows,
    read_head,
    read_row,
    read_terms,
)
from reaedp.ledger.canonical_json import write
from reaedp.ledger.database import Connection
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
from reaedp.ledger.posting import change_terms, find_known, note, post, postings, register
from reaedp.ledger.reader import Reader
from reaedp.ledger.recovery import check, give_up, lost_after, watch
from reaedp.ledger.storage import Storage
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import ApproxDP, Price, PureDP
from reaedp.privacy.unit import Unit

__all__ = ["Charge", "Entry", "Ledger"]


class Ledger(Reader):
    """The record of all spending on some data sets, in a file or database shared by processes, users and machines.

    `create` and `open` take its `address`; the constructor, which takes a `storage`, is internal. `charges` are
    `Charge` records, each with a `price`, its privacy loss; `entries` and `number` are entry numbers; a `reason` is
    kept in the ledger; a `checkpoint` is a file written by `reaedp ledger checkpoint`.

    >>> with Ledger.open("budget.sqlite") as ledger:
    ...     ledger.budget("clinic").epsilon, ledger.holds("clinic")
    (100.0, True)
    """

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage)
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
        """Create an empty ledger where there is none, and open it: once per data set, never as a side effect."""
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
        """Continue with an older copy of a ledger: charge for the lost entries, and record that they are lost.

        `lost` gives ε and δ for every data set: (0, 0) if none of its entries were lost, None for all that is left of
        its budget. Returns the first and last number of the lost entries.
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

    def register(self, dataset: str, budget: Budget, unit: Unit) -> None:
        """Declare the budget and privacy unit of a data set at its first use; repeating it changes nothing."""
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
        """Record charges on disk as one plan, all or none, and return their entry numbers.

        Raises `BudgetRefused` if they do not fit; then nothing is charged.
        """
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
        """Whether these charges, as one plan, would be admitted now; nothing is recorded."""
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
        """Record that the releases behind some charges were published; repeating it does no harm.

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
        """Give a data set a larger budget, with a reason that is kept in the ledger. Returns the entry number."""
        with self._writing() as connection:
            head = read_head(connection, lock=True)
            account = find_known(connection, dataset)
            terms = read_terms(connection, account)
            _check_larger(terms.budget, budget)
            head = change_terms(connection, head, account, Raise(dataset, budget, terms.unit, reason), stamp())
        self._storage.remember(head.checkpoint)
        return head.number

    def decide(self, dataset: str, requests: Sequence[str], asked_by: str, *, approved: bool, reason: str) -> int:
        """Record the answer to a user's requests, each given by its SHA-256. Returns the entry number.

        `asked_by` names that user, `approved` is the answer. An approval is good for one charge of exactly these
        requests; a later answer about them replaces it.
        """
        return self._note(Decision(dataset, tuple(sorted(requests)), asked_by, approved, reason))

    def require_two_people(self, dataset: str, reason: str, *, required: bool = True) -> int:
        """From now on, refuse charges to a data set unless a second person approved them. Returns the entry number.

        Lifting the rule with `required=False` also takes two people: one calls `approve_lifting`, another lifts it.
        """
        return self._note(TwoPeople(dataset, required, reason))

    def approve_lifting(self, dataset: str, reason: str) -> int:
        """Approve that somebody else lifts the two-person rule of a data set. Returns the entry number."""
        return self.decide(dataset, [lifting(dataset)], "whoever lifts the rule", approved=True, reason=reason)

    def _note(self, act: Decision | TwoPeople) -> int:
        with self._writing() as connection:
            head, now = read_head(connection, lock=True), stamp()
            account = find_known(connection, act.dataset)
            if isinstance(act, TwoPeople) and not act.required:
                check_approved(connection, {act.dataset: account}, {act.dataset: [lifting(act.dataset)]}, now.user)
            head = note(connection, head, account, act, now)
        self._storage.remember(head.checkpoint)
        return head.number

    def _lost(self, dataset: str, cost: tuple[float, float] | None, kept: int, last: int) -> Iterator[Charge]:
        """What a data set may have spent in entries that are gone; nobody knows by which mechanism."""
        epsilon, delta = (self.remaining(dataset), 0.0) if cost is None else cost
        if epsilon == delta == 0:
            return
        with self._reading() as connection:
            unit = read_terms(connection, find_known(connection, dataset)).unit
        price: Price = (ApproxDP(epsilon, delta) if delta else PureDP(epsilon),)
        yield Charge(dataset, f"lost entries {kept + 1} to {last}", "unknown", price, unit, contract=NO_CONTRACT)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """A transaction on a ledger that still contains all that was noted of it before."""
        noted = self._storage.noted()
        with self._transaction(write=True) as connection:
            check(connection, noted)
            yield connection


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
