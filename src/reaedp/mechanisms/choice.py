"""Exact choices among many scores, of which many are equal, by integer arithmetic alone.

Places with one score share a class, whose weight is their number times exp(-distance/scale), its distance being how far
the score is below the best. A class is found by inversion: for a uniform real number u, the first class up to which
weights sum to more than u times all of them. Its places are equally likely.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import accumulate

import numpy as np

from reaedp.answer import Integers, Words
from reaedp.mechanisms.inversion import Bounds, exponential, product

#: Scores, from so many on, for which a choice by classes takes less time than noise on each of them.
MANY = 4_096
#: Bits that are computed beyond those that are compared.
_GUARD = 128


def pays(scores: Integers) -> bool:
    """Whether there are many scores, whose distances can be told in 64 bits."""
    return len(scores) >= MANY and int(scores.max()) - int(scores.min()) < 2**63


def chosen(scores: Integers, scale: float, words: Callable[[int], Words]) -> int:
    """A place, with probability proportional to exp(score / scale), made of random words."""
    distances = scores.max() - scores
    value, bits = int(words(1)[0]), 64
    while True:
        # Beyond this, a class has no weight that these bits could tell from none.
        reach = Fraction(scale) * (bits + _GUARD)
        near = np.flatnonzero(distances <= min(int(reach), np.iinfo(np.int64).max))
        classes, place, counts = np.unique(distances[near], return_inverse=True, return_counts=True)
        found = _class(value, bits, weighed(classes, counts, len(scores) - len(near), scale, bits + _GUARD))
        if found is not None:
            members = near[place.ravel() == found]
            return int(members[below(len(members), words)])
        value, bits = value << 64 | int(words(1)[0]), bits + 64


def weighed(classes: Integers, counts: Integers, others: int, scale: float, bits: int) -> list[Bounds]:
    """Bounds of the sums of weights up to each class, then up to the `others`, which are farther; in units of 2^-bits.

    The others are more than `bits` scales away: each weighs less than exp(-bits), so less than a unit.
    """

    @cache
    def factor(gap: int) -> Bounds:
        return exponential(-Fraction(gap) / Fraction(scale), bits) if gap else (1 << bits, 1 << bits)

    gaps = np.diff(classes, prepend=0).tolist()
    powers = accumulate(map(factor, gaps), lambda one, other: product(one, other, bits))
    weights = [(count * low, count * high) for count, (low, high) in zip(counts.tolist(), powers, strict=True)]
    return list(accumulate([*weights, (0, others)], lambda one, other: (one[0] + other[0], one[1] + other[1])))


def _class(value: int, bits: int, sums: list[Bounds]) -> int | None:
    """The class to which all numbers that begin with these bits lead; none where they do not lead to one class."""
    low, high = sums[-1]
    first = next(place for place, (_, most) in enumerate(sums) if (most << bits) > value * low)
    sure = (sums[first][0] << bits) >= (value + 1) * high
    return first if sure and first < len(sums) - 1 else None


def below(count: int, words: Callable[[int], Words]) -> int:
    """A whole number from 0 on that is smaller than `count`, each as likely as the others."""
    bits = (count - 1).bit_length()
    while True:
        found = int(words(1)[0]) >> (64 - bits) if bits else 0
        if found < count:
            return found
