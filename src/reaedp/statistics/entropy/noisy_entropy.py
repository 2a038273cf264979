"""The entropy of counts that are known only with noise: arithmetic on released numbers, which costs nothing.

The entropy of the noisy counts themselves is too high, because noise fills empty cells. Two estimates mend that: one is
unbiased and has a known standard error; the other, the entropy of the nearest table without negative counts, varies
less. The value is the second as far as the first allows.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.errors import DeclarationError, sentence
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.entropy.correction import Corrected, c_log_c, check_correctable, correction
from reaedp.statistics.entropy.noisy_renyi import (
    LARGEST_POWER,
    NEXT_TO_ONE,
    NormEstimates,
    PowerEstimates,
    from_norm,
    from_powers,
)
from reaedp.statistics.entropy.normal import normal_quantile
from reaedp.statistics.histogram import onto_simplex
from reaedp.table import Table

Floats = NDArray[np.float64]

#: The value lies within this many standard errors of the unbiased estimate.
AGREEMENT = 2.0
_BITS_PER_NAT = 1 / math.log(2)


@dataclass(frozen=True, slots=True)
class EntropyEstimate:
    """Bits, with an interval that contains the true entropy about as often as `confidence` says."""

    value: float
    low: float
    high: float
    confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class EntropyEstimates:
    """Estimates for one or many tables, in bits; `rest` is what may be wrong beside the standard error."""

    value: Floats
    unbiased: Floats
    standard_error: Floats
    rest: Floats
    largest: float

    def interval(self, confidence: float) -> tuple[Floats, Floats]:
        """Around the unbiased estimate, by its normal limit; it contains the value too."""
        distance = normal_quantile(confidence) * self.standard_error + self.rest
        low = np.minimum(self.unbiased - distance, self.value)
        high = np.maximum(self.unbiased + distance, self.value)
        return np.maximum(low, 0.0), np.minimum(high, self.largest)


def entropy_from_counts(
    noisy: Table,
    noise: Calibrated,
    *,
    rows: int | None = None,
    at_least: int | None = None,
    confidence: float = 0.95,
    order: float = 1.0,
) -> EntropyEstimate:
    """The entropy of released counts; give `rows` if the exact number is public, `at_least` if a lower bound is.

    `order` is the order of Rényi entropy, from 0 to infinity; 1 is Shannon entropy.

    >>> release = curator.release(Marginal("age"), Laplace(1.0))
    >>> shannon, collision = (entropy_from_counts(release.counts, release.noise, order=order) for order in (1, 2))
    >>> shannon.low <= shannon.value <= shannon.high, collision.confidence
    (True, 0.95)
    """
    counts = noisy.values.astype(np.int64).ravel()
    estimates = renyi_from_counts(counts, noise, checked_order(order), rows=rows, at_least=at_least)
    low, high = estimates.interval(confidence)
    return EntropyEstimate(float(estimates.value), float(low), float(high), confidence)


def checked_order(order: float) -> float:
    """An order of which there is an entropy."""
    if not order >= 0:
        raise DeclarationError(sentence("order must be a number of at least 0", given=order))
    return float(order)


def renyi_from_counts(
    noisy: Integers, noise: Calibrated, order: float, *, rows: int | None = None, at_least: int | None = None
) -> EntropyEstimates | PowerEstimates | NormEstimates:
    """Entropies of one order of many noisy tables at once, one in each row of an array."""
    if noisy.shape[-1] == 1 or abs(order - 1) < NEXT_TO_ONE:
        return entropies_from_counts(noisy, noise, rows=rows, at_least=at_least)
    check_correctable(noise)
    return (from_powers if order <= LARGEST_POWER else from_norm)(noisy, noise, order, rows=rows, at_least=at_least)


def entropies_from_counts(
    noisy: Integers, noise: Calibrated, *, rows: int | None = None, at_least: int | None = None
) -> EntropyEstimates:
    """Shannon's entropies of many noisy tables at once, one in each row of an array."""
    cells, undo, sums = noisy.shape[-1], correction(noise), noisy.sum(axis=-1).astype(np.float64)
    total = np.maximum(sums, at_least or 1) if rows is None else np.full_like(sums, rows)
    table = onto_simplex(noisy.astype(np.float64), total)
    plain = np.log2(total) - c_log_c(table).sum(axis=-1) / total
    slopes = np.log2(np.maximum(table, 1.0)) + _BITS_PER_NAT
    corrected = Corrected(*(part.sum(axis=-1) for part in undo.apply(noisy)))
    variance_of_sum = cells * undo.noise_variance
    if rows is None:
        unbiased, slope, size = with_noisy_sum(corrected, sums, variance_of_sum)
    else:
        unbiased, slope, size = with_known_sum(corrected, sums, total, slopes)
    variance = corrected.variance - 2 * slope * corrected.covariance + slope**2 * variance_of_sum
    # The variance's own estimate can fall short, even below zero; its first-order part at the table cannot.
    leverage = slopes - slope[..., None]
    first_order = undo.noise_variance * (leverage**2).sum(axis=-1)
    error = np.sqrt(np.maximum(variance, first_order)) / size
    # Noise comes in whole steps: half a step in the cell that matters most, as for any normal limit on a lattice.
    bias, half_a_step = undo.rest * (noisy < undo.near).sum(axis=-1), 0.5 * np.abs(leverage).max(axis=-1)
    rest = (bias + half_a_step) / size
    limit = AGREEMENT * error + rest
    value = np.clip(np.clip(plain, unbiased - limit, unbiased + limit), 0.0, math.log2(cells))
    return EntropyEstimates(value, unbiased, error, rest, math.log2(cells))


def with_noisy_sum(corrected: Corrected, sums: Floats, variance_of_sum: float) -> tuple[Floats, Floats, Floats]:
    """log2 N - F / N with the noisy sum N, less the effect of its curvature; its slope in N, times -N; and N."""
    size = np.maximum(sums, 1.0)
    slope = corrected.values / size + _BITS_PER_NAT
    curvature = (corrected.covariance - variance_of_sum * (slope - _BITS_PER_NAT / 2)) / size**2
    return np.log2(size) - corrected.values / size - curvature, slope, size


def with_known_sum(corrected: Corrected, sums: Floats, total: Floats, slopes: Floats) -> tuple[Floats, Floats, Floats]:
    """log2 n - F / n, where the known sum of the noise takes out of F what all cells share."""
    slope = slopes.mean(axis=-1)
    return np.log2(total) - (corrected.values - slope * (sums - total)) / total, slope, total
