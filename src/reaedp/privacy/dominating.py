"""Dominating pairs: the two laws P and Q that are easiest to tell apart under a loss.

A pair gives the tilted law of its privacy loss L = ln(P/Q): P weighted by e^{tL} and divided by E[e^{tL}].
With the right tilt its bulk lies where δ is decided, so that the tails cut off and the rounding errors
stay far below δ, however small δ is.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reaedp.privacy.conversion import Array

#: Tilted mass that may be left out, as an exponent: e^-45 < 1e-19.
TAIL = 45.0
#: Rounding error of a transform of n numbers, for each factor and each of log2(n) stages.
STAGE_ERROR = 8 * np.finfo(float).eps


class DominatingPair(Protocol):
    """A symmetric pair of laws, known through its privacy loss L under the first of them."""

    @property
    def deviation(self) -> float:
        """The square root of twice the concentrated loss: no narrower than the standard deviation of L."""

    def log_moment(self, tilt: Array) -> Array:
        """Give ln E[e^{tilt L}]."""

    def atoms(self, tilt: float) -> tuple[Array, Array]:
        """Give the values of L and their tilted probabilities."""


def _log_cosh(x: Array) -> Array:
    """Stay accurate for small x and finite for large x, where cosh x is e^{x - 40} cosh 40."""
    size = np.abs(x)
    logarithm: Array = np.log1p(2 * np.sinh(np.minimum(size, 40.0) / 2) ** 2) + np.maximum(size - 40.0, 0.0)
    return logarithm


@dataclass(frozen=True, slots=True)
class Response:
    """Several randomised responses, each telling the truth with odds e^ε.

    How many of the `copies` tell the truth has a binomial law, on which alone the loss depends.
    """

    epsilon: float
    copies: int

    @property
    def deviation(self) -> float:
        """The zCDP parameter of ε-DP: ε²/2."""
        return self.epsilon * math.sqrt(self.copies)

    def log_moment(self, tilt: Array) -> Array:
        """One response has the moment cosh((t + 1/2) ε) / cosh(ε/2)."""
        half = np.full_like(tilt, self.epsilon / 2)
        return self.copies * (_log_cosh((2 * tilt + 1) * half) - _log_cosh(half))

    def atoms(self, tilt: float) -> tuple[Array, Array]:
        """Tilting a binomial law changes its odds only; Bernstein's inequality gives the reach."""
        log_odds = (1 + 2 * tilt) * self.epsilon
        truth = 1 / (1 + math.exp(-log_odds))
        mean, reach = self.copies * truth, _reach(self.copies * truth * (1 - truth), 1.0)
        true = np.arange(max(0, math.floor(mean - reach)), min(self.copies, math.ceil(mean + reach)) + 1.0)
        steps = np.log((self.copies - true[:-1]) / (true[:-1] + 1)) + log_odds
        return (2 * true - self.copies) * self.epsilon, _normalised(np.concatenate([[0.0], np.cumsum(steps)]))


@dataclass(frozen=True, slots=True)
class Normal:
    """N(μ, 1) against N(0, 1), both restricted to a lattice.

    `fineness` is the number of its points per unit, which must be at least two.
    """

    mu: float
    fineness: float

    @property
    def deviation(self) -> float:
        """The zCDP parameter of μ-GDP: μ²/2."""
        return self.mu

    def log_moment(self, tilt: Array) -> Array:
        """Bound the moment by that of the line; on the lattice it is the same up to 1e-16."""
        return tilt * (1 + tilt) * (self.mu * self.mu / 2)

    def atoms(self, tilt: float) -> tuple[Array, Array]:
        """Tilting moves the centre."""
        centre = (1 + tilt) * self.mu
        lattice = np.arange(math.floor((centre - 10) * self.fineness), math.ceil((centre + 10) * self.fineness) + 1.0)
        place = lattice / self.fineness
        return self.mu * (place - self.mu / 2), _normalised(-((place - centre) ** 2) / 2)


@dataclass(frozen=True, slots=True)
class Steps:
    """Several integers, each moved by one under discrete Gaussian noise.

    The `variance` is below four: where it is larger, the noise is taken for a Gaussian.
    """

    variance: float
    copies: int

    @property
    def deviation(self) -> float:
        """Discrete Gaussian noise is no worse than continuous noise of that variance."""
        return math.sqrt(self.copies / self.variance)

    def _weights(self, centre: Array) -> Array:
        """Weigh the 61 integers around a centre; beyond their fifteen deviations lies less than e^-100."""
        offsets = np.arange(-30.0, 31.0) - (centre - np.round(centre))[..., None]
        return np.exp(-(offsets**2) / (2 * self.variance))

    def log_moment(self, tilt: Array) -> Array:
        """Take the moment of the line, times what the integers around t weigh over those around 0."""
        weight: Array = self._weights(tilt).sum(axis=-1) / self._weights(np.zeros(1)).sum()
        return self.copies * (tilt * (1 + tilt) / (2 * self.variance) + np.log(weight))

    def atoms(self, tilt: float) -> tuple[Array, Array]:
        """Only the sum matters, because the loss is linear in it; its law is a power of one transform."""
        weights = self._weights(np.array(tilt))
        weights /= weights.sum()
        offsets = np.arange(-30.0, 31.0)
        mean = float(weights @ offsets)
        reach = _reach(self.copies * float(weights @ (offsets - mean) ** 2), 61.0)
        points = 1 << math.ceil(math.log2(2 * reach + 2))
        spectrum = np.fft.rfft(np.roll(np.pad(weights, (0, points - 61)), -30)) ** self.copies
        shift = math.floor(self.copies * mean) - points // 2
        masses = np.maximum(np.roll(np.fft.irfft(spectrum, points), -shift), 0.0) + noise(spectrum, self.copies)
        totals: Array = np.arange(float(points)) + (shift + self.copies * (1 + round(tilt)))
        return (2 * totals - self.copies) / (2 * self.variance), masses


def _reach(variance: float, size: float) -> float:
    """Give how far sums of independent terms, each within `size` of its mean, stray but for 2e^-TAIL (Bernstein)."""
    return 2 / 3 * TAIL * size + math.sqrt(2 * TAIL * variance)


def _normalised(logarithms: Array) -> Array:
    weights = np.exp(logarithms - logarithms.max())
    probabilities: Array = weights / weights.sum()
    return probabilities


def noise(spectrum: NDArray[np.complex128], factors: int) -> float:
    """Bound the rounding error of each number that is transformed back from a product of transforms."""
    return float(np.mean(np.abs(spectrum))) * factors * STAGE_ERROR * math.log2(2 * len(spectrum))
