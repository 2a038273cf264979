"""Tables of SQL databases, counted where they lie; ibis writes the SQL that each kind of database understands."""

import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import parse_qsl, unquote, urlsplit

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Column
from reaedp.engines.canonical import KNOWN, refused
from reaedp.engines.source import Hidden, Unreadable, collect_each
from reaedp.errors import DeclarationError, ReaedpError, unknown

FORM = "postgresql://user:password@host:port/database?table=schema.table"
#: ibis's types by the names that the embedded engine has for them; what ibis does not know is read as text.
TYPES = {
    "Int8": "TINYINT",
    "Int16": "SMALLINT",
    "Int32": "INTEGER",
    "Int64": "BIGINT",
    "UInt8": "UTINYINT",
    "UInt16": "USMALLINT",
    "UInt32": "UINTEGER",
    "UInt64": "UBIGINT",
    "Float32": "FLOAT",
    "Float64": "DOUBLE",
    "String": "VARCHAR",
    "Unknown": "VARCHAR",
}
#: Arguments of a connection that its address may override.
DEFAULTS = {scheme: {"connect_timeout": "30"} for scheme in ("postgresql", "postgres")}
#: What makes a session read-only and its texts independent of the server's settings, and keeps long expressions from
#: being compiled, which takes longer than they run.
SESSION = {
    "postgres": (
        "SET default_transaction_read_only = on",
        "SET DateStyle = ISO",
        "SET extra_float_digits = 1",
        "SET jit = off",
        "SET client_encoding = 'UTF8'",
    )
}
#: No table has more rows; a limit keeps planners from copying a conversion into each of the many places that use it.
MOST_ROWS = 2**62

#: Classes of SQL states that say nothing of a row: connections, transactions, privileges, names, resources, operators
#: who intervene, and the system. Limits of a program (54) and whatever is wrong with data may be due to a row.
OUTSIDE = frozenset({"08", "25", "28", "40", "42", "53", "55", "57", "58"})
#: Classes of errors of drivers that tell no state.
MACHINES = frozenset({"OperationalError", "InterfaceError", "ProgrammingError", "NotSupportedError"})
ROWS = frozenset({"DatabaseError", "UnicodeError"})

#: What is fetched and converted together.
ROWS_OF_A_BATCH = 20_000


@dataclass(frozen=True, slots=True, weakref_slot=True, repr=False, eq=False)
class DatabaseSource(Hidden):
    """A table of a database and the session that reaches it."""

    backend: Any
    table: Any
    total: ClassVar[bool] = False

    @property
    def types(self) -> Mapping[str, str]:
        """The type of every column, by the name that the embedded engine has for it."""
        kinds = {name: type(kind).__name__ for name, kind in self.table.schema().items()}
        return {name: TYPES.get(kind, kind.upper()) for name, kind in kinds.items()}

    def canonical(self, columns: tuple[Column, ...], person: str | None) -> nw.LazyFrame[Any]:
        """The columns in canonical form, made by nested selects that each look at what the one inside them made."""
        from reaedp.engines import portable
        from reaedp.engines.portable_texts import Known

        cells = [Known(str(place), column, *self._find(column.name)) for place, column in enumerate(columns)]
        if person is not None:
            cells.insert(0, Known("", None, *self._find(person)))
        rows = self.table.select(*portable.raw(cells)).limit(MOST_ROWS)
        for step in portable.steps(cells):
            rows = rows.select(*step(cells, rows)).limit(MOST_ROWS)
        self._check(rows)
        frame: nw.LazyFrame[Any] = nw.from_native(rows)
        return frame

    def collect(self, counts: nw.LazyFrame[Any]) -> dict[str, NDArray[np.generic]]:
        """Run the query; the database's own words about a failure could quote a row, so they are not repeated."""
        try:
            return self._fetch(counts.to_native())
        except Exception as error:  # drivers share no base class
            failure = _failure(error)
        raise failure

    def collect_groups(
        self, rows: nw.LazyFrame[Any], groups: Sequence[tuple[str, ...]], sizes: Mapping[str, int]
    ) -> Iterator[dict[str, NDArray[np.generic]]]:
        """A query for each group: a session that only reads can keep no rows."""
        del sizes  # it counts by hash
        return collect_each(self, rows, groups)

    def batches(self, rows: nw.LazyFrame[Any]) -> Iterator[dict[str, NDArray[np.generic]]]:
        """Rows of a result, some at a time: many counts, or curves, which a database cannot add up itself."""
        query = rows.to_native()
        try:
            with self._cursor() as cursor:
                cursor.execute(self.backend.compile(query))
                while some := cursor.fetchmany(ROWS_OF_A_BATCH):
                    yield _arrays(query.columns, some)
            return
        except Exception as error:  # drivers share no base class
            failure = _failure(error)
        raise failure

    @contextmanager
    def _cursor(self) -> Iterator[Any]:
        """In PostgreSQL a cursor of the server, as the driver's own would fetch everything first."""
        if self.backend.name != "postgres":
            with closing(self.backend.con.cursor()) as cursor:
                yield cursor
            return
        with self.backend.con.transaction(), self.backend.con.cursor(name="reaedp") as cursor:
            yield cursor

    def _check(self, rows: Any) -> None:
        """Let the database plan the query for no row: what it lacks or forbids is found before anything is charged."""
        try:
            self._fetch(rows.limit(0))
            return
        except Exception as error:  # drivers share no base class
            reason = type(error).__name__
        raise DeclarationError(
            f"The database cannot convert the declared columns ({reason})."
            " Give its user the right to read them, or name a view with plain types."
        )

    def _fetch(self, query: Any) -> dict[str, NDArray[np.generic]]:
        return _arrays(query.columns, self.backend.raw_sql(self.backend.compile(query)).fetchall())

    def _find(self, name: str) -> tuple[str, Any]:
        types = self.types
        if name not in types:
            raise DeclarationError(f"The data lacks a declared column. {unknown('column', name, types)}")
        if types[name] not in KNOWN:
            raise refused(name, types[name])
        return types[name], self.table[name]


