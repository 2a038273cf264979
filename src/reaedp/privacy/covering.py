"""The least Gaussian loss that covers a price: its curve lies above that of the price at every ε.

Filters add up squares of μ. A pure loss beside a Gaussian one of a given size, the reserve, needs less μ² on top of
it than alone: noise rounds off the corner of its curve. PROOFS.md shows why each step is an upper bound.
"""

import math
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from reaedp.privacy.conversion import SLACK, Array, bisect
from reaedp.privacy.dominating import DominatingPair, Normal
from reaedp.privacy.loss import UnitGaussian
from reaedp.privacy.merging import responses
from reaedp.privacy.normal import log_quantiles, quantiles
from reaedp.privacy.product import Product, compose, markov_bounds

#: A reserve of more than this many ε saves nothing worth having; one of less than this share of ε saves too little.
ENOUGH, LITTLE = 4.0, 0.25
#: Lattice points per standard deviation of the reserve.
FINE = 300.0
#: What rounding in sums over the lattice can hide, relatively.
SUM_SLACK = 1e-10
#: Reserves below this are lost in the rounding of sums; nobody's budget allows sums of pure losses beyond.
SMALL, LARGE = 1e-14, 200.0
#: Standard deviations of the loss that are decided by one tilt.
REACH = 2.0
#: Losses whose probability has a smaller logarithm are rather bounded than counted, at so many places.
LEAST_SEEN, TAIL_STEPS = -600.0, 1000
#: Points of the grid on which losses are composed here.
POINTS = 2**12
#: Up to so many standard deviations tails of lattices are compared number by number; doubles end at 37.
FAR = 34.0
#: Variances: tails of integers leave the doubles below; sums are as one from here; and are on the line from here.
ROUGH, SMOOTH, WIDE = 0.1, 8.0, 1e4
#: Differences of normal quantiles are known to this.
QUANTILE_ERROR = 1e-12


def pure_mu(epsilon: float) -> float:
    """Give the least μ whose Gaussian curve lies above that of a pure loss: 2Φ⁻¹(e^ε / (1 + e^ε)), rounded up."""
    straight = math.sqrt(math.pi / 2) * epsilon * (1 + SLACK)  # never too small, and exact for small ε
    log_lie = -epsilon - math.log1p(math.exp(-epsilon))
    return min(straight, -2 * float(log_quantiles(np.array(log_lie))) * (1 + SLACK) + QUANTILE_ERROR)


def pure_cover(losses: Mapping[float, int], reserve: float) -> float:
    """Bound what pure losses, bought together, add to μ²; at least `reserve` of μ² must stay free for ever."""
    return _pure_cover(tuple(sorted(losses.items())), reserve) if losses else 0.0


def least_cover(losses: Mapping[float, int]) -> float:
    """Give what pure losses add to μ² at the very least: twice their mean loss under the first law."""
    return 2 * math.fsum(copies * epsilon * math.tanh(epsilon / 2) for epsilon, copies in losses.items())


def unit_cover(unit: UnitGaussian, copies: int) -> float:
    """Bound the μ² of this many integers, each moved by one under discrete Gaussian noise."""
    if unit.variance < SMOOTH:
        return _step(unit.variance) ** 2 * copies * (1 + SLACK)
    return (_step(unit.variance * copies) * copies) ** 2 * (1 + SLACK)


@lru_cache(maxsize=4096)
def _pure_cover(losses: tuple[tuple[float, int], ...], reserve: float) -> float:
    total = math.fsum(epsilon * copies for epsilon, copies in losses) * (1 + SLACK)
    bounds = [pure_mu(total) ** 2 * (1 + SLACK)]
    if sum(copies for _, copies in losses) > 1:
        singles = (_pure_cover(((epsilon, 1),), reserve) * copies for epsilon, copies in losses)
        bounds.append(math.fsum(singles) * (1 + SLACK))
    largest = losses[-1][0]
    used = min(reserve, (ENOUGH * largest) ** 2, ENOUGH)
    if len(bounds) > 1 or used >= (LITTLE * largest) ** 2:
        bounds += [_beside(losses, total, used)] if used >= SMALL and total <= LARGE else []
    return min(bounds)


def _beside(losses: tuple[tuple[float, int], ...], total: float, reserve: float) -> float:
    """Bound what pure losses add to the μ² of a Gaussian loss that is bought beside them."""
    responding, crowds = responses(dict(losses))
    if crowds:
        return math.inf
    normal = Normal(math.sqrt(reserve / (1 - 2 / FINE**2)), FINE)
    pairs = (*responding, normal)
    least = math.sqrt(reserve + least_cover(dict(losses)))  # no μ can be less
    bounded = _bounded_from(least, normal.mu, total) * (1 + SLACK)
    if bounded == math.inf:
        return math.inf
    places = np.linspace(0.0, bounded, TAIL_STEPS)
    seen = float(places[_log_chance(pairs, places) >= LEAST_SEEN].max())
    mu = max(
        least,
        _corners(pairs, total, seen),
        _tail(pairs, seen, bounded),
        _bounded_tail(bounded, least, normal.mu, total),
    )
    mu = mu * (1 + SLACK) + QUANTILE_ERROR
    return (mu * mu - reserve) * (1 + SLACK) + SLACK * reserve


