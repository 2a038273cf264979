"""The least value of a smooth convex function, by L-BFGS. SciPy has it, and takes longer to import than most fits take.

Directions follow from the last steps and from how the gradient changed in them (Nocedal and Wright 2006, chapter 7).
"""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from reaedp.synthesis.merging import Floats

Function = Callable[[Floats], tuple[float, Floats]]
#: Steps that are remembered. They are small beside what a value of the function takes, and many save steps.
MEMORY = 40
#: A fit ends when values change by less than this share, or when no slope is steeper.
LEAST_CHANGE, LEAST_SLOPE = 1e7 * np.finfo(float).eps, 1e-5
#: A step must win this share of what its first slope promises, and leave no more than that share of the slope.
_WON, _LEFT = 1e-3, 0.9
#: Points that are tried along one direction.
_TRIALS = 10


class Point(NamedTuple):
    """A place with the function's value and gradient there."""

    place: Floats
    value: float
    gradient: Floats


class _Trial(NamedTuple):
    """A point along a direction: how far, the value, and the slope along the direction."""

    step: float
    value: float
    slope: float


class Memory:
    """The last steps with the changes of the gradient, newest last."""

    def __init__(self) -> None:
        self._pairs: deque[tuple[Floats, Floats, float]] = deque(maxlen=MEMORY)

    def __bool__(self) -> bool:
        return bool(self._pairs)

    def remember(self, step: Floats, change: Floats) -> None:
        """A step along which the gradient did not grow says nothing about the curvature."""
        product = float(step @ change)
        if product > np.finfo(float).eps * float(change @ change):
            self._pairs.append((step, change, product))

    def forget(self) -> None:
        """Begin anew."""
        self._pairs.clear()

    def direction(self, gradient: Floats) -> Floats:
        """Down from a gradient, as far as a step of one should go; both loops over the pairs."""
        way, shares = -gradient, []
        for step, change, product in reversed(self._pairs):
            shares.append(float(step @ way) / product)
            way = way - shares[-1] * change
        if self._pairs:
            _, change, product = self._pairs[-1]
            way = way * (product / float(change @ change))
        for (step, change, product), share in zip(self._pairs, reversed(shares), strict=True):
            way = way + (share - float(change @ way) / product) * step
        return way


def least(function: Function, start: Floats, iterations: int) -> Floats:
    """Where the function is about least: after at most so many steps from `start`."""
    here, memory = Point(start, *function(start)), Memory()
    for _ in range(iterations):
        if np.abs(here.gradient).max(initial=0.0) <= LEAST_SLOPE:
            break
        there = _stepped(function, here, memory)
        if there is None and memory:
            memory.forget()
            there = _stepped(function, here, memory)
        if there is None:
            break
        memory.remember(there.place - here.place, there.gradient - here.gradient)
        change, size = here.value - there.value, max(abs(here.value), abs(there.value), 1.0)
        here = there
        if change <= LEAST_CHANGE * size:
            break
    return here.place


def _stepped(function: Function, here: Point, memory: Memory) -> Point | None:
    """A lower point, or None where none is found."""
    way = memory.direction(here.gradient)
    slope = float(way @ here.gradient)
    if not slope < 0:
        return None
    step = 1.0 if memory else min(1.0, 1 / float(np.sqrt(way @ way)))
    low: _Trial = _Trial(0.0, here.value, slope)
    high: _Trial | None = None
    best: Point | None = None
    before = low
    for _ in range(_TRIALS):
        place = here.place + step * way
        value, gradient = function(place)
        tried = _Trial(step, value, float(gradient @ way))
        if not value <= here.value + _WON * step * slope:
            high = tried
        else:
            best = Point(place, value, gradient) if best is None or value < best.value else best
            if abs(tried.slope) <= -_LEFT * slope:
                return Point(place, value, gradient)
            before = low
            low, high = (tried, high) if tried.slope < 0 else (low, tried)
        step = _beyond(before, low) if high is None else _between(low, high)
    return best


def _beyond(before: _Trial, last: _Trial) -> float:
    """Where a line through both slopes reaches zero, but not much nearer than the last trial nor far beyond it."""
    gone = last.step - before.step
    steeper = before.slope - last.slope
    farther = gone * last.slope / steeper if steeper < 0 else np.inf
    return last.step + min(max(farther, 1.1 * gone), 4 * gone)


def _between(low: _Trial, high: _Trial) -> float:
    """Where a cubic with these values and slopes is least, away from both ends; the middle where there is none."""
    width = high.step - low.step
    bend = low.slope + high.slope - 3 * (high.value - low.value) / width
    inside = bend * bend - low.slope * high.slope
    share = 0.5
    if np.isfinite(inside) and inside >= 0:
        root = float(np.sqrt(inside))
        below = high.slope - low.slope + 2 * root
        share = 1 - (high.slope + root - bend) / below if below > 0 else 0.5
    return low.step + min(max(share, 0.1), 0.9) * width
