"""Tables of the embedded engine: its relations, with the name that the outside uses for each of their columns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar

import duckdb
import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Category, Column
from reaedp.contract.category import Undeclared
from reaedp.contract.meaning import meaning
from reaedp.curator import canonical
from reaedp.curator.kept_rows import grouped, kept
from reaedp.curator.source import Unreadable
from reaedp.curator.stream import named_batches
from reaedp.errors import DeclarationError, ReaedpError, unknown

#: What fails by the machine and not by what the data holds.
OUTSIDE = (
    duckdb.IOException,
    duckdb.OutOfMemoryException,
    duckdb.ConnectionException,
    duckdb.PermissionException,
)
#: A category's levels by what they mean: the SQL type of the key, and how a cell's key is found.
KEYS: dict[str, tuple[str, Callable[[str, str], str]]] = {
    "number": ("DOUBLE", canonical.number),
    "moment": ("BIGINT", canonical.moment),
}


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Part:
    """A DuckDB relation; `columns` maps outside names to (identifier in the relation, type)."""

    relation: duckdb.DuckDBPyRelation
    columns: Mapping[str, tuple[str, str]]

    def canonical(self, columns: tuple[Column, ...], person: str | None) -> Any:
        """The columns in canonical form, in steps, as each looks at what the one before it made."""
        kinds = [self._kind(column.name) for column in columns]
        cells = [f"{self._cell(column.name)} AS r{number}" for number, column in enumerate(columns)]
        named = [
            canonical.Named(str(number), kinds[number])
            for number, column in enumerate(columns)
            if column.kind == Undeclared.kind
        ]
        if person is not None:
            cells.append(f"{self._cell(person)} AS r")
            named.append(canonical.Named("", self._kind(person)))
        rows = self.relation.project(", ".join(cells) or "1 AS r")
        rows = _named(_valued(rows, columns, kinds, named), named)
        for number, (column, kind) in enumerate(zip(columns, kinds, strict=True)):
            if column.kind == Category.kind:
                rows = _numbered(rows, column, number, kind)
        return rows.project(", ".join(_names(columns, person)))

    def _kind(self, name: str) -> str:
        kind = canonical.known_type(self._find(name)[1])
        if kind not in canonical.KNOWN:
            raise canonical.refused(name, self._find(name)[1])
        return kind

    def _cell(self, name: str) -> str:
        return '"' + self._find(name)[0].replace('"', '""') + '"'

    def _find(self, name: str) -> tuple[str, str]:
        if name not in self.columns:
            raise DeclarationError(f"The data lacks a declared column. {unknown('column', name, self.columns)}")
        return self.columns[name]


class EmbeddedSource:
    """Parts that lie in one engine, with schemas of their own; they are opened again after the engine had to stop."""

    __slots__ = ("_open", "_opened")
    total: ClassVar[bool] = True

    def __init__(self, open_parts: Callable[[], Sequence[Part]]) -> None:
        self._open = open_parts
        self._opened: Sequence[Part] | None = open_parts()

    def __repr__(self) -> str:
        return f"Source({len(self.types)} columns)"

    def __reduce__(self) -> Any:
        raise TypeError("A source holds private data and is never pickled.")

    @property
    def _parts(self) -> Sequence[Part]:
        if self._opened is None:
            self._opened = self._open()
        return self._opened

    @property
    def types(self) -> Mapping[str, str]:
        """DuckDB's type of every column, in the first part."""
        return {name: kind for name, (_, kind) in self._parts[0].columns.items()}

    def canonical(self, columns: tuple[Column, ...], person: str | None) -> nw.LazyFrame[Any]:
        """The columns in canonical form, which each part is given by itself."""
        if columns and not any(column.name in self.types for column in columns):
            # What looks like a header may be a row.
            raise DeclarationError(
                f"The data lacks a declared column: {columns[0].name!r} is not in its header, nor is any other."
            )
        parts = [part.canonical(columns, person) for part in self._parts]
        rows: nw.LazyFrame[Any] = nw.from_native(reduce(lambda one, other: one.union(other), parts))
        return rows

    def collect(self, counts: nw.LazyFrame[Any]) -> dict[str, NDArray[np.generic]]:
        """Run the query."""
        try:
            return dict(counts.to_native().fetchnumpy())
        except duckdb.Error as error:
            failure = self.failed(error)
        raise failure

    def batches(self, counts: nw.LazyFrame[Any]) -> Iterator[dict[str, NDArray[np.generic]]]:
        """Stream the result; what the engine cannot hold meanwhile it spills."""
        query = counts.to_native()
        try:
            yield from named_batches(query, tuple(query.columns))
            return
        except duckdb.Error as error:
            failure = self.failed(error)
        raise failure

    def collect_groups(
        self,
        rows: nw.LazyFrame[Any],
        groups: Sequence[tuple[str, ...]],
        sizes: Mapping[str, int],  # noqa: ARG002 - counted by hash
    ) -> Iterator[dict[str, NDArray[np.generic]]]:
        """Keep the rows in the engine meanwhile, so that they are read and converted once."""
        try:
            with kept(rows.to_native()) as table:
                yield from grouped(self._parts[0].relation, table, groups)
            return
        except duckdb.Error as error:
            failure = self.failed(error)
        raise failure

    def failed(self, error: duckdb.Error) -> BaseException:
        """Whether rows or the machine failed; the engine's own words could quote a row, so they are not repeated.

        An engine that failed within itself answers nothing more.
        """
        self._opened = None
        return failure(error)


