"""Sums of the parts of columns, group by group, as one query that means the same on every engine.

A value within its range gets the number of the nearest step, by one subtraction, product, sum and floor of doubles,
whose results IEEE 754 fixes. Only sums of whole numbers leave the engine.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Column
from reaedp.curator.encode import by_trouble, narrowest
from reaedp.statistics.rates.flag import Flag
from reaedp.statistics.rates.paired import Paired
from reaedp.statistics.statistic import SharedOut
from reaedp.statistics.summary.parts import Parts

#: The key of all rows where there are no groups.
WHOLE = "whole"


def codes(shared: SharedOut, key: str, places: Mapping[str, int]) -> dict[str, nw.Expr]:
    """By name, the whole numbers that say how a row is shared out; `places` number the canonical columns."""
    if isinstance(shared, Paired):
        sides = zip(_sides(key), shared.sides, strict=True)
        return {name: code(side, places[side.column.name]) for name, side in sides}
    if isinstance(shared, Flag):
        return {key: flag_code(shared, places[shared.column.name])}
    return {key: code(shared, places[shared.column.name])}


def _sides(key: str) -> tuple[str, str]:
    return f"{key}_first", f"{key}_second"


def flag_code(flag: Flag, number: int) -> nw.Expr:
    """All steps of a row for yes, none for no; a further number for each other cell, -1 where the row is dropped."""
    cell, value, (low, high) = nw.col(f"cell{number}"), nw.col(f"v{number}"), flag.limits
    if flag.cells is not None:
        yes = cell.is_in(flag.cells)
    elif low is None or high is None:
        yes = value < high if low is None else value >= low
    else:
        yes = (value >= low) & (value < high)
    told = nw.when(yes).then(nw.lit(float(flag.steps))).otherwise(nw.lit(0.0))
    return _by_cell(flag.column, cell, told, flag.steps + 1).cast(nw.Int64)


def _by_cell(column: Column, cell: nw.Expr, within: nw.Expr, first: int) -> nw.Expr:
    """A number of its own for each cell that is not regular, from `first` on; -1 where the row is dropped.

    Numbers are made whole after the choice only: what is not chosen may be no number that could be.
    """
    other = cell.cast(nw.Float64) + float(first - column.regular)
    troubled = nw.when(cell < 0).then(nw.lit(-1.0)).otherwise(other)
    regular = (cell >= 0) & (cell < column.regular)
    return nw.when(regular).then(within).otherwise(troubled)


def code(parts: Parts, number: int) -> nw.Expr:
    """The code of canonical column `v{number}`; -1 where the row is dropped.

    Nearly all values lie within the range, and engines look no further at these. Values that round to the lower bound
    are told by a comparison, because products of tiny numbers fail on some engines.
    """
    step = ((nw.col(f"v{number}") - parts.bounds.lower) * parts.rate + 0.5).floor().cast(nw.Float64)
    at_an_end = _at_an_end(parts, number, float)
    return nw.when(_inside(parts, number)).then(step).otherwise(at_an_end).cast(nw.Int64)


def folded(parts: Parts, number: int, cell: nw.Expr, cells: int) -> nw.Expr:
    """The cell of a group, one of so many, or a further one for each way to miss the range; negative if dropped.

    One key and two sums take less time than a sum for each way.
    """

    def way(found: int) -> float:
        return float(-cells if found < 0 else cells * max(0, found - parts.steps))

    whole = narrowest(cells * (1 + _others(parts)))
    other = nw.when(cell < 0).then(nw.lit(-1.0)).otherwise(cell.cast(nw.Float64) + _at_an_end(parts, number, way))
    return nw.when(_inside(parts, number)).then(cell.cast(whole)).otherwise(other.cast(whole))


def _inside(parts: Parts, number: int) -> nw.Expr:
    """Whether a value lies within the range and does not round to its lower end; NaN is above or beside all numbers."""
    value = nw.col(f"v{number}")
    return (value >= parts.bounds.lower + 0.25 / parts.rate) & (value < parts.bounds.upper)


def _at_an_end(parts: Parts, number: int, told: Callable[[int], float]) -> nw.Expr:
    """What is told of the code of a value that lies at an end of the range, beyond it, or nowhere."""
    column, ends, steps, value = parts.column, parts.bounds, parts.steps, nw.col(f"v{number}")
    below, above = (steps + 1, steps + 2) if parts.clipped else (0, steps)
    ranged = nw.lit(told(0))
    for condition, found in ((value < ends.lower, below), (value >= ends.upper, steps), (value > ends.upper, above)):
        ranged = nw.when(condition).then(nw.lit(told(found))).otherwise(ranged)
    first = steps + 1 + len(parts.beyond) - column.regular
    return by_trouble(column, number, ranged, lambda cell: told(-1 if cell < 0 else cell + first))


def by_folded(rows: nw.LazyFrame[Any], parts: Parts, key: str, keys: Sequence[str]) -> Any:
    """The query for one column whose troubles are folded into the first of the keys: rows and sums of steps."""
    made = {name: term for name, term in _within(parts, key) if name != f"{key}_rows"}
    terms = rows.select(*keys, *(term.alias(name) for name, term in made.items()))
    totals = (nw.col(name).sum().cast(nw.Int64) for name in made)
    return terms.group_by(*keys).agg(nw.len().cast(nw.Int64).alias(f"{key}_rows"), *totals)


def unfolded(
    arrays: Mapping[str, NDArray[Any]], parts: Parts, key: str, keys: Sequence[str], cells: int
) -> dict[str, NDArray[Any]]:
    """The same as what `summed` gives, from what `by_folded` gave."""
    found = np.stack([arrays[name].astype(np.int64) for name in keys])
    way, found[0] = np.divmod(found[0], cells)
    groups, place = np.unique(found, axis=1, return_inverse=True)
    told: dict[str, NDArray[Any]] = dict(zip(keys, groups, strict=True))
    for name in _told_within(parts):
        told[f"{key}_{name}"] = _added(groups.shape[1], place, arrays[f"{key}_{name}"], way == 0)
    for other in range(_others(parts)):
        told[f"{key}_other{other}"] = _added(groups.shape[1], place, arrays[f"{key}_rows"], way == other + 1)
    return told


def _added(size: int, place: NDArray[Any], values: NDArray[Any], chosen: NDArray[Any]) -> Integers:
    sums = np.zeros(size, dtype=np.int64)
    np.add.at(sums, place.ravel()[chosen], values.astype(np.int64)[chosen])
    return sums


def summed(rows: nw.LazyFrame[Any], parts: Sequence[SharedOut], blocks: Sequence[str], keys: Sequence[str]) -> Any:
    """The query: for each group and column, rows within the range, sums of their steps, rows in each other cell."""
    made = {name: made for one, key in zip(parts, blocks, strict=True) for name, made in _sums(one, key)}
    terms = rows.select(*keys, *(term.alias(name) for name, term in made.items()))
    return terms.group_by(*keys).agg(*(nw.col(name).sum().cast(nw.Int64) for name in made))


def _sums(parts: SharedOut, key: str) -> Iterator[tuple[str, nw.Expr]]:
    """What is added up for one column, or for two together, by name."""
    if isinstance(parts, Paired):
        yield from _products(parts, key)
        return
    steps = parts.steps
    within = nw.col(key) <= steps
    for name, term in _within(parts, key):
        yield name, _if(within, term)
    for place in range(_others(parts)):
        yield f"{key}_other{place}", _if(nw.col(key) == steps + 1 + place, nw.lit(1))


def _within(parts: Flag | Parts, key: str) -> Iterator[tuple[str, nw.Expr]]:
    """What rows with a place in the range add, by name."""
    found, steps = nw.col(key), parts.steps
    yield f"{key}_rows", nw.lit(1)
    if isinstance(parts, Flag) or parts.degree == 1:
        yield f"{key}_upper", found
        return
    number = found.cast(nw.Float64)
    rest = float(steps) - number
    yield f"{key}_upper", _rounded(number * number / float(steps))
    yield f"{key}_lower", _rounded(rest * rest / float(steps))


def _products(pair: Paired, key: str) -> Iterator[tuple[str, nw.Expr]]:
    """Of rows with both values: how many, sums of their steps, and of the rounded products."""
    first, second = (nw.col(name) for name in _sides(key))
    within = (first <= pair.steps) & (second <= pair.steps)
    yield f"{key}_rows", _if(within, nw.lit(1))
    yield f"{key}_first_sum", _if(within, first)
    yield f"{key}_second_sum", _if(within, second)
    product = first.cast(nw.Float64) * second.cast(nw.Float64) / float(pair.steps)
    yield f"{key}_both", _if(within, _rounded(product))
    if pair.missing:
        yield f"{key}_other0", _if(~within, nw.lit(1))


def _others(parts: SharedOut) -> int:
    """How many cells there are for rows without a place in the range."""
    return len(parts.missing) + (len(parts.beyond) if isinstance(parts, Parts) else 0)


def _rounded(number: nw.Expr) -> nw.Expr:
    return (number + 0.5).floor().cast(nw.Int64)


def _if(condition: nw.Expr, number: nw.Expr) -> nw.Expr:
    return nw.when(condition).then(number.cast(nw.Int64)).otherwise(nw.lit(0).cast(nw.Int64))


def assembled(
    arrays: Mapping[str, NDArray[Any]], parts: Sequence[SharedOut], blocks: Sequence[str], axes: Sequence[Column]
) -> Integers:
    """All groups, those without rows too, with the parts of one column beside those of the next."""
    sizes = [axis.size for axis in axes]
    keys, found = present(arrays, parts, blocks, axes)
    groups = np.ravel_multi_index(list(keys.T), sizes) if axes else np.zeros(len(found), dtype=np.intp)
    whole = np.zeros((int(np.prod(sizes, dtype=np.int64)), found.shape[1]), dtype=np.int64)
    whole[groups] = found
    return whole


def present(
    arrays: Mapping[str, NDArray[Any]], parts: Sequence[SharedOut], blocks: Sequence[str], axes: Sequence[Column]
) -> tuple[NDArray[np.int32], Integers]:
    """The cells of the groups that have rows, and their parts, with those of one column beside those of the next."""
    made = np.concatenate([_block(arrays, one, key) for one, key in zip(parts, blocks, strict=True)], axis=1)
    places = [arrays[f"k{number}"].astype(np.int32) for number in range(len(axes))]
    return np.array(places, dtype=np.int32).reshape(len(axes), len(made)).T, made


def _block(arrays: Mapping[str, NDArray[Any]], parts: SharedOut, key: str) -> Integers:
    told = _told_within(parts)
    others = [f"other{place}" for place in range(_others(parts))]
    rows, *rest = (arrays[f"{key}_{name}"].astype(np.int64) for name in (*told, *others))
    return parts.assembled(rows, rest[: len(told) - 1], rest[len(told) - 1 :])


def _told_within(parts: SharedOut) -> tuple[str, ...]:
    """The names of what rows with a place in the range add up to."""
    if isinstance(parts, Paired):
        return "rows", "first_sum", "second_sum", "both"
    return ("rows", "upper", "lower") if isinstance(parts, Parts) and parts.degree == 2 else ("rows", "upper")
