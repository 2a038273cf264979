"""A ledger that is behind its high-water marks is refused, until what was lost is entered on purpose."""

from collections.abc import Sequence
from typing import Any

from reaedp.errors import DeclarationError, LedgerDamaged
from reaedp.ledger import statements
from reaedp.ledger.book import append, confirm, read_head, stated_head
from reaedp.ledger.database import Connection
from reaedp.ledger.entry import Recovery, read_entry, stamp
from reaedp.ledger.storage import Storage
from reaedp.ledger.verification import check_book

#: Who remembers, and which entry.
Noted = tuple[str, dict[str, Any]]


def watch(storage: Storage) -> None:
    """Refuse a ledger that is behind one of its marks; note where it ends now."""
    # A mark never runs ahead of the ledger, so what is noted first is contained in what is read then.
    noted = storage.noted()
    with storage.transaction(write=False) as connection:
        check(connection, noted)
        try:
            checkpoint = read_head(connection).checkpoint
        except LedgerDamaged:
            return  # said to whoever uses it, and not to be remembered
    storage.remember(checkpoint)


def check(connection: Connection, noted: Sequence[Noted]) -> None:
    """Refuse a ledger that does not contain what is noted, unless that was given up by a recovery."""
    problems = _problems(connection, noted)
    if problems:
        check_book(connection)  # may name the entry where the damage begins
        raise problems[0][1]


def lost_after(storage: Storage) -> tuple[int, int]:
    """Give the last entry that is kept, and the last that a mark remembers beyond it."""
    with storage.transaction(write=False) as connection:
        head = read_head(connection)
        problems = _problems(connection, storage.noted())
    numbers = [noted["number"] for (_, noted), _ in problems]
    if not numbers:
        raise DeclarationError(f"The ledger {storage.place} agrees with its high-water mark: no entry is missing.")
    if any(noted["ledger"] != head.identity for (_, noted), _ in problems):
        raise problems[0][1]  # another ledger is no older copy
    return min(head.number, max(numbers) - 1), max(numbers)


def give_up(storage: Storage, kept: int, lost: int, reason: str) -> int:
    """Record that entries are lost, and let the marks begin again from here; the entry's number."""
    with storage.transaction(write=True) as connection:
        head = append(connection, read_head(connection, lock=True), [Recovery(kept, lost, reason)], stamp())
    for mark in storage.marks:
        mark.reset(head.checkpoint)
    return head.number


def _problems(connection: Connection, noted: Sequence[Noted]) -> list[tuple[Noted, LedgerDamaged]]:
    found = []
    head = stated_head(connection)
    for keeper, checkpoint in noted:
        try:
            confirm(connection, head, checkpoint, keeper)
        except LedgerDamaged as error:
            if checkpoint["ledger"] != head.identity or not _is_given_up(connection, checkpoint["number"]):
                found.append(((keeper, checkpoint), error))
    return found


def _is_given_up(connection: Connection, number: int) -> bool:
    """Whether a recovery says that this entry is gone; rare, so that all are read."""
    rows = connection.rows(statements.RECOVERIES, {"pattern": "%recover%"})
    acts = [read_entry(row.number, row.body, row.hash).act for row in rows]
    return any(isinstance(act, Recovery) and act.kept < number <= act.lost for act in acts)
