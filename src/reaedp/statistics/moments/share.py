"""The share of a variance that a regression explains: which shares are consistent with what was released."""

import math
from typing import NamedTuple

import numpy as np
from numpy.polynomial import Polynomial

from reaedp.statistics.moments.ratio import Range
from reaedp.statistics.moments.space import Reals

#: How far roots of shares that are tried lie from the nearest one: ends of ranges are a hundredth too far out at most.
DISTANCES = np.geomspace(1e-12, 1.0, 2_800)
#: Shares are rounded so far: noise is never taken for less.
ROUNDING = 1e-15


class NoisyShare(NamedTuple):
    """An estimated share, and the variance and third cumulant of its noise by the root of the true share.

    The variance is larger by `hidden` for each unit by which the share exceeds the estimate. The third cumulant has two
    parts: one of noise of first and second order together, one of second order alone.
    """

    estimate: float
    variance: Polynomial
    hidden: float
    mixed: Polynomial
    alone: float

    def consistent(self, deviations: float) -> Range:
        """The smallest and the largest share by which the estimate is within so many of its deviations.

        Estimates lean upwards, the more the smaller the share is against its noise. Downwards they are taken to go
        farther than they do where noise of second order prevails: it ends there, but beside it may be other noise.
        """
        nearest = math.sqrt(min(max(self.estimate, 0.0), 1.0))
        roots = np.clip(np.concatenate([nearest - DISTANCES[::-1], [nearest], nearest + DISTANCES]), 0.0, 1.0)
        variance = self.variance(roots) + self.hidden * np.maximum(roots**2 - nearest**2, 0.0)
        deviation = np.sqrt(np.maximum(variance, ROUNDING**2))
        mixed, alone = self.mixed(roots) / deviation**3, self.alone / deviation**3
        off = (self.estimate - roots**2) / deviation
        inside = (leaning(-deviations, mixed) <= off) & (off <= leaning(deviations, mixed + alone))
        inside[len(DISTANCES)] = True
        held = np.flatnonzero(inside)
        low, high = roots[max(held[0] - 1, 0)], roots[min(held[-1] + 1, len(roots) - 1)]
        return Range(nearest**2, float(low**2), float(high**2))


def leaning(deviations: float, skewness: Reals) -> Reals:
    """How far the gamma law of this skewness goes where the normal law goes so many deviations (Wilson, Hilferty 1931).

    It never goes below -2/skewness, where gamma laws begin.
    """
    step = deviations / 6 - skewness / 36
    found: Reals = 2 * step * (3 + 3 * skewness * step + (skewness * step) ** 2)
    return np.where(skewness * step > -1, found, -2 / np.maximum(skewness, 1.0))
