"""Differential entropy: that of a histogram as a density, which is even within each bin.

Histograms over different bins have entropies that cannot be compared. Their differential entropies can be.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Column
from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.entropy.noisy_entropy import EntropyEstimate, entropies_from_counts
from reaedp.statistics.entropy.normal import normal_quantile
from reaedp.statistics.histogram import onto_simplex
from reaedp.statistics.noise_variance import noise_variance
from reaedp.table import Table

Floats = NDArray[np.float64]


def widths(column: Column) -> Floats:
    """The widths of the bins of a column of numbers; of whole numbers or days, how many there are in each."""
    if column.ends is None:
        raise DeclarationError(f"Differential entropy needs a column of numbers or dates; given {column.kind}.")
    low, high = column.ends
    found: Floats = (high - low) / (np.timedelta64(1, "D") if low.dtype.kind == "M" else 1)
    return found if column.kind == "number" else found + 1.0


def differential_entropy(
    noisy: Table, noise: Calibrated, *, at_least: int | None = None, confidence: float = 0.95
) -> EntropyEstimate:
    """The differential entropy, in bits, of released counts of one numeric column, with an interval for the noise.

    The density is taken as uniform within each bin; the interval does not cover that approximation. Rows without a
    number do not count. `noisy` are the counts of a release, `noise` is its noise, and `at_least` a public lower bound
    on the rows.

    >>> release = curator.release(Marginal("age"), Laplace(1.0))
    >>> 5 < differential_entropy(release.counts, release.noise).value < 7
    True
    """
    if len(noisy.axes) != 1:
        raise DeclarationError(f"Differential entropy needs one column; given {len(noisy.axes)}.")
    column = noisy.axes[0]
    counts, wide = noisy.values.astype(np.int64)[: column.regular], widths(column)
    whole = entropies_from_counts(counts, noise, at_least=at_least)
    mean, error = _mean_width(counts, wide, noise)
    low, high = whole.interval(confidence)
    reach = normal_quantile(confidence) * error
    return EntropyEstimate(float(whole.value) + mean, float(low) + mean - reach, float(high) + mean + reach, confidence)


def _mean_width(counts: Any, wide: Floats, noise: Calibrated) -> tuple[float, float]:
    """The mean of the logarithm of the width of a row's bin, and its standard error."""
    total = max(float(counts.sum()), 1.0)
    logarithms = np.log2(wide)
    mean = float((onto_simplex(counts.astype(np.float64), total) * logarithms).sum()) / total
    return mean, math.sqrt(noise_variance(noise) * float(((logarithms - mean) ** 2).sum())) / total
