"""Rényi entropies of counts that are known only with noise: arithmetic on released numbers, which costs nothing.

The entropy of order α is that of the sum of the counts' powers, S = Σ c^α, of which an unbiased estimate and its
standard error are known. Powers above the fifth are ruled by the largest count alone: there S^(1/α) is a norm, and
noise moves a norm by no more than its own.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.entropy.correction import Corrected, correction, law
from reaedp.statistics.entropy.entropies import renyi_entropies
from reaedp.statistics.entropy.normal import normal_quantile
from reaedp.statistics.histogram import onto_simplex

Floats = NDArray[np.float64]

#: Three terms of the series leave nothing of a polynomial of this degree; above it the largest count rules.
LARGEST_POWER = 5.0
#: Within this distance of one, Rényi's entropies are Shannon's, to a hundred-thousandth of a bit.
NEXT_TO_ONE = 1e-6
#: The value lies within this many standard errors of the unbiased estimate.
_AGREEMENT = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class PowerEstimates:
    """Estimates for one or many tables from the sum of powers; `rest` is what may be wrong beside the error."""

    order: float
    plain: Floats
    powers: Floats
    standard_error: Floats
    rest: Floats
    size: Floats
    largest: float

    @property
    def unbiased(self) -> Floats:
        """Bits of the unbiased estimate of the sum of powers."""
        return self._bits(self.powers)

    @property
    def value(self) -> Floats:
        """The entropy of the nearest table without negative counts, as far as the unbiased estimate allows."""
        return np.clip(self.plain, *self._ends(_AGREEMENT))

    def interval(self, confidence: float) -> tuple[Floats, Floats]:
        """The entropies of all sums of powers within the normal limit of their estimate."""
        low, high = self._ends(normal_quantile(confidence))
        return np.minimum(low, self.value), np.maximum(high, self.value)

    def _ends(self, errors: float) -> tuple[Floats, Floats]:
        distance = errors * self.standard_error + self.rest
        ends = self._bits(self.powers - distance), self._bits(self.powers + distance)
        return np.minimum(*ends), np.maximum(*ends)

    def _bits(self, powers: Floats) -> Floats:
        """A sum that is not positive is as small as can be."""
        logarithm = np.log2(powers, out=np.full_like(powers, -np.inf), where=powers > 0)
        bits = (logarithm - self.order * np.log2(self.size)) / (1 - self.order)
        return np.clip(bits, 0.0, self.largest)


def from_powers(
    noisy: Integers, noise: Calibrated, order: float, *, rows: int | None, at_least: int | None
) -> PowerEstimates:
    """From an estimate of the sum of powers without bias, less the second-order effect of the noisy total."""
    cells, undo, sums = noisy.shape[-1], correction(noise, order), noisy.sum(axis=-1).astype(np.float64)
    total = np.maximum(sums, at_least or 1) if rows is None else np.full_like(sums, rows)
    table = onto_simplex(noisy.astype(np.float64), total)
    slopes = order * np.maximum(table, 1.0) ** (order - 1)
    corrected = Corrected(*(part.sum(axis=-1) for part in undo.apply(noisy)))
    variance_of_sum = cells * undo.noise_variance
    if rows is None:
        powers, slope, size = _with_noisy_sum(corrected, sums, variance_of_sum, order)
    else:
        slope, size = slopes.mean(axis=-1), total
        powers = corrected.values - slope * (sums - total)
    variance = corrected.variance - 2 * slope * corrected.covariance + slope**2 * variance_of_sum
    leverage = slopes - slope[..., None]
    # The variance's own estimate can fall short; what it is at the nearest table cannot fall as far.
    at_table = undo.noise_variance * (leverage**2).sum(axis=-1)
    if order < 1:
        at_table = np.maximum(at_table, variance_near_zero(noise, order)(table).sum(axis=-1))
    # Noise comes in whole steps; the first step above zero moves a power by one, more than any slope below order one.
    step = np.abs(leverage).max(axis=-1)
    half_a_step = 0.5 * (np.maximum(step, 1.0) if order < 1 else step)
    bias = undo.rest * (noisy < undo.near).sum(axis=-1)
    return PowerEstimates(
        order=order,
        plain=renyi_entropies(table, order),
        powers=powers,
        standard_error=np.sqrt(np.maximum(variance, at_table)),
        rest=bias + half_a_step,
        size=size,
        largest=math.log2(cells),
    )


def _with_noisy_sum(
    corrected: Corrected, sums: Floats, variance_of_sum: float, order: float
) -> tuple[Floats, Floats, Floats]:
    """S less the effect of the curvature of S / N^α, times N^α; its slope in N, times -N^α; and N."""
    size = np.maximum(sums, 1.0)
    slope = order * corrected.values / size
    curvature = slope * (order + 1) / 2 * variance_of_sum / size - order * corrected.covariance / size
    return corrected.values - curvature, slope, size


class _NearZero:
    """The variance of a corrected power at counts up to a limit; zero beyond, where slopes tell it."""

    def __init__(self, known: Floats, step: int) -> None:
        self.known = np.append(known, 0.0)
        self.step = step

    def __call__(self, table: Floats) -> Floats:
        places = np.minimum(np.rint(table / self.step), len(self.known) - 1).astype(np.int64)
        return self.known[places]


@lru_cache(maxsize=16)
def variance_near_zero(noise: Calibrated, order: float) -> _NearZero:
    """By summation over the law of the noise, for counts up to ten standard deviations of it."""
    undo, whole = correction(noise, order), law(noise)
    last = whole.reach + math.ceil(10 * math.sqrt(whole.variance) / whole.step) + 2
    values = undo.apply(whole.places(-whole.reach, last).astype(np.int64)).values
    return _NearZero(np.maximum(whole.mean(values**2) - whole.mean(values) ** 2, 0.0), whole.step)


@dataclass(frozen=True, slots=True, eq=False)
class NormEstimates:
    """Estimates for one or many tables from the norm of their counts, which noise moves by its own norm at most."""

    order: float
    value: Floats
    norm: Floats
    size: Floats
    noise: Calibrated
    cells: int
    known: bool

    def interval(self, confidence: float) -> tuple[Floats, Floats]:
        """Half of what may fail is for the norm of the noise, half for the total, if that is not known."""
        share = confidence if self.known else (1 + confidence) / 2
        spread = self.noise.error_quantile(share, cells=self.cells) * self.cells ** (1 / self.order)
        off = 0.0 if self.known else normal_quantile(share) * math.sqrt(self.cells * law(self.noise).variance)
        low = self._bits(self.norm + spread, np.maximum(self.size - off, 1.0))
        high = self._bits(np.maximum(self.norm - spread, 0.0), self.size + off)
        return np.minimum(low, self.value), np.maximum(high, self.value)

    def _bits(self, norm: Floats, size: Floats) -> Floats:
        factor = 1.0 if self.order == math.inf else self.order / (self.order - 1)
        logarithm = np.log2(norm, out=np.full_like(norm, -np.inf), where=norm > 0)
        return np.clip(factor * (np.log2(size) - logarithm), 0.0, math.log2(self.cells))


def from_norm(
    noisy: Integers, noise: Calibrated, order: float, *, rows: int | None, at_least: int | None
) -> NormEstimates:
    """From the norm of the counts that are not negative."""
    sums = noisy.sum(axis=-1).astype(np.float64)
    total = np.maximum(sums, at_least or 1) if rows is None else np.full_like(sums, rows)
    table = onto_simplex(noisy.astype(np.float64), total)
    positive = np.maximum(noisy, 0).astype(np.float64)
    top = np.maximum(positive.max(axis=-1), 1.0)
    inside = 0.0 if order == math.inf else 1 / order
    norm = top * ((positive / top[..., None]) ** min(order, 1e6)).sum(axis=-1) ** inside
    return NormEstimates(order, renyi_entropies(table, order), norm, total, noise, noisy.shape[-1], rows is not None)