def failure(error: duckdb.Error) -> BaseException:
    """What is raised instead of an engine's own error."""
    if isinstance(error, duckdb.InterruptException):
        return KeyboardInterrupt()
    if isinstance(error, OUTSIDE):
        return ReaedpError(f"The engine could not count ({type(error).__name__}): memory, disk or files failed it.")
    return Unreadable()


def described(relation: duckdb.DuckDBPyRelation) -> Part:
    """A relation under its own names."""
    names = tuple(relation.columns)
    refuse_duplicates("the table", names)
    return Part(relation, {name: (name, str(kind)) for name, kind in zip(names, relation.types, strict=True)})


def refuse_duplicates(place: str, names: tuple[str, ...]) -> None:
    """Refuse a header that names a column twice."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DeclarationError(f"Column names must differ; {place} has more than one {twice[0]!r}.")


def _names(columns: tuple[Column, ...], person: str | None) -> list[str]:
    """What the canonical form consists of."""
    names = [] if person is None else ["person", "hash0", "hash1"]
    for number, column in enumerate(columns):
        names += [f"v{number}", f"filled{number}"] + ([f"h{number}"] if column.kind == Undeclared.kind else [])
    return names


def _valued(rows: Any, columns: tuple[Column, ...], kinds: Sequence[str], named: Sequence[canonical.Named]) -> Any:
    """Values in two steps, beside the cells that are still looked at."""
    first, second = [f"r{name.place}" for name in named], []
    for number, (column, kind) in enumerate(zip(columns, kinds, strict=True)):
        first.append(f"r{number} IS NOT NULL AS filled{number}")
        second.append(f"filled{number}")
        if column.kind == Category.kind:
            first.append(f"r{number}")
            second.append(f"r{number}")
        elif column.kind != Undeclared.kind:
            first.append(f"{canonical.value(column, f'r{number}', kind)} AS v{number}")
            second.append(f"{canonical.finished(column, f'v{number}', kind)} AS v{number}")
    steps = [(name.first(), name.second()) for name in named]
    first += [f"{expression} AS {key}" for step, _ in steps for key, expression in step.items()]
    second += [key for name, (step, _) in zip(named, steps, strict=True) for key in (name.cell, *step)]
    second += [f"{expression} AS {key}" for _, step in steps for key, expression in step.items()]
    if not first:
        return rows
    rows = rows.project(", ".join(first))
    return rows if second == rows.columns else rows.project(", ".join(second))


def _named(rows: Any, named: Sequence[canonical.Named]) -> Any:
    """Names, then digests of them, then bits of those."""
    if not named:
        return rows
    keys = {name.place: f"v{name.place}" if name.place else "person" for name in named}
    rows = rows.project(", ".join(["*", *(f"{name.name()} AS {keys[name.place]}" for name in named)]))
    digests = (f"md5({name.mark(keys[name.place])}) AS digest{name.place}" for name in named)
    rows = rows.project(", ".join(["*", *digests]))
    bits = []
    for name in named:
        first, second = canonical.hashed(f"digest{name.place}")
        bits += [f"{first} AS h{name.place}"] if name.place else [f"{first} AS hash0", f"{second} AS hash1"]
    return rows.project(", ".join(["*", *bits]))


def _numbered(rows: Any, column: Column, number: int, kind: str) -> Any:
    """The number of the level, -1 for any other cell that is filled, null for none.

    Found by hash joins, whose time hardly depends on how many levels there are: texts as they are written first, then
    what is left by what it means.
    """
    cell, found, sql = f"r{number}", [], "reaedp_rows"
    if kind in canonical.TEXT:
        texts = ((_quoted(level), place) for place, level in enumerate(column.labels))
        sql, found = _joined(sql, f"CAST({cell} AS VARCHAR)", "VARCHAR", texts, f"n{number}"), [f"n{number}"]
    levels = [(*meaning(level), place) for place, level in enumerate(column.labels)]
    for sort, (key_type, convert) in KEYS.items():
        keys = [(f"'{meant}'::{key_type}", place) for found_sort, meant, place in levels if found_sort == sort]
        key = convert(cell, kind)
        if keys and not key.startswith("NULL"):
            left = f"CASE WHEN {found[0]} IS NULL THEN {key} END" if found else key
            sql = _joined(sql, left, key_type, iter(keys), f"{sort}{number}")
            found.append(f"{sort}{number}")
    level = ", ".join([*found, f"CASE WHEN filled{number} THEN -1.0::DOUBLE END"])
    others = ", ".join(name for name in rows.columns if name != cell)
    return rows.query("reaedp_rows", f"SELECT {others}, coalesce({level}) AS v{number} FROM {sql}")


def _joined(rows: str, key: str, key_type: str, levels: Iterator[tuple[str, int]], name: str) -> str:
    """Rows with the number of the level whose key theirs is."""
    listed = list(levels)
    keys, numbers = (", ".join(str(level[place]) for level in listed) for place in (0, 1))
    table = f"(SELECT unnest([{keys}]::{key_type}[]) AS k_{name}, unnest([{numbers}]::DOUBLE[]) AS {name})"
    keyed = f"(SELECT *, {key} AS x_{name} FROM {rows})"
    return f"(SELECT * FROM {keyed} LEFT JOIN {table} ON x_{name} = k_{name})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
