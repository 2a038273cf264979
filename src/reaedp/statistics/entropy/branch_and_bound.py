"""The maximum of a function over pairs of whole numbers, from bounds over boxes of pairs.

A box is a column (x_low, x_high, y_low, y_high) of an array, both ends included. Boxes whose bound does not
exceed the best value found so far are dropped, the others are halved, until none is left or the effort is spent.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


def upper_maximum(
    bound: Callable[[Integers], Numbers],
    across_x: Callable[[Integers], Flags],
    boxes: Integers,
    *,
    at_least: float,
    effort: int,
) -> float:
    """Never less than the maximum of a function and `at_least`; equal to it unless the effort is spent.

    `bound` is not below the function anywhere in a box, and not above its maximum on a box of one pair.
    `across_x` says which boxes to halve across x rather than y; it decides only the speed. After `effort` boxes
    the largest bound among those left is returned.
    """
    best, examined = at_least, 0
    while boxes.shape[1]:
        best = max(best, float(bound(boxes[[0, 0, 2, 2]]).max()))
        bounds = bound(boxes)
        if examined > effort:
            return max(best, float(bounds.max()))
        examined += boxes.shape[1]
        boxes = boxes[:, bounds > best]
        boxes = _halves(boxes, across_x(boxes))
    return best


def _halves(boxes: Integers, across_x: Flags) -> Integers:
    """Both halves of every box, cut across x where asked and possible, else across y."""
    x_low, x_high, y_low, y_high = boxes
    cut_x = (across_x | (y_low == y_high)) & (x_low < x_high)
    x_middle, y_middle = _middle(x_low, x_high), _middle(y_low, y_high)
    lower = [x_low, np.where(cut_x, x_middle, x_high), y_low, np.where(cut_x, y_high, y_middle)]
    upper = [np.where(cut_x, x_middle + 1, x_low), x_high, np.where(cut_x, y_low, y_middle + 1), y_high]
    return np.concatenate([lower, upper], axis=1)


def _middle(low: Integers, high: Integers) -> Integers:
    """The geometric mean, rounded down and below `high` if possible: what matters is the ratio of the ends."""
    mean: Integers = np.sqrt(low * high.astype(float)).astype(np.int64)
    return np.clip(mean, low, np.maximum(low, high - 1))
