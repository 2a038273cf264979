"""A released mean curve: noisy sums of coefficients and a noisy number of curves, and what follows from them.

Bands cover the noise and the lattice. They do not cover what smoothing, clipping and the choice of a finite basis do to
the mean: they are about the smoothed mean of the clipped curves.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from reaedp.answer import Integers
from reaedp.contract import Curve
from reaedp.curves.bands import critical_value, half_widths, path_length, scheffe_value
from reaedp.curves.bases import BASES, Reals
from reaedp.curves.smoothing import CANDIDATES, likely_rho, public_rho, smoother
from reaedp.curves.space import CurveSpace
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated

#: Standard deviation of noise of scale one; that of discrete noise is not larger.
DEVIATIONS: dict[type[Any], float] = {Gaussian: 1.0, Laplace: math.sqrt(2.0)}
#: The part of a band's chance of error that is spent on the number of curves.
SHARE_OF_COUNT = 0.1
#: Points of the paths whose length is measured.
PATH_POINTS = 1024


class Band(NamedTuple):
    """A range for the mean at each time."""

    times: Reals
    low: Reals
    high: Reals


def deviation(noise: Calibrated) -> float:
    """Standard deviation of the noise of one lattice point, or a little more."""
    return DEVIATIONS[type(noise.mechanism)] * noise.scale


@dataclass(frozen=True, slots=True, eq=False)
class CurveEstimate:
    """Noisy sums of coefficients, `steps` of the data's unit each, and a noisy count, `weight` points a curve.

    `rho` is a smoothing that was decided beforehand; `smoothed` says that it went before the noise. `fewest` is a
    public lower bound on the number of curves.
    """

    curve: Curve
    sums: Integers
    steps: Reals
    count: int
    weight: int
    fewest: int
    rho: float | None
    smoothed: bool

    @property
    def number(self) -> float:
        """The estimated number of curves."""
        return max(self.count / self.weight, float(self.fewest))

    @property
    def noisy_coefficients(self) -> Reals:
        """Coefficients of the mean as released, before any smoothing after the noise."""
        return self.sums * self.steps / self.number

    def deviations(self, noise: Calibrated) -> Reals:
        """Standard deviation of the noise on each of them."""
        return deviation(noise) * self.steps / self.number

    def chosen_rho(self, noise: Calibrated) -> float:
        """The smoothing that suits the noisy coefficients: arithmetic on released numbers, which costs nothing."""
        eigenvalues = CurveSpace(self.curve).eigenvalues
        assert eigenvalues is not None
        size = float(self.deviations(noise)[0])
        return likely_rho(self.noisy_coefficients, size, eigenvalues, self.curve.clip)

    def decided_rho(self, noise: Calibrated) -> float | None:
        """The smoothing that public facts decide: the declared one, that of the public rule, or none; else nothing."""
        if self.rho is not None or self.smoothed:
            return self.rho
        if self.curve.smoothness is not None:
            return public_rho("A2", float(self.deviations(noise)[0]), self.curve.smoothness)
        return 0.0 if BASES[self.curve.basis].plain else None

    def smoothing(self, noise: Calibrated, rho: float | None = None) -> Reals:
        """The share of each released coefficient that is kept."""
        eigenvalues = CurveSpace(self.curve).eigenvalues
        if self.smoothed or eigenvalues is None:
            return np.ones(self.curve.rank)
        amounts = (rho, self.decided_rho(noise))
        amount = next((amount for amount in amounts if amount is not None), None)
        return smoother(eigenvalues, self.chosen_rho(noise) if amount is None else amount)

    def coefficients(self, noise: Calibrated, rho: float | None = None) -> Reals:
        """Coefficients of the smoothed mean, without the offset."""
        return self.smoothing(noise, rho) * self.noisy_coefficients

    def on(self, times: Reals, noise: Calibrated, rho: float | None = None) -> Reals:
        """The mean at any times."""
        space = CurveSpace(self.curve)
        return space.basis(times) @ self.coefficients(noise, rho) + space.offset(space.unit_times(times))

    def pointwise_band(self, times: Reals, noise: Calibrated, confidence: float, rho: float | None = None) -> Band:
        """Ranges each of which covers its point at least this often, also where ρ was chosen from the noisy numbers."""
        outside = (1.0 - confidence) * (1.0 - SHARE_OF_COUNT)
        return self._band(times, noise, confidence, rho, lambda: self._one_time(times, noise, rho, outside))

    def simultaneous_band(self, times: Reals, noise: Calibrated, confidence: float, rho: float | None = None) -> Band:
        """A band that covers the whole curve at least this often, also where ρ was chosen from the noisy numbers."""
        outside = (1.0 - confidence) * (1.0 - SHARE_OF_COUNT)
        return self._band(times, noise, confidence, rho, lambda: self._all_times(noise, rho, outside))

    def _chooses(self, noise: Calibrated, rho: float | None) -> bool:
        return not self.smoothed and rho is None and self.decided_rho(noise) is None

    def _one_time(self, times: Reals, noise: Calibrated, rho: float | None, outside: float) -> Reals:
        """A normal quantile; where ρ was chosen, that of the path through all directions that it could have given."""
        if not self._chooses(noise, rho):
            return critical_value(np.zeros(len(times)), self.curve.rank, outside)
        eigenvalues = CurveSpace(self.curve).eigenvalues
        assert eigenvalues is not None
        shares = smoother(eigenvalues, CANDIDATES[:, None])
        basis = CurveSpace(self.curve).basis(times) * self.steps
        lengths = np.array([path_length(shares * direction) for direction in basis])
        return critical_value(lengths, self.curve.rank, outside)

    def _all_times(self, noise: Calibrated, rho: float | None, outside: float) -> Reals | float:
        """The path through all times; where ρ was chosen, all directions there are."""
        if self._chooses(noise, rho):
            return scheffe_value(self.curve.rank, outside)
        start, end = self.curve.interval
        inside = np.linspace(start, end, PATH_POINTS)[1:-1]  # a basis may vanish at an end, its direction does not
        directions = CurveSpace(self.curve).basis(inside) * self.smoothing(noise, rho) * self.steps
        return critical_value(path_length(directions), self.curve.rank, outside)

    def _band(
        self,
        times: Reals,
        noise: Calibrated,
        confidence: float,
        rho: float | None,
        critical: Callable[[], Reals | float],
    ) -> Band:
        """The range of the sum over the range of the number: both hold together at least this often."""
        outside = 1.0 - confidence
        space = CurveSpace(self.curve)
        directions = space.basis(times) * self.smoothing(noise, rho) * self.steps
        fewest, most = self._numbers(noise, 1.0 - outside * SHARE_OF_COUNT)
        width = half_widths(noise, directions, critical, outside * (1.0 - SHARE_OF_COUNT))
        # Each curve was rounded to half a step; a sum that was scaled before the noise, to one more.
        width = width + np.abs(directions).sum(axis=1) * (most / 2.0 + 1.0)
        total, offset = directions @ self.sums, space.offset(space.unit_times(times))
        low, high = total - width, total + width
        return Band(
            times, np.minimum(low / fewest, low / most) + offset, np.maximum(high / fewest, high / most) + offset
        )

    def _numbers(self, noise: Calibrated, confidence: float) -> tuple[float, float]:
        """A range for the number of curves."""
        distance = noise.spread(confidence) / self.weight
        fewest = max(self.count / self.weight - distance, float(self.fewest))
        return fewest, max(self.count / self.weight + distance, fewest)
