"""Records: rows that can be counted but not seen.

A count is computed in the engine by GROUP BY; only tables of counts leave it. At most `max_rows` rows of a person
are counted, chosen by an order that depends on that person's rows and name alone. What no engine can read counts as
nothing: a release that was paid for does not fail by what the data holds.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from reaedp.answer import GroupedParts, Integers
from reaedp.contract import Column, Contract
from reaedp.contract.category import Undeclared
from reaedp.curator.array_cells import finders, rows_of_cells
from reaedp.curator.counted_cells import in_parts, key_counts, projected
from reaedp.curator.encode import encode, located
from reaedp.curator.held_cells import HeldCells
from reaedp.curator.whose_rows import first_rows, middle_rows
from reaedp.engines.blocks import merged
from reaedp.engines.data import Data, Engine
from reaedp.engines.source import ArrayHolder, RowHolder, Source, Unreadable, counted, open_source
from reaedp.errors import DeclarationError, ReaedpError
from reaedp.statistics.statistic import SharedOut
from reaedp.table import KeyCounts, Table

if TYPE_CHECKING:
    from reaedp.curator.curves import Origin

NOTHING: Mapping[str, nw.Expr] = {}


class Records:
    """Private rows under a contract: no repr, equality, iteration or pickle of their contents."""

    __slots__ = ("_cells", "_contract", "_half", "_held", "_made", "_pixels", "_source", "progress")

    def __init__(self, contract: Contract, data: Data, engine: Engine | None = None) -> None:
        self._contract = contract
        if contract.picture is None:
            self._source: Source = open_source(data, engine, contract.files)
        else:  # a picture has no columns, so that nothing asks for its table
            from reaedp.curator.picture import read_picture

            self._pixels = read_picture(contract.picture, data)
        self._half: int | None = None
        #: Questions by their columns, each with the canonical form that it asks: to write one takes longer than to
        #: count some ten thousand rows.
        self._made: dict[tuple[Column, ...], tuple[Any, nw.LazyFrame[Any]]] = {}
        #: Columns whose rows the engine holds at the moment, and the cells of them that are held here.
        self._held: tuple[Column, ...] = ()
        self._cells: HeldCells | None = None
        self.progress: Callable[[str], None] = lambda _: None

    def __repr__(self) -> str:
        return f"Records of {self._contract.dataset!r}"

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other

    def __reduce__(self) -> Any:
        raise TypeError("Records are private and are never pickled.")

    @property
    def contract(self) -> Contract:
        """What is public about them."""
        return self._contract

    def half(self, side: int) -> "Records":
        """The rows of about half of the people, 0 or 1, by a digest of their names: nobody is in both halves."""
        if self._contract.unit.person is None:
            raise DeclarationError("Splitting needs unit.person in the contract, because people are split, not rows.")
        part = Records.__new__(Records)
        part._contract, part._source, part._half = self._contract, self._source, side  # noqa: SLF001
        part._made, part._held, part._cells, part.progress = {}, (), None, self.progress  # noqa: SLF001
        return part

    def check(self, *questions: tuple[str, ...]) -> None:
        """Refuse columns that the data lacks; headers are public.

        Where nobody has several rows, what a column means does not depend on those that it is asked with.
        """
        person = self._contract.unit.person
        together = [tuple(dict.fromkeys(chain(*questions)))] if person is None else questions
        for names in filter(None, together):
            self._source.canonical(self._contract.select(names), person)

    @contextmanager
    def at_once(self, *questions: tuple[str, ...]) -> Iterator[None]:
        """Meanwhile small files are read and converted once for all questions about cells of these columns.

        Where people have several rows, or a value drops its row, which rows count depends on the question: columns that
        drop are held only if every question is about all columns.
        """
        wanted = self._contract.select(tuple(dict.fromkeys(chain(*questions))))
        alike = all(len(question) == len(wanted) for question in questions)
        undeclared = any(isinstance(column, Undeclared) for column in wanted)
        any_rows = tuple(column for column in wanted if not (column.drops or isinstance(column, Undeclared)))
        columns = wanted if alike and not undeclared else any_rows
        with ExitStack() as stack:
            if columns and self._contract.unit.person is None and not set(columns) <= set(self._held):
                with suppress(Unreadable):  # each question by itself may still be answered
                    self._hold(stack, columns)
            yield

    def _hold(self, stack: ExitStack, columns: tuple[Column, ...]) -> None:
        if not isinstance(self._source, RowHolder):
            return
        rows = stack.enter_context(self._source.held(self._encoded(columns), len(columns)))
        if rows is not None:
            before, made = (self._held, self._cells), self._made[columns]
            self._held, self._made[columns] = columns, (made[0], rows)
            stack.callback(self._let_go, columns, *before)
            numbers = self._source.cells(rows, {f"k{place}": column.size for place, column in enumerate(columns)})
            self._cells = None if numbers is None else HeldCells(columns, numbers)

    def _let_go(self, columns: tuple[Column, ...], before: tuple[Column, ...], cells: "HeldCells | None") -> None:
        self._held, self._cells = before, cells
        del self._made[columns]

    def counts(self, names: tuple[str, ...]) -> Table:
        """How many rows fall into each cell of these columns, zeros included."""
        return self.key_counts(names).dense()

    def key_counts(self, names: tuple[str, ...]) -> KeyCounts:
        """How many rows fall into each cell that has any."""
        columns = self._contract.select(names)
        keys = [f"k{number}" for number in range(len(columns))]
        if (cells := self._cells_for(columns)) is not None and cells.answer(columns):
            arrays = cells.counted(columns, keys)
        elif (rows := self._rows_of_cells(columns)) is not None:
            return Table(columns, rows.reshape([column.size for column in columns])).present()
        else:
            arrays = self._collected(counted(self._encoded(columns), keys))
        return key_counts(columns, [arrays[key] for key in keys], arrays["rows"])

    def _rows_of_cells(self, columns: tuple[Column, ...]) -> NDArray[np.int64] | None:
        """Counts of plain numbers in memory, for which no engine is asked; nothing where one must be."""
        if self._contract.unit.person is not None or not isinstance(self._source, ArrayHolder):
            return None
        finds = finders(columns)
        if finds is None:
            return None
        with suppress(Exception):  # its words could quote a row, and the engine has an answer to every failure
            blocks = self._source.blocks(columns)
            return None if blocks is None else rows_of_cells(columns, finds, blocks)
        return None

    def middle_counts(self, names: tuple[str, ...]) -> Table:
        """How many people's middle rows fall into each cell, zeros included.

        A person's middle row is the lower median of those of their rows that count and have a regular cell in the last
        column, in the order of that column and then of the others.
        """
        columns = self._contract.select(names)
        keys = [f"k{number}" for number in range(len(columns))]
        rows = self._encoded(columns).filter(nw.col(keys[-1]) < columns[-1].regular)
        arrays = self._collected(counted(middle_rows(rows, [keys[-1], *keys[:-1]]), keys))
        return key_counts(columns, [arrays[key] for key in keys], arrays["rows"]).dense()

    def key_parts(self, names: tuple[str, ...]) -> Iterator[KeyCounts]:
        """The counts of all keys in parts that share no cell; one part, in order, unless there are many keys."""
        columns = self._contract.select(names)
        keys = [f"k{number}" for number in range(len(columns))]
        return in_parts(columns, _read(self._source.batches(counted(self._encoded(columns), keys))))

    def group_counts(self, groups: Sequence[tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], KeyCounts]]:
        """How many rows fall into each cell that has any, for several groupings of the same rows, in any order.

        At most `max_rows` rows of a person are chosen once, by all columns of all groupings.
        """
        columns = {column.name: column for group in groups for column in self._contract.select(group)}
        keys = {name: f"k{number}" for number, name in enumerate(columns)}
        sizes = {name: column.size for name, column in columns.items()}
        blocks = {tuple(columns[name] for name in block): answered for block, answered in merged(groups, sizes).items()}
        named = {axes: tuple(keys[axis.name] for axis in axes) for axes in blocks}
        tables: Iterator[dict[str, NDArray[Any]]]
        if (cells := self._cells_for(tuple(columns.values()))) is not None and cells.answer(*blocks):
            tables = (cells.counted(axes, named[axes]) for axes in blocks)
        else:
            rows = self._encoded(tuple(columns.values()))
            rows = rows.select(*keys.values()) if self._whose else rows
            own = {keys[name]: size for name, size in sizes.items()}
            tables = _padded(self._source.collect_groups(rows, list(named.values()), own))
        for (axes, answered), arrays in zip(blocks.items(), tables, strict=False):
            yield from projected(axes, [arrays[key] for key in named[axes]], arrays["rows"], answered)

    def part_sums(self, parts: Sequence[SharedOut], by: tuple[str, ...]) -> Integers:
        """Parts of some columns, a row for each group of cells of others, groups without rows included."""
        from reaedp.curator import part_sums

        return part_sums.assembled(*self._part_sums(parts, by))

    def group_parts(self, parts: Sequence[SharedOut], by: tuple[str, ...]) -> GroupedParts:
        """Parts of some columns, of those groups of cells of others that have rows."""
        from reaedp.curator import part_sums

        return GroupedParts(*part_sums.present(*self._part_sums(parts, by)))

    def _part_sums(
        self, parts: Sequence[SharedOut], by: tuple[str, ...]
    ) -> tuple[dict[str, NDArray[Any]], Sequence[SharedOut], list[str], tuple[Column, ...]]:
        """What the engine added up, and what it is made of."""
        from reaedp.curator import part_sums
        from reaedp.statistics.summary.parts import Parts

        axes, own = self._contract.select(by), [column for one in parts for column in one.columns]
        keys, blocks = [f"k{number}" for number in range(len(axes))], [f"c{number}" for number in range(len(parts))]
        columns = tuple({column.name: column for column in (*axes, *own)}.values())
        places = {column.name: number for number, column in enumerate(columns)}
        cells = {f"cell{place}": encode(column, place) for place, column in enumerate(columns)}
        coded = {key: nw.col(f"cell{places[axis.name]}") for key, axis in zip(keys, axes, strict=True)}
        for shared, key in zip(parts, blocks, strict=True):
            coded |= part_sums.codes(shared, key, places)
        grouping, one = keys or [part_sums.WHOLE], parts[0]
        if len(parts) == 1 and isinstance(one, Parts) and self._contract.unit.person is None:
            size, cell = axes[0].size if axes else 1, coded.get(grouping[0], nw.lit(0))
            coded[grouping[0]] = part_sums.folded(one, places[one.column.name], cell, size)
            query = part_sums.by_folded(self._coded(columns, coded, first=cells), one, blocks[0], grouping)
            return part_sums.unfolded(self._collected(query), one, blocks[0], grouping, size), parts, blocks, axes
        rows = self._coded(columns, coded, first=cells).with_columns(nw.lit(0).alias(part_sums.WHOLE))
        return self._collected(part_sums.summed(rows, parts, blocks, grouping)), parts, blocks, axes

    def level_counts(self, name: str, longest: int) -> dict[str, int]:
        """How many rows hold each text in a column whose levels are not declared; longer texts are cut."""
        unit = self._contract.unit
        frame = self._canonical((self._contract.column(name),))
        texts = frame.with_columns(nw.col("v0").str.slice(0, longest)).filter(~nw.col("v0").is_null())
        if unit.person is not None:
            texts = first_rows(texts, unit.rows, ["h0"], ["v0"])
        arrays = self._collected(counted(texts, ["v0"]))
        return dict(zip(arrays["v0"].tolist(), arrays["rows"].tolist(), strict=True))

    def rows(self, names: tuple[str, ...]) -> NDArray[np.int32]:
        """The truth itself, as cell numbers: for evaluation by the custodian, never for a release."""
        columns = self._contract.select(names)
        keys = [f"k{number}" for number in range(len(columns))]
        try:
            arrays = self._source.collect(self._encoded(columns).select(*keys))
        except Unreadable:
            raise ReaedpError("The data cannot be read: a file is damaged, or a view fails.") from None
        return np.column_stack([arrays[key].astype(np.int32) for key in keys]).reshape(-1, len(columns))

    def people_by_rows(self) -> tuple[dict[int, int], int]:
        """How many people have how many rows, and how many rows name nobody: for the custodian, never for a release."""
        each = counted(self._canonical(self._contract.columns[:1]), ["person"])
        sizes = counted(each.select(nobody=nw.col("person").is_null(), size=nw.col("rows")), ["nobody", "size"])
        arrays = self._collected(sizes)
        nobody, size, people = (arrays[name].astype(np.int64) for name in ("nobody", "size", "rows"))
        named = zip(size[nobody == 0].tolist(), people[nobody == 0].tolist(), strict=True)
        return dict(named), int(size[nobody == 1].sum())

    def pixels(self) -> Integers:
        """The values of the declared picture in reading order, all channels of a pixel together."""
        if self._contract.picture is None:
            raise DeclarationError("The contract declares no picture.")
        return self._pixels.ravel()

    def _origin(self) -> "Origin":
        from reaedp.curator.curves import Origin

        return Origin(self._canonical, self._source)

    def _canonical(self, columns: tuple[Column, ...]) -> nw.LazyFrame[Any]:
        frame = self._source.canonical(columns, self._contract.unit.person)
        return frame if self._half is None else frame.filter(nw.col("hash0") % 2 == self._half)

    def curve_sums(self, name: str) -> tuple[Integers, int]:
        """Sums of the lattice points of the curves of one declaration, and how many curves there are."""
        from reaedp.curator.curves import curve_sums, no_sums

        try:
            return curve_sums(self._origin(), self._contract, name)
        except Unreadable:
            return no_sums(self._contract, name), 0

    def curve_points(self, name: str) -> NDArray[np.int32]:
        """Lattice points of the curves of one declaration, a row each; for mechanisms that count and draw them."""
        from reaedp.curator.curves import curve_points

        try:
            return curve_points(self._origin(), self._contract, name)
        except Unreadable:
            return np.empty((0, self._contract.curve(name).rank), dtype=np.int32)

    def mean_of_whole_curves(self, name: str) -> NDArray[np.float64] | None:
        """The exact mean of the curves of one declaration on their grid, as they are; for the custodian's eyes."""
        from reaedp.curator.curves import mean_of_whole_curves

        return mean_of_whole_curves(self._origin(), self._contract, name)

    def check_curve(self, name: str) -> None:
        """Refuse curves whose columns the data lacks; headers are public."""
        from reaedp.curator.curves import check_curve

        check_curve(self._origin(), self._contract, name)

    def moment_sums(self, names: tuple[str, ...]) -> Integers:
        """Sums of values and products of these columns, as `MomentSpace` has them; at most `max_rows` rows a person."""
        from reaedp.curator.moments import positions, summed, totals
        from reaedp.statistics.moments.space import MomentSpace

        columns = self._contract.select(names)
        space = MomentSpace.of(self._contract, names)
        keys = [f"k{number}" for number in range(len(columns))]
        fine = positions(space, columns, self._located(columns))
        dropping = [key for column, key in zip(columns, keys, strict=True) if column.drops]
        rows = self._counting(fine.select(*self._whose, *keys), keys, dropping)
        try:
            return totals(space, self._source.collect(summed(space, rows)))
        except Unreadable:
            return space.signed(0, 0, [0] * (space.size - 2))

    def _encoded(self, columns: tuple[Column, ...]) -> nw.LazyFrame[Any]:
        """One row of cell numbers, `k0`, `k1` and so on, for each row that counts.

        Where the source hands out the same canonical form again, the question that was made of it is asked again; one
        that had to be opened anew hands out another.
        """
        among = next((made for made in self._made if self._answers(made, columns)), columns)
        asked = self._source.canonical(among, self._contract.unit.person).to_native()
        if among not in self._made or self._made[among][0] is not asked:
            codes = {f"k{place}": encode(column, place) for place, column in enumerate(among)}
            self._made[among] = asked, self._coded(among, codes)
        rows = self._made[among][1]
        if among == columns:
            return rows
        return rows.select(*(nw.col(f"k{among.index(one)}").alias(f"k{place}") for place, one in enumerate(columns)))

    def _answers(self, made: tuple[Column, ...], columns: tuple[Column, ...]) -> bool:
        """Whether the same columns were asked for, or more are held; which rows of a person count depends on them."""
        same = made is self._held or len(made) == len(columns)
        return self._contract.unit.person is None and same and _of_the_same_rows(made, columns)

    def _cells_for(self, columns: tuple[Column, ...]) -> HeldCells | None:
        """The cells that are held, if they are of the rows that count for a question about these columns."""
        return self._cells if _of_the_same_rows(self._held, columns) else None

    def _coded(
        self, columns: tuple[Column, ...], codes: Mapping[str, nw.Expr], first: Mapping[str, nw.Expr] = NOTHING
    ) -> nw.LazyFrame[Any]:
        """One row of whole numbers, by name, for each row that counts; one that is negative drops the row.

        What codes look at more than once is computed `first`.
        """
        frame = self._located(columns)
        frame = frame.with_columns(**first) if first else frame
        coded = frame.select(*self._whose, *(code.alias(key) for key, code in codes.items()))
        return self._counting(coded, list(codes), list(codes) if any(column.drops for column in columns) else [])

    def _located(self, columns: tuple[Column, ...]) -> nw.LazyFrame[Any]:
        return located(self._canonical(columns), columns, total=self._source.total)

    @property
    def _whose(self) -> list[str]:
        return ["person", "hash0", "hash1"] if self._contract.unit.person else []

    def _counting(self, coded: nw.LazyFrame[Any], keys: list[str], dropping: list[str]) -> nw.LazyFrame[Any]:
        """Rows with no negative number among those that drop, and at most as many of a person as may count."""
        unit = self._contract.unit
        for key in dropping:
            coded = coded.filter(nw.col(key) >= 0)
        return first_rows(coded, unit.rows, keys, keys) if unit.person else coded

    def _collected(self, query: nw.LazyFrame[Any]) -> dict[str, NDArray[Any]]:
        """The result of a query, which has no rows where those of the data cannot be read."""
        try:
            return self._source.collect(query)
        except Unreadable:
            return _NoRows()


def _of_the_same_rows(held: tuple[Column, ...], asked: tuple[Column, ...]) -> bool:
    """Whether the same rows count for both: no value of a column that is held beside those asked for drops its row."""
    return set(asked) <= set(held) and not any(column.drops for column in set(held) - set(asked))


class _NoRows(dict[str, NDArray[Any]]):
    """A table without rows, whatever its columns."""

    def __missing__(self, name: str) -> NDArray[Any]:
        return np.empty(0, dtype=np.int64)


def _read(tables: Iterator[dict[str, NDArray[Any]]]) -> Iterator[dict[str, NDArray[Any]]]:
    """The tables up to one that cannot be read."""
    try:
        yield from tables
    except Unreadable:
        return


def _padded(tables: Iterator[dict[str, NDArray[Any]]]) -> Iterator[dict[str, NDArray[Any]]]:
    """The tables, and empty ones for those that cannot be read."""
    return chain(_read(tables), repeat(_NoRows()))
