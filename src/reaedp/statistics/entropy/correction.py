"""How to take the effect of noise out of a function of noisy counts, on average.

A correction replaces f(z) by Σₓ weight(x) f(z + x). For discrete Laplace noise three weights make it exactly unbiased
for every function; discrete Gaussian noise has no such weights, and three terms of a series leave a bounded rest.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.errors import DeclarationError
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.by_kind import ByKind

Floats = NDArray[np.float64]

#: Cells times weights that are looked at together.
_AT_ONCE = 2**22
#: Numbers whose range is more than so many times as wide as there are of them are sorted.
_FAR_APART = 4


class Corrected(NamedTuple):
    """Estimates of f(c) = c log2 c, of their variances, and of their covariances with the noisy counts."""

    values: Floats
    variance: Floats
    covariance: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Correction:
    """Weights at offsets, the slope that f gets below zero, and what is left of the noise's effect.

    After correction the mean for a count is off by at most `rest`, and by nothing to speak of above `near`.
    """

    offsets: Floats
    weights: Floats
    noise_variance: float
    slope_below: float = 0.0
    rest: float = 0.0
    near: float = -math.inf

    def apply(self, noisy: Integers) -> Corrected:
        """Estimates for every cell of one or many noisy tables."""
        distinct, places = _distinct(noisy)
        step = max(1, _AT_ONCE // len(self.offsets))
        pieces = [self._moments(distinct[start : start + step]) for start in range(0, len(distinct), step)]
        parts = (np.concatenate(column)[places].reshape(noisy.shape) for column in zip(*pieces, strict=True))
        return Corrected(*parts)

    def _moments(self, distinct: Integers) -> Corrected:
        """Differences from f(z) are small numbers, so that their squares lose nothing to rounding."""
        here = self._f(distinct.astype(np.float64))
        differences = self._f(distinct[:, None] + self.offsets) - here[:, None]
        shift = differences @ self.weights
        return Corrected(
            values=here + shift,
            variance=shift**2 - differences**2 @ self.weights,
            covariance=-(differences @ (self.weights * self.offsets)),
        )

    def _f(self, counts: Floats) -> Floats:
        return c_log_c(counts) + self.slope_below * np.minimum(counts, 0.0)


def _distinct(numbers: Integers) -> tuple[Integers, Integers]:
    """The different numbers in order, and the place of each among them; marked in an array where they lie close."""
    low, high = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    if high - low > _FAR_APART * numbers.size:
        distinct, places = np.unique(numbers, return_inverse=True)
        return distinct, places
    present = np.zeros(high - low + 1, dtype=np.bool_)
    present[numbers - low] = True
    return np.flatnonzero(present) + low, (np.cumsum(present) - 1)[numbers - low]


def c_log_c(counts: Floats) -> Floats:
    """The function c log2 c, zero where nothing is."""
    return counts * np.log2(counts, out=np.zeros_like(counts), where=counts > 0)


def correction(noise: Calibrated) -> Correction:
    """The correction for this noise."""
    check_correctable(noise)
    make = _CORRECTIONS.of(noise.mechanism)
    assert make is not None
    return make(noise.scale)


def check_correctable(noise: Calibrated) -> None:
    """Refuse noise whose effect on c log c nobody knows how to undo."""
    if _CORRECTIONS.of(noise.mechanism) is None:
        raise DeclarationError(
            "Entropies can be derived from counts of all cells with Laplace or Gaussian noise only;"
            f" given {noise.title}."
        )


def _laplace(scale: float) -> Correction:
    """1 - κ (second difference) undoes the noise, κ = q / (1 - q)² with q = exp(-1 / scale); see PROOFS.md."""
    kappa = math.exp(-1 / scale) / math.expm1(-1 / scale) ** 2
    return Correction(np.array([-1.0, 0.0, 1.0]), np.array([-kappa, 1 + 2 * kappa, -kappa]), noise_variance=2 * kappa)


#: With the slope of log2 scale below zero, three terms leave at most this many scales, within this many scales of zero.
GAUSSIAN_REST, GAUSSIAN_NEAR = 0.33, 10.0


def _gaussian(scale: float) -> Correction:
    """1 + (1 - P) + (1 - P)², the start of the series of 1 / P, where P takes the mean over the noise."""
    reach = math.ceil(9 * scale) + 1
    law = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * scale**2))
    law /= law.sum()
    weights = np.convolve(law, law)
    weights[reach : 3 * reach + 1] -= 3 * law
    weights[2 * reach] += 3.0
    return Correction(
        np.arange(-2.0 * reach, 2.0 * reach + 1),
        weights,
        noise_variance=float(law @ np.arange(-reach, reach + 1.0) ** 2),
        slope_below=max(0.0, math.log2(scale)),
        rest=GAUSSIAN_REST * scale,
        near=GAUSSIAN_NEAR * scale,
    )


_CORRECTIONS = ByKind[Callable[[float], Correction] | None](
    "what undoes its effect on an entropy",
    {Laplace: _laplace, Gaussian: _gaussian},
    otherwise=None,
    plain=("Threshold", "TwoStage", "MarginalModel", "Amortised", "Deniable", "DeniableCurves"),
    over="mechanisms",
)
