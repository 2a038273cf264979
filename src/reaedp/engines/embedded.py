"""Tables of the embedded engine: its relations, with the name that the outside uses for each of their columns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar

import duckdb
import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Category, Column
from reaedp.contract.category import Undeclared
from reaedp.contract.files import Files
from reaedp.contract.notation import Notation
from reaedp.disk.duckdb_engine import forget_engines
from reaedp.engines import canonical
from reaedp.engines.arrays import Blocks
from reaedp.engines.kept_rows import grouped, in_few_bytes, kept
from reaedp.engines.level_numbers import numbered
from reaedp.engines.notation import emptied, notations, plain
from reaedp.engines.source import Hidden, Unreadable, counted
from reaedp.engines.stream import BEYOND_THE_END, UNREAD, named_batches
from reaedp.errors import DeclarationError, ReaedpError, unknown

#: What fails by the machine and not by what the data holds.
OUTSIDE = (
    duckdb.IOException,
    duckdb.OutOfMemoryException,
    duckdb.ConnectionException,
    duckdb.PermissionException,
)
#: Cell numbers that are held for all questions of a release: at most some tens of megabytes.
FEW_HELD = 2**24
#: What an engine raises: its own errors, and those of its bindings, of a name that is not UTF-8 in a damaged file.
ENGINE_ERRORS = (duckdb.Error, RuntimeError, UnicodeError)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Part:
    """A DuckDB relation; `columns` maps outside names to (identifier in the relation, type).

    The connection, where it is known, must live as long as the relation is read, as DuckDB 1.4 closes it when nothing
    else holds it; and so must what is `kept`, such as copies of files. `most_rows` tells a number of rows that there
    are at most, where that takes no time. `also_read` tells which cells decide whether a line is a row, so that they
    are read whatever is asked; without it, no cell does. `bare` tells that no text has one of `canonical.STRANGE`.
    `bounds_hold` tells that the least and the greatest number
    that the engine knows of a column, if it knows any, are those of all its numbers, of which NaN is the greatest.
    `made` gives the canonical form of columns where there is a shorter way to it. `known` is what decides between ways.
    `blocks` gives the numbers of columns in memory, where all of them are plain.
    """

    relation: duckdb.DuckDBPyRelation
    columns: Mapping[str, tuple[str, str]]
    connection: duckdb.DuckDBPyConnection | None = None
    kept: Any = None
    most_rows: Callable[[], int] = lambda: 2**62
    also_read: Callable[[], tuple[str, ...]] | None = None
    bare: Callable[[], bool] = lambda: False
    bounds_hold: bool = False
    made: Callable[[tuple[Column, ...]], Any] = lambda _: None
    known: Callable[[], object] = lambda: None
    blocks: Callable[[Sequence[str]], Blocks | None] = lambda _: None

    def canonical(self, columns: tuple[Column, ...], person: str | None, files: Files | None = None) -> Any:
        """The columns in canonical form, in steps, as each looks at what the one before it made."""
        if person is None and not notations(files, columns, person):
            made = self.made(columns)
            if made is not None:
                return made
        rows, kinds = self._cells(columns, person, files)
        named = [
            canonical.Named(str(number), kinds[f"r{number}"])
            for number, column in enumerate(columns)
            if isinstance(column, Undeclared)
        ]
        if person is not None:
            named.append(canonical.Named("", kinds["r"]))
        rows = _named(_valued(rows, columns, kinds, named), named)
        categories = {
            number: (column, kinds[f"r{number}"])
            for number, column in enumerate(columns)
            if isinstance(column, Category)
        }
        names = _names(columns, person)
        return numbered(rows, categories, names) if categories else rows.project(", ".join(names))

    def taken(self, cells: Mapping[str, str]) -> Any:
        """The cells that are asked for, under these identifiers, of the columns that have these names outside."""
        asked = {cell: self._cell(name) for cell, name in cells.items()}
        return self._read(*asked.values()).project(_listed(asked) or "1 AS r")

    def _read(self, *asked: str) -> Any:
        """The relation, with a condition that is true of every row where cells must be read: it looks at them."""
        if self.also_read is None:
            return self.relation
        cells = list(dict.fromkeys((*asked, *(f'"{cell}"' for cell in self.also_read()))))
        if not cells:
            return self.relation
        any_cell = f"coalesce({', '.join(cells)})" if len(cells) > 1 else cells[0]  # which the engine does not simplify
        return self.relation.filter(f"({any_cell} IS NULL)::TINYINT < 2")

    def _cells(
        self, columns: tuple[Column, ...], person: str | None, files: Files | None
    ) -> tuple[Any, Mapping[str, str]]:
        """The cells as `r0, r1, …`, and `r` of the person, in plain notation, and their types."""
        names = {f"r{number}": column.name for number, column in enumerate(columns)}
        names |= {} if person is None else {"r": person}
        kinds = {cell: self._kind(name) for cell, name in names.items()}
        if self.bare():
            kinds = {cell: canonical.BARE if kind == "VARCHAR" else kind for cell, kind in kinds.items()}
        rows = self.taken(names)
        declared = notations(files, columns, person)
        return _in_plain_notation(rows, kinds, declared) if declared else (rows, kinds)

    def _kind(self, name: str) -> str:
        kind = canonical.known_type(self._find(name)[1])
        if kind not in canonical.KNOWN:
            raise canonical.refused(name, self._find(name)[1])
        return kind

    def _cell(self, name: str) -> str:
        identifier, kind = self._find(name)
        quoted = '"' + identifier.replace('"', '""') + '"'
        # The least and the greatest number that a file of Parquet states leave out NaN. An engine that plans a query by
        # them would let one number decide what NaN in other rows counts as; but it does not look into TRY.
        return f"TRY({quoted})" if kind in ("DOUBLE", "FLOAT") and not self.bounds_hold else quoted

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
        self._made: dict[tuple[tuple[Column, ...], str | None, tuple[object, ...]], nw.LazyFrame[Any]] = {}
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
        asked = columns, person, tuple(part.known() for part in self._parts)
        if asked not in self._made:  # what was checked before the charge is counted after it
            parts = [part.canonical(columns, person, self._files) for part in self._parts]
            self._made[asked] = nw.from_native(reduce(lambda one, other: one.union(other), parts))
        return self._made[asked]

    def blocks(self, columns: tuple[Column, ...]) -> Blocks | None:
        """The numbers of one frame as they are; nothing where a notation is declared of them."""
        part, *others = self._parts
        names = [column.name for column in columns]
        if others or not set(names) <= set(part.columns) or notations(self._files, columns, None):
            return None
        return part.blocks(names)

    def collect(self, counts: nw.LazyFrame[Any]) -> dict[str, NDArray[np.generic]]:
        """The arrays that a query gives."""
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
        if len(groups) == 1:
            yield self.collect(counted(rows, groups[0]))
            return
        try:
            part = self._parts[0]
            with kept(rows.to_native(), part.relation, part.connection) as (ask, table):
                yield from grouped(ask, table, groups, sizes)
            return
        except ENGINE_ERRORS as error:
            failure = self.failed(error)
        raise failure

    @contextmanager
    def held(self, rows: nw.LazyFrame[Any], columns: int) -> Iterator[nw.LazyFrame[Any] | None]:
        """The same rows as a table, which is read and converted once; nothing where there may be many of them."""
        with ExitStack() as stack:
            yield self._held(stack, rows, columns)

    def cells(self, held: nw.LazyFrame[Any], sizes: Mapping[str, int]) -> Mapping[str, NDArray[np.generic]]:
        """All numbers of a held table, of which there are few."""
        try:
            return dict(held.to_native().project(in_few_bytes(sizes)).fetchnumpy())
        except ENGINE_ERRORS as error:
            failure = self.failed(error)
        raise failure

    def _held(self, stack: ExitStack, rows: nw.LazyFrame[Any], columns: int) -> nw.LazyFrame[Any] | None:
        source, connection = self._parts[0].relation, self._parts[0].connection
        try:
            if connection is None or columns * sum(part.most_rows() for part in self._parts) > FEW_HELD:
                return None
            _, table = stack.enter_context(kept(rows.to_native(), source, connection))
            found: nw.LazyFrame[Any] = nw.from_native(connection.table(table))
            return found
        except ENGINE_ERRORS as error:
            failure = self.failed(error)
        raise failure

    def failed(self, error: Exception) -> BaseException:
        """Whether rows or the machine failed; the engine's own words could quote a row, so they are not repeated.

        An engine that failed within itself answers nothing more.
        """
        self._opened = None
        self._made.clear()
        forget_engines()
        return failure(error)


def failure(error: Exception) -> BaseException:
    """What is raised instead of an engine's own error."""
    if isinstance(error, duckdb.InterruptException):
        return KeyboardInterrupt()
    outside = isinstance(error, OUTSIDE) and not str(error).startswith(BEYOND_THE_END)
    if outside or str(error).startswith(UNREAD):
        return ReaedpError(
            f"The engine could not count ({type(error).__name__}). Check memory, disk space and the files."
        )
    return Unreadable()


def described(relation: duckdb.DuckDBPyRelation, connection: duckdb.DuckDBPyConnection | None = None) -> Part:
    """A relation under its own names."""
    names = tuple(relation.columns)
    refuse_duplicates("the table", names)
    named = {name: (name, str(kind)) for name, kind in zip(names, relation.types, strict=True)}
    return Part(relation, named, connection)


def refuse_duplicates(place: str, names: tuple[str, ...]) -> None:
    """Refuse a header that names a column twice; columns without a name are not asked for."""
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise DeclarationError(f"Column names must differ; {place} has more than one {twice[0]!r}. Rename all but one.")


def refuse_header(place: str, names: tuple[str, ...]) -> None:
    """Refuse a line of column names that has none, or one of them twice."""
    if not any(names):
        raise DeclarationError(
            f"{place} is not a table: it has no header line. Add a first line with the names of its columns."
        )
    refuse_duplicates(place, names)


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


def _valued(rows: Any, columns: tuple[Column, ...], kinds: Mapping[str, str], named: Sequence[canonical.Named]) -> Any:
    """Values in two steps, beside the cells that are still looked at."""
    first, second = [f"r{name.place}" for name in named], []
    for number, column in enumerate(columns):
        kind = kinds[f"r{number}"]
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
