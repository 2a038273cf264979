"""Curves known at some times of their own, brought to a common grid.

Times are integers and each result is made by a few operations on the numbers of its own curve alone, so that it is the
same to the last bit whichever other curves are brought along.
"""

import numpy as np
from numpy.typing import NDArray

from reaedp.contract.curve import TICKS
from reaedp.curves.bases import Reals

Places = NDArray[np.int64]


def interpolated(owners: Places, ticks: Places, values: Reals, curves: int, grid: Places) -> Reals:
    """Point i lies on curve `owners[i]`; the result has a row for each time of the grid, a column for each curve.

    Straight between points, constant beyond the first and the last, zero where a curve has no points.
    """
    order = np.lexsort((values, ticks, owners))
    keys, numbers = (owners * (2 * TICKS) + ticks)[order], values[order]
    ends = np.searchsorted(owners[order], np.arange(curves), side="right")
    starts = np.append(0, ends[:-1])
    wanted = grid[:, None] + np.arange(curves) * (2 * TICKS)
    before = np.searchsorted(keys, wanted, side="right") - 1
    last = np.maximum(ends - 1, starts)
    left, right = np.maximum(before, starts), np.minimum(np.maximum(before + 1, starts), last)
    known = ends > starts
    if not known.any():
        return np.zeros(wanted.shape)
    left, right = np.where(known, left, 0), np.where(known, right, 0)
    width = keys[right] - keys[left]
    share = (wanted - keys[left]) / np.where(width == 0, 1, width)
    between = numbers[left] + np.where(width == 0, 0.0, share) * (numbers[right] - numbers[left])
    return np.where(known, between, 0.0)
