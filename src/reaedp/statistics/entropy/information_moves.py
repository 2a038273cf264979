"""How far one record can move mutual information, in nats, if one variable has a given number of values."""

from bisect import bisect_left
from math import atanh, log, log1p


def information_replaced(n: int, values: int) -> float:
    """The largest change when one of n records is replaced; `values` is the size of the smaller domain."""
    if values == 2:
        return _step(n) / n
    return (_step((n + 1) // 2) + _step(n // 2 + 1)) / n


def information_lost(n: int, values: int) -> float:
    """At least the largest decrease when a record joins n others; equal for domains of n or more values.

    The worst tables have σ records in the row or the column of the new one, half of them in each, and the others
    matched one to one. The loss is concave in σ, so that bisection finds the best one.
    """
    bins = min(values - 1, n)
    marked = bisect_left(range(n), True, key=lambda sigma: _gain_of_marking(sigma, n, bins) <= 0)
    row, column, others = marked // 2, (marked + 1) // 2, n - marked
    steps = _step(row + 1) + _step(column + 1)
    powers = _weight(row) + _weight(column) + _even_weight(others, bins)
    return (steps - powers / n) / (n + 1) - log1p(1 / n)


def _gain_of_marking(sigma: int, n: int, bins: int) -> float:
    """How much n(n+1) times the loss grows from σ to σ + 1."""
    shorter = sigma // 2
    return n * _step_of_step(shorter + 1) - _step(shorter + 1) + _step(-(-(n - sigma) // bins))


def _weight(count: int) -> float:
    """The term c ln c."""
    return count * log(count) if count else 0.0


def _even_weight(records: int, bins: int) -> float:
    """The sum of c ln c over bins that share the records as evenly as possible."""
    lower, fuller_bins = divmod(records, bins)
    return (bins - fuller_bins) * _weight(lower) + fuller_bins * _weight(lower + 1)


def _step(count: int) -> float:
    """The difference c ln c - (c-1) ln(c-1), without cancellation."""
    return log(count) - (count - 1) * log1p(-1 / count) if count > 1 else 0.0


def _step_of_step(count: int) -> float:
    """The step at c + 1 less the step at c, without cancellation."""
    return count * log1p(-1 / count**2) + 2 * atanh(1 / count) if count > 1 else 2 * log(2)
