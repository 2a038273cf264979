"""Which sums are taken of a row: of its values and of their products, as integers that lie in fixed places."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Contract
from reaedp.privacy.unit import Sensitivity, Unit
from reaedp.statistics.moments.grid import UNIT, Grid, grid

#: (x - y)² + (2x² - 2y²)² is at most this many 32nds for x and y from -1 to 1.
SQUARE_32 = 165
Reals = NDArray[np.float64]


class Feature(NamedTuple):
    """A number that a row has: the point of a column, or whether it has a level of it."""

    #: The place of its column.
    column: int
    #: The place of its level.
    level: int | None
    label: str
    centre: float
    half: float


@dataclass(frozen=True)
class MomentSpace:
    """The coordinates of a row, each from -UNIT to UNIT.

    They are: one; then whether a value is missing, and all others are zero; then a coordinate for each feature, for
    each square (as 2x² - 1, which has the same range), and for each product of features of two columns.
    """

    grids: tuple[Grid, ...]

    @classmethod
    def of(cls, contract: Contract, columns: tuple[str, ...]) -> "MomentSpace":
        """The coordinates of some declared columns."""
        return _space(tuple(grid(column) for column in contract.select(columns)))

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The features of all columns in turn."""
        return tuple(
            Feature(place, level + 1 if one.named else None, label, one.centre, one.half)
            for place, one in enumerate(self.grids)
            for level, label in enumerate(one.labels())
        )

    @cached_property
    def squares(self) -> tuple[int, ...]:
        """Features that have squares."""
        return tuple(place for place, one in enumerate(self.features) if self.grids[one.column].squared)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Features of two columns."""
        numbered = combinations(enumerate(self.features), 2)
        return tuple((a, b) for (a, one), (b, other) in numbered if one.column != other.column)

    @property
    def size(self) -> int:
        """The number of coordinates."""
        return 2 + len(self.features) + len(self.squares) + len(self.pairs)

    def sensitivity(self, unit: Unit) -> Sensitivity:
        """How far one unit moves the sums (see PROOFS.md)."""
        k, places = unit.rows, self._filled
        if unit.change == "add-remove":
            return Sensitivity(l1=k * places * UNIT, l2_squared=k * k * places * UNIT**2, linf=k * UNIT)
        longest = max(self._replaced, (places + 1) * UNIT**2)
        return Sensitivity(
            l1=k * max(2 * (places - 1), places + 1) * UNIT, l2_squared=k * k * longest, linf=2 * k * UNIT
        )

    @property
    def _filled(self) -> int:
        """The largest number of coordinates of a row that are not zero."""
        columns = len(self.grids)
        return 1 + columns + len(self.squares) + columns * (columns - 1) // 2

    @property
    def _replaced(self) -> int:
        """The largest squared distance of two rows without missing values."""
        named, squares = sum(one.named for one in self.grids), len(self.squares)
        ordered = len(self.grids) - named
        ends = max(
            4 * (moved + alone) * (ordered - moved - alone + named - changed)
            + 4 * alone
            + 2 * changed * (1 + ordered)
            + 2 * (math.comb(named, 2) - math.comb(named - changed, 2))
            for moved in range(squares + 1)
            for alone in range(ordered - squares + 1)
            for changed in range(named + 1)
        )
        squared = (32 * ends + SQUARE_32 * squares) * UNIT**2 // 32
        rounded = squares + math.comb(ordered, 2)
        return squared + 2 * (math.isqrt(squared * rounded) + 1) + rounded

    def vectors(self, positions: Integers) -> Integers:
        """The coordinates of rows by the cells of their values, -1 for what is missing: a row for each."""
        points = np.column_stack([self._points(one, positions[:, one.column]) for one in self.features])
        whole: Integers = np.all(positions >= 0, axis=1).astype(np.int64)
        squares = [2 * points[:, a] ** 2 // UNIT - UNIT for a in self.squares]
        pairs = [points[:, a] * points[:, b] // UNIT for a, b in self.pairs]
        filled = np.column_stack([np.full(len(points), UNIT), points, *squares, *pairs]) * whole[:, None]
        found: Integers = np.insert(filled, 1, UNIT * (1 - whole), axis=1)
        return found

    def _points(self, feature: Feature, positions: Integers) -> Integers:
        one = self.grids[feature.column]
        level = (positions == feature.level).astype(np.int64)
        found: Integers = one.stride * (2 * positions + 1 - one.cells) if feature.level is None else UNIT * level
        return found

    def signed(self, rows: int, missing: int, sums: Sequence[int]) -> Integers:
        """The sums of coordinates from sums of integers that are never negative, which all engines round alike.

        Those are: of points above -UNIT and of indicators, 2x²/UNIT and products/UNIT of points above -UNIT, rounded
        down, products with indicators as they are.
        """
        count, squares = len(self.features), len(self.squares)
        raw = [int(total) for total in sums]
        first, second, third = raw[:count], raw[count : count + squares], raw[count + squares :]
        levels = [one.level is not None for one in self.features]
        single = [UNIT * total if level else total - UNIT * rows for total, level in zip(first, levels, strict=True)]
        square = [total - 4 * first[a] + UNIT * rows for total, a in zip(second, self.squares, strict=True)]
        double = [self._product(total, first, pair, rows) for total, pair in zip(third, self.pairs, strict=True)]
        return np.array([UNIT * rows, UNIT * missing, *single, *square, *double], dtype=np.int64)

    def _product(self, total: int, sums: list[int], pair: tuple[int, int], rows: int) -> int:
        a, b = pair
        level_a, level_b = (self.features[one].level is not None for one in pair)
        if level_a and level_b:
            return UNIT * total
        if level_a or level_b:
            return total - UNIT * sums[a if level_a else b]
        return total - sums[a] - sums[b] + UNIT * rows

    @cached_property
    def entries(self) -> Reals:
        """The matrix of second moments of (1, features) as a linear function of the coordinates: entry i, j, from k."""
        count = len(self.features)
        found = np.zeros((count + 1, count + 1, self.size))
        for i, j, places in self._entries():
            for place, weight in places:
                found[i, j, place] = found[j, i, place] = weight
        return found

    def _entries(self) -> Iterator[tuple[int, int, list[tuple[int, float]]]]:
        count, squares = len(self.features), {a: 2 + len(self.features) + k for k, a in enumerate(self.squares)}
        yield 0, 0, [(0, 1.0)]
        for a, one in enumerate(self.features):
            yield 0, a + 1, [(2 + a, 1.0)]
            if a in squares:
                yield a + 1, a + 1, [(squares[a], 0.5), (0, 0.5)]
            else:
                yield a + 1, a + 1, [(0 if one.level is None else 2 + a, 1.0)]
        for k, (a, b) in enumerate(self.pairs):
            yield a + 1, b + 1, [(2 + count + len(squares) + k, 1.0)]


@lru_cache(maxsize=16)
def _space(grids: tuple[Grid, ...]) -> MomentSpace:
    return MomentSpace(grids)
