"""How far one unit can move an entropy: exact, in bits, rounded up.

`n` is a public lower bound on the number of rows of every data set that could have been given, so of both of two
neighbours. The result holds for all sizes from n on: it is the sensitivity at the worst of them. Under "replace" that
is n itself, from n = 2 on (3 for mutual information), so a known number of rows loses nothing. The number of people is
such a bound if each of them brings at least one row.

`max_rows` is the largest number of rows of one unit; if it is one, every unit is one row. Proofs are in PROOFS.md.
"""

import math
from collections.abc import Callable
from typing import get_args

from reaedp.errors import DeclarationError, sentence, unknown
from reaedp.privacy.unit import Change
from reaedp.statistics.entropy.information_moves import information_lost, information_replaced
from reaedp.statistics.entropy.renyi_moves import largest_addition, largest_replacement

#: A closed form takes fewer than 50 roundings of 2^-53 relative to its result, so this factor brings it above the
#: real number, and less than 10^-13 above.
ROUNDED_UP = 1 + 2.0**-44

#: Boxes that the search for orders above one may examine. Measured: with 2^20 (two seconds at worst) it ends with the
#: exact maximum for n up to 10^5 and mostly beyond, else less than 2 * 10^-5 above it; 2^12 takes 0.05 seconds.
THOROUGH, QUICK = 2**20, 2**12

LARGEST_ORDER = 10**6


def shannon_sensitivity(n: int | None, *, change: Change, max_rows: int = 1) -> float:
    """The entropy of a histogram moves by at most this: h(1/n), that of one row among n, if one is replaced."""
    shared = _shared_rows(_size(n, change), change, _whole("max_rows", max_rows))
    return _bits(_entropy_of_singles(max_rows, beside=shared, order=1))


def conditional_entropy_sensitivity(n: int | None, *, change: Change, max_rows: int = 1) -> float:
    """H(Y|X) moves by at most this, which is the same as for the entropy of a histogram."""
    return shannon_sensitivity(n, change=change, max_rows=max_rows)


def mutual_information_sensitivity(n: int | None, r: int, s: int, *, change: Change, max_rows: int = 1) -> float:
    """I(X;Y) moves by at most this, with r possible values of X and s of Y.

    Exact for one row per unit under "replace", and under "add-remove" unless a decrease could be larger than every
    increase (not before n = 58) and a domain is smaller than n.
    """
    size, values = _size(n, change), min(_whole("r", r, most=math.inf), _whole("s", s, most=math.inf))
    if values == 1:
        return 0.0
    nats = _along_a_path(
        size,
        change,
        _whole("max_rows", max_rows),
        replaced=lambda rows: information_replaced(rows, values),
        added=lambda rows: max(_entropy_of_singles(1, beside=rows, order=1), information_lost(rows, values)),
        falls_from=min(values, 3),
    )
    return _bits(min(nats, math.log(values)))


def renyi_sensitivity(n: int | None, m: int, order: float, *, change: Change, max_rows: int = 1) -> float:
    """The Rényi entropy of a histogram with m bins moves by at most this; exact for one row per unit.

    For finite orders above one and large n the search may end early, with less than 2 * 10^-5 too much.
    """
    return _renyi_sensitivity(n, m, order, change=change, max_rows=max_rows, effort=THOROUGH)


def renyi_sensitivity_bound(n: int | None, m: int, order: float, *, change: Change, max_rows: int = 1) -> float:
    """Not below `renyi_sensitivity`, in a twentieth of a second for every n; measured at most two percent above it."""
    return _renyi_sensitivity(n, m, order, change=change, max_rows=max_rows, effort=QUICK)


def _renyi_sensitivity(n: int | None, m: int, order: float, *, change: Change, max_rows: int, effort: int) -> float:
    size, bins, rows = _size(n, change), _whole("m", m, most=math.inf), _whole("max_rows", max_rows)
    if not 0 <= order <= LARGEST_ORDER and order != math.inf:
        raise DeclarationError(sentence("order must be a number from 0 to 10^6, or infinite", given=order))
    if bins == 1:
        return 0.0
    if order <= 1:
        nats = _entropy_of_singles(rows, beside=_shared_rows(size, change, rows), order=order)
    else:
        nats = _along_a_path(
            size,
            change,
            rows,
            replaced=lambda n: _renyi_replaced(n, bins, order, effort),
            added=lambda n: _renyi_added(n, bins, order, effort),
            falls_from=2,
        )
    return _bits(min(nats, math.log(bins)))


def _renyi_replaced(n: int, m: int, order: float, effort: int) -> float:
    if order == math.inf:
        return math.log1p(1 / -(-n // m))
    return largest_replacement(n, m, order, effort)


def _renyi_added(n: int, m: int, order: float, effort: int) -> float:
    increase = _entropy_of_singles(1, beside=n, order=order)
    if order == math.inf:
        return max(increase, math.log1p((m - 1) / (-(-n // m) * m + 1)))
    return largest_addition(n, m, order, increase, effort)


def _entropy_of_singles(singles: int, *, beside: int, order: float) -> float:
    """Rényi entropy in nats of a value seen `beside` times and `singles` values seen once; all terms positive."""
    doubt, share, log_beside = math.log1p(singles / beside), singles / (singles + beside), math.log(beside)
    if order == math.inf:
        return doubt
    if order == 1:
        return doubt + share * log_beside
    return doubt + math.log1p(share * math.expm1((1 - order) * log_beside)) / (1 - order)


def _shared_rows(n: int, change: Change, max_rows: int) -> int:
    """The number of rows two neighbours have in common in the worst case."""
    return n if change == "add-remove" else max(n - max_rows, 1)


def _along_a_path(
    n: int,
    change: Change,
    max_rows: int,
    *,
    replaced: Callable[[int], float],
    added: Callable[[int], float],
    falls_from: int,
) -> float:
    """One unit is at most `max_rows` single rows replaced or added, at sizes of at least n.

    `added` never grows with the size, `replaced` is largest at the size `falls_from`.
    """
    if change == "add-remove":
        return max_rows * added(n)
    largest_replaced = replaced(max(n, falls_from))
    return largest_replaced if max_rows == 1 else max_rows * max(largest_replaced, added(n))


def _bits(nats: float) -> float:
    return nats / math.log(2) * ROUNDED_UP


def _size(n: int | None, change: Change) -> int:
    if change not in get_args(Change):
        raise DeclarationError(unknown("change", change, get_args(Change)))
    if n is None and change == "add-remove":
        raise DeclarationError(
            "An entropy moves by a whole bit when a second row joins the first, so noise for data of unknown size "
            "would swamp it. Declare `at_least` in the unit, or use change = 'replace' with a public number of rows, "
            "or release a histogram and derive the entropy from it."
        )
    return _whole("n", n)


def _whole(name: str, value: object, *, most: float = 2**40) -> int:
    if type(value) is not int or not 1 <= value <= most:
        limit = " and at most 2^40" if most < math.inf else ""
        raise DeclarationError(sentence(f"{name} must be a whole number of at least 1{limit}", given=value))
    return value
