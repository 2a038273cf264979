"""Differences and ratios of two groups' figures, with intervals: post-processing of released numbers."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from reaedp.frames.number import about
from reaedp.statistics.summary.figures import Figure

UNKNOWN = "not known"


@dataclass(frozen=True, slots=True)
class Compared:
    """A number with its interval; `known` says whether the interval tells anything."""

    value: float
    low: float
    high: float
    known: bool

    def __str__(self) -> str:
        return f"{about(self.value, 4)} ({about(self.low, 4)} to {about(self.high, 4)})" if self.known else UNKNOWN


@dataclass(frozen=True, slots=True)
class Comparison:
    """The first group's figure less the second's, and divided by it.

    >>> release = curator.release(Summary(of="age", by="sex"), Laplace(1.0))
    >>> release.compare("mean", sex=("f", "m")).difference.known
    True
    """

    difference: Compared
    ratio: Compared

    def __str__(self) -> str:
        return f"difference {self.difference}, ratio {self.ratio}"


_NO_RATIO = Compared(math.nan, -math.inf, math.inf, known=False)


def compared(figure: Figure, places: tuple[int, int], *, dated: bool = False) -> Comparison:
    """Both from the intervals of the two groups, whose noise is independent (Zou and Donner 2008).

    Dates have differences, in days, but no ratios.
    """
    (one, other), known = places, bool(figure.known[list(places)].all())
    first = tuple(float(ends[one]) for ends in (figure.values, figure.low, figure.high))
    second = tuple(float(ends[other]) for ends in (figure.values, figure.low, figure.high))
    ratio = _NO_RATIO if dated else _ratio(first, second, known)
    return Comparison(_difference(first, second, known), ratio)


def _difference(first: tuple[float, ...], second: tuple[float, ...], known: bool) -> Compared:
    """The distances from each estimate to the end that matters, as the sides of a right triangle."""
    value = first[0] - second[0]
    low = value - math.hypot(first[0] - first[1], second[2] - second[0])
    high = value + math.hypot(first[2] - first[0], second[0] - second[1])
    return Compared(value, low, high, known)


def _ratio(first: tuple[float, ...], second: tuple[float, ...], known: bool) -> Compared:
    """Ratios θ at which the difference of the first and θ times the second may be zero; second figures above zero."""
    if second[1] <= 0 or first[1] < 0:
        value = first[0] / second[0] if second[0] else math.nan
        return Compared(value, -math.inf, math.inf, known=False)
    value = first[0] / second[0]

    def apart(theta: float) -> float:
        """Positive where θ lies outside: |a - θb| against the reach of both on that side."""
        ends = (first[1], second[2]) if theta < value else (first[2], second[1])
        return abs(first[0] - theta * second[0]) - math.hypot(ends[0] - first[0], theta * (ends[1] - second[0]))

    low = _crossing(apart, value, first[1] / second[2] / 2)
    high = _crossing(apart, value, 2 * first[2] / second[1])
    return Compared(value, low, high, known)


def _crossing(apart: Callable[[float], float], inside: float, outside: float) -> float:
    """Where a function becomes positive on the way from one number to another."""
    if apart(outside) <= 0:
        return outside
    for _ in range(60):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if apart(middle) <= 0 else (inside, middle)
    return inside
