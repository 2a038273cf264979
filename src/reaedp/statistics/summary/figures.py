"""Figures of one column, group by group, from its noisy parts: arithmetic on released numbers, which costs nothing.

Intervals named by a figure alone are those of the rows' own figure, clipped as the contract says, and cover the noise.
Those of the population mean cover sampling too.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from reaedp.contract import Date
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.summary.inversion import Ends, share, share_interval
from reaedp.statistics.summary.parts import Parts
from reaedp.statistics.summary.reach import Floats, reach, variance

#: Fewer rows than this are too few for the normal law of a mean.
FEWEST_SAMPLED = 30
TOO_FEW = "too few rows for an interval"


class Figure(NamedTuple):
    """One statistic of all groups: estimates, their intervals, and whether these say more than the declared range."""

    name: str
    values: Floats
    low: Floats
    high: Floats
    known: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True, eq=False)
class ColumnFigures:
    """The noisy parts of one column, a row for each group, and what follows from them at one confidence.

    `rows_of_a_unit` is how many rows of a sample may go together.
    """

    parts: Parts
    noisy: np.ndarray[Any, np.dtype[np.int64]]
    noise: Calibrated
    rows_of_a_unit: int
    confidence: float

    def figures(self, statistics: tuple[str, ...]) -> Iterator[Figure]:
        """Those that were asked for, then the shares of missing and of clipped values that the parts tell."""
        for name in statistics:
            if name != "sum" or not isinstance(self.parts.column, Date):  # days since 1970 add up to nothing
                yield from self.figure(name)
        if self.parts.missing:
            yield self._share(
                "missing share", dict.fromkeys(self.parts.missing, 1.0), dict.fromkeys(self.parts.names, 1.0)
            )
        if self.parts.clipped:
            within = dict.fromkeys((*self.parts.regular, *self.parts.beyond), 1.0)
            yield self._share("clipped share", dict.fromkeys(self.parts.beyond, 1.0), within)

    def figure(self, name: str) -> tuple[Figure, ...]:
        """One statistic by its name; a mean is told of the rows and of the population."""
        if name == "mean":
            return self.mean(), self.population_mean()
        makers = {"count": self.count, "sum": self.sum, "variance": self.variance, "sd": self.sd}
        return (makers[name](),)

    def count(self) -> Figure:
        """Rows with a value."""
        weights = self.parts.count
        return self._linear("count", weights, rounding=0.0)

    def sum(self) -> Figure:
        """The sum of the values: the lower bound for each row, and the range for each p."""
        found = self.parts.bounds
        weights = found.lower * self.parts.count + found.width * self.parts.position
        return self._linear("sum", weights, rounding=self.parts.rounding * found.width)

    def mean(self) -> Figure:
        """The mean of the rows' own values."""
        return self._scaled("mean", self._positions())

    def population_mean(self) -> Figure:
        """The mean of a population of which the rows are a sample: noise and sampling together."""
        from scipy.special import ndtri, stdtrit

        rows = self._of(self.parts.count) / self.parts.steps
        count = self.count()
        enough = count.low >= FEWEST_SAMPLED
        sampled = np.sqrt(np.maximum(rows, 1.0) * self._spread() * self.rows_of_a_unit) * self.parts.steps
        freedom = np.maximum(count.low / self.rows_of_a_unit - 1.0, 1.0)
        tail = (1 + self.confidence) / 2
        by_sampling = stdtrit(freedom, tail) * sampled

        def reached(places: Floats) -> Floats:
            weights = self._tested(places)
            by_noise = self._reach(weights)
            normal = float(ndtri(tail)) ** 2 * variance(self.noise, self.parts.coordinates.weights(weights))
            squares = np.maximum(by_noise**2, normal)[None, :] + by_sampling[:, None] ** 2
            together: Floats = np.sqrt(squares)
            return together

        ends = share_interval(self._of(self.parts.position), self._of(self.parts.count), reached)
        low, high = np.where(enough, ends.low, 0.0), np.where(enough, ends.high, 1.0)
        return self._scaled("population mean", Ends(low, high, ends.known & enough))

    def variance(self) -> Figure:
        """The mean squared distance of the rows' values from their mean."""
        return self._squared("variance", power=1.0)

    def sd(self) -> Figure:
        """The square root of the variance."""
        return self._squared("sd", power=0.5)

    def _positions(self) -> Ends:
        """The interval of the mean of p, with what rounding may have moved."""
        ends = share_interval(
            self._of(self.parts.position), self._of(self.parts.count), lambda places: self._reach(self._tested(places))
        )
        moved = self.parts.rounding / self.parts.steps
        return Ends(np.maximum(ends.low - moved, 0.0), np.minimum(ends.high + moved, 1.0), ends.known)

    def _squared(self, name: str, power: float) -> Figure:
        """Of the variance v of p: Σ(p - m)² - nv has known noise; the mean m is known up to its own interval."""
        centre, mean = share(self._of(self.parts.position), self._of(self.parts.count)), self._positions()
        rows = np.maximum(self._of(self.parts.count), 1.0)
        scattered = self._of(self.parts.square) - 2 * centre * self._of(self.parts.position) + centre**2 * rows
        largest = centre * (1 - centre)
        found = np.clip(scattered / rows, 0.0, largest)
        weights = (
            self.parts.square
            - 2 * centre[:, None] * self.parts.position
            + (centre[:, None] ** 2 - found[:, None]) * self.parts.count
        )
        off = (self._reach(weights) + 2 * self.parts.rounding * rows / self.parts.steps) / rows
        shifted = np.maximum(mean.high - centre, centre - mean.low) ** 2
        known = self._of_people(mean, self.parts.count).known
        most = np.where((mean.low < 0.5) & (mean.high > 0.5), 0.25, np.maximum(*(e * (1 - e) for e in mean[:2])))
        low = np.where(known, np.clip(found - off - shifted, 0.0, 0.25), 0.0)
        high = np.where(known, np.clip(found + off, 0.0, most), 0.25)
        known &= (low > 0.0) | (high < most)
        scale = self.parts.bounds.width ** (2 * power)
        return Figure(name, found**power * scale, low**power * scale, np.maximum(high, found) ** power * scale, known)

    def _spread(self) -> Floats:
        """An upper bound on the variance of p: what squares tell, or the largest that a mean in its interval allows."""
        ends = self._positions()
        across = (ends.low <= 0.5) & (ends.high >= 0.5)
        largest: Floats = np.where(across, 0.25, np.maximum(ends.low * (1 - ends.low), ends.high * (1 - ends.high)))
        if self.parts.degree == 1:
            return largest
        measured: Floats = np.minimum(self.variance().high / self.parts.bounds.width**2, largest)
        return measured

    def _share(self, name: str, numerator: dict[str, float], denominator: dict[str, float]) -> Figure:
        above, below = self.parts.weights(**numerator), self.parts.weights(**denominator)
        ends = share_interval(
            self._of(above), self._of(below), lambda places: self._reach(above - places[:, None] * below)
        )
        return Figure(name, share(self._of(above), self._of(below)), *self._of_people(ends, below))

    def _linear(self, name: str, weights: Floats, rounding: float) -> Figure:
        steps = self.parts.steps
        values = self._of(weights) / steps
        rows = np.maximum(self._of(self.parts.count) + float(self._reach(self.parts.count)), 0.0) / steps
        off = float(self._reach(weights)) / steps + rounding * rows / steps
        low = np.maximum(values - off, 0.0) if name == "count" else values - off
        high = np.maximum(values + off, 0.0) if name == "count" else values + off
        return Figure(name, values, low, high, np.ones(len(values), dtype=bool))

    def _scaled(self, name: str, ends: Ends) -> Figure:
        """Values in the column's own unit, from shares p of its range."""
        found = self.parts.bounds
        centre = share(self._of(self.parts.position), self._of(self.parts.count))
        ends = self._of_people(ends, self.parts.count)
        low, high = np.minimum(ends.low, centre), np.maximum(ends.high, centre)
        values, low, high = (found.lower + found.width * places for places in (centre, low, high))
        return Figure(name, values, low, high, ends.known)

    def _of_people(self, ends: Ends, rows: Floats) -> Ends:
        """Figures where noise alone could not have filled a group, all groups together; elsewhere anything may be."""
        sure = 1 - (1 - self.confidence) / max(len(self.noisy), 1)
        known = ends.known & (self._of(rows) > self._reach(rows, sure))
        return Ends(np.where(known, ends.low, 0.0), np.where(known, ends.high, 1.0), known)

    def _tested(self, places: Floats) -> Floats:
        return self.parts.position - places[:, None] * self.parts.count

    def _reach(self, weights: Floats, confidence: float | None = None) -> Floats:
        return reach(self.noise, self.parts.coordinates.weights(weights), confidence or self.confidence)

    def _of(self, weights: Floats) -> Floats:
        found: Floats = self.noisy @ self.parts.coordinates.weights(weights)
        return found
