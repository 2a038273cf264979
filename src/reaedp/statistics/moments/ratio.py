"""The ratio of two numbers that have normal noise: which values are consistent with what was released."""

import math
from typing import NamedTuple


class Range(NamedTuple):
    """An estimate and what it may be."""

    value: float
    low: float
    high: float


class Noisy(NamedTuple):
    """A noisy numerator and denominator, and the variances and the covariance of their noise."""

    numerator: float
    denominator: float
    variances: tuple[float, float]
    covariance: float


def ratio(parts: Noisy, deviations: float) -> Range | None:
    """All m for which numerator - m·denominator lies within so many deviations of zero (Fieller 1954).

    At the true ratio that difference is noise alone, so that the range covers as often as the noise is within so many
    deviations. Nothing if the denominator may be zero: then no range is bounded.
    """
    top, bottom, (above, below), both = parts
    squared = deviations**2
    bend = bottom**2 - squared * below
    if bottom <= 0 or bend <= 0:
        return None
    middle = top * bottom - squared * both
    root = math.sqrt(max(middle**2 - bend * (top**2 - squared * above), 0.0))
    return Range(top / bottom, (middle - root) / bend, (middle + root) / bend)
