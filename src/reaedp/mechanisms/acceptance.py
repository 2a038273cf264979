"""The privacy test of mechanism F: how likely a candidate with a given number of plausible seeds passes.

Probabilities are whole multiples of 2^-64, so that the test that runs is the one whose guarantee was computed.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Words
from reaedp.errors import DeclarationError, sentence
from reaedp.privacy.conversion import SLACK
from reaedp.privacy.loss import positive

#: The number of steps in which a probability is measured.
UNITS = 1 << 64
#: Longer tables mean that more plausible seeds are asked for than any data set offers.
MOST_COUNTS = 2_000_000
#: The rounding of e^ε is covered for ε below this.
MOST_EPSILON = 500.0


@dataclass(frozen=True, slots=True)
class PrivacyTest:
    """`chances[c]` of 2^64 is the probability to pass with c plausible seeds; with as many as it is long, certainty.

    The chances never fall, and without a plausible seed nothing passes.
    """

    chances: tuple[int, ...]
    _limits: NDArray[np.uint64] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        refuse_long_tables(len(self.chances))
        rising = all(low <= high for low, high in pairwise(self.chances))
        if not rising or self.chances[:1] != (0,) or self.chances[-1] >= UNITS:
            rule = (
                "Acceptance probabilities must start at 0, never decrease, and stay below 2^64 until they are certain"
            )
            raise DeclarationError(sentence(rule, given=(*self.chances[:2], "…", *self.chances[-1:])))
        object.__setattr__(self, "_limits", np.array([*self.chances, UNITS - 1], dtype=np.uint64))

    @property
    def certain(self) -> int:
        """The least number of plausible seeds that always passes."""
        return len(self.chances)

    @property
    def half(self) -> int:
        """The least number of plausible seeds that passes at least every other time."""
        return int(np.searchsorted(self._limits, np.uint64(UNITS // 2)))

    def passes(self, counts: Integers, words: Words) -> NDArray[np.bool_]:
        """Independent tests, one for each count, each with one word."""
        known = np.minimum(counts, self.certain)
        passed: NDArray[np.bool_] = (words < self._limits[known]) | (known == self.certain)
        return passed

    def rate(self, counts: Integers) -> NDArray[np.float64]:
        """The probability to pass, for each number of plausible seeds."""
        known = np.minimum(counts, self.certain)
        return np.where(known == self.certain, 1.0, np.ldexp(self._limits[known].astype(np.float64), -64))

    def chance(self, count: int) -> Fraction:
        """The probability to pass with this number of plausible seeds, exactly."""
        return Fraction(self.chances[count], UNITS) if count < self.certain else Fraction(1)

    def excess(self, epsilon: float, gamma: float, smallest: int) -> Fraction:
        """The δ of one trial at ε, when a seed joins `smallest` or more others, rounded up.

        With c plausible seeds of total probability σ and a new one of probability 1, what passes exceeds e^ε times what
        passed by pt(c+1) (σ + 1) - e^ε pt(c) σ. A seed is drawn once in n + 1 times, and n is at least c.
        """
        return _excess(self, epsilon, gamma, smallest)


@lru_cache(maxsize=64)
def _excess(test: PrivacyTest, epsilon: float, gamma: float, smallest: int) -> Fraction:
    """In whole numbers, with e^ε rounded down; beyond the certain count the excess only falls."""
    (times, per), (light, one, heavy) = at_most_growth(epsilon).as_integer_ratio(), _weights(gamma)
    most, seeds = 0, 1
    for count, (here, more) in enumerate(pairwise((*test.chances, UNITS, UNITS))):
        before, after = times * here, per * more
        others = count * (light if after <= before else heavy)
        excess = after * (others + one) - before * others
        needed = count + 1 if count > smallest else smallest + 1
        if excess * seeds > most * needed:
            most, seeds = excess, needed
    return Fraction(most, seeds * UNITS * one * per)


def _weights(gamma: float) -> tuple[int, int, int]:
    """1/γ, 1 and γ as whole numbers in the same proportion: how likely a plausible seed is beside a new one.

    The excess is linear in the total of the plausible seeds, so that only the lightest and the heaviest matter.
    """
    over, under = Fraction(gamma).as_integer_ratio()
    return under * under, over * under, over * over


def at_most_growth(epsilon: float) -> Fraction:
    """A rational number not above e^ε, and not below one."""
    return max(Fraction(1), Fraction(math.exp(positive("epsilon", epsilon, below=MOST_EPSILON)) * (1 - SLACK)))


def optimal(epsilon: float, excess: Fraction, gamma: float, smallest: int) -> PrivacyTest:
    """The test that passes most at every count among those with at most this excess; no k, t or noise.

    With c plausible seeds of total σ, pt(c+1) = (a + e^ε σ pt(c)) / (σ + 1), where a = excess · (max(smallest, c) + 1),
    rounded down, for the worse of σ = c/γ and σ = cγ.
    """
    (times, per), (light, one, heavy) = at_most_growth(epsilon).as_integer_ratio(), _weights(gamma)
    share, of = (excess * UNITS).as_integer_ratio()
    first = share * (smallest + 1) // of
    if first * (times - per) < per:
        rule = "delta × tau is too small: no number of plausible seeds would pass the test"
        raise DeclarationError(sentence(rule, given={"delta of one trial": float(excess), "epsilon": epsilon}))
    chances, chance = [0], first
    while chance < UNITS:
        chances.append(chance)
        count = len(chances) - 1
        refuse_long_tables(count)
        before, allowed = times * chance, per * (first if count <= smallest else share * (count + 1) // of)
        others = count * (light if allowed <= before else heavy)
        chance = (allowed * one + before * others) // (per * (others + one))
    return PrivacyTest(tuple(chances))


def refuse_long_tables(count: int) -> None:
    """Say what is wrong instead of counting for minutes."""
    if count > MOST_COUNTS:
        rule = f"The test must accept with certainty at {MOST_COUNTS:,} plausible seeds or fewer"
        raise DeclarationError(
            sentence(rule, given=f"more than {count - 1:,}", remedy="Raise epsilon, or lower gamma.")
        )
