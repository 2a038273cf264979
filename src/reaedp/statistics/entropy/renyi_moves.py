"""How far one record can move a Rényi entropy of finite order above one: a search among a few shapes of histograms.

Below, α is the order, β = α - 1, S = Σ c^α over the counts c, and D(c) = c^α - (c-1)^α. Sums are computed from
logarithms of positive terms, so that neither large orders nor orders close to one lose digits.
"""

from collections.abc import Callable
from functools import lru_cache
from math import expm1

import numpy as np

from reaedp.statistics.entropy.branch_and_bound import Flags, Integers, Numbers, upper_maximum

LogTerm = Callable[[Integers, float], Numbers]

#: Stands for all larger sizes too: a box that ends here carries its bound for unbounded sizes.
ENDLESS = 2**60

#: Logarithms of sizes are below 42. A gain is made of fewer than 16 logarithms of at most 42 α + 8, each correct to a
#: unit in the last place (2^-52), so the logarithm of its ratio is off by less than 2^-48 (42 α + 8).
ROUNDING_ERROR = 2.0**-48


@lru_cache
def largest_replacement(n: int, m: int, order: float, effort: int) -> float:
    """The largest change, in nats and rounded up, when one of n ≥ 2 records moves between m ≥ 2 bins."""
    bins = min(m, n)
    largest_b = -(-(n - 1) // (bins - 1)) if bins > 2 else 1  # with two bins b is n - x, whatever the box says
    gain = upper_maximum(
        lambda boxes: replacement_gain(boxes, n, bins, order),
        lambda boxes: _x_matters_more_than_b(boxes, n, bins, order),
        np.array([[1], [n - 1], [1], [largest_b]]),
        at_least=0.0,
        effort=effort,
    )
    return _rounded_up(gain, order) / (order - 1)


@lru_cache
def largest_addition(n: int, m: int, order: float, increase: float, effort: int) -> float:
    """The larger of `increase` and the largest decrease, in nats and rounded up, when a record joins n or more."""
    bins = min(m, ENDLESS)
    gain = upper_maximum(
        lambda boxes: addition_gain(boxes, bins, order),
        _x_matters_more_than_size,
        np.array([[1], [ENDLESS], [n], [ENDLESS]]),
        at_least=(order - 1) * increase,
        effort=effort,
    )
    return _rounded_up(gain, order) / (order - 1)


def replacement_gain(boxes: Integers, n: int, m: int, order: float) -> Numbers:
    """At least ln(S'/S) when a record moves from a bin with b to a bin with x records, for all (x, b) in each box.

    S' - S = D(x+1) - D(b), and S is least with the other n - x - b records spread evenly.
    """
    x_low, x_high, b_low, b_high = boxes if m > 2 else (boxes[0], boxes[1], n - boxes[1], n - boxes[0])
    evenest_b = np.clip(-((x_high - n) // (m - 1)), b_low, b_high)
    with np.errstate(divide="ignore"):
        spread = _log_even(_log_power, n - x_high - evenest_b, max(m - 2, 1), order)
        log_others = np.logaddexp(_log_power(evenest_b, order), spread)
        log_lost_share = _log_excess_step(b_low, order) - _log_excess_step(x_high + 1, order)
        log_kept_share = np.log1p(-np.exp(np.minimum(log_lost_share, 0)))
        gain = np.logaddexp(0, _log_step_share(x_low, x_high, log_others, order) + log_kept_share)
    return np.where(x_low + b_low <= n, gain, 0)


def addition_gain(boxes: Integers, m: int, order: float) -> Numbers:
    """At least ln(S'/S) - α ln(1 + 1/N) when a record joins x others among N, for all (x, N) in each box.

    It is the logarithm of 1 + [N (D(x+1) - 1) - (S - N)] / ((N+1) S), less β ln(1 + 1/N).
    """
    x_low, x_high, n_low, n_high = boxes
    inverse = np.where(n_high < ENDLESS, 1 / n_high, 0.0)
    rest = np.maximum(n_low - x_high, 0)
    with np.errstate(divide="ignore"):
        log_others = _log_even(_log_power, rest, m - 1, order)
        log_total = np.logaddexp(_log_power(x_low, order), log_others)
        log_excess = np.logaddexp(_log_excess(x_low, order), _log_even(_log_excess, rest, m - 1, order))
        missing = (n_high - x_low - rest) * np.exp(-log_total)
        shrinkage = np.maximum(np.exp(log_excess - log_total) - missing, 0) * inverse / (1 + inverse)
        log_growth = _log_step_share(x_low, x_high, log_others, order) - np.log1p(inverse)
        gain = np.logaddexp(np.log1p(-shrinkage), log_growth) - (order - 1) * np.log1p(inverse)
    return np.where(x_low <= n_high, gain, 0)


def _log_step_share(x_low: Integers, x_high: Integers, log_others: Numbers, order: float) -> Numbers:
    """At least ln((D(x+1) - 1) / (x^α + others)) for x from low to high: D(x+1) grows in x, D(x+1) / x^α falls."""
    rising = _log_excess_step(x_high + 1, order) - np.logaddexp(_log_power(x_low, order), log_others)
    falling = _log_excess_step(x_low + 1, order) - _log_power(x_low, order)
    return np.minimum(rising, falling - np.logaddexp(0, log_others - _log_power(x_high, order)))


def _log_even(log_term: LogTerm, records: Integers, bins: int, order: float) -> Numbers:
    """The logarithm of the sum of a term over bins that share the records (none, if negative) as evenly as possible."""
    shared: Integers = np.maximum(records, 0)
    lower, fuller_bins = shared // bins, shared % bins
    in_lower = np.log(bins - fuller_bins) + log_term(lower, order)
    return np.logaddexp(in_lower, np.log(fuller_bins) + log_term(lower + 1, order))


def _log_power(count: Integers, order: float) -> Numbers:
    """The logarithm of c^α; minus infinity for c = 0."""
    return np.log(count) * order


def _log_excess(count: Integers, order: float) -> Numbers:
    """The logarithm of c^α - c; minus infinity for c = 0 and c = 1."""
    log_count = np.log(np.maximum(count, 1))
    return order * log_count + np.log(-np.expm1((1 - order) * log_count))


def _log_excess_step(count: Integers, order: float) -> Numbers:
    """The logarithm of D(c) - 1, from a sum of two positive terms; minus infinity for c = 1."""
    beta, log_count = order - 1, np.log(count)
    last_step = np.expm1(beta * np.log1p(-1 / count))
    return beta * log_count + np.log(-np.expm1(-beta * log_count) - (count - 1) * last_step)


def _x_matters_more_than_b(boxes: Integers, n: int, m: int, order: float) -> Flags:
    """Compare how much the ends of x and of b differ in S: a record more at height h adds about α h^β."""
    x_low, x_high, b_low, b_high = boxes
    height_of_others = np.maximum(1, (n - x_low) / (m - 1))
    weight = np.minimum(1, height_of_others / x_low) ** (order - 1)
    answer: Flags = x_high - x_low >= weight * (b_high - b_low)
    return answer


def _x_matters_more_than_size(boxes: Integers) -> Flags:
    """Sizes enter a bound through its lower end and 1/N, so they matter little until x is narrow."""
    x_low, x_high, n_low, n_high = boxes
    answer: Flags = np.log(x_high / x_low) >= 1 - n_low / n_high
    return answer


def _rounded_up(gain: float, order: float) -> float:
    """The gain ln(1 + V) with V enlarged by its rounding error."""
    return gain + ROUNDING_ERROR * (42 * order + 8) * -expm1(-gain)
