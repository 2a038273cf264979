"""A column as points of an integer lattice: numbers between two ends, or one of several levels."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Boolean, Category, Column, Date, Integer, Number
from reaedp.contract.day import EPOCH
from reaedp.errors import DeclarationError
from reaedp.statistics.by_kind import ByKind, no_way

#: Points from the middle of a range to its end. Products are rounded to the same lattice, so that sums of up to 2^42
#: rows are exact in 64 bits.
UNIT = 2**20


@dataclass(frozen=True, slots=True)
class Grid:
    """Where the values of one column lie: value v in cell floor((v - lower) / width), the last one closed.

    Cell k is the point `stride`·(2k + 1 - cells), from -UNIT to UNIT. A column of more than two `levels` has no such
    points but an indicator for each level after the first.
    """

    column: str
    cells: int
    lower: float
    width: float
    levels: tuple[str, ...] = ()

    @property
    def stride(self) -> int:
        """Points from the middle of a cell to its end."""
        return UNIT // (self.cells - 1)

    @property
    def first(self) -> int:
        """How far the first cell lies above -UNIT."""
        return UNIT - self.stride * (self.cells - 1)

    @property
    def named(self) -> bool:
        """Whether it has indicators and no order. Two levels are two points, at the ends."""
        return self.cells > 2 and bool(self.levels)

    @property
    def squared(self) -> bool:
        """Whether squares say something new: those of two values are all alike."""
        return self.cells > 2 and not self.levels

    @property
    def half(self) -> float:
        """The length of UNIT points in the unit of the data."""
        return 1.0 if self.named else UNIT * self.width / (2 * self.stride)

    @property
    def centre(self) -> float:
        """The value at the point 0."""
        return 0.0 if self.named else self.lower + self.width * self.cells / 2

    def positions(self, values: NDArray[np.float64]) -> Integers:
        """The cell of each value; values outside lie in the nearest one."""
        last = self.cells - 1
        upper = self.lower + self.width * last
        cells = np.floor((np.clip(values, self.lower, upper) - self.lower) / self.width)
        return np.where(values >= upper, last, cells).astype(np.int64)

    def labels(self) -> tuple[str, ...]:
        """The names of its features."""
        return tuple(f"{self.column} = {level}" for level in self.levels[1:]) or (self.column,)


def grid(column: Column) -> Grid:
    """The lattice of a declared column; refuses one with a single value."""
    found = _GRIDS.of(column)(column)
    if not 0 < found.width < math.inf:
        raise DeclarationError(f"The range of column {column.name!r} is too wide or too narrow for numbers of 64 bits.")
    if found.cells < 2:
        raise DeclarationError(f"Column {column.name!r} has a single declared value, so nothing can be related to it.")
    return found


def _number(column: Number) -> Grid:
    low, high = (float(column.boundaries[end]) for end in (0, -1))
    return Grid(column.name, UNIT, low, high / UNIT - low / UNIT)


def _integer(column: Integer) -> Grid:
    """Whole numbers as they are; in runs where there are more of them than points."""
    run = (column.upper - column.lower) // UNIT + 1
    return Grid(column.name, (column.upper - column.lower) // run + 1, column.lower - 0.5, float(run))


def _date(column: Date) -> Grid:
    """Days since 1970; in runs where there are more of them than points."""
    days = (column.upper - column.lower).days
    run = days // UNIT + 1
    return Grid(column.name, days // run + 1, (column.lower - EPOCH).days - 0.5, float(run))


def _boolean(column: Boolean) -> Grid:
    return Grid(column.name, 2, -0.5, 1.0)


def _category(column: Category) -> Grid:
    return Grid(column.name, len(column.levels), -0.5, 1.0, column.levels)


_GRIDS = ByKind[Callable[[Any], Grid]](
    "a column as points of a lattice",
    {Number: _number, Integer: _integer, Date: _date, Boolean: _boolean, Category: _category},
    otherwise=no_way,
    over="columns",
)
