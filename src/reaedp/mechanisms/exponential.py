"""Quantiles by the exponential mechanism: a place for each, the one in the middle first, and then on either side of it.

Places are chosen by exact integers. No floating-point number is computed from rows.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from reaedp.answer import Chosen, Integers, Ordered, Shape, Words
from reaedp.mechanisms.laplace import Laplace, at_least
from reaedp.mechanisms.noise import Noise
from reaedp.privacy.loss import Positive, Price, PureDP, exact
from reaedp.privacy.unit import Sensitivity

#: What of ε is spent on the number of rows of each group, so that none is empty in silence.
FOR_ROWS = Fraction(1, 20)
#: Rows that are spread over the places of their cells at a time.
_AT_ONCE = 1_000_000


class Step(NamedTuple):
    """One choice: which quantile, as which share of the rows that are left, and between which quantiles."""

    place: int
    share: Fraction
    low: int
    high: int

    @property
    def reach(self) -> int:
        """How far one row moves the score of a place, which is counted in parts of a row."""
        return max(self.share.numerator, self.share.denominator - self.share.numerator)

    @property
    def width(self) -> Fraction:
        """What of a row one score and another may move apart."""
        return Fraction(2 * self.reach, self.share.denominator)


@cache
def steps(at: tuple[Fraction, ...]) -> tuple[tuple[Step, ...], ...]:
    """The choices, level by level; those of one level are made among different rows."""
    levels: list[tuple[Step, ...]] = []
    ends = (Fraction(0), *at, Fraction(1))
    open_ranges = [(0, len(at))]
    while open_ranges:
        levels.append(tuple(_step(ends, low, high) for low, high in open_ranges))
        halves = [half for step in levels[-1] for half in ((step.low, step.place), (step.place + 1, step.high))]
        open_ranges = [half for half in halves if half[0] < half[1]]
    return tuple(levels)


def _step(ends: tuple[Fraction, ...], low: int, high: int) -> Step:
    middle = (low + high) // 2
    first, wanted, last = ends[low], ends[middle + 1], ends[high + 1]
    return Step(middle, (wanted - first) / (last - first), low, high)


def scores(counts: Any, share: Fraction) -> Any:
    """How far the wanted rank is from the rows of each place: 0 where they include it, in parts of a row below."""
    a, b = share.numerator, share.denominator
    until = np.cumsum(counts)
    wanted = a * (until[-1] if len(until) else 0)
    return -np.maximum(0, np.maximum(b * (until - counts) - wanted, wanted - b * until))


@dataclass(frozen=True, slots=True)
class Exponential(Positive):
    """Chooses a value with probability proportional to exp(-rank error / scale); adds noise to the numbers of rows.

    >>> round(Exponential(1.0).scale(counting), 3)
    1.053
    """

    name: ClassVar[str] = "exponential mechanism"
    hides: ClassVar[Shape] = "ordered"

    epsilon: float

    def scale(self, sensitivity: Sensitivity) -> float:
        """The scale of a single median, in rows."""
        return _least_scale(sensitivity.l1, self.epsilon, 1 - FOR_ROWS)

    def rows_scale(self, sensitivity: Sensitivity) -> float:
        """The scale of the Laplace noise on numbers of rows."""
        return _least_scale(sensitivity.l1, self.epsilon, FOR_ROWS)

    def step_scale(self, sensitivity: Sensitivity, step: Step, levels: int) -> float:
        """The scale of one choice, a `step` on one of `levels` levels, in units of its score."""
        return _least_scale(2 * step.reach * sensitivity.l1, self.epsilon, (1 - FOR_ROWS) / levels)

    def price(self, sensitivity: Sensitivity) -> Price:  # noqa: ARG002
        """ε, whatever is chosen (see PROOFS.md)."""
        return (PureDP(self.epsilon),)

    def apply(self, exact: Ordered, sensitivity: Sensitivity, noise: Noise) -> Chosen:
        """Noisy numbers of rows, and a place for each rank in each group."""
        rows = noise.laplace(exact.counts.sum(axis=1), self.rows_scale(sensitivity))

        def choose(counts: Integers, step: Step, levels: int) -> int:
            return noise.choose(scores(counts, step.share), self.step_scale(sensitivity, step, levels))

        places = [descend(spread(group, exact.parts, noise.words), exact.at, choose) for group in exact.counts]
        return Chosen(rows, np.array(places, dtype=np.int64).reshape(len(rows), len(exact.at)))

    def mean_error(self, sensitivity: Sensitivity) -> float:
        """The mean error of a median chosen alone among places of one row each, in rows."""
        return self._alone(sensitivity).mean_error(sensitivity)

    def error_quantile(self, sensitivity: Sensitivity, confidence: float, cells: int = 1) -> int:
        """The error quantile of medians chosen alone among places of one row each, in rows."""
        return self._alone(sensitivity).error_quantile(sensitivity, confidence, cells)

    def _alone(self, sensitivity: Sensitivity) -> Laplace:
        """Such a choice misses by the law of Laplace noise."""
        return Laplace(sensitivity.l1 / self.scale(sensitivity))


@cache
def _least_scale(width: int, epsilon: float, part: Fraction) -> float:
    """The least double at which numbers that move apart by this much cost this part of ε."""
    return at_least(width / (exact(epsilon) * part))


def descend(counts: Integers, at: tuple[Fraction, ...], choose: Callable[[Integers, Step, int], int]) -> list[int]:
    """The places of all ranks: rows up to a chosen place are those of the ranks below it, the others of those above."""
    chosen = [0] * len(at)
    for step, levels, first, last in walk(chosen, at, len(counts)):
        rows = counts[first:last] if first < last else np.zeros(1, dtype=np.int64)
        chosen[step.place] = min(first, last - 1) + choose(rows, step, levels)
    return chosen


def walk(chosen: list[int], at: tuple[Fraction, ...], size: int) -> Iterator[tuple[Step, int, int, int]]:
    """Each choice with the number of levels and the places that are open to it, by what was chosen before.

    Where none is left between two places, only the second of them is, and has no rows.
    """
    levels = steps(at)
    for level in levels:
        for step in level:
            first = chosen[step.low - 1] + 1 if step.low > 0 else 0
            last = chosen[step.high] + 1 if step.high < len(at) else size
            yield step, len(levels), first, last


def spread(counts: Integers, parts: Integers, words: Callable[[int], Words]) -> Integers:
    """Every row at one of the places of its cell, each as likely as the others, whatever the other rows are.

    Numbers of places are powers of two, so that the first bits of a word are a place.
    """
    starts = np.cumsum(parts) - parts
    if int(parts.max(initial=1)) == 1:
        return counts
    found = np.zeros(int(parts.sum()), dtype=np.int64)
    ends = np.cumsum(counts)
    total = int(ends[-1])
    for begin in range(0, total, _AT_ONCE):
        cells = np.searchsorted(ends, np.arange(begin, min(begin + _AT_ONCE, total)), side="right")
        some = words(len(cells)) >> np.uint64(32)
        inside = (some * parts[cells].astype(np.uint64)) >> np.uint64(32)
        found += np.bincount(starts[cells] + inside.astype(np.int64), minlength=len(found))
    return found
