"""How far the noise in a weighted sum of released numbers goes, as often as a confidence says."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.group_threshold import GroupThreshold
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.by_kind import ByKind, by_noise
from reaedp.statistics.noise_variance import noise_variance

Floats = NDArray[np.float64]
#: Formulas for different weights lose all digits where there are more of them; integrals do not.
MOST_TERMS = 7
#: Places at which the law of a sum of many is integrated, in its standard deviations and in all.
INTEGRATED, PLACES = 12.0, 1_024
NEWTON = 5
#: Weights smaller than this share of the largest one are raised to it.
LEAST_WEIGHT = 1e-6
#: Weights are at least this much apart, by how many there are: formulas for different weights lose digits otherwise.
APART = {1: 0.0, 2: 1e-6, 3: 1e-4}
FAR_APART = 1e-3


def reach(noise: Calibrated, weights: Floats, confidence: float) -> Floats:
    """The least t such that |Σ w Z| ≤ t so often, for each row of weights, in steps; or a little more.

    The noise is that of a fine lattice, whose laws are those of real numbers but for less than a step.
    """
    rows = np.atleast_2d(np.abs(np.asarray(weights, dtype=np.float64)))
    found: Floats = _REACHES.of(noise.mechanism)(noise, rows, confidence) + rows.sum(axis=1)
    return found.reshape(np.shape(weights)[:-1])


def variance(noise: Calibrated, weights: Floats) -> Floats:
    """The variance of Σ w Z, in squared steps."""
    found: Floats = noise_variance(noise) * (np.asarray(weights, dtype=np.float64) ** 2).sum(axis=-1)
    return found


def _gaussian(noise: Calibrated, weights: Floats, confidence: float) -> Floats:
    from scipy.special import ndtri

    lengths: Floats = np.linalg.norm(weights, axis=1)
    return -float(ndtri((1 - confidence) / 2)) * noise.scale * lengths


def _laplace(noise: Calibrated, weights: Floats, confidence: float) -> Floats:
    """Pr[|Σ w Z| > t] = Σ c exp(-t/w) for different weights, where c is the product of w²/(w² - v²) over the others."""
    largest = weights.max(axis=1)
    used = weights[:, (weights > 0).any(axis=0)]
    if not used.size:
        return np.zeros(len(weights))
    if used.shape[1] > MOST_TERMS:
        return _many(used, confidence) * noise.scale
    spaced = _apart(used / np.where(largest > 0, largest, 1.0)[:, None])
    squares = spaced**2
    differences = squares[:, :, None] - squares[:, None, :]
    places = np.arange(spaced.shape[1])
    differences[:, places, places] = squares  # a factor of one
    shares = np.prod(squares[:, :, None] / differences, axis=2)
    low, high = np.zeros(len(spaced)), np.full(len(spaced), spaced.shape[1] * math.log(2 / (1 - confidence)) + 10.0)
    for _ in range(60):
        middle = (low + high) / 2
        outside = (shares * np.exp(-middle[:, None] / spaced)).sum(axis=1) > 1 - confidence
        low, high = np.where(outside, middle, low), np.where(outside, high, middle)
    found: Floats = high * largest * noise.scale
    return found


def _many(weights: Floats, confidence: float) -> Floats:
    """By inversion of the characteristic function φ: Pr[|S| ≤ t] = (2/π) ∫ sin(ut)/u φ(u) du (Gil-Pelaez 1951).

    Newton's steps from the normal law, to which a sum of many is near, and not far beyond that of a single one.
    """
    from scipy.special import ndtri

    deviations = np.sqrt(2 * (weights**2).sum(axis=1))
    normal, single = -float(ndtri((1 - confidence) / 2)), -math.log(1 - confidence) / math.sqrt(2)
    found = np.zeros(len(weights))
    for row in np.flatnonzero(deviations > 0):
        part, times = np.unique(weights[row] / deviations[row], return_counts=True)
        end = INTEGRATED * max(1.0, 1.0 / part.max())
        places = (np.arange(PLACES) + 0.5) * end / PLACES
        law = np.exp(-times @ np.log1p((part[:, None] * places) ** 2)) * (2 * end / PLACES / math.pi)
        reached = normal
        for _ in range(NEWTON):
            lacking = confidence - float((law / places * np.sin(places * reached)).sum())
            step = lacking / max(float((law * np.cos(places * reached)).sum()), 1e-9)
            reached = min(max(reached + step, 0.9 * min(normal, single)), 1.1 * max(normal, single))
        found[row] = reached * deviations[row]
    return found


def _apart(weights: Floats) -> Floats:
    """Weights in falling order, raised where two are too near to each other."""
    ordered = np.flip(np.sort(np.maximum(weights, LEAST_WEIGHT), axis=1), axis=1)
    gap = 1 + APART.get(ordered.shape[1], FAR_APART)
    for place in range(ordered.shape[1] - 2, -1, -1):
        ordered[:, place] = np.maximum(ordered[:, place], ordered[:, place + 1] * gap)
    return ordered


def _any(noise: Calibrated, weights: Floats, confidence: float) -> Floats:
    """For noise of another law: all numbers at once are within its error quantile."""
    used = int((weights > 0).sum(axis=1).max(initial=1))
    found: Floats = weights.sum(axis=1) * noise.error_quantile(confidence, cells=max(used, 1))
    return found


_REACHES: ByKind[Callable[[Calibrated, Floats, float], Floats]] = by_noise(
    "how far weighted sums of its noise go",
    {Laplace: _laplace, GroupThreshold: _laplace, Gaussian: _gaussian},
    otherwise=_any,
)
