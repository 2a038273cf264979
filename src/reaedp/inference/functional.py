"""What a question computes from counts: a number for each group, with what is unknown inside merged cells.

Each column of the question weighs the cells of its axis. Inside a merged cell a weight is known only to lie between
that of one declared cell and that of another: hence three numbers, the believed one and two that bound the truth.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Boolean, Column
from reaedp.contract.expression import Node
from reaedp.inference.counted import CountedTable, Floats
from reaedp.inference.question import Question
from reaedp.statistics.quantiles.inside import highest, lowest, values
from reaedp.synthesis.conditions import met


class Weights(NamedTuple):
    """Of the cells of one axis of a table: as believed, at least, and at most."""

    middle: Floats
    low: Floats
    high: Floats

    @property
    def certain(self) -> bool:
        """Whether nothing is unknown inside merged cells."""
        return bool(np.array_equal(self.low, self.high))

    def times(self, other: "Weights") -> "Weights":
        """The product with weights of an indicator."""
        ends = [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high]
        return Weights(self.middle * other.middle, np.minimum.reduce(ends), np.maximum.reduce(ends))


def indicator(table: CountedTable, name: str, some: NDArray[np.bool_], every: NDArray[np.bool_]) -> Weights:
    """Which share of each cell of the table has values for which something holds somewhere, and everywhere."""
    place = table.names.index(name)
    cells, within = table.merged[place], table.within[place]
    middle = np.bincount(cells, within * (every + 0.5 * (some & ~every)))
    whole = np.bincount(cells)
    low = (np.bincount(cells, every) == whole).astype(np.float64)
    high = (np.bincount(cells, some) > 0).astype(np.float64)
    return Weights(np.clip(middle, low, high), low, high)


def present(table: CountedTable, name: str) -> Weights:
    """Cells that hold a value; not those of missing ones."""
    regular = np.arange(len(table.merged[table.names.index(name)])) < _axis(table, name).regular
    return indicator(table, name, regular, regular)


def condition(table: CountedTable, conditions: Mapping[str, Node]) -> dict[str, Weights]:
    """Weights of all columns that a condition speaks of."""
    return {name: indicator(table, name, *met(_axis(table, name), node)) for name, node in conditions.items()}


def _axis(table: CountedTable, name: str) -> Column:
    return table.axes[table.names.index(name)]


def measured(table: CountedTable, name: str) -> Weights:
    """The value of a column in each cell: in the middle, at least, at most; zero where none is."""
    axis, place = _axis(table, name), table.names.index(name)
    cells, within = table.merged[place], table.within[place]
    low, high = value_ends(axis)
    regular = np.arange(axis.size) < axis.regular
    count = int(cells.max()) + 1
    weight = np.bincount(cells[regular], within[regular], minlength=count)
    middle = np.bincount(cells[regular], (within * (low + high) / 2)[regular], minlength=count)
    least, most = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(least, cells[regular], low[regular])
    np.maximum.at(most, cells[regular], high[regular])
    empty = ~np.isfinite(least)
    least[empty] = most[empty] = 0.0
    return Weights(np.divide(middle, weight, out=np.zeros(count), where=weight > 0), least, most)


def value_ends(axis: Column) -> tuple[Floats, Floats]:
    """The least and the largest value of each cell as numbers, days since 1970 for dates; zero for missing values."""
    low, high = np.zeros(axis.size), np.zeros(axis.size)
    if isinstance(axis, Boolean):
        low[1] = high[1] = 1.0
        return low, high
    cells = np.arange(axis.regular, dtype=np.int64)
    for ends, found in ((low, lowest(axis, cells)), (high, highest(axis, cells))):
        days = found.astype("datetime64[D]").astype(np.int64) if found.dtype == object else found
        ends[: axis.regular] = days.astype(np.float64)
    return low, high


@dataclass(frozen=True, slots=True, eq=False)
class Functional:
    """One group of a question on one table: weights of each axis, of the rows that count and of what is looked for."""

    question: Question
    table: CountedTable
    #: By the columns' names; columns that are not there weigh one.
    rows: dict[str, Weights]
    part: dict[str, Weights]

    @property
    def certain(self) -> bool:
        """Whether the rows of the group can be told from all others."""
        return all(weights.certain for weights in self.rows.values())

    def bounded(self, counts: Floats) -> Floats:
        """The figure by each of several tables of counts, and what bounds it: three rows of as many numbers."""
        figure = self.question.figure
        if figure == "quantile":
            return self._quantile(counts)
        base = self._sums(counts, self.rows)
        if figure == "count":
            return base if not self.part else self._sums(counts, _joined(self.rows, self.part))
        if figure == "share":
            wanted = self._sums(counts, _joined(self.rows, self.part))
            most = np.where(base[1] > 0, _ratio(wanted[2], base[1]), 1.0)
            return np.array([_ratio(wanted[0], base[0]), _ratio(wanted[1], base[2]), most])
        of = self.question.of
        assert of is not None
        there = _joined(self.rows, {of: present(self.table, of)})
        total = self._sums(counts, _joined(there, {of: measured(self.table, of)}))
        return total if figure == "sum" else _ratio(total, self._sums(counts, there)[0])

    def _sums(self, counts: Floats, weights: Mapping[str, Weights]) -> Floats:
        """Sums over all cells with weights as believed, at least and at most."""
        return np.array([_contracted(counts, self.table, weights, kind, None) for kind in range(3)])

    def _quantile(self, counts: Floats) -> Floats:
        """The value at a rank, and the ends of the merged cell that it lies in."""
        of, at = self.question.of, self.question.at
        assert of is not None and at is not None  # noqa: PT018
        axis, place = _axis(self.table, of), self.table.names.index(of)
        cells, within = self.table.merged[place][: axis.regular], self.table.within[place][: axis.regular]
        rows = _contracted(counts, self.table, self.rows, 0, of)
        # Noise leaves sums that fall; what is at or below an edge can only rise.
        running = np.maximum.accumulate(np.cumsum(rows[:, cells] * within, axis=1), axis=1)
        wanted = at * np.maximum(running[:, -1:], 0.0)
        cell = np.minimum((running < wanted).sum(axis=1), axis.regular - 1)
        here = np.arange(len(running))
        before = np.where(cell > 0, running[here, np.maximum(cell - 1, 0)], 0.0)
        own = running[here, cell] - before
        inside = np.divide(wanted[:, 0] - before, own, out=np.full(len(own), 0.5), where=own > 0)
        low, high = value_ends(axis)
        first, last = (np.searchsorted(cells, cells[cell], side=side) for side in ("left", "right"))
        return np.array([_numbers(values(axis, cell, np.clip(inside, 0.0, 1.0))), low[first], high[last - 1]])


def _numbers(found: NDArray[np.generic]) -> Floats:
    days = found.astype("datetime64[D]").astype(np.int64) if found.dtype == object else found
    return days.astype(np.float64)


def _joined(one: Mapping[str, Weights], other: Mapping[str, Weights]) -> dict[str, Weights]:
    """Both conditions; the second may be the value of a column."""
    return {name: _both(one.get(name), other.get(name)) for name in {**one, **other}}


def _both(one: Weights | None, other: Weights | None) -> Weights:
    if one is None or other is None:
        found = one if other is None else other
        assert found is not None
        return found
    return other.times(one)


def _ratio(part: Floats, whole: Floats) -> Floats:
    shape = np.broadcast(part, whole).shape
    found: Floats = np.divide(part, whole, out=np.full(shape, np.nan), where=whole > 0)
    return found


def _contracted(
    counts: Floats, table: CountedTable, weights: Mapping[str, Weights], kind: int, kept: str | None
) -> Floats:
    """Each table summed over all axes but one, with the weights of each, from the last axis to the first."""
    found = counts
    for place in range(len(table.axes) - 1, -1, -1):
        name = table.names[place]
        if name != kept:
            own = weights.get(name)
            cells = found.shape[place + 1]
            found = np.tensordot(found, np.ones(cells) if own is None else own[kind], axes=(place + 1, 0))
    return np.asarray(found)


def functional(
    question: Question,
    table: CountedTable,
    *,
    rows: Mapping[str, int],
    part: Mapping[str, int],
    between: Mapping[str, Node],
) -> Functional:
    """The `rows` of one group by its cells, and which `part` of them is looked for."""
    found = _joined(_joined(condition(table, question.where), _cells(table, rows)), condition(table, between))
    return Functional(question, table, found, _joined(condition(table, question.part), _cells(table, part)))


def _cells(table: CountedTable, cells: Mapping[str, int]) -> dict[str, Weights]:
    """One declared cell of each of these columns."""
    alone = {name: np.arange(_axis(table, name).size) == place for name, place in cells.items()}
    return {name: indicator(table, name, mask, mask) for name, mask in alone.items()}
