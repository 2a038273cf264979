"""The space in which the curves of a declaration are averaged: its grid, its basis, its offset."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Curve
from reaedp.contract.curve import TICKS
from reaedp.curves.bases import BASES, Reals, projection

#: Points of the grid of a curve without declared times, and of what is written to files.
USUAL_POINTS = 101
#: Points of the usual grid for each coefficient of a long curve: enough for the fastest wave.
POINTS_PER_COEFFICIENT = 8


@dataclass(frozen=True, slots=True)
class CurveSpace:
    """A declared curve, seen as a vector of `rank` coefficients; time runs from 0 to 1."""

    curve: Curve

    @property
    def ticks(self) -> NDArray[np.int64]:
        """The grid on which curves are read, in whole ticks."""
        if self.curve.at:
            return np.rint(self.unit_times(np.array(self.curve.at, dtype=np.float64)) * TICKS).astype(np.int64)
        points = max(USUAL_POINTS, POINTS_PER_COEFFICIENT * self.curve.rank + 1)
        return np.linspace(0, TICKS, points).round().astype(np.int64)

    @property
    def grid(self) -> Reals:
        """The grid as times between 0 and 1."""
        return self.ticks / float(TICKS)

    @property
    def times(self) -> Reals:
        """The declared times, or evenly spaced ones, as they are written to files."""
        if self.curve.at:
            return np.array(self.curve.at, dtype=np.float64)
        return np.linspace(*self.curve.interval, USUAL_POINTS)

    @property
    def eigenvalues(self) -> Reals | None:
        """Variances of the coefficients of a typical curve; nothing for a basis that is not smoothed."""
        eigenvalues = BASES[self.curve.basis].eigenvalues
        return None if eigenvalues is None else eigenvalues(self.curve.rank)

    @property
    def projection(self) -> Reals:
        """The matrix from values on the grid to coefficients."""
        return projection(self.curve.basis, self.curve.rank, self.grid)

    def unit_times(self, times: Reals) -> Reals:
        """Times of the data as times between 0 and 1, if they lie in the interval."""
        start, end = self.curve.interval
        return (times - start) / (end - start)

    def basis(self, times: Reals) -> Reals:
        """A row for each time of the data and a column for each coefficient; constant beyond the interval."""
        return BASES[self.curve.basis].values(self.curve.rank, np.clip(self.unit_times(times), 0.0, 1.0))

    def offset(self, unit_times: Reals) -> Reals:
        """The public curve that is subtracted from all."""
        return self._level(self.curve.offset, unit_times)

    def bounds(self, unit_times: Reals) -> tuple[Reals, Reals] | None:
        """The least and the largest values that a curve can have; nothing where they are not declared."""
        if self.curve.lower is None or self.curve.upper is None:
            return None
        return self._level(self.curve.lower, unit_times), self._level(self.curve.upper, unit_times)

    @property
    def farthest(self) -> Reals | None:
        """How far from the offset a curve within its bounds can be, at each point of the grid."""
        bounds, offset = self.bounds(self.grid), self.offset(self.grid)
        return None if bounds is None else np.maximum(np.abs(bounds[0] - offset), np.abs(bounds[1] - offset))

    @property
    def longest(self) -> float | None:
        """A bound on the root mean square of a curve within its bounds, less the offset, straight between points."""
        farthest = self.farthest
        if farthest is None:
            return None
        near, far, steps = farthest[:-1], farthest[1:], np.diff(self.grid)
        ends = self.grid[0] * farthest[0] ** 2 + (1.0 - self.grid[-1]) * farthest[-1] ** 2
        return float(np.sqrt(ends + (steps * (near**2 + near * far + far**2)).sum() / 3.0))

    def _level(self, level: float | tuple[float, ...], unit_times: Reals) -> Reals:
        """A declared number, or a list that is straight between declared times, at the nearest tick."""
        if isinstance(level, tuple):
            ticks = np.rint(unit_times * TICKS)
            return np.interp(ticks, self.ticks, np.array(level, dtype=np.float64))
        return np.full(unit_times.shape, float(level))
