"""Numbers in arrays → cell numbers → counts, without an engine: the cells that `encode` has for the same numbers.

Only comparisons, additions, products and floors of doubles are used, as there. Most blocks of rows hold nothing but
regular values, which their least and their greatest number tell; others are looked at condition by condition.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Boolean, Column, Integer, Number
from reaedp.contract.number import LARGEST_INTEGER
from reaedp.curator.encode import uniform
from reaedp.engines.arrays import Blocks, Numbers
from reaedp.statistics.by_kind import ByKind

#: Combinations of cells that are few: the table of their counts is written anew for every block.
FEW_CELLS = 2**15

Cells = NDArray[np.intp]
Doubles = NDArray[np.float64]
#: From the numbers of a block of rows to their cells; negative numbers drop their rows.
Find = Callable[[Numbers], Cells]


def finders(columns: Sequence[Column]) -> list[Find] | None:
    """What finds the cells of each column; nothing if one is not of numbers, or there are many combinations."""
    ways = [_FINDERS.of(column) for column in columns]
    if math.prod(column.size for column in columns) > FEW_CELLS:
        return None
    found = [way(column) for way, column in zip(ways, columns, strict=True)]
    return [find for find in found if find is not None] if None not in found else None


def rows_of_cells(columns: Sequence[Column], finds: Sequence[Find], blocks: Blocks) -> NDArray[np.int64]:
    """How many rows there are of each combination of cells, in the order of the cells."""
    sizes = [column.size for column in columns]
    rows = np.zeros(math.prod(sizes), dtype=np.int64)
    drops = any(column.drops for column in columns)
    with np.errstate(all="ignore"):  # a library that warns would speak of rows
        for block in blocks:
            each = [find(numbers) for find, numbers in zip(finds, block, strict=True)]
            if drops:
                counts = np.logical_and.reduce([cells >= 0 for cells in each])
                each = [cells[counts] for cells in each]
            cell = each[0]
            for cells, size in zip(each[1:], sizes[1:], strict=True):
                cell = cell * size + cells
            rows += np.bincount(cell, minlength=len(rows))
    return rows


def _of_number(column: Number) -> Find:
    edges = column.boundaries
    bins = uniform(column)
    inner = edges[1:-1]

    def searched(values: Doubles) -> Cells:
        cells: Cells = np.searchsorted(inner, values, side="right")
        return cells

    def computed(values: Doubles) -> Cells:
        """The whole part of a position, which is never below the bin and at most one above it."""
        assert bins is not None
        position = bins.position(values)
        guess = np.floor(position)
        if bins.position(values.max()) >= bins.bins:
            np.minimum(guess, bins.bins - 1, out=guess)
        np.subtract(position, guess, out=position)
        cells: Cells = guess.astype(np.intp)
        if position.min() < 2 * bins.slack:
            cells -= values < edges[cells]
        return cells

    return _ranged(column, float(edges[0]), float(edges[-1]), len(edges) - 2, searched if bins is None else computed)


def _of_integer(column: Integer) -> Find | None:
    if column.upper - column.lower > LARGEST_INTEGER:
        return None  # distances would be rounded
    low, width = float(column.lower), float(column.width)

    def computed(values: Doubles) -> Cells:
        return np.floor((values - low) / width).astype(np.intp)

    last = (column.upper - column.lower) // column.width
    found = _ranged(column, low, float(column.upper), last, computed)
    unparsable = column.code("unparsable")

    def whole(numbers: Numbers) -> Cells:
        """Fractions are no whole numbers, wherever they lie."""
        cells = found(numbers)
        if numbers.values.dtype.kind == "f":
            values = numbers.values
            fractions = (np.floor(values) != values) & ~np.isnan(values)
            if fractions.any():
                cells[fractions if numbers.missing is None else fractions & ~numbers.missing] = unparsable
        return cells

    return whole


def _of_boolean(column: Boolean) -> Find:
    null, unparsable = column.code("null"), column.code("unparsable")

    def truth(numbers: Numbers) -> Cells:
        values = numbers.values
        if values.dtype.kind == "b":
            cells = values.astype(np.intp)
        else:
            cells = np.where(values == 1, 1, np.where(values == 0, 0, unparsable)).astype(np.intp)
        if numbers.missing is not None:
            cells[numbers.missing] = null
        return cells

    return truth


def _ranged(column: Number | Integer, low: float, high: float, last: int, regular: Callable[[Doubles], Cells]) -> Find:
    """Cells of numbers of which those from `low` to `high` are `regular`."""
    near = column.rule("outside") == "nearest"
    below, above = (0, last) if near else (column.code("outside"),) * 2
    endless = (0, last) if column.rule("infinite") == "nearest" else (column.code("infinite"),) * 2
    null, nan = column.code("null"), column.code("nan")
    all_near = near and column.rule("infinite") == "nearest"

    def found(numbers: Numbers) -> Cells:
        values = numbers.values.astype(np.float64, copy=False)
        least, most = values.min(), values.max()  # NaN, if any is
        if numbers.missing is None and low <= least and most <= high:
            return regular(values)
        if numbers.missing is None and all_near and least <= most:
            return regular(np.clip(values, low, high))
        cells = np.full(len(values), nan, dtype=np.intp)
        inside = (values >= low) & (values <= high)
        if inside.any():
            cells[inside] = regular(values[inside])
        cells[values < low], cells[values > high] = below, above
        cells[values == -math.inf], cells[values == math.inf] = endless
        if numbers.missing is not None:
            cells[numbers.missing] = null
        return cells

    return found


def _left_to_the_engine(_: Any) -> None:
    """Names, and moments as their containers hold them, are found by the engine."""


#: What finds the cells of a column of numbers; nothing for other kinds.
_FINDERS = ByKind[Callable[[Any], Find | None]](
    "from arrays of its numbers to cells",
    {Number: _of_number, Integer: _of_integer, Boolean: _of_boolean},
    otherwise=_left_to_the_engine,
    plain=("Date", "Category"),
    over="columns",
)
