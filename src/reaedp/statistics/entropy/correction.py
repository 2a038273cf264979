"""How to take the effect of noise out of a function of noisy counts, on average.

A correction replaces f(z) by Σₓ weight(x) f(z + x). For discrete Laplace noise three weights make it exactly unbiased
for every function; discrete Gaussian noise, and sums of noises, have no such weights, and three terms of a series leave
a bounded rest. Functions are c log2 c, of which Shannon's entropy is made, and powers, of which Rényi's are.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.errors import DeclarationError
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.by_kind import ByKind, by_noise

Floats = NDArray[np.float64]

#: Cells times weights that are looked at together.
_AT_ONCE = 2**22
#: Laws of larger noise than two of these are looked at in steps of several counts, at least so many to a scale.
FINE = 256
#: Numbers whose range is more than so many times as wide as there are of them are sorted.
_FAR_APART = 4


#: A function of counts; what it is below zero decides how much its estimate varies, not its mean.
Function = Callable[[Floats], Floats]


def c_log_c(counts: Floats) -> Floats:
    """The function c log2 c, zero where nothing is."""
    return counts * np.log2(counts, out=np.zeros_like(counts), where=counts > 0)


class Corrected(NamedTuple):
    """Estimates of f(c), of their variances, and of their covariances with the noisy counts."""

    values: Floats
    variance: Floats
    covariance: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Correction:
    """Weights at offsets, the function f, and what is left of the noise's effect.

    After correction the mean for a count is off by at most `rest`, and by nothing to speak of above `near`.
    """

    offsets: Floats
    weights: Floats
    noise_variance: float
    rest: float = 0.0
    near: float = -math.inf
    f: Function = c_log_c

    def apply(self, noisy: Integers) -> Corrected:
        """Estimates for every cell of one or many noisy tables."""
        distinct, places = _distinct(noisy)
        step = max(1, _AT_ONCE // len(self.offsets))
        pieces = [self._moments(distinct[start : start + step]) for start in range(0, len(distinct), step)]
        parts = (np.concatenate(column)[places].reshape(noisy.shape) for column in zip(*pieces, strict=True))
        return Corrected(*parts)

    def _moments(self, distinct: Integers) -> Corrected:
        """Differences from f(z) are small numbers, so that their squares lose nothing to rounding."""
        here = self.f(distinct.astype(np.float64))
        differences = self.f(distinct[:, None] + self.offsets) - here[:, None]
        shift = differences @ self.weights
        return Corrected(
            values=here + shift,
            variance=shift**2 - differences**2 @ self.weights,
            covariance=-(differences @ (self.weights * self.offsets)),
        )


def power(counts: Floats, order: float) -> Floats:
    """The function c^order, zero where nothing is, of order zero too."""
    positive = np.maximum(counts, 0.0)
    return np.where(counts > 0, positive**order, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """Probabilities of noise from -reach to reach steps, as long as they matter; a step is one count, or more."""

    probabilities: Floats
    step: int = 1

    @property
    def reach(self) -> int:
        """The largest noise that matters, in steps."""
        return len(self.probabilities) // 2

    @property
    def variance(self) -> float:
        """The variance of the noise, in counts."""
        return float(self.probabilities @ self.places(-self.reach, self.reach + 1) ** 2)

    def places(self, first: int, last: int) -> Floats:
        """The counts from the first step on, as far as the last one, without it."""
        return self.step * np.arange(first, last, dtype=np.float64)

    def mean(self, values: Floats) -> Floats:
        """The mean over noise of a function known on a range, at the places where all of it is known."""
        from scipy.signal import fftconvolve

        found: Floats = fftconvolve(values, self.probabilities, mode="valid")
        return found


def _distinct(numbers: Integers) -> tuple[Integers, Integers]:
    """The different numbers in order, and the place of each among them; marked in an array where they lie close."""
    low, high = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    if high - low > _FAR_APART * numbers.size:
        distinct, places = np.unique(numbers, return_inverse=True)
        return distinct, places
    present = np.zeros(high - low + 1, dtype=np.bool_)
    present[numbers - low] = True
    return np.flatnonzero(present) + low, (np.cumsum(present) - 1)[numbers - low]


def correction(noise: Calibrated, order: float = 1.0) -> Correction:
    """The correction for this noise of c log2 c, or of the power that a Rényi entropy of another order sums."""
    check_correctable(noise)
    make = _CORRECTIONS.of(noise.mechanism)
    assert make is not None
    return make(noise.scale, order)


def correction_of_sums(noise: Calibrated, terms: int) -> Correction:
    """The correction of c log2 c for sums of `terms` counts, each with this noise."""
    return correction(noise) if terms == 1 else _of_sums(noise, terms)


def check_correctable(noise: Calibrated) -> None:
    """Refuse noise whose effect on a function of counts nobody knows how to undo."""
    if _CORRECTIONS.of(noise.mechanism) is None:
        raise DeclarationError(
            "Entropies can be derived from counts of all cells with Laplace or Gaussian noise only;"
            f" given {noise.title}."
        )


def law(noise: Calibrated) -> Law:
    """The law of the noise of one count."""
    return _law(noise.scale, gaussian=isinstance(noise.mechanism, Gaussian))


@lru_cache(maxsize=16)
def _law(scale: float, *, gaussian: bool) -> Law:
    """Beyond nine Gaussian scales, or forty Laplace ones, a probability is below 10^-17."""
    step = 1 << max(0, math.floor(math.log2(scale / FINE)))
    steps = scale / step
    reach = math.ceil((9 if gaussian else 40) * steps) + 1
    noise = np.arange(-reach, reach + 1.0)
    weights = np.exp(-(noise**2) / (2 * steps**2) if gaussian else -np.abs(noise) / steps)
    return Law(weights / weights.sum(), step)


def _laplace(scale: float, order: float) -> Correction:
    """1 - κ (second difference) undoes the noise, κ = q / (1 - q)² with q = exp(-1 / scale); see PROOFS.md."""
    q = math.exp(-1 / scale)
    kappa = q / math.expm1(-1 / scale) ** 2
    offsets, weights = np.array([-1.0, 0.0, 1.0]), np.array([-kappa, 1 + 2 * kappa, -kappa])
    if order == 1:
        return Correction(offsets, weights, noise_variance=2 * kappa)
    below = q / math.expm1(-1 / scale)  # the estimate for all counts up to zero, of the least variance (PROOFS.md)

    def continued(counts: Floats) -> Floats:
        return np.where(counts < 0, -below * np.expm1(np.minimum(counts, 0.0) / scale), power(counts, order))

    return Correction(offsets, weights, noise_variance=2 * kappa, f=continued)


#: With the slope of log2 scale below zero, three terms leave at most this many scales, within this many scales of zero.
GAUSSIAN_REST, GAUSSIAN_NEAR = 0.33, 10.0


def _gaussian(scale: float, order: float) -> Correction:
    if order != 1:
        return _by_series(_law(scale, gaussian=True), lambda counts: power(counts, order))
    rest, near = GAUSSIAN_REST * scale, GAUSSIAN_NEAR * scale
    offsets, weights = _series(_law(scale, gaussian=True))
    variance = _law(scale, gaussian=True).variance
    return Correction(offsets, weights, variance, rest, near, lambda counts: _c_log_c_with_slope(counts, scale))


def _c_log_c_with_slope(counts: Floats, scale: float) -> Floats:
    """Below zero the slope that c log2 c has near one scale, which leaves the least rest."""
    return c_log_c(counts) + math.log2(max(1.0, scale)) * np.minimum(counts, 0.0)


@lru_cache(maxsize=64)
def _of_sums(noise: Calibrated, terms: int) -> Correction:
    """The law of a sum is the product of Fourier transforms."""
    one = law(noise)
    if isinstance(noise.mechanism, Gaussian):
        return _gaussian(noise.scale * math.sqrt(terms), 1.0)
    reach = math.ceil(one.reach + 9 * math.sqrt((terms - 1) * one.variance) / one.step)
    padded = np.zeros(2 * reach + 1)
    padded[reach - one.reach : reach + one.reach + 1] = one.probabilities
    summed = np.fft.fftshift(np.fft.ifft(np.fft.fft(np.fft.ifftshift(padded)) ** terms).real)
    whole = Law(np.maximum(summed, 0.0) / np.maximum(summed, 0.0).sum(), one.step)
    deviation = math.sqrt(whole.variance)
    return _by_series(whole, lambda counts: _c_log_c_with_slope(counts, deviation))


def _by_series(noise: Law, f: Function) -> Correction:
    """With the largest bias that is left for counts up to ten standard deviations, found by summation."""
    offsets, weights = _series(noise)
    near = GAUSSIAN_NEAR * math.sqrt(noise.variance)
    counts = math.ceil(near / noise.step) + 1
    values = f(noise.places(-3 * noise.reach, 3 * noise.reach + counts))
    bias = noise.mean(Law(weights).mean(values)) - values[3 * noise.reach : 3 * noise.reach + counts]
    return Correction(offsets, weights, noise.variance, float(np.abs(bias).max()), near, f)


def _series(noise: Law) -> tuple[Floats, Floats]:
    """Offsets and weights of 1 + (1 - P) + (1 - P)², the start of the series of 1 / P, P the mean over the noise."""
    reach, probabilities = noise.reach, noise.probabilities
    weights = np.convolve(probabilities, probabilities)
    weights[reach : 3 * reach + 1] -= 3 * probabilities
    weights[2 * reach] += 3.0
    return noise.places(-2 * reach, 2 * reach + 1), weights


_CORRECTIONS: ByKind[Callable[[float, float], Correction] | None] = by_noise(
    "what undoes its effect on an entropy", {Laplace: _laplace, Gaussian: _gaussian}, otherwise=None
)
