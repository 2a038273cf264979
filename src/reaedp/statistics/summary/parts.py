"""A column's values as parts of a whole: how a row is shared out among a few cells, so that sums cost what counts do.

A value p of the way from the lower to the upper bound is counted as p towards the upper one and 1 - p towards the lower
one. For variances there are three parts: p², 2p(1 - p) and (1 - p)². Parts are never negative and add up to one row.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reaedp.answer import Integers
from reaedp.contract import Boolean, Category, Column, Date, Integer, Number
from reaedp.contract.day import EPOCH
from reaedp.errors import DeclarationError
from reaedp.statistics.by_kind import ByKind
from reaedp.statistics.summary.coordinates import Coordinates, all_parts, centred

#: About so many steps make a row: squares of codes are exact in doubles, sums of 2^37 rows fit into 64 bits, and
#: rounding moves the mean of 10^8 rows by less than noise does.
MOST_STEPS = 2**26


@dataclass(frozen=True, slots=True)
class Bounds:
    """The ends of a column's range, as numbers, and whether only whole numbers lie between them."""

    lower: float
    upper: float
    whole: bool

    @property
    def width(self) -> float:
        """The length of the range."""
        return self.upper - self.lower


def bounds(column: Column) -> Bounds:
    """The declared range of a column of numbers or dates; dates are days since 1970."""
    found: Bounds | None = _BOUNDS.of(column)(column)
    if found is None:
        raise DeclarationError(
            f"{column.name} must be a column of numbers, integers, dates or truth values to have a sum or a mean; it is"
            f" of kind {column.kind}."
        )
    if not (found.width > 0 and math.isfinite(found.width) and math.isfinite(MOST_STEPS / found.width)):
        raise DeclarationError(f"{column.name} must have a lower and an upper bound that differ, to have a mean.")
    return found


_BOUNDS = ByKind[Callable[[Any], Bounds | None]](
    "the range of its values",
    {
        Number: lambda c: Bounds(float(c.boundaries[0]), float(c.boundaries[-1]), whole=False),
        Integer: lambda c: Bounds(float(c.lower), float(c.upper), whole=True),
        Date: lambda c: Bounds(float((c.lower - EPOCH).days), float((c.upper - EPOCH).days), whole=True),
        Boolean: lambda _: Bounds(0.0, 1.0, whole=True),
        Category: lambda _: None,
    },
    otherwise=lambda _: None,
    over="columns",
)


def lattice_steps(columns: Sequence[Column]) -> int:
    """How many steps make a row: a number that divides the ranges of all whole numbers, if there is a moderate one."""
    widths = [int(found.width) for found in map(bounds, columns) if found.whole]
    common = math.lcm(*widths)
    return common * (MOST_STEPS // common) if common <= MOST_STEPS else MOST_STEPS


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one column: those of values within the range, then a cell for each way to lie outside or to miss.

    A row is known by its code: 0 to `steps` for a value within the range, a further number for each other cell. With
    `clipped`, values that are moved to the nearest bound have cells of their own, one for each bound. If they are
    `centred`, sums that count from the middle of the range are released.

    >>> Parts(contract.column("age"), steps=1000, degree=1, clipped=False).names
    ('lower', 'upper', 'null', 'nan', 'unparsable')
    """

    column: Column
    steps: int
    degree: int
    clipped: bool
    centred: bool = False

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that are read."""
        return (self.column,)

    @property
    def regular(self) -> tuple[str, ...]:
        """Parts of values within the range."""
        return ("lower", "upper") if self.degree == 1 else ("lower", "middle", "upper")

    @property
    def beyond(self) -> tuple[str, ...]:
        """Cells of values that were moved to a bound."""
        return ("below", "above") if self.clipped else ()

    @property
    def missing(self) -> tuple[str, ...]:
        """Cells of values that have no place in the range."""
        return self.column.own_cells

    @property
    def names(self) -> tuple[str, ...]:
        """All parts in the order in which they are counted."""
        return self.regular + self.beyond + self.missing

    @property
    def coordinates(self) -> Coordinates:
        """The numbers that are released of them."""
        if not self.centred:
            return all_parts(len(self.names))
        return centred(len(self.regular), len(self.beyond), len(self.missing))

    @property
    def bounds(self) -> Bounds:
        """The range of the column."""
        return bounds(self.column)

    @property
    def rate(self) -> float:
        """Steps in a unit of the value."""
        return self.steps / self.bounds.width

    @property
    def exact(self) -> bool:
        """Whether every value of the column is a point of the lattice."""
        return self.bounds.whole and self.steps % int(self.bounds.width) == 0

    @property
    def rounding(self) -> float:
        """By how many steps a row's share of a sum may be rounded."""
        return (0.0 if self.exact else 0.5) + (0.0 if self.degree == 1 else 0.5)

    def assembled(self, rows: Integers, sums: Sequence[Integers], others: Sequence[Integers]) -> Integers:
        """All parts of some groups, a row each, from what an engine adds up.

        `rows` within the range; of their codes the sum or, for degree 2, the sums of the parts towards both bounds; and
        the numbers of rows in the other cells.
        """
        if self.degree == 1:
            (upper,) = sums
            within = [rows * self.steps - upper, upper]
        else:
            upper, lower = sums
            within = [lower, rows * self.steps - upper - lower, upper]
        return np.stack([*within, *(count * self.steps for count in others)], axis=-1)

    def weights(self, **of: float) -> np.ndarray[Any, np.dtype[np.float64]]:
        """A number for each part, zero for those that are not named."""
        return np.array([of.get(name, 0.0) for name in self.names])

    @property
    def count(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Weights that give the number of rows with a value."""
        return self.weights(**dict.fromkeys((*self.regular, *self.beyond), 1.0))

    @property
    def position(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Weights that give the sum of p."""
        return self.weights(middle=0.5, upper=1.0, above=1.0)

    @property
    def square(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Weights that give the sum of p²; for degree 2 only."""
        return self.weights(upper=1.0, above=1.0)
