"""A ledger in one SQLite file: write-ahead log, every commit synced to disk, one writer at a time."""

import contextlib
import os
import sqlite3
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from reaedp.disk.system import PLAIN, sync
from reaedp.errors import DeclarationError, LedgerBusy, LedgerDamaged, LedgerMissing
from reaedp.ledger import storage
from reaedp.ledger.database import SQLITE, Database
from reaedp.ledger.high_water_mark import HighWaterMark, lock_within
from reaedp.ledger.schema import create, existing, missing, prepare
from reaedp.ledger.storage import Storage
from reaedp.ledger.writers_queue import turn

#: Primary result codes that speak of the surroundings; all others speak of the contents.
SURROUNDINGS = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_PROTOCOL,
    }
)
PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",
    "PRAGMA cell_size_check = ON",
    "PRAGMA trusted_schema = OFF",
)


def open_file(address: Path) -> Storage:
    """Open the ledger that lies in a file."""
    path = address.resolve()
    with _told(path, "opened"):
        if not os.path.exists(path):  # noqa: PTH110 - which raises nothing for names that no file can have
            _check_never_was(path)
            raise LedgerMissing(missing(str(path)))
        opened = _storage(path)
        with opened.closed_on_error():
            return prepare(opened, HighWaterMark(witness_of(path), "the high-water mark next to it"))


def create_file(address: Path) -> None:
    """Make an empty ledger in a file that is not there yet."""
    path = address.resolve()
    with _told(path, "made"):
        _check_free(path)  # before the lock, whose file would stay behind
        with _alone(path):
            _check_free(path)
            _make(path)


def _check_free(path: Path) -> None:
    """Refuse a place where something is, or was."""
    if path.exists():
        raise DeclarationError(existing(str(path)))
    _check_never_was(path)


@contextlib.contextmanager
def _told(path: Path, what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = f"{error.strerror}: {error.filename or path}"
        raise LedgerBusy(f"The ledger {path} cannot be {what} ({reason}).") from error


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let one process at a time bring a ledger file into being."""
    descriptor = os.open(witness_of(path), os.O_RDWR | os.O_CREAT | PLAIN, 0o666)
    try:
        if not lock_within(descriptor, storage.PATIENCE_SECONDS):
            raise LedgerBusy(f"Another process is using the high-water mark of the ledger {path}. Try again.")
        yield
    finally:
        os.close(descriptor)


def witness_of(ledger: Path) -> Path:
    """Where the high-water mark beside a ledger file lies."""
    return _beside(ledger, "-witness")


def _check_never_was(path: Path) -> None:
    """Refuse to take a ledger that is gone for one that never was."""
    witness = witness_of(path)
    if os.path.exists(_beside(path, "-wal")) or (os.path.exists(witness) and witness.stat().st_size):  # noqa: PTH110
        raise LedgerDamaged(
            f"The ledger {path} is missing, but its high-water mark {witness} exists. Put the ledger back: a new, "
            "empty one would forget what was spent. If you want that, delete the high-water mark."
        )


def _make(path: Path) -> None:
    """Put a complete empty ledger in place in one step, so that no process and no crash sees half of one."""
    fresh = _beside(path, "-new")
    for ending in ("", "-wal", "-shm"):
        _beside(fresh, ending).unlink(missing_ok=True)
    made = _storage(fresh, mode="rwc")
    with made.closed_on_error(), made.transaction(write=True) as connection:
        create(connection)
    made.close()
    sync(fresh)
    fresh.replace(path)
    sync(path.parent)


def _storage(path: Path, mode: str = "rw") -> Storage:
    files: dict[str, tuple[int, int]] = {}
    connect = partial(_connect, path, mode, files)
    return Storage(
        place=str(path),
        database=Database(SQLITE, connect, reading="BEGIN", writing="BEGIN IMMEDIATE"),
        errors=sqlite3.Error,
        out_of_reach=lambda error: getattr(error, "sqlite_errorcode", 0) & 0xFF in SURROUNDINGS,
        guard=partial(_check_files, path, files),
        turn=partial(turn, path) if mode == "rw" else contextlib.nullcontext,
    )


def _connect(path: Path, mode: str, files: dict[str, tuple[int, int]]) -> sqlite3.Connection:
    if mode == "rw" and path.exists() and path.stat().st_size == 0:
        raise LedgerDamaged(f"The ledger {path} is empty: cut off, or not a ledger. Restore it, or delete it.")
    uri, patience = f"{path.as_uri()}?mode={mode}", storage.PATIENCE_SECONDS
    connection = sqlite3.connect(uri, patience, isolation_level=None, check_same_thread=False, uri=True)
    connection.row_factory = _named
    try:
        for pragma in PRAGMAS:
            connection.execute(pragma)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # brings the log file into being
        files.update(_identities(path))
    except BaseException:
        connection.close()
        raise
    return connection


def _named(cursor: sqlite3.Cursor, row: Sequence[Any]) -> Any:
    """A row by the names of its columns; SQLite gives them as the file has them, and a bit turns `body` into `Body`."""
    return _row_type(tuple(column[0].lower() for column in cursor.description))(row)


@cache
def _row_type(names: tuple[str, ...]) -> Callable[[Sequence[Any]], Any]:
    make: Any = namedtuple  # the type checker knows it only with names that are written out
    made: Callable[[Sequence[Any]], Any] = make("Row", names, rename=True)._make
    return made


def _check_files(path: Path, files: Mapping[str, tuple[int, int]]) -> None:
    """SQLite goes on writing into a file that was renamed or deleted, where nobody will ever find the charge."""
    try:
        unchanged = _identities(path) == files and path.stat().st_nlink == 1
    except OSError:
        unchanged = False
    if not unchanged:
        raise LedgerDamaged(
            f"The ledger {path} or its log was moved, replaced, deleted or linked while in use; nothing was released. "
            "Put the file back and open it again."
        )


def _identities(path: Path) -> dict[str, tuple[int, int]]:
    found = {ending: _beside(path, ending).stat() for ending in ("", "-wal")}
    return {ending: (stat.st_dev, stat.st_ino) for ending, stat in found.items()}


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)
