"""The binomial law: tails, and the chance at which a tail has a given probability.

SciPy has both, and takes longer to import than most audits of a histogram take. Relative errors of tails are below
1e-8 for up to a million trials, which the tests hold against SciPy; nothing here is rounded one way.
"""

import math
from functools import lru_cache

from reaedp.privacy.normal import quantile as normal_quantile

#: A continued fraction ends when a term changes it by less than this share, or after so many terms.
_LEAST, _TERMS = 1e-15, 100_000
#: In place of a divisor that is zero.
_TINY = 1e-300
#: Steps towards a chance; each at least halves the range in which it lies. One that is smaller than this share of the
#: chance is the last: each of Newton's steps is about the square of the one before.
_STEPS, _LAST_STEP = 200, 1e-9


def tail(least: int, trials: int, chance: float) -> float:
    """The probability of at least so many successes."""
    if least <= 0:
        return 1.0
    if least > trials or chance <= 0:
        return 0.0
    return 1.0 if chance >= 1 else _beta_law(least, trials - least + 1, chance)


def quantile(share: float, trials: int, chance: float) -> int:
    """The least number of successes that is not exceeded with at least this probability."""
    low, high = -1, trials
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if 1 - tail(middle + 1, trials, chance) >= share else (middle, high)
    return high


@lru_cache(maxsize=1024)
def chance_of(successes: int, trials: int, probability: float) -> float:
    """The chance at which so many successes or more have this probability; between 0 and 1, for one success or more.

    Newton's method, kept within the range in which the chance is known to lie.
    """
    a, b = successes, trials - successes + 1
    low, high, here = 0.0, 1.0, _guess(successes, trials, probability)
    for _ in range(_STEPS):
        off = _beta_law(a, b, here) - probability
        low, high = (low, here) if off > 0 else (here, high)
        slope = math.exp(_log_height(a, b, here)) / (here * (1 - here))
        step = off / slope if slope > 0 else math.nan
        if abs(step) <= _LAST_STEP * here:
            return here - step
        here = here - step if low < here - step < high else (low + high) / 2
        if not low < here < high:
            break
    return here


def _guess(successes: int, trials: int, probability: float) -> float:
    """Where the chance would be if the law were normal, and no closer to an end than the share that was seen."""
    seen = successes / (trials + 1)
    off = normal_quantile(probability) * math.sqrt(seen * (1 - seen) / trials)
    return min(max(seen + off, seen / 2), (1 + seen) / 2)


def _log_height(a: int, b: int, x: float) -> float:
    """The logarithm of xᵃ (1 - x)ᵇ over the beta function of a and b."""
    return a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)


def _beta_law(a: int, b: int, x: float) -> float:
    """The regularised incomplete beta function, from the side on which its fraction converges fast (DLMF 8.17.22)."""
    height = math.exp(_log_height(a, b, x))
    if x * (a + b + 2) < a + 1:
        return height / a * _fraction(a, b, x)
    return 1 - height / b * _fraction(b, a, 1 - x)


def _fraction(a: int, b: int, x: float) -> float:
    """1 / (1 + d₁ / (1 + d₂ / …)), by the method of Lentz."""
    above, below = 1.0, 1 / _apart(1 - (a + b) * x / (a + 1))
    found = below
    for k in range(1, _TERMS):
        even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k))
        odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1))
        below = 1 / _apart(1 + even * below)
        above = _apart(1 + even / above)
        found *= above * below
        below = 1 / _apart(1 + odd * below)
        above = _apart(1 + odd / above)
        change = above * below
        found *= change
        if abs(change - 1) < _LEAST:
            break
    return found


def _apart(divisor: float) -> float:
    return divisor if abs(divisor) > _TINY else _TINY
