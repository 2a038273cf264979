"""Figures of a rate, group by group, from its noisy parts: arithmetic on released numbers, which costs nothing.

A rate is A/(A + B) for two weighted sums of parts: rows that say yes and no, or two columns' sums as shares of their
upper bounds, in which case the ratio is A/B. Its interval holds all values at which the noise in A - u(A + B) allows
it (Fieller 1954). Intervals of the population's rate cover sampling too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.rates.flag import Flag
from reaedp.statistics.rates.paired import Paired
from reaedp.statistics.summary.figures import FEWEST_SAMPLED, Figure
from reaedp.statistics.summary.inversion import Ends, share, share_interval
from reaedp.statistics.summary.reach import Floats, reach, variance


@dataclass(frozen=True, slots=True, eq=False)
class RateFigures:
    """The noisy parts of a rate, a row for each group, each the sum of so many `copies` of released numbers."""

    parts: Flag | Paired
    noisy: np.ndarray[Any, np.dtype[np.int64]]
    noise: Calibrated
    rows_of_a_unit: int
    confidence: float
    copies: int = 1

    def figures(self) -> Iterator[Figure]:
        """Rows with a value, those that say yes, the rate of the rows and of the population, rows without a value."""
        yield self._counted("count", self._rows)
        if isinstance(self.parts, Flag):
            yield self._counted("cases", self.parts.weights(yes=1.0))
        yield self.rate()
        yield self.population_rate()
        if self.parts.missing:
            yield self.share("missing share", self.parts.missing)

    def share(self, name: str, some: Sequence[str]) -> Figure:
        """The share of all rows, with and without a value, that lies in some parts."""
        whole = self.parts.weights(**dict.fromkeys(self.parts.names, 1.0))
        part = self.parts.weights(**dict.fromkeys(some, 1.0))
        ends = share_interval(self._of(part), self._of(whole), lambda u: self._reach(part - u[:, None] * whole))
        return Figure(name, share(self._of(part), self._of(whole)), *self._told(ends, whole))

    def rate(self) -> Figure:
        """The rate of the rows themselves."""
        ends = share_interval(self._of(self._above), self._of(self._both), lambda u: self._reach(self._tested(u)))
        return self._scaled("rate", self._rounded(ends))

    def population_rate(self) -> Figure:
        """The rate of a population of which the rows are a sample: noise and sampling together."""
        from scipy.special import ndtri

        normal = float(ndtri((1 + self.confidence) / 2))
        enough = self._counted("count", self._rows).low >= FEWEST_SAMPLED

        def reached(places: Floats) -> Floats:
            weights = self._tested(places)
            by_noise = np.maximum(self._reach(weights) ** 2, normal**2 * self._variance(weights))
            together: Floats = np.sqrt(by_noise[None, :] + normal**2 * self._sampled(places))
            return together

        ends = share_interval(self._of(self._above), self._of(self._both), reached)
        low, high = np.where(enough, ends.low, 0.0), np.where(enough, ends.high, 1.0)
        return self._scaled("population rate", self._rounded(Ends(low, high, ends.known & enough)))

    @property
    def _rows(self) -> Floats:
        """Weights that give the rows with a value."""
        return self.parts.weights(**{name: 1.0 for name in self.parts.names if name not in self.parts.missing})

    @property
    def _above(self) -> Floats:
        return self.parts.weights(yes=1.0) if isinstance(self.parts, Flag) else self.parts.corner_values()[0]

    @property
    def _both(self) -> Floats:
        return self._rows if isinstance(self.parts, Flag) else self._above + self.parts.corner_values()[1]

    def _tested(self, places: Floats) -> Floats:
        return self._above - places[:, None] * self._both

    def _sampled(self, places: Floats) -> Floats:
        """The sampling variance of what is tested, in squared steps, a row for each group.

        Of a condition it is that of a binomial. Of a ratio it is at most that of rows at the corners: the square of
        what is tested is convex in each of the two values.
        """
        steps = self.parts.steps * self.rows_of_a_unit
        if isinstance(self.parts, Flag):
            found: Floats = steps * np.maximum(self._of(self._rows), 1.0)[:, None] * places * (1 - places)
        else:
            found = steps * np.maximum(self.noisy, 0.0) @ (self._tested(places) ** 2).T
        return found

    def _counted(self, name: str, weights: Floats) -> Figure:
        steps = self.parts.steps
        values, off = self._of(weights) / steps, float(self._reach(weights)) / steps
        low, high = (np.maximum(values + side * off, 0.0) for side in (-1, 1))
        return Figure(name, values, low, high, np.ones(len(values), dtype=bool))

    def _rounded(self, ends: Ends) -> Ends:
        """Wider by what rounding to the lattice may have moved."""
        if not self.parts.rounding:
            return ends
        rows = np.maximum(self._of(self._rows), 1.0)
        moved = 2 * self.parts.rounding * rows / self.parts.steps / np.maximum(self._of(self._both), 1.0)
        return Ends(np.maximum(ends.low - moved, 0.0), np.minimum(ends.high + moved, 1.0), ends.known)

    def _scaled(self, name: str, ends: Ends) -> Figure:
        """From A/(A + B) to the rate; ratios that nothing bounds are infinite."""
        centre = share(self._of(self._above), self._of(self._both))
        low, high, known = self._told(ends, self._rows)
        low, high = np.minimum(low, centre), np.maximum(high, centre)
        if isinstance(self.parts, Paired):  # of nothing to divide by nothing can be said
            centre, low, high = (self._ratio(place) for place in (np.where(centre < 1.0, centre, 0.5), low, high))
        return Figure(name, centre, low, high, known)

    def _ratio(self, places: Floats) -> Floats:
        assert isinstance(self.parts, Paired)
        rest = 1.0 - places
        quotient = np.divide(places, rest, out=np.full(np.shape(places), np.inf), where=rest > 0)
        found: Floats = self.parts.scale * quotient
        return found

    def _told(self, ends: Ends, rows: Floats) -> Ends:
        """Rates where noise alone could not have filled a group, all groups together; elsewhere anything may be."""
        sure = 1 - (1 - self.confidence) / max(len(self.noisy), 1)
        known = ends.known & (self._of(rows) > reach(self.noise, self._copied(rows), sure))
        return Ends(np.where(known, ends.low, 0.0), np.where(known, ends.high, 1.0), known)

    def _reach(self, weights: Floats) -> Floats:
        return reach(self.noise, self._copied(weights), self.confidence)

    def _variance(self, weights: Floats) -> Floats:
        return self.copies * variance(self.noise, self.parts.coordinates.weights(weights))

    def _copied(self, weights: Floats) -> Floats:
        return np.tile(self.parts.coordinates.weights(weights), (1,) * (np.ndim(weights) - 1) + (self.copies,))

    def _of(self, weights: Floats) -> Floats:
        found: Floats = self.noisy @ self.parts.coordinates.weights(weights)
        return found
