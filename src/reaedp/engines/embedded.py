"""Tables of the embedded engine: its relations, with the name that the outside uses for each of their columns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import count
from typing import Any, ClassVar

import duckdb
import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Category, Column
from reaedp.contract.category import Undeclared
from reaedp.contract.files import Files
from reaedp.contract.meaning import meaning
from reaedp.contract.notation import Notation
from reaedp.engines import canonical
from reaedp.engines.kept_rows import grouped, kept
from reaedp.engines.notation import emptied, notations, plain
from reaedp.engines.source import Hidden, Unreadable, counted
from reaedp.engines.stream import named_batches
from reaedp.errors import DeclarationError, ReaedpError, unknown

#: What fails by the machine and not by what the data holds.
OUTSIDE = (
    duckdb.IOException,
    duckdb.OutOfMemoryException,
    duckdb.ConnectionException,
    duckdb.PermissionException,
)
#: What an engine raises: its own errors, and those of its bindings, of a name that is not UTF-8 in a damaged file.
ENGINE_ERRORS = (duckdb.Error, RuntimeError, UnicodeError)
#: A category's levels by what they mean: the SQL type of the key, and how a cell's key is found.
KEYS: dict[str, tuple[str, Callable[[str, str], str]]] = {
    "number": ("DOUBLE", canonical.number),
    "moment": ("BIGINT", canonical.moment),
}


#: Numbers of names: DuckDB 1 looks a name up when a query runs, and would find what had it last.
_VIEWS = count()


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Part:
    """A DuckDB relation; `columns` maps outside names to (identifier in the relation, type).

    `kept` must live as long as the relation is read: the connection, which DuckDB 1.4 closes when nothing else holds
    it, or copies of files.
    """

    relation: duckdb.DuckDBPyRelation
    columns: Mapping[str, tuple[str, str]]
    kept: Any = None

    def canonical(self, columns: tuple[Column, ...], person: str | None, files: Files | None = None) -> Any:
        """The columns in canonical form, in steps, as each looks at what the one before it made."""
        rows, kinds = self._cells(columns, person, files)
        named = [
            canonical.Named(str(number), kinds[number])
            for number, column in enumerate(columns)
            if isinstance(column, Undeclared)
        ]
        if person is not None:
            named.append(canonical.Named("", self._kind(person)))
        rows = _named(_valued(rows, columns, kinds, named), named)
        categories = {
            number: (column, kind)
            for number, (column, kind) in enumerate(zip(columns, kinds, strict=True))
            if isinstance(column, Category)
        }
        names = _names(columns, person)
        return _numbered(rows, categories, names) if categories else rows.project(", ".join(names))

    def taken(self, cells: Mapping[str, str]) -> Any:
        """The cells that are asked for, under these identifiers, of the columns that have these names outside."""
        return self.relation.project(_listed({cell: self._cell(name) for cell, name in cells.items()}) or "1 AS r")

    def _cells(self, columns: tuple[Column, ...], person: str | None, files: Files | None) -> tuple[Any, list[str]]:
        """The cells as `r0, r1, …`, and `r` of the person, in plain notation, and the types of the columns'."""
        names = {f"r{number}": column.name for number, column in enumerate(columns)}
        names |= {} if person is None else {"r": person}
        kinds = {cell: self._kind(name) for cell, name in names.items()}
        rows = self.taken(names)
        declared = notations(files, columns, person)
        if declared:
            rows, kinds = _in_plain_notation(rows, kinds, declared)
        return rows, [kinds[f"r{number}"] for number in range(len(columns))]

    def _kind(self, name: str) -> str:
        kind = canonical.known_type(self._find(name)[1])
        if kind not in canonical.KNOWN:
            raise canonical.refused(name, self._find(name)[1])
        return kind

    def _cell(self, name: str) -> str:
        identifier, kind = self._find(name)
        quoted = '"' + identifier.replace('"', '""') + '"'
        # The least and the greatest number that a file of Parquet states leave out NaN, which the engine believes when
        # it plans a query: one number would decide what NaN in other rows counts as. It does not look into TRY.
        return f"TRY({quoted})" if kind in ("DOUBLE", "FLOAT") else quoted

    def _find(self, name: str) -> tuple[str, str]:
        if name not in self.columns:
            raise DeclarationError(f"The data lacks a declared column. {unknown('column', name, self.columns)}")
        return self.columns[name]