def _corners(pairs: tuple[DominatingPair, ...], total: float, far: float) -> float:
    """Give the least μ whose curve lies above all corners of the composed one between the losses 0 and `far`."""
    width = REACH * math.sqrt(sum(pair.deviation**2 for pair in pairs))
    tilts, exponents = markov_bounds(pairs, 0.0)
    highest = 0.95 * total + 10 * pairs[-1].deviation  # pure losses that are nearly at their sum have no law around it
    most = 0.0
    for low in np.arange(0.0, far, width):
        high = min(low + width, far)
        middle = min((low + high) / 2, highest)
        product = compose(pairs, 0.0, float(tilts[np.argmin(exponents - tilts * middle)]), POINTS)
        most = max(most, _needed(product, float(low), high))
    return most


def _needed(product: Product, low: float, high: float) -> float:
    """Give the least μ that covers the corners at losses above `low`, up to the first one above `high`."""
    losses = np.append(product.losses, max(high, product.losses[-1]) * 1.001)
    untilted = product.log_moment - product.tilt * losses
    masses = np.append(product.masses, 0.0)
    hits, false_alarms = (_summed_down(masses, untilted - shift) for shift in (0.0, losses))
    first, last = (int(place) for place in np.searchsorted(losses, [low, high], "right"))
    chosen = slice(max(first, 1), last + 1)
    missed = product.error * np.exp(np.minimum(np.roll(untilted, 1)[chosen], 700.0))
    sure = (hits[chosen] + 2 * missed) * (1 + SUM_SLACK)
    doubtful = (false_alarms[chosen] + missed * np.exp(-losses[chosen])) * (1 - SUM_SLACK)
    if first < 1 or not doubtful.min() > 0:
        return math.inf
    return float((quantiles(np.minimum(sure, 1.0)) - quantiles(doubtful)).max())


def _summed_down(masses: Array, exponents: Array) -> Array:
    """Add up from the largest loss down."""
    sums: Array = np.cumsum((masses * np.exp(np.minimum(exponents, 700.0)))[::-1])[::-1]
    return sums


def _tail(pairs: tuple[DominatingPair, ...], start: float, end: float) -> float:
    """Give a μ that covers the losses between `start` and `end`, by Chernoff's bound on their probability."""
    if start >= end:
        return 0.0
    places = np.geomspace(start, end, TAIL_STEPS + 1)
    quantile, steepest = -log_quantiles(_log_chance(pairs, places[:-1])), places[1:]
    room = quantile**2 - 2 * steepest
    return math.inf if (room < 0).any() else float((2 * steepest / (quantile + np.sqrt(room))).max())


def _log_chance(pairs: tuple[DominatingPair, ...], losses: Array) -> Array:
    """Bound the logarithm of the probability, under the second law, of at least these losses (Chernoff)."""
    tilts, _ = markov_bounds(pairs, 0.0)
    moments = sum((pair.log_moment(tilts) for pair in pairs), np.zeros_like(tilts))
    bound: Array = np.min(moments - np.outer(losses, 1 + tilts), axis=1)
    return bound


def _bounded_from(mu: float, noise: float, total: float) -> float:
    """Give the loss from which on `_bounded_tail` asks for no more than μ."""
    gain = mu / noise - 1
    wanted = mu * mu / 2 + mu * (total / noise - noise / 2 + 0.5 / FINE)
    return max(wanted / gain, total + 2 * noise) if gain > 0 else math.inf


def _bounded_tail(start: float, mu: float, noise: float, total: float) -> float:
    """Give a μ, at least the given one, that covers all losses from `start` on; pure ones add at most their sum."""
    place = (start - total) / noise + noise / 2 - 0.5 / FINE

    def enough(candidate: float) -> bool:
        return candidate > noise and candidate * (place - candidate / 2) >= start

    if enough(mu):
        return mu
    good = next((larger for power in range(1, 50) if enough(larger := mu * 1.1**power)), math.inf)
    return bisect(enough, good, mu, 1e-9) if good < math.inf else math.inf


@lru_cache(maxsize=1024)
def _step(variance: float) -> float:
    """Bound the μ of an integer moved by one under discrete Gaussian noise, by comparing tails on the integers."""
    if variance >= WIDE:
        return (1 + SLACK) / math.sqrt(variance - 2)
    root = 1 / math.sqrt(variance)
    if variance < ROUGH:
        return math.inf
    far = math.ceil(0.5 + FAR / root)
    integers = np.arange(1.0, math.ceil(38 / root) + 2)
    weights = np.exp(-(integers**2) / (2 * variance))
    tails = np.cumsum(weights[::-1])[::-1] / (1 + 2 * weights.sum())
    places = -quantiles(tails[: far + 1])
    steps = np.diff(places, prepend=-places[0])
    tail = FAR - math.sqrt(FAR * FAR - 2 * FAR * root)
    return (max(float(steps.max()), tail) + QUANTILE_ERROR) * (1 + SLACK)
