"""What noise alone could have made, decided by released values and by public noise, and by nothing else."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.entropy.information import spread_of_three
from reaedp.statistics.entropy.lattice import COMPUTING_ERROR

#: How often at most something of a release seems to stand out where there is nothing.
FALSE_FINDINGS = 0.05
Frame = Mapping[str, NDArray[Any]]
Doubt = NDArray[np.bool_]


def doubtful_numbers(frame: Frame) -> Doubt:
    """Counts and entropies that cannot be told from nothing.

    Of many cells some stand out by chance: where there are intervals for all at once, they decide.
    """
    return np.asarray(frame["all_low_95" if "all_low_95" in frame else "low_95"]) <= 0


def doubtful_signs(frame: Frame) -> Doubt:
    """Numbers that may be zero, or lie on either side of it, when all intervals are widened to hold together."""
    low, high = widened(frame)
    doubt: Doubt = ~((low > 0) | (high < 0))
    return doubt


def all_alike(frame: Frame) -> bool:
    """Whether one number lies in all intervals, widened to hold together: then no two are known to differ."""
    low, high = widened(frame)
    return bool(low.max(initial=-np.inf) <= high.min(initial=np.inf))


def widened(frame: Frame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ends of 95 % intervals, moved outward so that about 95 % hold of all at once.

    Bonferroni's inequality, with tails like those of Laplace noise; Gaussian tails are shorter.
    """
    value, low, high = (np.asarray(frame[name], dtype=np.float64) for name in ("value", "low_95", "high_95"))
    reach = 1 + np.log(max(len(value), 1)) / -np.log(FALSE_FINDINGS)
    return value - reach * (value - low), value + reach * (high - value)


def doubtful_pairs(frame: Frame, noise: Calibrated, step: float) -> Doubt:
    """Pairs of an entropy map that cannot be told from independent columns; never a column with itself."""
    first, second = (np.asarray(frame[side]) for side in ("first", "second"))
    bits, pairs = np.asarray(frame["bits"], dtype=np.float64), first != second
    single = dict(zip(first[~pairs].tolist(), bits[~pairs].tolist(), strict=True))
    sums = np.array([single[one] + single[other] for one, other in zip(first, second, strict=True)])
    confidence = 1 - FALSE_FINDINGS / max(int(pairs.sum()), 1)  # of all pairs at once
    error = (spread_of_three(noise, confidence) + 1.5) * step + 3 * COMPUTING_ERROR
    doubt: Doubt = pairs & (sums - bits <= error)
    return doubt
