"""The rows of a ledger inside one transaction, each checked when it is read.

What a charge relies on is checked at a cost that does not grow: the head against the last entry, the account
against its seal and against the last entry of its data set, a tally against its fingerprint. What nothing relies
on now, such as old entries, is checked by `verification`.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from reaedp.errors import LedgerDamaged
from reaedp.ledger import statements
from reaedp.ledger.account import Account, mark, read_account, seal_of, write_account
from reaedp.ledger.canonical_json import digest, loss_text, read_loss
from reaedp.ledger.database import Connection
from reaedp.ledger.entry import UNREADABLE, Act, Entry, Finish, Raise, Registration, Stamp, genesis, read_entry
from reaedp.privacy.accounting import Tally
from reaedp.privacy.loss import Loss

#: The layout of the tables that this program reads and writes.
VERSION = 2
#: Fingerprints are sums modulo this.
MODULUS = 2**256


@dataclass(frozen=True, slots=True)
class Head:
    """Which ledger this is, and where its chain ends.

    `number` and `hash` are those of the last entry; 0 and a hash of the identity while there is none.
    """

    identity: str
    number: int
    hash: str

    @property
    def checkpoint(self) -> dict[str, Any]:
        """A small record to be kept elsewhere; a ledger that no longer contains it has lost entries."""
        return {"ledger": self.identity, "number": self.number, "hash": self.hash}


def check_version(version: object) -> None:
    """Refuse a layout that this program does not know, however it came under its hands."""
    if version != VERSION:
        raise LedgerDamaged(
            f"The ledger has layout {version}; this version of reaedp knows layout {VERSION}. Use the "
            "version that wrote it, or a newer one."
        )


def only_head(rows: Sequence[Any]) -> Any:
    """Give the one row that there must be."""
    if len(rows) != 1:
        raise LedgerDamaged(f"The ledger must have exactly one row in its head table; it has  {len(rows)}.")
    return rows[0]


def stated_head(connection: Connection, *, lock: bool = False) -> Head:
    """Read where the chain should end; a writer that locks holds the ledger from here on."""
    row = only_head(connection.rows(statements.lock_head(connection.dialect) if lock else statements.READ_HEAD))
    check_version(row.version)
    return Head(row.identity, row.number, row.hash)


def read_head(connection: Connection, *, lock: bool = False) -> Head:
    """Read where the chain should end, and check that it does."""
    head = stated_head(connection, lock=lock)
    newest = connection.first(statements.NEWEST_ENTRY)
    number, hashed = (newest.number, newest.hash) if newest else (0, genesis(head.identity))
    if (head.number, head.hash) != (number, hashed):
        raise LedgerDamaged(f"The ledger should end with entry {head.number}; it ends with entry {number}.")
    if newest and (not isinstance(newest.body, str) or digest(newest.body) != hashed):
        raise LedgerDamaged(f"Entry {number} of the ledger was edited: its hash does not match.")
    return head


def read_row(connection: Connection, number: int) -> Entry:
    """Read one entry by its number."""
    row = _row(connection, number)
    return read_entry(number, row.body, row.hash, finished=row.finished is not None)


def read_finish(connection: Connection, number: int) -> Finish:
    """Read the act that finished a charge."""
    act = read_row(connection, _row(connection, number).finished).act
    if not isinstance(act, Finish) or number not in act.entries:
        raise LedgerDamaged(f"Entry {number} of the ledger is marked as finished by an entry that does not finish it.")
    return act


def read_rows(connection: Connection, after: int, dataset: str | None, many: int) -> list[Entry]:
    """Read the next entries after a number, of one data set or of all."""
    query = statements.NEXT_ENTRIES if dataset is None else statements.NEXT_ENTRIES_OF
    rows = connection.rows(query, {"first": after + 1, "many": many} | ({"dataset": dataset} if dataset else {}))
    return [read_entry(row.number, row.body, row.hash, finished=row.finished is not None) for row in rows]


def find_account(connection: Connection, dataset: str) -> Account | None:
    """Tell what is known of a data set, or None when it was never registered."""
    row = connection.first(statements.ONE_ACCOUNT, {"dataset": dataset})
    last = (row or connection.first(statements.LAST_ENTRY_OF, {"dataset": dataset})).last
    account = read_account(dataset, row.state, row.seal) if row else None
    if (account.last if account else None) != last:
        raise LedgerDamaged(f"The account of data set {dataset!r} does not match its last entry, {last}.")
    return account


def dataset_names(connection: Connection) -> tuple[str, ...]:
    """List the registered data sets."""
    registered = sorted(connection.column(statements.REGISTERED))
    if registered != sorted(connection.column(statements.MENTIONED)):
        raise LedgerDamaged("The accounts of the ledger are not those of the data sets in its entries.")
    return tuple(registered)


def read_terms(connection: Connection, account: Account) -> Registration | Raise:
    """Read the budget and the unit of a data set from the entry that set them."""
    row = _row(connection, account.terms)
    act = _remembered_entry(account.terms, row.body, row.hash).act
    if not isinstance(act, Registration | Raise):
        raise LedgerDamaged(f"Entry {account.terms} of the ledger should set a budget.")
    return act


def read_tally(connection: Connection, dataset: str, part: str, fingerprint: int) -> Counter[Loss]:
    """Read how often each loss was charged to all rows or to one part, and check it as a whole."""
    rows = connection.rows(statements.ONE_TALLY, {"dataset": dataset, "part": part})
    try:
        marks = sum(mark(dataset, part, text, times) for text, times in rows) % MODULUS
        tally = Counter({read_loss(json.loads(text)): times for text, times in rows})
    except UNREADABLE as error:
        raise LedgerDamaged(f"The tally of data set {dataset!r} cannot be read.") from error
    if marks != fingerprint:
        raise LedgerDamaged(f"The tally of data set {dataset!r} does not agree with its account.")
    return tally


def append(connection: Connection, head: Head, acts: Sequence[Act], stamp: Stamp, plan: int | None = None) -> Head:
    """Add entries to the chain, as one plan if that has a number, and return its new end."""
    rows = list(_chained(head, acts, stamp, plan))
    connection.change_each(statements.ADD_ENTRY, rows)
    end = Head(head.identity, rows[-1]["number"], rows[-1]["hash"])
    _one_row(connection.change(statements.MOVE_HEAD, {"number": end.number, "hash": end.hash}))
    return end


def finish_rows(connection: Connection, numbers: Sequence[int], by: int) -> None:
    """Mark entries as finished by another entry."""
    connection.change_each(statements.FINISH_ENTRY, [{"number": number, "by": by} for number in numbers])


def save_account(connection: Connection, dataset: str, account: Account) -> None:
    """Replace what is known of a data set."""
    state = write_account(account)
    values = {"dataset": dataset, "state": state, "seal": seal_of(dataset, state)}
    _one_row(connection.change(statements.SAVE_ACCOUNT, values))


def add_account(connection: Connection, dataset: str, account: Account) -> None:
    """Open the account of a new data set."""
    state = write_account(account)
    connection.change(statements.ADD_ACCOUNT, {"dataset": dataset, "state": state, "seal": seal_of(dataset, state)})


def count(connection: Connection, dataset: str, part: str, added: Tally) -> int:
    """Count losses and return by how much the fingerprint of the tally changes."""
    texts = {loss_text(loss): times for loss, times in added.items()}
    rows = [{"dataset": dataset, "part": part, "loss": text, "count": times} for text, times in texts.items()]
    counted = [row for values in rows for row in connection.rows(statements.ADD_COUNT, values)]
    come = sum(mark(dataset, part, text, times) for text, times in counted)
    gone = sum(mark(dataset, part, text, times - texts[text]) for text, times in counted if times != texts[text])
    if len(counted) != len(texts):
        raise LedgerDamaged(f"The tally of data set {dataset!r} cannot be written.")
    return come - gone


def confirm(connection: Connection, head: Head, checkpoint: Mapping[str, Any], keeper: str) -> None:
    """Check that the ledger still contains what a checkpoint remembers."""
    number = checkpoint["number"]
    row = connection.first(statements.ONE_ENTRY, {"number": number})
    hashed = genesis(head.identity) if number == 0 else row and row.hash
    if (head.identity, hashed) != (checkpoint["ledger"], checkpoint["hash"]):
        raise LedgerDamaged(
            f"The ledger ends with entry {head.number} and lacks entry {number} as recorded by {keeper}: "
            "it was cut off, replaced by an older copy, or rewritten. Restore the newest copy. If there is none, "
            "record what the lost entries cost with `reaedp ledger recover`."
        )


#: The same terms are read for every charge.
_remembered_entry = lru_cache(maxsize=64)(read_entry)


def _row(connection: Connection, number: int) -> Any:
    row = connection.first(statements.ONE_ENTRY, {"number": number})
    if row is None:
        raise LedgerDamaged(f"Entry {number} of the ledger is missing.")
    return row


def _chained(head: Head, acts: Sequence[Act], stamp: Stamp, plan: int | None) -> Iterator[dict[str, Any]]:
    previous = head.hash
    for number, act in enumerate(acts, head.number + 1):
        entry = Entry(number, previous, stamp.time, stamp.user, stamp.version, act, plan)
        body = entry.body
        previous = digest(body)
        yield {"number": number, "dataset": entry.dataset, "body": body, "hash": previous}


def _one_row(changed: int) -> None:
    if changed != 1:
        raise LedgerDamaged(f"One row of the ledger should have changed; {changed} did.")
