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