def _failure(error: Exception) -> Exception:
    """Whether rows or the machine failed: views and columns have expressions of their own, which may fail on a row.

    Told by the class of the SQL state where there is one, else by the classes that all drivers have.
    """
    state = str(getattr(error, "sqlstate", None) or "")
    parents = {kind.__name__ for kind in type(error).__mro__}
    by_rows = state[:2] not in OUTSIDE if state else bool(parents & ROWS) and not parents & MACHINES
    if by_rows:
        return Unreadable()
    reason = type(error).__name__
    return ReaedpError(f"The database could not count ({reason}).")


def _arrays(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, NDArray[np.generic]]:
    return {name: np.array([row[place] for row in rows], object) for place, name in enumerate(names)}


def open_database(address: str) -> DatabaseSource:
    """Open the table that an address names without reading any row."""
    server, table, settings = _parts(address)
    backend = _connect(server, settings)
    source = DatabaseSource(backend, _table(backend, table))
    weakref.finalize(source, backend.disconnect)
    return source


def _parts(address: str) -> tuple[str, str, dict[str, str]]:
    """Server, table and settings of an address; as it may hold a password, no message repeats any of it."""
    try:
        url = urlsplit(address)
        secrets = {"user": url.username, "password": url.password}
        legible = (url.port or 1) > 0 and not url.fragment and "@" not in url.path + url.query
    except ValueError:
        legible = False
    if not legible:
        raise DeclarationError(f"A database's address must have the form {FORM}. Write /?#[]@: in a password as %XX.")
    query = dict(parse_qsl(url.query))
    table = query.pop("table", "")
    if not table:
        raise DeclarationError(f"A database's address must name a table: {FORM}. Add ?table=schema.table.")
    given = {key: unquote(secret) for key, secret in secrets.items() if secret}
    server = url._replace(scheme=url.scheme.split("+")[0], query="")
    return server.geturl(), table, DEFAULTS.get(server.scheme, {}) | query | given


def _connect(server: str, settings: dict[str, str]) -> Any:
    try:
        import ibis

        backend = ibis.connect(server, **settings)
        for statement in SESSION.get(backend.name, ()):
            backend.raw_sql(statement).close()
    except ImportError:
        reason = 'its driver is missing: pip install "reaedp[database]"'
    except Exception as error:  # drivers share no base class, and their words could repeat the address
        reason = f"{type(error).__name__}; check host, port, database, user and password"
    else:
        return backend
    raise DeclarationError(f"The database cannot be opened ({reason}).")


def _table(backend: Any, table: str) -> Any:
    *schema, name = table.split(".")
    try:
        return backend.table(name, database=".".join(schema) or None)
    except Exception:  # drivers share no base class
        backend.disconnect()
    raise DeclarationError(
        f"The database has no table {table!r} that this user can see. Write table=schema.table; case matters."
    )
