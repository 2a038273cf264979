"""Intervals of a share by testing every value that it could have.

A share θ = N/D of two weighted sums of parts is the root of T(θ) = N - θD. The noise in T(θ) is known for each θ, so
the values at which the released T(θ) is no larger than its noise are exactly as sure as that noise (Fieller 1954).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from reaedp.statistics.summary.reach import Floats

#: Values of a share at which the noise is computed; in between it is interpolated, which is a little too much.
GRID = np.linspace(0.0, 1.0, 513)
#: Halvings of an interval: more than a double has digits.
HALVINGS = 60


class Ends(NamedTuple):
    """Lower and upper ends, one each for every group, and whether they say anything."""

    low: Floats
    high: Floats
    known: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def share(numerator: Floats, denominator: Floats) -> Floats:
    """The quotient, within 0 and 1; in the middle where nothing is left to divide by."""
    positive = denominator > 0
    quotient = np.divide(numerator, denominator, out=np.full(np.shape(numerator), 0.5), where=positive)
    found: Floats = np.clip(quotient, 0.0, 1.0)
    return found


def share_interval(numerator: Floats, denominator: Floats, reached: Callable[[Floats], Floats]) -> Ends:
    """All shares from 0 to 1 that the noise allows; `reached` says how far it goes in T(θ), for many θ.

    It may give a row for each group. Where the denominator grows faster with θ than the noise does, the ends are roots
    of a monotone function. Elsewhere the ends of all values on a grid that are allowed are taken, and one step more.
    """
    noise = np.broadcast_to(reached(GRID), (len(numerator), len(GRID)))
    steepest = np.abs(np.diff(noise, axis=1)).max(axis=1) * (len(GRID) - 1)
    sure = denominator > steepest
    low, high = _hull(numerator, denominator, noise)
    estimate = share(numerator, denominator)
    roots = [_root(numerator, denominator, noise, estimate, side) for side in (-1.0, 1.0)]
    low, high = np.where(sure, roots[0], low), np.where(sure, roots[1], high)
    return Ends(low, high, (low > 0.0) | (high < 1.0))


def _root(numerator: Floats, denominator: Floats, noise: Floats, start: Floats, side: float) -> Floats:
    """The last share on one side that is allowed."""
    inside, outside = start.copy(), np.full(len(start), 0.0 if side < 0 else 1.0)
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        allowed = side * (middle * denominator - numerator) <= _between(middle, noise)
        inside, outside = np.where(allowed, middle, inside), np.where(allowed, outside, middle)
    last = np.full(len(start), 0.0 if side < 0 else 1.0)
    whole = side * (last * denominator - numerator) <= _between(last, noise)
    return np.where(whole, last, inside)


def _between(places: Floats, noise: Floats) -> Floats:
    """The noise at one share for each group."""
    left = np.minimum((places * (len(GRID) - 1)).astype(np.intp), len(GRID) - 2)
    rows, part = np.arange(len(places)), places * (len(GRID) - 1) - left
    found: Floats = noise[rows, left] * (1 - part) + noise[rows, left + 1] * part
    return found


def _hull(numerator: Floats, denominator: Floats, noise: Floats) -> tuple[Floats, Floats]:
    allowed = np.abs(numerator[:, None] - GRID * denominator[:, None]) <= noise
    some = allowed.any(axis=1)
    first = np.where(some, allowed.argmax(axis=1), 1)
    last = np.where(some, len(GRID) - 1 - allowed[:, ::-1].argmax(axis=1), len(GRID) - 2)
    return GRID[np.maximum(first - 1, 0)], GRID[np.minimum(last + 1, len(GRID) - 1)]
