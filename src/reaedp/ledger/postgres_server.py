"""A ledger in a PostgreSQL database: for teams on several machines; writers queue for the row of the head."""

import logging
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from reaedp.errors import DeclarationError, LedgerBusy, LedgerMissing
from reaedp.ledger import storage
from reaedp.ledger.database import POSTGRESQL, Database
from reaedp.ledger.schema import create, existing, holds_ledger, missing, prepare, take_turn
from reaedp.ledger.storage import Storage

#: Classes of SQLSTATE that speak of the surroundings: connection, read-only, authorization, catalog, serialization,
#: resources, locks, shutdown, system.
SURROUNDINGS = frozenset({"08", "25", "28", "3D", "40", "53", "55", "57", "58"})
#: A user without the right to write.
FORBIDDEN = "42501"
SCHEMES = frozenset({"postgresql", "postgres", "postgresql+psycopg"})
#: Each statement of a writer, after the lock on the head, must see what the last writer committed.
READING, WRITING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "BEGIN ISOLATION LEVEL READ COMMITTED"


def open_server(address: str) -> Storage:
    """Open the ledger that lies in a database."""
    opened = _storage(address)
    with opened.closed_on_error():
        with opened.transaction(write=False) as connection:
            if not holds_ledger(connection):
                raise LedgerMissing(missing(opened.place))
        return prepare(opened)


def create_server(address: str) -> None:
    """Make the tables of an empty ledger in a database that has none."""
    opened = _storage(address)
    try:
        with opened.transaction(write=True) as connection:
            take_turn(connection)
            if holds_ledger(connection):
                raise DeclarationError(existing(opened.place))
            create(connection)
    finally:
        opened.close()


def _storage(address: str) -> Storage:
    plain = _plain(address)
    try:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
    except ModuleNotFoundError as error:
        raise DeclarationError("A ledger on a server needs psycopg: pip install 'reaedp[postgres]'.") from error
    try:
        conninfo_to_dict(plain)
    except psycopg.Error:
        raise _not_an_address() from None
    database = Database(POSTGRESQL, partial(_connect, plain), reading=READING, writing=WRITING, alive=_alive)
    return Storage(place=_shown(plain), database=database, errors=psycopg.Error, out_of_reach=_out_of_reach)


def _plain(address: str) -> str:
    """An address as the server's own library reads it."""
    try:
        parts = urlsplit(address)
        well_formed = parts.scheme in SCHEMES and (parts.port is None or parts.port > 0)
    except ValueError:
        well_formed = False
    if not well_formed:
        raise _not_an_address()
    return "postgresql" + address[address.index("://") :]


def _not_an_address() -> DeclarationError:
    # The address may contain a password; it is not repeated.
    return DeclarationError("The address of a ledger must be a file or postgresql://user@host/database.")


def _shown(address: str) -> str:
    """An address without its passwords."""
    parts = urlsplit(address)
    user, at, host = parts.netloc.rpartition("@")
    name, colon, _ = user.partition(":")
    said = parse_qsl(parts.query, keep_blank_values=True)
    query = urlencode([(key, "***" if "password" in key else value) for key, value in said], safe="*")
    return parts._replace(netloc=f"{name}{colon}{'***' if colon else ''}{at}{host}", query=query).geturl()


def _connect(address: str) -> Any:
    """A connection whose commits are durable whatever the server's defaults are, and that blocks no other for long."""
    import psycopg
    from psycopg.rows import namedtuple_row

    driver = logging.getLogger(psycopg.__name__)
    if not driver.handlers:
        # Without any it would write to standard error that a connection was lost, which our own error says.
        driver.addHandler(logging.NullHandler())
    patience = storage.PATIENCE_SECONDS
    connection = psycopg.connect(
        address, connect_timeout=max(2, int(patience)), autocommit=True, row_factory=namedtuple_row
    )
    milliseconds = int(patience * 1000)
    connection.execute("SET synchronous_commit = on")
    connection.execute(f"SET lock_timeout = {milliseconds}")
    connection.execute(f"SET idle_in_transaction_session_timeout = {2 * milliseconds}")
    durable = connection.execute("SHOW fsync").fetchone()
    if durable is None or durable[0] != "on":
        connection.close()
        raise LedgerBusy("The ledger's server runs with fsync = off and may forget charges; set fsync = on.")
    return connection


def _alive(connection: Any) -> bool:
    """Whether the server still answers on a connection that was kept."""
    import psycopg

    try:
        connection.execute("SELECT 1")
    except psycopg.Error:
        return False
    return True


def _out_of_reach(error: BaseException) -> bool:
    import psycopg

    state = getattr(error, "sqlstate", None)
    if state is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return state[:2] in SURROUNDINGS or state == FORBIDDEN
