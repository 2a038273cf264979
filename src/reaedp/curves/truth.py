"""A mean curve whose bands cover the truth: the mean of the curves as they are, on their way to noisy coefficients.

The mean at a time is read off the noisy coefficients by weights under which a constant curve comes out right. Of what
they leave out of any other mean the declared `smoothness` bounds the size; a noisy count of clipped curves bounds what
the clip took away.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from reaedp.contract import Curve
from reaedp.contract.curve import TICKS
from reaedp.curves.bands import critical_value, half_widths, path_length
from reaedp.curves.bases import Reals
from reaedp.curves.estimate import PATH_POINTS, SHARE_OF_COUNT, Band, CurveEstimate
from reaedp.curves.smoothing import smoother
from reaedp.curves.space import CurveSpace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.normal import quantile

#: The part of a band's chance of error that is spent on the count of clipped curves.
SHARE_OF_CLIPPED = 0.1


class TimeWeights(NamedTuple):
    """Weights of the coefficients for each time (a row), and the largest bias of what they give.

    `lowest` and `highest` are what they can give of one curve within the declared bounds, or of none.
    """

    weights: Reals
    bias: Reals
    lowest: Reals
    highest: Reals


class Widths(NamedTuple):
    """What a band is made of, at each time: half widths by noise and by smoothing with the finite basis; the clip."""

    noise: Reals
    bias: Reals
    clipping: Reals


@dataclass(frozen=True)
class MeansOfSlope:
    """Means, less the offset, that are straight between the points of the grid and whose slope is bounded.

    A mean is its value at the first point and a rise over each interval. `responses` are the coefficients of a unit
    rise at each interval, `constant` those of the constant one.
    """

    curve: Curve

    @cached_property
    def space(self) -> CurveSpace:
        """The space of the curve."""
        return CurveSpace(self.curve)

    @cached_property
    def lengths(self) -> Reals:
        """The lengths of the intervals between points of the grid."""
        return np.diff(self.space.grid)

    @cached_property
    def constant(self) -> Reals:
        """Coefficients of the curve that is one everywhere."""
        return np.asarray(self.space.projection.sum(axis=1))

    @cached_property
    def responses(self) -> Reals:
        """Coefficients of curves that rise from zero to one within an interval: a column for each."""
        from_the_right = np.cumsum(self.space.projection[:, ::-1], axis=1)[:, ::-1]
        return np.ascontiguousarray(from_the_right[:, 1:])

    def recovery(self, times: Reals, deviations: Reals) -> TimeWeights:
        """The weights with the least noise² + bias² among those that give a constant back (see PROOFS.md)."""
        smoothness = self.curve.smoothness
        assert smoothness is not None
        reached = self._reached(times)
        weighted = self.responses * (self.lengths * smoothness**2)
        matrix = np.diag(deviations**2) + weighted @ self.responses.T
        solved = np.linalg.solve(matrix, np.column_stack([weighted @ reached.T, self.constant]))
        plain, along = solved[:, :-1], solved[:, -1]
        missing = (1.0 - self.constant @ plain) / (self.constant @ along)
        weights = (plain + along[:, None] * missing).T
        left = reached - weights @ self.responses
        bias = smoothness * np.sqrt((left**2 * self.lengths).sum(axis=1))
        return TimeWeights(weights, bias, *self._extremes(weights @ self.space.projection))

    def _extremes(self, on_grid: Reals) -> tuple[Reals, Reals]:
        """The least and the largest product of such weights with a curve within the bounds, or with none."""
        bounds, offset = self.space.bounds(self.space.grid), self.space.offset(self.space.grid)
        assert bounds is not None
        low, high = bounds[0] - offset, bounds[1] - offset
        up, down = np.maximum(on_grid, 0.0), np.minimum(on_grid, 0.0)
        return np.minimum(up @ low + down @ high, 0.0), np.maximum(up @ high + down @ low, 0.0)

    def _reached(self, times: Reals) -> Reals:
        """How much of the rise over each interval lies before each time."""
        before = np.rint(self.space.unit_times(times) * TICKS) / TICKS - self.space.grid[:-1, None]
        return np.clip(before / self.lengths[:, None], 0.0, 1.0).T


@lru_cache(maxsize=8)
def means_of_slope(curve: Curve) -> MeansOfSlope:
    """What depends on the declaration alone is computed once."""
    return MeansOfSlope(curve)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrueMean(CurveEstimate):
    """A released mean curve with bands for the mean of the curves as they are.

    `clipped` is the noisy count of clipped curves, each by the share of it that was cut off; one of them is `cut_step`
    of a curve. None where no curve within the declared bounds can be clipped.
    """

    clipped: int | None
    cut_step: float

    @property
    def details(self) -> dict[str, Any]:
        """The noisy numbers themselves, from which everything else follows."""
        told = super(TrueMean, self).details
        return told if self.clipped is None else told | {"noisy_clipped": self.clipped}

    def on(self, times: Reals, noise: Calibrated, rho: float | None = None) -> Reals:
        """The mean within the declared bounds; where nothing says how much to smooth, by the weights of the bands."""
        if rho is None and self.rho is None:
            weights = self._recovery(times, noise).weights
            unit_times = CurveSpace(self.curve).unit_times(times)
            mean = weights @ (self.noisy_coefficients / self._shares()) + CurveSpace(self.curve).offset(unit_times)
        else:
            mean = super(TrueMean, self).on(times, noise, rho)
        return self._within(times, mean)

    def pointwise_band(self, times: Reals, noise: Calibrated, confidence: float, rho: float | None = None) -> Band:
        """Ranges each of which covers the true mean at its time at least this often."""
        critical = -quantile(self._outside(confidence) / 2.0)
        return self._covering(times, noise, confidence, rho, critical)

    def simultaneous_band(self, times: Reals, noise: Calibrated, confidence: float, rho: float | None = None) -> Band:
        """A band that covers all of the true mean at least this often."""
        path = np.linspace(*self.curve.interval, PATH_POINTS)
        length = path_length(self._steps(self._recovery(path, noise).weights))
        critical = critical_value(length, self.curve.rank, self._outside(confidence))
        return self._covering(times, noise, confidence, rho, critical)

    def widths(self, times: Reals, noise: Calibrated, confidence: float) -> Widths:
        """Half of each range, by its causes, for the estimated number of curves."""
        recovery = self._recovery(times, noise)
        width = self._noise_width(recovery, noise, confidence, -quantile(self._outside(confidence) / 2.0))
        cut = self.most_clipped(noise, confidence)
        clipping = cut * (recovery.highest - recovery.lowest) / 2.0
        return Widths(width / self.number, recovery.bias, clipping / self.number)

    def most_clipped(self, noise: Calibrated, confidence: float) -> float:
        """How many curves can have been cut off, in whole or in parts, but for the chance that is left for it."""
        if self.clipped is None:
            return 0.0
        # One-sided: a quantile of both sides at twice the chance. One step for what was rounded down.
        distance = noise.error_quantile(1.0 - 2.0 * (1.0 - confidence) * SHARE_OF_CLIPPED)
        return max(self.clipped + distance + 1, 0) * self.cut_step

    def _covering(
        self, times: Reals, noise: Calibrated, confidence: float, rho: float | None, critical: Reals | float
    ) -> Band:
        """The ranges of sum and number, both with what the clip took; then the bias, and the declared bounds."""
        recovery, space = self._recovery(times, noise), CurveSpace(self.curve)
        directions = self._steps(recovery.weights)
        width, cut = self._noise_width(recovery, noise, confidence, critical), self.most_clipped(noise, confidence)
        low = directions @ self.sums - width + cut * recovery.lowest
        high = directions @ self.sums + width + cut * recovery.highest
        fewest, most = self._numbers(noise, (1.0 - confidence) * SHARE_OF_COUNT)
        # Each curve was rounded to half a step, and a sum that was scaled before the noise to one more.
        wrong = recovery.bias + 1.5 * np.abs(directions).sum(axis=1)
        offset, mean = space.offset(space.unit_times(times)), self.on(times, noise, rho)
        low = np.minimum(low / fewest, low / most) - wrong + offset
        high = np.maximum(high / fewest, high / most) + wrong + offset
        return Band(times, np.minimum(self._within(times, low), mean), np.maximum(self._within(times, high), mean))

    def _outside(self, confidence: float) -> float:
        """The chance of error that is left for the noise of the sums."""
        spent = SHARE_OF_COUNT + (SHARE_OF_CLIPPED if self.clipped is not None else 0.0)
        return (1.0 - confidence) * (1.0 - spent)

    def _noise_width(
        self, recovery: TimeWeights, noise: Calibrated, confidence: float, critical: Reals | float
    ) -> Reals:
        return half_widths(noise, self._steps(recovery.weights), lambda: critical, self._outside(confidence))

    def _recovery(self, times: Reals, noise: Calibrated) -> TimeWeights:
        return means_of_slope(self.curve).recovery(times, self.deviations(noise) / self._shares())

    def _shares(self) -> Reals:
        """What smoothing before the noise left of each coefficient."""
        if not self.smoothed:
            return np.ones(self.curve.rank)
        eigenvalues = CurveSpace(self.curve).eigenvalues
        assert eigenvalues is not None and self.rho is not None  # noqa: PT018
        return smoother(eigenvalues, self.rho)

    def _steps(self, weights: Reals) -> Reals:
        """What one lattice point of each sum adds to the sum of the curves, at each time."""
        return weights * (self.steps / self._shares())

    def _within(self, times: Reals, values: Reals) -> Reals:
        space = CurveSpace(self.curve)
        bounds = space.bounds(space.unit_times(times))
        assert bounds is not None
        return np.clip(values, *bounds)
