"""A released distribution function: noisy counts of ordered cells in groups, and what can be read off them for free."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Column
from reaedp.errors import DeclarationError, unknown
from reaedp.frames.framed import Framed
from reaedp.frames.sketch import lines
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.noise_variance import noise_variance
from reaedp.statistics.quantiles.inside import highest, lowest, values
from reaedp.statistics.quantiles.ranks import spoken
from reaedp.statistics.quantiles.reach import deviations, reaches, widest
from reaedp.table import Table, labels

Floats = NDArray[np.float64]
Frame = dict[str, NDArray[Any]]
#: What is said of a group whose number of rows noise alone could have made.
FEW = "no more rows than noise could make; may be empty"
#: How often any group without rows is taken for one that has some, of all groups of a release.
MISTAKEN = 1e-3
#: Places inside a cell at which the curve through its neighbours is looked at.
_INSIDE = 64
#: Ranks for each of which the law of its noise is computed; for more, one range that holds for all.
_FEW_RANKS = 9


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """Noisy counts, a row of them for each group; each is the sum of `noises` counts with independent noise.

    The last axis is the column itself; its cells of troubles come last, and have no rank.
    """

    axes: tuple[Column, ...]
    counts: Integers
    noises: int = 1

    @classmethod
    def of_table(cls, table: Table, of: str, by: tuple[str, ...]) -> "Distribution":
        """The distribution of one column of a histogram, by others; all further columns are added up."""
        for name in (of, *by):
            if name not in table.names:
                raise DeclarationError(unknown("column", name, table.names))
        summed = table.project(*by, of)
        if summed.axes[-1].ends is None:
            raise DeclarationError(f"Quantiles need a column of numbers or dates; {of!r} has neither.")
        counts = summed.values.astype(np.int64).reshape(-1, summed.axes[-1].size)
        return cls(summed.axes, counts, table.values.size // max(summed.values.size, 1))

    @property
    def column(self) -> Column:
        """The column whose distribution it is."""
        return self.axes[-1]

    @property
    def details(self) -> dict[str, Any]:
        """The noisy counts, group by group."""
        return {"noisy_counts": self.counts.ravel().tolist()}

    @property
    def rows(self) -> Integers:
        """The noisy number of rows of each group that have a rank."""
        summed: Integers = self.counts[:, : self.column.regular].sum(axis=1)
        return summed

    def running(self) -> Floats:
        """How many rows lie at or below each edge of a cell: noisy sums, made to rise; from 0 to the number of rows."""
        from scipy.optimize import isotonic_regression

        sums = np.cumsum(self.counts[:, : self.column.regular], axis=1).astype(np.float64)
        total = np.maximum(sums[:, -1:], 0.0)
        rising = np.array([isotonic_regression(group).x for group in sums])
        inside = np.minimum(np.maximum(rising[:, :-1], 0.0), total)
        return np.concatenate([np.zeros_like(total), inside, total], axis=1)

    def notes(self, noise: Calibrated) -> NDArray[Any]:
        """What must be said of each group: that it has too few rows, or nothing."""
        cells = self.column.regular * self.noises
        # In deviations of a sum, no noise reaches farther than that of a single Laplace draw.
        deviation = deviations(noise_variance(noise), np.array([cells]), cells, 0.0)[0]
        return few(self.rows, float(deviation) / math.sqrt(2))

    def read(self, at: tuple[float, ...], noise: Calibrated, confidence: float = 0.95) -> Frame:
        """A row for each group and rank: the value, its interval, and the noisy number of rows of the group."""
        names = ("quantile", "value", *_ends(confidence), "rows", "note")
        count = len(self.counts)
        found = self.values_at(at)
        many = len(at) > _FEW_RANKS
        wide = widest(noise, self.column.regular * self.noises, confidence) if many else None
        intervals = [self._interval(noise, rank, confidence, wide) for rank in at]
        low, high = (_interleaved([ends[side] for ends in intervals]) for side in (0, 1))
        numbers = (
            np.tile(np.array(at), count),
            found,
            lowest(self.column, low),
            highest(self.column, high),
            np.repeat(self.rows, len(at)),
            np.repeat(self.notes(noise), len(at)),
        )
        return group_labels(self.axes[:-1], len(at), names) | dict(zip(names, numbers, strict=True))

    def function(self, noise: Calibrated, confidence: float = 0.95) -> Frame:
        """A row for each group and cell with a rank: its noisy count, and the share of rows in it and below."""
        regular = self.column.regular
        running = self.running()
        low, high = self._shares_within(noise, confidence)
        share = running[:, 1:] / np.maximum(running[:, -1:], 1.0)
        numbers: Frame = {"count": self.counts[:, :regular].ravel(), "at_most": share.ravel()}
        for end, side in zip(_ends(confidence), (np.minimum(low, share), np.maximum(high, share)), strict=True):
            numbers[f"at_most_{end}"] = side.ravel()
        numbers["note"] = np.repeat(self.notes(noise), regular)
        codes = np.indices((*(axis.size for axis in self.axes[:-1]), regular)).reshape(len(self.axes), -1)
        return labels(self.axes, codes, numbers) | numbers

    def values_at(self, at: tuple[float, ...]) -> NDArray[Any]:
        """The quantiles at these ranks, group by group."""
        running = self.running()
        return _interleaved([self._values(running, rank) for rank in at])

    def _values(self, running: Floats, rank: float) -> NDArray[Any]:
        cells = self._cells(running, rank * running[:, -1])
        shares = np.array(
            [_share(edges, int(cell), rank * edges[-1]) for edges, cell in zip(running, cells, strict=True)]
        )
        return values(self.column, cells, shares)

    def _cells(self, running: Floats, wanted: Floats) -> NDArray[np.int64]:
        """The first cell whose end reaches the wanted rank."""
        reached = running[:, 1:] >= wanted[:, None] - 1e-9
        first: NDArray[np.int64] = np.argmax(reached, axis=1).astype(np.int64)
        return first

    def _sums(self) -> Floats:
        """Noisy rows below each edge of a cell."""
        sums = np.cumsum(self.counts[:, : self.column.regular], axis=1).astype(np.float64)
        return np.concatenate([np.zeros((len(sums), 1)), sums], axis=1)

    def _interval(
        self, noise: Calibrated, rank: float, confidence: float, wide: float | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first and the last cell that may hold the quantile: neither edge of it is on the wrong side for sure."""
        sums, cells = self._sums(), self.column.regular * self.noises
        beyond, edges = sums - rank * sums[:, -1:], np.arange(self.column.regular + 1) * self.noises
        if wide is None:
            reach = reaches(noise, edges, cells, rank, confidence)
        else:
            reach = wide * deviations(noise_variance(noise), edges, cells, rank)
        possible = (beyond[:, :-1] <= reach[:-1]) & (beyond[:, 1:] >= -reach[1:])
        possible[~possible.any(axis=1)] = True
        first = np.argmax(possible, axis=1)
        last = possible.shape[1] - 1 - np.argmax(possible[:, ::-1], axis=1)
        return first.astype(np.int64), last.astype(np.int64)

    def _shares_within(self, noise: Calibrated, confidence: float) -> tuple[Floats, Floats]:
        """Shares p that each cell's end may have: (sum below - p · rows)² at most the squared reach of its noise.

        A quadratic inequality in p; everything is possible where the number of rows is no larger than its noise.
        """
        regular = self.column.regular
        below, rows = self._sums()[:, 1:], self._sums()[:, -1:]
        cells, edges = regular * self.noises, np.arange(1, regular + 1) * self.noises
        squared = widest(noise, cells, confidence) ** 2 * noise_variance(noise)
        leading, half, rest = rows**2 - squared * cells, below * rows - squared * edges, below**2 - squared * edges
        known = leading > 0
        root = np.sqrt(np.maximum(half**2 - leading * rest, 0.0))
        safe = np.where(known, leading, 1.0)
        low = np.where(known, np.clip((half - root) / safe, 0.0, 1.0), 0.0)
        high = np.where(known, np.clip((half + root) / safe, 0.0, 1.0), 1.0)
        low[:, -1] = high[:, -1] = 1.0
        return low, high


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Quantiled(Framed):
    """Quantiles that were read off released counts."""

    of: str
    at: tuple[float, ...]
    columns: Frame

    def frame(self) -> Frame:
        """A row for each group and rank."""
        return self.columns

    def _headline(self) -> str:
        return f"{spoken(self.at)} of {self.of}"

    def drawing(self) -> str:
        """Ranks over values, where there is one group of numbers."""
        found = self.columns["value"]
        if found.dtype.kind not in "if" or len(found) != len(self.at):
            return ""
        return lines(found.astype(np.float64), [np.array(self.at)], "share of rows at or below each value")


