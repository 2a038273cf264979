"""How far the noise of many counts goes when some are added and others taken away."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.by_kind import ByKind, by_noise
from reaedp.statistics.noise_variance import noise_variance

Floats = NDArray[np.float64]
#: Places from no counts below to all of them at which the law is looked at; between them the wider one holds.
_LOOKED_AT = 17
#: The least and the largest number of nodes of an integral, nodes in a deviation's wave, and what is left out of it.
_NODES, _MOST_NODES, _OF_A_WAVE, _LEFT_OUT = 4_096, 2**19, 3.2, 1e-8
#: From this scale on the lattice is fine beside the noise: in deviations, no larger scale reaches farther.
_FINE = 4.0
#: Ranks are taken to be of at most so many parts: that moves a range by less than a hundredth of itself.
_MOST_PARTS = 100


def reaches(noise: Calibrated, below: NDArray[np.int64], counts: int, rank: float, confidence: float) -> Floats:
    """With this confidence or more, the noise of (1 - rank) · (sum below) - rank · (sum above) is within ± this.

    `below` says how many of the counts are summed below, in increasing order; all others are above.
    """
    return _REACHES.of(noise.mechanism)(noise, below, counts, rank, confidence)


def widest(noise: Calibrated, counts: int, confidence: float) -> float:
    """The largest of these ranges for any rank and any number of counts below, in standard deviations."""
    # The lattice is coarsest beside the noise where a single count is on one side.
    below = np.unique([*np.linspace(0, counts, _LOOKED_AT).astype(np.int64), min(1, counts), max(counts - 1, 0)])
    variance = noise_variance(noise)
    return max(
        float((reaches(noise, below, counts, rank, confidence) / deviations(variance, below, counts, rank)).max())
        for rank in (0.02, 0.5, 0.98)
    )


def deviations(variance: float, below: NDArray[np.int64], counts: int, rank: float) -> Floats:
    """The standard deviation of the same sum."""
    found: Floats = np.sqrt(variance * ((1 - rank) ** 2 * below + rank**2 * (counts - below)))
    return found


def _of_gaussians(noise: Calibrated, below: NDArray[np.int64], counts: int, rank: float, confidence: float) -> Floats:
    """Discrete Gaussian noise has tails no heavier than a normal law's; half a step of the lattice, at most half a row.

    Where all counts are on one side, the sum is a multiple of a whole number, and its step is the weight of that side.
    """
    from scipy.special import ndtri

    wide = float(ndtri((1 + confidence) / 2))
    step = np.where(below == 0, rank, np.where(below == counts, 1 - rank, 1.0))
    return np.asarray(wide * deviations(noise.scale**2, below, counts, rank) + step / 2, dtype=np.float64)


def _of_laplaces(noise: Calibrated, below: NDArray[np.int64], counts: int, rank: float, confidence: float) -> Floats:
    """The law of the sum by its characteristic function, at some places; between two of them the wider range."""
    looked = np.unique(np.linspace(0, counts, _LOOKED_AT).astype(np.int64))
    parts = Fraction(rank).limit_denominator(_MOST_PARTS)
    parts = min(max(parts, Fraction(1, _MOST_PARTS)), 1 - Fraction(1, _MOST_PARTS))
    scale = min(noise.scale, _FINE)
    width = np.array([_laplace_reach(scale, int(some), counts - int(some), parts, confidence) for some in looked])
    ratio = width / deviations(_variance(scale), looked, counts, float(parts))
    place = np.clip(np.searchsorted(looked, below, side="right") - 1, 0, len(looked) - 2)
    wider = np.maximum(ratio[place], ratio[place + 1])
    return np.asarray(wider * deviations(noise_variance(noise), below, counts, rank), dtype=np.float64)


def _variance(scale: float) -> float:
    """The variance of discrete Laplace noise."""
    decay = math.exp(-1.0 / scale)
    return 2 * decay / (1 - decay) ** 2


def _laplace_reach(scale: float, below: int, above: int, rank: Fraction, confidence: float) -> float:
    """The least half-integer t with Pr[|X| ≤ t] ≥ confidence, X = (b - a) · sum below - a · sum above, over b.

    Pr[|X| ≤ t] is the integral of φ(u) sin((t + 1/2) u) / sin(u / 2) over (0, π), divided by π. Where only one of the
    two sums has counts, X is a multiple of it, and t is found for that sum.
    """
    a, b = rank.numerator, rank.denominator
    step = b - a if not above else a if not below else 1
    terms = [(many, weight // step) for many, weight in ((below, b - a), (above, a)) if many]
    decay = math.exp(-1.0 / scale)

    def law(u: Floats) -> Floats:
        logs = [
            many * (2 * math.log1p(-decay) - np.log1p(decay * decay - 2 * decay * np.cos(weight * u)))
            for many, weight in terms
        ]
        found: Floats = np.exp(np.sum(logs, axis=0))
        return found

    u, width = _nodes(law, math.sqrt(_variance(scale) * sum(many * weight**2 for many, weight in terms)))
    weights = law(u) / np.sin(u / 2) * width / math.pi
    low, high = 0, 2
    while _within(high, u, weights) < confidence and high < 2**50:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _within(middle, u, weights) >= confidence else (middle, high)
    return high * step / b


def _nodes(law: Callable[[Floats], Floats], deviation: float) -> tuple[Floats, float]:
    """Nodes between 0 and π where a law is not negligible, and how far apart they are.

    The sum over such nodes gives the probability up to that of a number 2π / width away. A law of whole numbers with
    different weights has narrow peaks in many places. Where the nodes would be too many, so are the counts, and only
    the peak at 0 is left.
    """
    wanted = max(_NODES, math.ceil(_OF_A_WAVE * math.pi * deviation))
    end, nodes = math.pi, wanted
    if wanted > _MOST_NODES:
        coarse = np.geomspace(1e-9, math.pi, 2_000)
        near = coarse[np.maximum.accumulate(law(coarse)[::-1])[::-1] > _LEFT_OUT]
        end, nodes = min(math.pi, float(near[-1]) * 1.02), _NODES
    u: Floats = np.asarray((np.arange(nodes) + 0.5) * (end / nodes), dtype=np.float64)
    return u[law(u) > _LEFT_OUT], end / nodes


def _within(t: int, u: Floats, weights: Floats) -> float:
    return float(np.sin((t + 0.5) * u) @ weights)


def _of_any(noise: Calibrated, below: NDArray[np.int64], counts: int, rank: float, confidence: float) -> Floats:
    """Chebyshev's inequality, for noise of which only the variance is known."""
    return deviations(noise_variance(noise), below, counts, rank) / math.sqrt(1 - confidence)


_REACHES: ByKind[Callable[[Calibrated, NDArray[np.int64], int, float, float], Floats]] = by_noise(
    "how far the noise of ranks goes", {Laplace: _of_laplaces, Gaussian: _of_gaussians}, otherwise=_of_any
)
