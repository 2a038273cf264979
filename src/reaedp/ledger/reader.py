"""What a ledger says: what data sets may spend and have spent, entry by entry; nothing here writes."""

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path, PurePath
from types import TracebackType
from typing import Any, Self

from reaedp.errors import DeclarationError, LedgerBusy, sentence
from reaedp.ledger.admission import spent_epsilon
from reaedp.ledger.approvals import Approvals, read_approvals
from reaedp.ledger.book import (
    confirm,
    dataset_names,
    read_finish,
    read_head,
    read_row,
    read_rows,
    read_terms,
)
from reaedp.ledger.database import Connection
from reaedp.ledger.entry import (
    Charge,
    Entry,
    Finish,
    Raise,
    Registration,
    stamp,
)
from reaedp.ledger.posting import find_known, read_scopes
from reaedp.ledger.storage import Storage
from reaedp.ledger.verification import check_book
from reaedp.privacy.accounting import Tally, tally
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import Price
from reaedp.privacy.rest import Rest
from reaedp.privacy.second_opinion import SecondOpinion, second_opinion
from reaedp.privacy.spending import Spending, copies, decimal_floor, room
from reaedp.privacy.unit import Unit

#: Entries that are read in one transaction of `history`.
PAGE = 1000
#: A forecast stops counting here.
MOST_COPIES = 1_000_000


class Reader:
    """An open ledger, as far as it is read."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._closed = False

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

    def _terms(self, dataset: str) -> Registration | Raise:
        with self._reading() as connection:
            read_head(connection)
            return read_terms(connection, find_known(connection, dataset))

    def _reading(self) -> AbstractContextManager[Connection]:
        return self._transaction(write=False)

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


def _read_checkpoint(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text())
        return {name: record[name] for name in ("ledger", "number", "hash")}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DeclarationError(
            sentence("A checkpoint must be a file written by `reaedp ledger checkpoint`", given=str(path))
        ) from error