def group_labels(axes: tuple[Column, ...], each: int, taken: Iterable[str]) -> Frame:
    """The labels of all groups in order, each repeated; nothing where there is one group of all."""
    if not axes:
        return {}
    codes = np.indices(tuple(axis.size for axis in axes)).reshape(len(axes), -1)
    return labels(axes, np.repeat(codes, each, axis=1), taken)


def few(rows: Integers, scale: float) -> NDArray[Any]:
    """What must be said of groups whose rows have Laplace noise of this scale, or noise that reaches less far."""
    doubtful = rows <= scale * math.log(len(rows) / (2 * MISTAKEN))
    return np.array([FEW if each else "" for each in doubtful], dtype=object)


def _ends(confidence: float) -> tuple[str, str]:
    level = f"{100 * confidence:g}"
    return f"low_{level}", f"high_{level}"


def _interleaved(columns: list[NDArray[Any]]) -> NDArray[Any]:
    """Ranks of one group after the other."""
    return np.stack(columns, axis=1).ravel()


def _share(edges: Floats, cell: int, wanted: float) -> float:
    """Where inside its cell the wanted rank is, on a smooth rising curve through the edges around it."""
    from scipy.interpolate import PchipInterpolator

    if edges[cell + 1] <= edges[cell]:
        return 0.5
    first, last = max(cell - 1, 0), min(cell + 3, len(edges))
    curve = PchipInterpolator(np.arange(first, last), edges[first:last])
    inside = np.linspace(0.0, 1.0, _INSIDE + 1)
    return float(np.interp(wanted, np.maximum.accumulate(curve(cell + inside)), inside))
