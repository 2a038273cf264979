"""Canonical values → cell numbers, as one lazy expression that means the same on every engine.

The result is -1 where the contract drops the row. Only comparisons, additions, products and floors of doubles are
used: IEEE 754 fixes their results, so that no engine can put a value into another cell than the next one.
"""

import math
from collections.abc import Callable, Sequence

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Boolean, Category, Column, Date, Integer, Number
from reaedp.contract.column import Trouble
from reaedp.contract.day import EPOCH


def encode(column: Column, number: int) -> nw.Expr:
    """The cell of canonical column `v{number}`."""
    value, broken = nw.col(f"v{number}"), nw.col(f"b{number}")
    cases: list[tuple[nw.Expr, nw.Expr]] = []
    if "unparsable" in column.troubles:
        cases.append((broken, _code(column, "unparsable")))
    cases.append((value.is_null(), _code(column, "null")))
    return _chain(cases, _ENCODERS[column.kind](column, value)).cast(nw.Int32)


def _code(column: Column, trouble: Trouble) -> nw.Expr:
    return nw.lit(column.code(trouble))


def _chain(cases: Sequence[tuple[nw.Expr, nw.Expr]], otherwise: nw.Expr) -> nw.Expr:
    """The first case that holds; later cases are not evaluated on rows taken by earlier ones."""
    result = otherwise
    for condition, outcome in reversed(cases):
        result = nw.when(condition).then(outcome).otherwise(result)
    return result


def _number(column: Column, value: nw.Expr) -> nw.Expr:
    assert isinstance(column, Number)
    edges = column.boundaries
    last = len(edges) - 2
    cases = [
        (value.is_nan(), _code(column, "nan")),
        *_beyond(column, value, float(edges[0]), float(edges[-1]), last),
        (value >= float(edges[-1]), nw.lit(last)),
    ]
    uniform = column.edges is None and _guess_is_close(edges)
    return _chain(cases, _uniform(value, edges) if uniform else _search(value, edges, 0, last))


def _integer(column: Column, value: nw.Expr) -> nw.Expr:
    assert isinstance(column, Integer)
    last = (column.upper - column.lower) // column.width
    inside = ((value - float(column.lower)) / float(column.width)).floor()
    cases = [
        (value.is_nan(), _code(column, "nan")),
        *_beyond(column, value, float(column.lower), float(column.upper), last),
    ]
    return _chain(cases, inside)


def _date(column: Column, value: nw.Expr) -> nw.Expr:
    assert isinstance(column, Date)
    starts = np.array([(start - EPOCH).days for start in column.starts], dtype=np.float64)
    last = len(starts) - 1
    cases = _outside(column, value, float(starts[0]), float((column.upper - EPOCH).days), last)
    if column.every in ("day", "week"):
        width = 1.0 if column.every == "day" else 7.0
        return _chain(cases, ((value - float(starts[0])) / width).floor())
    return _chain(cases, _search(value, np.append(starts, np.inf), 0, last))


def _boolean(column: Column, value: nw.Expr) -> nw.Expr:  # noqa: ARG001
    return value


def _category(column: Column, value: nw.Expr) -> nw.Expr:
    return nw.when(value < 0).then(_code(column, "unseen")).otherwise(value)


def _beyond(column: Column, value: nw.Expr, low: float, high: float, last: int) -> list[tuple[nw.Expr, nw.Expr]]:
    """Infinities by their rule, then finite values outside [low, high] by theirs."""
    infinite: list[tuple[nw.Expr, nw.Expr]] = [
        (value == sign * math.inf, nw.lit(end) if column.rule("infinite") == "nearest" else _code(column, "infinite"))
        for sign, end in ((-1.0, 0), (1.0, last))
    ]
    if column.rule("infinite") == column.rule("outside") == "nearest":
        infinite = []  # the comparisons below put infinities where they belong
    return infinite + _outside(column, value, low, high, last)


def _outside(column: Column, value: nw.Expr, low: float, high: float, last: int) -> list[tuple[nw.Expr, nw.Expr]]:
    if column.rule("outside") == "nearest":
        return [(value < low, nw.lit(0)), (value > high, nw.lit(last))]
    code = _code(column, "outside")
    return [(value < low, code), (value > high, code)]


def _slack(edges: NDArray[np.float64]) -> float:
    """How many bins a computed position can be off: rounding of the edges, of the value, and of three operations."""
    bins, width = len(edges) - 1, float(edges[-1] - edges[0])
    largest = max(abs(float(edges[0])), abs(float(edges[-1])))
    return float(bins * (8 * np.spacing(largest) / width + 2.0**-48))


def _guess_is_close(edges: NDArray[np.float64]) -> bool:
    """True when a computed position is right or one too high, and the computed end edges enclose the range."""
    lower, upper, bins = float(edges[0]), float(edges[-1]), float(len(edges) - 1)
    first, last = lower * bins / bins, (bins * (upper - lower) + lower * bins) / bins
    return (
        math.isfinite(last)
        and math.isfinite(bins / (upper - lower))
        and first <= lower
        and upper <= last
        and _slack(edges) < 0.25
    )


def _uniform(value: nw.Expr, edges: NDArray[np.float64]) -> nw.Expr:
    """Bins of equal width: guess the bin, never too low, then step back if its lower edge lies above the value."""
    lower, upper, bins = float(edges[0]), float(edges[-1]), float(len(edges) - 1)
    width = upper - lower
    guess = ((value - lower + _slack(edges) * width / bins) * (bins / width)).floor().cast(nw.Float64)
    edge = (guess * width + lower * bins) / bins
    return nw.when(value < edge).then(guess - 1.0).otherwise(guess)


def _search(value: nw.Expr, edges: NDArray[np.float64], first: int, last: int) -> nw.Expr:
    """Bins of any width: a binary search written out as comparisons."""
    if first == last:
        return nw.lit(first)
    middle = (first + last + 1) // 2
    below = _search(value, edges, first, middle - 1)
    return nw.when(value < float(edges[middle])).then(below).otherwise(_search(value, edges, middle, last))


_ENCODERS: dict[str, Callable[[Column, nw.Expr], nw.Expr]] = {
    Number.kind: _number,
    Integer.kind: _integer,
    Date.kind: _date,
    Boolean.kind: _boolean,
    Category.kind: _category,
}
