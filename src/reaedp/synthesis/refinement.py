"""The refinement: a column whose values many others tell together is counted in regions of these, if a test says so.

Tables of a few columns cannot hold such a column. After the first of them it is asked, with noise, whether in regions
of other columns a large share of rows has a value that the model does not expect. If so, what is left of the price goes
into cuts that tell its values apart, each chosen with noise, and into its noisy counts in the regions they make.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Column
from reaedp.statistics.statistic import Cells
from reaedp.synthesis.coarsening import Coarsening, ordered
from reaedp.synthesis.dependencies import MEAN_NOISE, first_view
from reaedp.synthesis.model import Codes
from reaedp.synthesis.purse import Purse
from reaedp.synthesis.regions import Cuts, Places, Regions

#: A column is refined if in this share of rows its value is not the expected one, beyond what chance would do.
WRONG = 0.2
#: Cuts of the regions for this test, found on as many rows of the model.
TEST_CUTS, TEST_ROWS = 5, 1 << 13
#: Values of a column that is refined, with its special cells, at most.
MOST_VALUES = 40
#: The share of the price for choosing cuts; the rest is for the counts.
CHOOSING = 0.38
#: Cuts on the way to a region, at least and at most; between them decides the noise of all counts together, in rows,
#: which may be this multiple of all rows.
LEAST_CUTS, MOST_CUTS, NOISIEST = 3, 10, 3.0
#: Both sides of a cut are expected to have rows of so many times the noise of a count.
LEAST_SIDE = 3.0
#: The score of a cut that leaves a side with fewer.
USELESS = -(2**40)
#: Shares of a region's rows on one side of a cut are rounded to this part.
PARTS = 64
#: Beyond so many rows their combinations are not held in memory.
MOST_ROWS = 2_000_000


@dataclass(frozen=True, eq=False)
class Refinement:
    """What is known when it begins: the model's columns, their cells, and rows `drawn` from the model so far."""

    names: tuple[str, ...]
    axes: tuple[Column, ...]
    coarsenings: Sequence[Coarsening]
    drawn: Codes
    total: float

    def regions(self, records: Cells, purse: Purse, test_price: float) -> Regions | None:
        """The column that most rows have wrong, in regions of the others; none if no column is wrong enough."""
        values = [place for place, axis in enumerate(self.axes) if not ordered(axis) and 2 < axis.size <= MOST_VALUES]
        if not values or len(self.axes) < 3 or self.total > MOST_ROWS:
            return None
        exact = Combinations.of(records, self.names)
        found = [self._surprise(column, exact) for column in values]
        nothing = round(2 * WRONG * self.total)
        place = purse.choice(np.array([*found, nothing], dtype=np.int64), test_price)
        return self._refined(values[place], exact, purse) if place < len(values) else None

    @cached_property
    def _offers(self) -> Cuts:
        """Cuts between neighbouring cells of an ordered column in a coarse view, and of each cell of another."""
        columns, sides = list[int](), list[NDArray[np.bool_]]()
        for column, (axis, coarse) in enumerate(zip(self.axes, self.coarsenings, strict=True)):
            view = coarse.views[first_view(coarse, 3)]
            cell = view.cell[coarse.merging.cell]
            for last in range(view.size - 1 if ordered(axis) or view.size == 2 else view.size):
                columns.append(column)
                sides.append(cell <= last if ordered(axis) else cell == last)
        inside = np.zeros((len(sides), max(axis.size for axis in self.axes)), dtype=bool)
        for cut, side in enumerate(sides):
            inside[cut, : len(side)] = side
        return Cuts(np.array(columns, dtype=np.intp), inside)

    @cached_property
    def _diverse(self) -> list[int]:
        """Cuts that tell the model's rows apart best, one for each of some columns."""
        offers, rows, chosen = self._offers, self.drawn[:TEST_ROWS], list[int]()
        region: Places = np.zeros(len(rows), dtype=np.intp)
        while len(chosen) <= TEST_CUTS:
            taken = offers.columns[chosen]
            halves = {
                cut: 2 * region + offers.inside[cut, rows[:, column]]
                for cut, column in enumerate(offers.columns.tolist())
                if column not in taken
            }
            if not halves:
                break
            chosen.append(max(halves, key=lambda cut: _entropy(halves[cut])))
            region = halves[chosen[-1]]
        return chosen

    def _surprise(self, column: int, exact: "Combinations") -> int:
        """Rows by which regions of other columns have other values than expected (L1), less what chance does; private.

        Expected rows are whole ones, so that one row more or less moves this by at most one.
        """
        cuts = [cut for cut in self._diverse if self._offers.columns[cut] != column][:TEST_CUTS]
        levels = [np.full(2**level, cut) for level, cut in enumerate(cuts)]
        own, width = self._offers.regions(levels, self.drawn), self.axes[column].size
        cells = 2 ** len(levels) * width
        expected = np.bincount(own * width + self.drawn[:, column], minlength=cells) * (self.total / len(self.drawn))
        found = exact.table(self._offers.regions(levels, exact.keys), column, 2 ** len(levels), width)
        moved = np.abs(found.ravel() - np.rint(expected).astype(np.int64)).sum()
        return int(moved) - round(MEAN_NOISE * float(np.sqrt(expected).sum()))

    def _refined(self, column: int, exact: "Combinations", purse: Purse) -> Regions:
        """Spend what is left on cuts and on counts."""
        whole, levels, width = purse.left, list[Places](), self.axes[column].size
        scale = purse.scale((1 - CHOOSING) * whole)
        number = self._number(width, scale)
        for _ in range(number):
            found = self._contrasts(column, exact, levels, LEAST_SIDE * scale)
            levels.append(purse.choices(found, CHOOSING * whole / number))
        own = self._offers.regions(levels, exact.keys)
        noisy = purse.counts(exact.table(own, column, 2**number, width), purse.left)
        return Regions(column, self._offers, tuple(levels), noisy.values, noisy.scale)

    def _number(self, width: int, scale: float) -> int:
        """As many cuts on the way to a region as leave the counts of all regions with tolerable noise."""
        most = NOISIEST * self.total / (scale * width)
        return min(max(LEAST_CUTS, round(float(np.log2(max(1.0, most))))), MOST_CUTS)

    def _contrasts(self, column: int, exact: "Combinations", levels: Sequence[Places], least: float) -> Integers:
        """How differently values are spread on both sides of each cut, in rows, a row for each region; private.

        If a region has the share p of its rows inside, as the model has it and rounded to 1/64, this is the sum of
        |(1 - p) · inside - p · outside| over its values. One row more or less moves that by less than one, in one
        region, and whole 64ths rounded down to rows by at most one.
        """
        width, offers, regions = self.axes[column].size, self._offers, 2 ** len(levels)
        own, drawn = (offers.regions(levels, codes) for codes in (exact.keys, self.drawn))
        whole, everyone = exact.table(own, column, regions, width), np.bincount(drawn, minlength=regions)
        found = np.empty((regions, len(offers.columns)), dtype=np.int64)
        for cut, cut_column in enumerate(offers.columns.tolist()):
            inside = exact.table(own, column, regions, width, offers.inside[cut, exact.keys[:, cut_column]])
            here = np.bincount(drawn[offers.inside[cut, self.drawn[:, cut_column]]], minlength=regions)
            part = np.clip(np.rint(PARTS * here / np.maximum(everyone, 1)), 1, PARTS - 1).astype(np.int64)[:, None]
            contrast = np.abs((PARTS - part) * inside - part * (whole - inside)).sum(axis=1) // PARTS
            rows = np.minimum(here, everyone - here) * (self.total / len(self.drawn))
            found[:, cut] = np.where((rows >= least) & (cut_column != column), contrast, USELESS)
        return found


@dataclass(frozen=True, eq=False)
class Combinations:
    """How many rows have each combination of cells; private."""

    keys: Codes
    rows: Integers

    @classmethod
    def of(cls, records: Cells, names: tuple[str, ...]) -> "Combinations":
        """Of all columns."""
        group = tuple(sorted(names))
        ((_, found),) = records.group_counts([group])
        return cls(found.keys[:, [group.index(name) for name in names]], found.counts.astype(np.int64))

    def table(
        self, region: Places, column: int, regions: int, width: int, among: NDArray[np.bool_] | None = None
    ) -> Integers:
        """Rows in each region with each value of a column, of all combinations or `among` some; sums are exact."""
        cell, rows = region * width + self.keys[:, column], self.rows.astype(np.float64)
        if among is not None:
            cell, rows = cell[among], rows[among]
        counts = np.bincount(cell, weights=rows, minlength=regions * width)
        return counts.astype(np.int64).reshape(regions, width)


def _entropy(cell: Places) -> float:
    """Of the law of cells among rows, in nats."""
    share = np.bincount(cell) / len(cell)
    share = share[share > 0]
    return float(-(share * np.log(share)).sum())
