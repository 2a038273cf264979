"""Sums of the parts of columns, group by group, as one query that means the same on every engine.

A value within its range gets the number of the nearest step, by one subtraction, product, sum and floor of doubles,
whose results IEEE 754 fixes. Only sums of whole numbers leave the engine.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Column
from reaedp.statistics.summary.parts import Parts

#: The key of all rows where there are no groups.
WHOLE = "whole"


def code(parts: Parts, number: int) -> nw.Expr:
    """The code of canonical column `v{number}`, whose cell is `cell{number}`; -1 where the row is dropped.

    Regular cells tell which values have a place in the range; those beyond it were moved there. Values that round to
    the lower bound are told by a comparison, because products of tiny numbers fail on some engines.
    """
    column, ends, steps = parts.column, parts.bounds, float(parts.steps)
    cell, value = nw.col(f"cell{number}"), nw.col(f"v{number}")
    below, above = (steps + 1.0, steps + 2.0) if parts.clipped else (0.0, steps)
    first = steps + 1.0 + len(parts.beyond) - column.regular
    step = ((value - ends.lower) * parts.rate + 0.5).floor().cast(nw.Float64)
    within = nw.when(value < ends.lower + 0.25 / parts.rate).then(nw.lit(0.0)).otherwise(step)
    ranged = (
        nw.when(value < ends.lower)
        .then(nw.lit(below))
        .otherwise(
            nw.when(value > ends.upper)
            .then(nw.lit(above))
            .otherwise(nw.when(value == ends.upper).then(nw.lit(steps)).otherwise(within))
        )
    )
    troubled = nw.when(cell < 0).then(nw.lit(-1.0)).otherwise(cell.cast(nw.Float64) + first)
    regular = (cell >= 0) & (cell < column.regular)
    return nw.when(regular).then(ranged).otherwise(troubled).cast(nw.Int64)


def summed(rows: nw.LazyFrame[Any], parts: Sequence[Parts], codes: Sequence[str], keys: Sequence[str]) -> Any:
    """The query: for each group and column, rows within the range, sums of their steps, rows in each other cell."""
    made = {name: made for one, key in zip(parts, codes, strict=True) for name, made in _sums(one, key)}
    terms = rows.select(*keys, *(term.alias(name) for name, term in made.items()))
    return terms.group_by(*keys).agg(*(nw.col(name).sum().cast(nw.Int64) for name in made))


def _sums(parts: Parts, key: str) -> Iterator[tuple[str, nw.Expr]]:
    """What is added up for one column, by name."""
    found, steps = nw.col(key), parts.steps
    within = found <= steps
    yield f"{key}_rows", _if(within, nw.lit(1))
    if parts.degree == 1:
        yield f"{key}_upper", _if(within, found)
    else:
        number = found.cast(nw.Float64)
        yield f"{key}_upper", _if(within, _rounded(number * number / float(steps)))
        rest = float(steps) - number
        yield f"{key}_lower", _if(within, _rounded(rest * rest / float(steps)))
    for place, _ in enumerate((*parts.beyond, *parts.missing)):
        yield f"{key}_other{place}", _if(found == steps + 1 + place, nw.lit(1))


def _rounded(number: nw.Expr) -> nw.Expr:
    return (number + 0.5).floor().cast(nw.Int64)


def _if(condition: nw.Expr, number: nw.Expr) -> nw.Expr:
    return nw.when(condition).then(number.cast(nw.Int64)).otherwise(nw.lit(0).cast(nw.Int64))


def assembled(
    arrays: Mapping[str, NDArray[Any]], parts: Sequence[Parts], codes: Sequence[str], axes: Sequence[Column]
) -> Integers:
    """All groups, those without rows too, with the parts of one column beside those of the next."""
    places = [arrays[f"k{number}"].astype(np.intp) for number in range(len(axes))]
    sizes = [axis.size for axis in axes]
    found = arrays[f"{codes[0]}_rows"]
    groups = np.ravel_multi_index(places, sizes) if axes else np.zeros(len(found), dtype=np.intp)
    blocks = [_block(arrays, one, key) for one, key in zip(parts, codes, strict=True)]
    whole = np.zeros((int(np.prod(sizes, dtype=np.int64)), sum(block.shape[1] for block in blocks)), dtype=np.int64)
    whole[groups] = np.concatenate(blocks, axis=1)
    return whole


def _block(arrays: Mapping[str, NDArray[Any]], parts: Parts, key: str) -> Integers:
    sums = ("upper",) if parts.degree == 1 else ("upper", "lower")
    others = [f"other{place}" for place in range(len((*parts.beyond, *parts.missing)))]
    rows, *rest = (arrays[f"{key}_{name}"].astype(np.int64) for name in ("rows", *sums, *others))
    return parts.assembled(rows, rest[: len(sums)], rest[len(sums) :])
