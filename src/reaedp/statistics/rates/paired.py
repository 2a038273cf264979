"""Two columns' values as four parts of a row, so that both sums cost what one count does.

A row that is p of the way through one range and q of the way through another counts pq, p(1 - q), (1 - p)q and
(1 - p)(1 - q) towards the corners of the two ranges. Parts are never negative and add up to one row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Column, Date
from reaedp.errors import DeclarationError
from reaedp.statistics.summary.coordinates import Coordinates, all_parts
from reaedp.statistics.summary.parts import Parts, bounds, lattice_steps

Floats = NDArray[np.float64]
#: Corners by the ends of the two ranges: 0 for the lower one, 1 for the upper one.
CORNERS = {"neither": (0, 0), "first": (1, 0), "second": (0, 1), "both": (1, 1)}


@dataclass(frozen=True, slots=True)
class Paired:
    """The parts of rows that have a value in both columns, and one cell for all others."""

    above: Column
    per: Column

    @property
    def steps(self) -> int:
        """How many steps make a row."""
        return lattice_steps((self.above, self.per))

    @property
    def sides(self) -> tuple[Parts, Parts]:
        """Each column by itself, on the common lattice."""
        steps = self.steps
        first, second = (Parts(column, steps, degree=1, clipped=False) for column in (self.above, self.per))
        return first, second

    @property
    def rounding(self) -> float:
        """By how many steps a row's share of a sum may be rounded."""
        return max(side.rounding for side in self.sides)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that are read."""
        return self.above, self.per

    @property
    def missing(self) -> tuple[str, ...]:
        """The cell of rows that lack a value in one of the columns, if there may be such."""
        return ("missing",) if self.above.own_cells or self.per.own_cells else ()

    @property
    def names(self) -> tuple[str, ...]:
        """All parts in the order in which they are counted."""
        return (*CORNERS, *self.missing)

    @property
    def coordinates(self) -> Coordinates:
        """The numbers that are released of them: all as they are."""
        return all_parts(len(self.names))

    @property
    def condition(self) -> str:
        """The ratio in words."""
        return f"{self.above.name} per {self.per.name}"

    def check(self) -> None:
        """Refuse columns without a range, dates, and values below zero, of which no ratio makes sense."""
        if self.above.name == self.per.name:
            raise DeclarationError(f"per must name another column than {self.above.name}.")
        for column in self.columns:
            if bounds(column).lower < 0 or isinstance(column, Date):
                raise DeclarationError(
                    f"{column.name} must be a column of numbers whose lower bound is at least 0, to stand in a ratio."
                )

    def assembled(self, rows: Integers, sums: Sequence[Integers], others: Sequence[Integers]) -> Integers:
        """All parts of some groups: from rows with both values, sums of their steps and of the rounded products."""
        first, second, both = sums
        corners = [rows * self.steps - first - second + both, first - both, second - both, both]
        return np.stack([*corners, *(count * self.steps for count in others)], axis=-1)

    def weights(self, **of: float) -> np.ndarray[Any, np.dtype[np.float64]]:
        """A number for each part, zero for those that are not named."""
        return np.array([of.get(name, 0.0) for name in self.names])

    def corner_values(self) -> tuple[Floats, Floats]:
        """The values of both columns at the corner of each part, as shares of their upper bounds."""
        found = []
        for side, column in enumerate(self.columns):
            ends = bounds(column)
            at = {name: (ends.lower, ends.upper)[corner[side]] / ends.upper for name, corner in CORNERS.items()}
            found.append(self.weights(**at))
        return found[0], found[1]

    @property
    def scale(self) -> float:
        """The ratio of the two upper bounds."""
        return bounds(self.above).upper / bounds(self.per).upper
