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
from reaedp.curves.bands import critical_value, half_widths, path_length, quotients, scheffe_value
from reaedp.curves.bases import BASES, Reals
from reaedp.curves.lattice import RADIUS
from reaedp.curves.smoothing import CANDIDATES, likely_rho, public_rho, smoother
from reaedp.curves.space import CurveSpace
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.normal import quantile
from reaedp.statistics.by_kind import ByKind, by_noise
from reaedp.statistics.noise_variance import noise_variance

#: Standard deviation of noise of scale one; that of discrete noise is not larger.
DEVIATIONS: ByKind[float | None] = by_noise(
    "how far its noise goes, in scales", {Gaussian: 1.0, Laplace: math.sqrt(2.0)}, otherwise=None
)
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
    known = DEVIATIONS.of(noise.mechanism)
    return math.sqrt(noise_variance(noise)) if known is None else known * noise.scale


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
    def details(self) -> dict[str, Any]:
        """The noisy numbers themselves, from which everything else follows."""
        return {"noisy_sums": self.sums.tolist(), "noisy_count": self.count}

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
        if self._chooses(noise, rho) or not isinstance(noise.mechanism, Gaussian):
            outside = (1.0 - confidence) * (1.0 - SHARE_OF_COUNT)
            extremes = self._extremes(times, noise, confidence, rho, lambda: self._one_time(times, outside))
        else:
            directions, reach = self._directions(times, noise, rho), _normal_quantile(confidence) * noise.scale
            spread = reach * np.linalg.norm(directions, axis=1)
            extremes = quotients(directions @ self.sums, spread, self.count / self.weight, reach / self.weight)
        return self._band(times, noise, rho, *extremes)

    def simultaneous_band(self, times: Reals, noise: Calibrated, confidence: float, rho: float | None = None) -> Band:
        """A band that covers the whole curve at least this often, also where ρ was chosen from the noisy numbers."""
        outside = (1.0 - confidence) * (1.0 - SHARE_OF_COUNT)
        extremes = self._extremes(times, noise, confidence, rho, lambda: self._all_times(noise, rho, outside))
        return self._band(times, noise, rho, *extremes)

    def _directions(self, times: Reals, noise: Calibrated, rho: float | None) -> Reals:
        """What one lattice point of each sum adds to the sum of the smoothed curves, at each time."""
        return CurveSpace(self.curve).basis(times) * self.smoothing(noise, rho) * self.steps

    def _chooses(self, noise: Calibrated, rho: float | None) -> bool:
        return not self.smoothed and rho is None and self.decided_rho(noise) is None

    def _one_time(self, times: Reals, outside: float) -> Reals:
        """For the path through all directions that a chosen ρ could have given."""
        eigenvalues = CurveSpace(self.curve).eigenvalues
        assert eigenvalues is not None
        shares = smoother(eigenvalues, CANDIDATES[:, None])
        basis = CurveSpace(self.curve).basis(times) * self.steps
        lengths = np.array([path_length(shares * direction) for direction in basis])
        return critical_value(lengths, self.curve.rank, outside)

    def _all_times(self, noise: Calibrated, rho: float | None, outside: float) -> Reals | float:
        """For the path through all times; where ρ was chosen, for all directions there are."""
        if self._chooses(noise, rho):
            return scheffe_value(self.curve.rank, outside)
        inside = np.linspace(*self.curve.interval, PATH_POINTS)[1:-1]  # a basis may vanish at an end, its direction not
        return critical_value(path_length(self._directions(inside, noise, rho)), self.curve.rank, outside)

    def _extremes(
        self,
        times: Reals,
        noise: Calibrated,
        confidence: float,
        rho: float | None,
        critical: Callable[[], Reals | float],
    ) -> tuple[Reals, Reals]:
        """The range of the sum over the range of the number: both hold together at least this often."""
        outside = 1.0 - confidence
        directions = self._directions(times, noise, rho)
        width = half_widths(noise, directions, critical, outside * (1.0 - SHARE_OF_COUNT))
        low, high = directions @ self.sums - width, directions @ self.sums + width
        fewest, most = self._numbers(noise, outside * SHARE_OF_COUNT)
        return np.minimum(low / fewest, low / most), np.maximum(high / fewest, high / most)

    def _numbers(self, noise: Calibrated, outside: float) -> tuple[float, float]:
        """The least and the largest number of curves, between which the true one is but for this chance."""
        distance = noise.error_quantile(1.0 - outside) / self.weight
        fewest = max(self.count / self.weight - distance, float(self.fewest))
        return fewest, max(self.count / self.weight + distance, fewest)

    def _band(self, times: Reals, noise: Calibrated, rho: float | None, low: Reals, high: Reals) -> Band:
        """Widened by what rounding can do, and by the estimate if it lies outside; cut where no mean can be."""
        space, directions, mean = (
            CurveSpace(self.curve),
            self._directions(times, noise, rho),
            self.on(times, noise, rho),
        )
        # Each curve was rounded to half a step, and a sum that was scaled before the noise to one more.
        rounding = 1.5 * np.abs(directions).sum(axis=1)
        farthest = RADIUS * np.linalg.norm(directions, axis=1)
        offset = space.offset(space.unit_times(times))
        low, high = (np.clip(end, -farthest, farthest) + offset for end in (low - rounding, high + rounding))
        return Band(times, np.minimum(low, mean), np.maximum(high, mean))


def _normal_quantile(confidence: float) -> float:
    """How far from zero a standard normal number is with this probability at most."""
    return -quantile((1.0 - confidence) / 2.0)