class EmbeddedSource(Hidden):
    """Parts that lie in one engine, with schemas of their own; they are opened again after the engine had to stop."""

    __slots__ = ("_advice", "_files", "_made", "_open", "_opened")
    total: ClassVar[bool] = True

    def __init__(
        self,
        open_parts: Callable[[], Sequence[Part]],
        files: Files | None = None,
        advice: Callable[[Sequence[str]], str] = lambda _: "",
    ) -> None:
        self._open = open_parts
        self._files, self._advice = files, advice
        self._made: dict[tuple[tuple[Column, ...], str | None], Any] = {}
        self._opened: Sequence[Part] | None = open_parts()

    @property
    def _parts(self) -> Sequence[Part]:
        if self._opened is None:
            self._opened = self._open()
        return self._opened

    @property
    def types(self) -> Mapping[str, str]:
        """DuckDB's type of every column, in the first part; none where a file names its columns nowhere."""
        return {name: kind for name, (_, kind) in self._parts[0].columns.items()}

    def canonical(self, columns: tuple[Column, ...], person: str | None) -> nw.LazyFrame[Any]:
        """The columns in canonical form, which each part is given by itself."""
        if columns and self.types and not any(column.name in self.types for column in columns):
            # What looks like a header may be a row.
            raise DeclarationError(
                f"The data lacks a declared column: {columns[0].name!r} is not in its header, nor is any other."
                + self._advice([column.name for column in columns])
            )
        if (columns, person) not in self._made:  # what was checked before the charge is counted after it
            parts = [part.canonical(columns, person, self._files) for part in self._parts]
            self._made[columns, person] = reduce(lambda one, other: one.union(other), parts)
        rows: nw.LazyFrame[Any] = nw.from_native(self._made[columns, person])
        return rows

    def collect(self, counts: nw.LazyFrame[Any]) -> dict[str, NDArray[np.generic]]:
        """Run the query."""
        try:
            return dict(counts.to_native().fetchnumpy())
        except ENGINE_ERRORS as error:
            failure = self.failed(error)
        raise failure

    def batches(self, counts: nw.LazyFrame[Any]) -> Iterator[dict[str, NDArray[np.generic]]]:
        """Stream the result; what the engine cannot hold meanwhile it spills."""
        query = counts.to_native()
        try:
            yield from named_batches(query, tuple(query.columns))
            return
        except ENGINE_ERRORS as error:
            failure = self.failed(error)
        raise failure

    def collect_groups(
        self, rows: nw.LazyFrame[Any], groups: Sequence[tuple[str, ...]], sizes: Mapping[str, int]
    ) -> Iterator[dict[str, NDArray[np.generic]]]:
        """Keep the rows in the engine meanwhile, so that they are read and converted once; not for one group."""
        del sizes  # it counts by hash
        if len(groups) == 1:
            yield self.collect(counted(rows, groups[0]))
            return
        try:
            source = self._parts[0].relation
            with kept(rows.to_native(), source) as table:
                yield from grouped(source, table, groups)
            return
        except ENGINE_ERRORS as error:
            failure = self.failed(error)
        raise failure

    def failed(self, error: Exception) -> BaseException:
        """Whether rows or the machine failed; the engine's own words could quote a row, so they are not repeated.

        An engine that failed within itself answers nothing more.
        """
        self._opened = None
        self._made.clear()
        return failure(error)


def failure(error: Exception) -> BaseException:
    """What is raised instead of an engine's own error."""
    if isinstance(error, duckdb.InterruptException):
        return KeyboardInterrupt()
    if isinstance(error, OUTSIDE):
        return ReaedpError(
            f"The engine could not count ({type(error).__name__}). Check memory, disk space and the files."
        )
    return Unreadable()


def described(relation: duckdb.DuckDBPyRelation, kept: Any = None) -> Part:
    """A relation under its own names."""
    names = tuple(relation.columns)
    refuse_duplicates("the table", names)
    return Part(relation, {name: (name, str(kind)) for name, kind in zip(names, relation.types, strict=True)}, kept)


def refuse_duplicates(place: str, names: tuple[str, ...]) -> None:
    """Refuse a header that names a column twice; columns without a name are not asked for."""
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise DeclarationError(f"Column names must differ; {place} has more than one {twice[0]!r}. Rename all but one.")


def refuse_points(files: Files | None, what: str) -> None:
    """Refuse points between thousands where a program may have printed numbers: 1.234 would be a thousand of them."""
    if files is not None and files.points_between_thousands:
        raise DeclarationError(
            f'{what} may hold fractions such as 1.234 as texts, which thousands = "." would change. Leave the key out'
            " of [files], or write the data as CSV."
        )


def _in_plain_notation(
    rows: Any, kinds: Mapping[str, str], declared: Mapping[str, tuple[Column | None, Notation]]
) -> tuple[Any, dict[str, str]]:
    """Cells without words for nothing, as every program reads them; then without numbers that stand for nothing."""
    steps: list[dict[str, str]] = [dict(zip(kinds, kinds, strict=True)) for _ in range(3)]
    made = dict(kinds)
    for cell, (column, notation) in declared.items():
        steps[0][cell] = emptied(cell, kinds[cell], notation)
        steps[1][cell], made[cell] = plain(cell, kinds[cell], column, notation)
        if steps[1][cell] != cell:
            steps[2][cell] = emptied(cell, made[cell], notation)
    for step in steps:
        if any(name != expression for name, expression in step.items()):
            rows = rows.project(_listed(step))
    return rows, made


