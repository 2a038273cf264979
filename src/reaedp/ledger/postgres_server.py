"""A ledger in a PostgreSQL database: for teams on several machines; writers queue for the row of the head."""

from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from reaedp.errors import DeclarationError, LedgerBusy, LedgerMissing
from reaedp.ledger import storage
from reaedp.ledger.schema import create, existing, holds_ledger, missing, prepare, take_turn
from reaedp.ledger.storage import Storage

#: Classes of SQLSTATE that speak of the surroundings: connection, read-only, authorization, catalog, serialization,
#: resources, locks, shutdown, system.
SURROUNDINGS = frozenset({"08", "25", "28", "3D", "40", "53", "55", "57", "58"})
#: A user without the right to write.
FORBIDDEN = "42501"
SCHEMES = frozenset({"postgresql", "postgres", "postgresql+psycopg"})


def open_server(address: str) -> Storage:
    """Open the ledger that lies in a database."""
    opened = _connected(address)
    with opened.closed_on_error():
        with opened.transaction(write=False) as connection:
            if not holds_ledger(connection):
                raise LedgerMissing(missing(opened.place))
        return prepare(opened)


def create_server(address: str) -> None:
    """Make the tables of an empty ledger in a database that has none."""
    opened = _connected(address)
    try:
        with opened.transaction(write=True) as connection:
            take_turn(connection)
            if holds_ledger(connection):
                raise DeclarationError(existing(opened.place))
            create(connection)
    finally:
        opened.close()


def _connected(address: str) -> Storage:
    url = _url(address)
    patience = storage.PATIENCE_SECONDS
    try:
        engine = create_engine(
            url,
            pool_size=1,
            max_overflow=0,
            pool_timeout=patience,
            pool_pre_ping=True,
            connect_args={"connect_timeout": max(2, int(patience))},
        )
    except ModuleNotFoundError as error:
        raise DeclarationError("A ledger on a server needs psycopg: pip install 'reaedp[postgres]'.") from error
    event.listen(engine, "connect", _settings)
    return _storage(engine, url.set(drivername="postgresql").render_as_string(hide_password=True))


def _url(address: str) -> URL:
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        url = None
    if url is None or url.drivername not in SCHEMES:
        # The address may contain a password; it is not repeated.
        raise DeclarationError("The address of a ledger must be a file or postgresql://user@host/database.")
    return url.set(drivername="postgresql+psycopg")


def _storage(engine: Engine, place: str) -> Storage:
    return Storage(
        place=place,
        reader=engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True),
        # Each statement after the lock on the head must see what the last writer committed.
        writer=engine.execution_options(isolation_level="READ COMMITTED"),
        out_of_reach=_out_of_reach,
    )


def _settings(connection: Any, _record: object) -> None:
    """Ask for durable commits whatever the server's defaults are; let no sleeping writer block the others."""
    milliseconds = int(storage.PATIENCE_SECONDS * 1000)
    connection.execute("SET synchronous_commit = on")
    connection.execute(f"SET lock_timeout = {milliseconds}")
    connection.execute(f"SET idle_in_transaction_session_timeout = {2 * milliseconds}")
    durable = connection.execute("SHOW fsync").fetchone()[0] == "on"
    connection.commit()
    if not durable:
        connection.close()
        raise LedgerBusy("The ledger's server runs with fsync = off and may forget charges; set fsync = on.")


def _out_of_reach(error: BaseException) -> bool:
    import psycopg

    state = getattr(error, "sqlstate", None)
    if state is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return state[:2] in SURROUNDINGS or state == FORBIDDEN
