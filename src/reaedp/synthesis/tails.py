"""Tails: beyond the cells that surely hold rows, rows become rarer at a rate that the noisy counts themselves show.

Without a shape, the noise of hundreds of empty cells is taken for rows far from all others. Everything here is computed
from a noisy table of the column alone.
"""

import math

import numpy as np
from numpy.typing import NDArray

from reaedp.synthesis.merging import Floats

#: Deviations by which rows near the occupied cells must stand out to be spread over a tail.
_TOLD = 2.0
#: Neighbouring full cells, fewer than which are a peak of their own and tell nothing of the cells beside them.
_TOGETHER = 4
#: Halvings until the rate of a tail is known well enough.
_HALVINGS = 50


def occupied(noisy: Floats, scale: float) -> NDArray[np.bool_]:
    """Cells in some run of 1, 2, 4, … neighbours whose sum stands out from the noise among all such runs.

    In longer runs only cells count that no shorter one has shown to be occupied.
    """
    cells = len(noisy)
    found = np.zeros(cells, dtype=bool)
    sizes = [1 << power for power in range(max(1, cells.bit_length() - 2))]
    far = scale * math.sqrt(2 * math.log(2 + cells * len(sizes)))
    for size in sizes:
        sums = np.concatenate([[0.0], np.cumsum(np.where(found, 0.0, noisy))])
        left = np.concatenate([[0], np.cumsum(~found)])
        others = left[size:] - left[:-size]
        starts = np.flatnonzero((sums[size:] - sums[:-size] > far * np.sqrt(others)) & (others > 0))
        marks = np.zeros(cells + 1)
        np.add.at(marks, starts, 1)
        np.add.at(marks, starts + size, -1)
        found |= np.cumsum(marks)[:-1] > 0
    return found


def tapered(rows: Floats, noisy: Floats, scale: float, full: NDArray[np.bool_]) -> Floats:
    """Rows of cells that are not `full`: those that stand out near full ones, falling with the distance.

    Each gap between full cells has a rate of its own, at which its rows add up to their noisy number; they begin as
    high as the full cell beside them, or, where few full cells stand alone, as the first cell of the gap.
    """
    nearest = _nearest(full)
    places = np.arange(len(rows))
    distance = np.abs(places - nearest)
    beside = np.where(_alone(full)[nearest], nearest + np.sign(places - nearest), nearest)
    start = np.maximum(rows[beside], scale)
    tail = np.where(full, rows, 0.0)
    ends = np.flatnonzero(np.diff(full.astype(np.int8), prepend=1, append=1))
    for first, beyond in ends.reshape(-1, 2).tolist():
        gap = slice(first, beyond)
        number = _number(noisy[gap], distance[gap], scale)
        if number > 0:
            tail[gap] = _falling(start[gap], distance[gap], number)
    return tail


def _alone(full: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Full cells with few full ones around them."""
    ends = np.flatnonzero(np.diff(full.astype(np.int8), prepend=0, append=0)).reshape(-1, 2)
    alone = np.zeros(len(full), dtype=bool)
    for first, beyond in ends[np.diff(ends).ravel() < _TOGETHER].tolist():
        alone[first:beyond] = True
    return alone


def _nearest(full: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The place of the full cell that is nearest to each cell."""
    places, known = np.arange(len(full)), np.flatnonzero(full)
    right = np.minimum(np.searchsorted(known, places), len(known) - 1)
    left = np.maximum(right - 1, 0)
    closer = np.abs(known[left] - places) <= np.abs(known[right] - places)
    return np.where(closer, known[left], known[right])


def _number(noisy: Floats, distance: NDArray[np.intp], scale: float) -> float:
    """The noisy number of rows within the distance at which it stands out most; none if it stands out nowhere."""
    order = np.argsort(distance, kind="stable")
    sums = np.cumsum(noisy[order])
    last = np.flatnonzero(np.diff(distance[order], append=-1))  # all cells of one distance together
    above = sums[last] - _TOLD * scale * np.sqrt(last + 1.0)
    best = int(np.argmax(above)) if len(above) else 0
    return float(sums[last][best]) if len(above) and above[best] > 0 else 0.0


def _falling(start: Floats, distance: NDArray[np.intp], number: float) -> Floats:
    """The start times rate^distance, for the rate at which the sum is the number; even beyond what any rate reaches."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        rate = (low + high) / 2
        low, high = (rate, high) if float((start * rate**distance).sum()) < number else (low, rate)
    found: Floats = start * high**distance
    scaled: Floats = found * (number / float(found.sum()))
    return scaled