def _listed(cells: Mapping[str, str]) -> str:
    """Expressions under their names."""
    return ", ".join(f"{expression} AS {name}" for name, expression in cells.items())


def _names(columns: tuple[Column, ...], person: str | None) -> list[str]:
    """What the canonical form consists of."""
    names = [] if person is None else ["person", "hash0", "hash1"]
    for number, column in enumerate(columns):
        names += [f"v{number}", f"filled{number}"] + ([f"h{number}"] if isinstance(column, Undeclared) else [])
    return names


def _valued(rows: Any, columns: tuple[Column, ...], kinds: Sequence[str], named: Sequence[canonical.Named]) -> Any:
    """Values in two steps, beside the cells that are still looked at."""
    first, second = [f"r{name.place}" for name in named], []
    for number, (column, kind) in enumerate(zip(columns, kinds, strict=True)):
        first.append(f"r{number} IS NOT NULL AS filled{number}")
        second.append(f"filled{number}")
        if isinstance(column, Category):
            first.append(f"r{number}")
            second.append(f"r{number}")
        elif not isinstance(column, Undeclared):
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


def _numbered(rows: Any, categories: Mapping[int, tuple[Column, str]], names: Sequence[str]) -> Any:
    """The canonical form, in which a category is the number of its level, -1 if it has none, null for an empty cell.

    Found by hash joins, whose time hardly depends on how many levels there are: texts as they are written first, then
    what is left by what it means. One query looks up all categories, as the engine plans it anew for each.
    """
    written = [_by_text(number, column) for number, (column, kind) in categories.items() if kind in canonical.TEXT]
    meant = [lookup for number, category in categories.items() for lookup in _by_meaning(number, *category)]
    found: dict[int, list[str]] = {number: [] for number in categories}
    for lookup in (*written, *meant):
        found[lookup.number].append(lookup.name)
    made = {}
    for number, lookups in found.items():
        levels = ", ".join([*lookups, f"CASE WHEN filled{number} THEN -1.0::DOUBLE END"])
        made[f"v{number}"] = f"coalesce({levels}) AS v{number}"
    listed = ", ".join(made.get(name, name) for name in names)
    name = f"reaedp_rows{next(_VIEWS)}"
    return rows.query(name, f"SELECT {listed} FROM {_joined(_joined(name, written), meant)}")


@dataclass(frozen=True, slots=True)
class Lookup:
    """The number of the level of category `number` whose key a cell's `key` is, as a column `name`."""

    number: int
    name: str
    key: str
    levels: str

    @property
    def join(self) -> str:
        """The levels, joined to rows that have the cell's key."""
        return f"LEFT JOIN {self.levels} ON x_{self.name} = k_{self.name}"


def _by_text(number: int, column: Column) -> Lookup:
    name = f"n{number}"
    return Lookup(number, name, f"CAST(r{number} AS VARCHAR)", _levels(name, "VARCHAR", list(column.labels)))


def _by_meaning(number: int, column: Column, kind: str) -> Iterator[Lookup]:
    levels = [(*meaning(level), place) for place, level in enumerate(column.labels)]
    for sort, (key_type, convert) in KEYS.items():
        keys = {meant: place for found_sort, meant, place in levels if found_sort == sort}
        key, name = convert(f"r{number}", kind), f"{sort}{number}"
        if keys and not key.startswith("NULL"):
            left = f"CASE WHEN n{number} IS NULL THEN {key} END" if kind in canonical.TEXT else key
            yield Lookup(number, name, left, _levels(name, key_type, list(keys), list(keys.values())))


def _joined(rows: str, lookups: Sequence[Lookup]) -> str:
    """Rows with a column for each lookup."""
    if not lookups:
        return rows
    keys = ", ".join(f"{lookup.key} AS x_{lookup.name}" for lookup in lookups)
    joins = " ".join(lookup.join for lookup in lookups)
    return f"(SELECT * FROM (SELECT *, {keys} FROM {rows}) {joins})"


def _levels(name: str, key_type: str, keys: Sequence[str], places: Sequence[int] | None = None) -> str:
    """Keys of levels and their numbers as a table, from two texts: a list of so many expressions is slow to plan."""
    numbers = ",".join(map(str, range(len(keys)) if places is None else places))
    mark = next(mark for mark in map(chr, count(1)) if not any(mark in key for key in keys))
    listed = f"string_split({_quoted(mark.join(keys))}, {_quoted(mark)})::{key_type}[]"
    return f"(SELECT unnest({listed}) AS k_{name}, unnest(string_split('{numbers}', ',')::DOUBLE[]) AS {name}) t_{name}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
