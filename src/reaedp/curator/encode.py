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

#: A condition, and the cell of the rows for which it is the first that holds.
Case = tuple[nw.Expr, nw.Expr]


def encode(column: Column, number: int) -> nw.Expr:
    """The cell of canonical column `v{number}`, in the smallest type that holds it.

    Regular values come first: nearly all rows are such, and engines do not evaluate the other cases on them. No
    condition holds for a null value, which is what is left at the end. Engines count small types in arrays.
    """
    regular, *others = _ENCODERS[column.kind](column, nw.col(f"v{number}"))
    if "unparsable" in column.troubles:
        others.append((nw.col(f"b{number}"), _code(column, "unparsable")))
    return _chain([regular, *others], _code(column, "null")).cast(_narrowest(column))


def _narrowest(column: Column) -> type[nw.Int8 | nw.Int16 | nw.Int32]:
    """The smallest type that all engines have for these cell numbers."""
    return nw.Int8 if column.size < 2**7 else nw.Int16 if column.size < 2**15 else nw.Int32


def _code(column: Column, trouble: Trouble) -> nw.Expr:
    return nw.lit(column.code(trouble))


def _chain(cases: Sequence[Case], otherwise: nw.Expr) -> nw.Expr:
    """The first case that holds; later cases are not evaluated on rows taken by earlier ones."""
    result = otherwise
    for condition, outcome in reversed(cases):
        result = nw.when(condition).then(outcome).otherwise(result)
    return result


def _number(column: Column, value: nw.Expr) -> list[Case]:
    assert isinstance(column, Number)
    edges = column.boundaries
    low, high, last = float(edges[0]), float(edges[-1]), len(edges) - 2
    uniform = column.edges is None and _guess_is_close(edges)
    return [
        ((value >= low) & (value < high), _uniform(value, edges) if uniform else _search(value, edges, 0, last)),
        (value == high, nw.lit(last)),
        (value.is_nan(), _code(column, "nan")),
        *_beyond(column, value, low, high, last),
    ]


def _integer(column: Column, value: nw.Expr) -> list[Case]:
    assert isinstance(column, Integer)
    low, high = float(column.lower), float(column.upper)
    return [
        ((value >= low) & (value <= high), ((value - low) / float(column.width)).floor()),
        (value.is_nan(), _code(column, "nan")),
        *_beyond(column, value, low, high, (column.upper - column.lower) // column.width),
    ]


def _date(column: Column, value: nw.Expr) -> list[Case]:
    assert isinstance(column, Date)
    starts = np.array([(start - EPOCH).days for start in column.starts], dtype=np.float64)
    low, high, last = float(starts[0]), float((column.upper - EPOCH).days), len(starts) - 1
    if column.every in ("day", "week"):
        cell = ((value - low) / (1.0 if column.every == "day" else 7.0)).floor()
    else:
        cell = _search(value, np.append(starts, np.inf), 0, last)
    return [((value >= low) & (value <= high), cell), *_outside(column, value, low, high, last)]


def _boolean(column: Column, value: nw.Expr) -> list[Case]:  # noqa: ARG001
    return [(value >= 0, value)]


def _category(column: Column, value: nw.Expr) -> list[Case]:
    return [(value >= 0, value), (value < 0, _code(column, "unseen"))]


def _beyond(column: Column, value: nw.Expr, low: float, high: float, last: int) -> list[Case]:
    """Infinities by their rule, then finite values outside [low, high] by theirs."""
    infinite: list[Case] = [
        (value == sign * math.inf, nw.lit(end) if column.rule("infinite") == "nearest" else _code(column, "infinite"))
        for sign, end in ((-1.0, 0), (1.0, last))
    ]
    if column.rule("infinite") == column.rule("outside") == "nearest":
        infinite = []  # the comparisons below put infinities where they belong
    return infinite + _outside(column, value, low, high, last)


def _outside(column: Column, value: nw.Expr, low: float, high: float, last: int) -> list[Case]:
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
    start = lower - _slack(edges) * width / bins
    guess = ((value - start) * (bins / width)).floor().cast(nw.Float64)
    edge = (guess * width + lower * bins) / bins if lower else guess * width / bins
    return nw.when(value < edge).then(guess - 1.0).otherwise(guess)


def _search(value: nw.Expr, edges: NDArray[np.float64], first: int, last: int) -> nw.Expr:
    """Bins of any width: a binary search written out as comparisons."""
    if first == last:
        return nw.lit(first)
    middle = (first + last + 1) // 2
    below = _search(value, edges, first, middle - 1)
    return nw.when(value < float(edges[middle])).then(below).otherwise(_search(value, edges, middle, last))


#: The case of regular values first, then those of all others that are not null.
_ENCODERS: dict[str, Callable[[Column, nw.Expr], list[Case]]] = {
    Number.kind: _number,
    Integer.kind: _integer,
    Date.kind: _date,
    Boolean.kind: _boolean,
    Category.kind: _category,
}
