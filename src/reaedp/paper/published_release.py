"""Histograms with noise as the paper prints them, for comparison only: never behind a release.

Laplace noise has scale 1/ε, which keeps ε if rows are added or removed and 2ε if they are replaced. Gaussian noise has
the calibration that is proved for ε below 1, for replaced rows. Negative counts are set to zero.
"""

import math

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.privacy.accounting import epsilon as least_epsilon
from reaedp.privacy.accounting import tally
from reaedp.privacy.loss import GaussianDP
from reaedp.statistics.entropy.correction import c_log_c

Floats = NDArray[np.float64]

DELTA = 1e-5


def laplace_counts(counts: Integers, epsilon: float, runs: int, rng: np.random.Generator) -> Floats:
    """Noisy histograms by the published Laplace mechanism, one per run."""
    return np.maximum(counts + rng.laplace(0.0, 1 / epsilon, (runs, len(counts))), 0.0)


def gaussian_counts(counts: Integers, epsilon: float, runs: int, rng: np.random.Generator) -> Floats:
    """Noisy histograms by the published Gaussian mechanism: two counts move by one, so the sensitivity is √2."""
    sigma = published_deviation(math.sqrt(2), epsilon, DELTA)
    return np.maximum(counts + rng.normal(0.0, sigma, (runs, len(counts))), 0.0)


def entropies(tables: NDArray[np.generic]) -> Floats:
    """Shannon's entropy of each row of counts, in bits; of a row without counts, 0."""
    rows = tables.astype(np.float64)
    totals = rows.sum(axis=-1)
    safe = np.where(totals > 0, totals, 1.0)
    bits: Floats = np.log2(safe) - c_log_c(rows).sum(axis=-1) / safe
    return bits


# The noise that the paper calls Gaussian: proved for ε below 1, more than is needed there, too little far above.


def published_deviation(sensitivity: float, epsilon: float, delta: float) -> float:
    """σ = Δ √(2 ln(1.25/δ)) / ε, as published."""
    return sensitivity * math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def true_epsilon(sensitivity: float, deviation: float, delta: float) -> float:
    """The ε that this noise really has at δ."""
    return least_epsilon(tally([(GaussianDP(sensitivity / deviation),)]), delta)
