"""Canonical values → cell numbers, as lazy expressions that mean the same on every engine.

The result is -1 where the contract drops the row. Only comparisons, additions, products and floors of doubles are
used: IEEE 754 fixes their results, so that no engine can put a value into another cell than the next one.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Boolean, Category, Column, Date, Integer, Number
from reaedp.contract.day import EPOCH
from reaedp.contract.number import uniform_edges
from reaedp.curator import calendar
from reaedp.curator.uniform_bins import UniformBins
from reaedp.statistics.by_kind import ByKind, no_way

#: So many months or years are told apart by comparisons, more of them by arithmetic, which takes longer for each row.
FEW_STARTS = 256
#: A condition, and the cell of the rows for which it is the first that holds.
Case = tuple[nw.Expr, nw.Expr | int]


def encode(column: Column, number: int) -> nw.Expr:
    """The cell of canonical column `v{number}` in a frame that is `located`, in the smallest type that holds it.

    Regular values come first: nearly all rows are such, and engines do not evaluate the other cases on them. No
    condition holds for a null value, which is what is left at the end: it was not understood if the cell is filled.
    Engines count small types in arrays.
    """
    cases = [*_certain(column, number), *_ENCODERS.of(column)(column, nw.col(f"v{number}"))]
    found = [(condition, _expression(cell)) for condition, cell in _with_missing(column, number, cases)]
    return _chain(found, nw.lit(column.code("null"))).cast(narrowest(column.size))


def by_trouble(column: Column, number: int, regular: nw.Expr, told: Callable[[int], float]) -> nw.Expr:
    """The same for columns of numbers, but for what it says: `regular` of all regular cells, and `told` of the others.

    All of these are known beforehand, so that no engine looks at a cell to say what is told of it.
    """

    def said(cell: nw.Expr | int) -> nw.Expr:
        return nw.lit(told(cell)) if isinstance(cell, int) and not 0 <= cell < column.regular else regular

    cases = _with_missing(column, number, _ENCODERS.of(column)(column, nw.col(f"v{number}")))
    return _chain([(condition, said(cell)) for condition, cell in cases], nw.lit(told(column.code("null"))))


def _with_missing(column: Column, number: int, cases: list[Case]) -> list[Case]:
    unparsable = "unparsable" in column.troubles
    return [*cases, (nw.col(f"filled{number}"), column.code("unparsable"))] if unparsable else cases


def located(frame: nw.LazyFrame[Any], columns: Sequence[Column], *, total: bool) -> nw.LazyFrame[Any]:
    """The canonical form with positions of values among uniform bins as `p0, …`, and their whole parts as `w0, …`.

    `encode` looks at both more than once, and engines compute a column once. Where arithmetic is not `total`, that is,
    where too large a result is an error, positions of values outside the range are null.
    """
    known = {number: bins for number, column in enumerate(columns) if (bins := uniform(column)) is not None}
    positions = {f"p{number}": _position(bins, nw.col(f"v{number}"), total) for number, bins in known.items()}
    wholes = {f"w{number}": nw.col(f"p{number}").floor().cast(nw.Float64) for number in known}
    return frame.with_columns(**positions).with_columns(**wholes) if known else frame


def _position(bins: UniformBins, value: nw.Expr, total: bool) -> nw.Expr:
    return bins.position(value) if total else nw.when(bins.inside(value)).then(bins.position(value))


def _certain(column: Column, number: int) -> list[Case]:
    """What a position alone tells."""
    bins, whole = uniform(column), nw.col(f"w{number}")
    return [] if bins is None else [(bins.certain(nw.col(f"p{number}"), whole), whole)]


def uniform(column: Column) -> UniformBins | None:
    """The bins of a column, if arithmetic finds them.

    A kind that is derived from numbers may declare bounds and draw other bins between them.
    """
    if not isinstance(column, Number) or column.lower is None or column.upper is None:
        return None
    low, high = float(column.lower), float(column.upper)
    if type(column) is not Number and not np.array_equal(column.boundaries, uniform_edges(low, high, column.regular)):
        return None
    return UniformBins.of(low, high, column.regular)


def narrowest(cells: int) -> type[nw.Int8 | nw.Int16 | nw.Int32 | nw.Int64]:
    """The smallest type that all engines have for the numbers of so many cells."""
    return next((kind for kind, bits in ((nw.Int8, 7), (nw.Int16, 15), (nw.Int32, 31)) if cells < 2**bits), nw.Int64)


def _expression(cell: nw.Expr | int) -> nw.Expr:
    return nw.lit(cell) if isinstance(cell, int) else cell


def _chain(cases: Sequence[tuple[nw.Expr, nw.Expr]], otherwise: nw.Expr) -> nw.Expr:
    """The first case that holds; later cases are not evaluated on rows taken by earlier ones."""
    result = otherwise
    for condition, outcome in reversed(cases):
        result = nw.when(condition).then(outcome).otherwise(result)
    return result


def _number(column: Number, value: nw.Expr) -> list[Case]:
    edges = column.boundaries
    low, high, last = float(edges[0]), float(edges[-1]), len(edges) - 2
    bins = uniform(column)
    return [
        ((value >= low) & (value < high), _search(value, edges, 0, last) if bins is None else bins.compared(value)),
        (value == high, last),
        (value.is_nan(), column.code("nan")),
        *_beyond(column, value, low, high, last),
    ]


def _integer(column: Integer, value: nw.Expr) -> list[Case]:
    low, high = float(column.lower), float(column.upper)
    return [
        ((value >= low) & (value <= high), _in_widths(value - low if low else value, column.width)),
        (value.is_nan(), column.code("nan")),
        *_beyond(column, value, low, high, (column.upper - column.lower) // column.width),
    ]


def _in_widths(distance: nw.Expr, width: int) -> nw.Expr:
    """Canonical values of this kind are whole, so that cells of one are distances."""
    return distance if width == 1 else (distance / float(width)).floor()


def _date(column: Date, value: nw.Expr) -> list[Case]:
    low, high = (float((end - EPOCH).days) for end in (column.lower, column.upper))
    if column.every in ("day", "week"):
        cell = ((value - low) / (1.0 if column.every == "day" else 7.0)).floor()
    elif column.regular <= FEW_STARTS:
        starts = np.array([(start - EPOCH).days for start in column.starts], dtype=np.float64)
        cell = _search(value, np.append(starts, np.inf), 0, column.regular - 1)
    else:
        cell = calendar.number(value, years=column.every == "year") - float(column.first)
    return [((value >= low) & (value <= high), cell), *_outside(column, value, low, high, column.regular - 1)]


def _boolean(column: Column, value: nw.Expr) -> list[Case]:  # noqa: ARG001
    return [(value >= 0, value)]


def _category(column: Column, value: nw.Expr) -> list[Case]:
    return [(value >= 0, value), (value < 0, column.code("unseen"))]


def _beyond(column: Column, value: nw.Expr, low: float, high: float, last: int) -> list[Case]:
    """Infinities by their rule, then finite values outside [low, high] by theirs."""
    infinite: list[Case] = [
        (value == sign * math.inf, end if column.rule("infinite") == "nearest" else column.code("infinite"))
        for sign, end in ((-1.0, 0), (1.0, last))
    ]
    if column.rule("infinite") == column.rule("outside") == "nearest":
        infinite = []  # the comparisons below put infinities where they belong
    return infinite + _outside(column, value, low, high, last)


def _outside(column: Column, value: nw.Expr, low: float, high: float, last: int) -> list[Case]:
    if column.rule("outside") == "nearest":
        return [(value < low, 0), (value > high, last)]
    code = column.code("outside")
    return [(value < low, code), (value > high, code)]


def _search(value: nw.Expr, edges: NDArray[np.float64], first: int, last: int) -> nw.Expr:
    """Bins of any width: a binary search written out as comparisons."""
    if first == last:
        return nw.lit(first)
    middle = (first + last + 1) // 2
    below = _search(value, edges, first, middle - 1)
    return nw.when(value < float(edges[middle])).then(below).otherwise(_search(value, edges, middle, last))


#: The case of regular values first, then those of all others that are not null.
_ENCODERS = ByKind[Callable[[Any, nw.Expr], list[Case]]](
    "from its canonical values to cells",
    {Number: _number, Integer: _integer, Date: _date, Boolean: _boolean, Category: _category},
    otherwise=no_way,
    over="columns",
)
