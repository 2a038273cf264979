"""Released quantiles beside the true ones, and the ranks by which they miss; for the custodian."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.evaluation.finished import Finished
from reaedp.statistics.quantiles.distribution import Distribution

Floats = NDArray[np.float64]


def true_values(release: Finished) -> NDArray[Any]:
    """The quantiles of the true counts, or their distribution function, in the order of the file."""
    statistic: Any = release.statistic
    true = _true(release)
    if not statistic.at:
        running = true.running()
        return np.asarray((running[:, 1:] / np.maximum(running[:, -1:], 1.0)).ravel())
    return np.asarray(true.values_at(statistic.at))


def missed_ranks(release: Finished) -> Floats:
    """By how many rows each released quantile misses its rank; none where rows that share its value include it."""
    statistic: Any = release.statistic
    true, column = _true(release), release.contract.column(statistic.of)
    running = true.running()
    released = np.asarray(release.released()["value"])
    assert column.ends is not None
    low, high = column.ends
    found = released.astype(low.dtype) if low.dtype.kind == "M" else released
    cells = np.clip(np.searchsorted(low, found, side="right") - 1, 0, column.regular - 1)
    groups = np.repeat(np.arange(len(running)), len(statistic.at))
    before, after = running[groups, cells], running[groups, cells + 1]
    if low.dtype.kind == "f":
        inside = (found - low[cells]) / (high[cells] - low[cells])
        before = after = before + (after - before) * inside
    wanted = np.tile(np.array(statistic.at), len(running)) * running[groups, -1]
    return np.asarray(np.maximum(0.0, np.maximum(before - wanted, wanted - after)), dtype=np.float64)


def _true(release: Finished) -> Distribution:
    statistic: Any = release.statistic
    return Distribution(statistic.axes(release.contract), statistic.counted(release.truth))
