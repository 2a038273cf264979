"""Sums of values and of products, added up in the engine as integers that every engine rounds alike."""

from collections.abc import Iterator, Sequence
from typing import Any

import narwhals as nw
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Boolean, Category, Column
from reaedp.curator.encode import encode
from reaedp.statistics.moments.grid import UNIT, Grid
from reaedp.statistics.moments.space import MomentSpace


def positions(space: MomentSpace, columns: Sequence[Column], frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """A frame that is `located` with cells of the lattice as `k0, …`.

    Behind the last cell come troubles; -1 stands where the contract drops the row.
    """
    declared = {f"d{number}": encode(column, number).cast(nw.Int64) for number, column in enumerate(columns)}
    grids = zip(space.grids, columns, strict=True)
    cells = {f"k{number}": _position(grid, column, number) for number, (grid, column) in enumerate(grids)}
    return frame.with_columns(**declared).with_columns(**cells)


def _position(grid: Grid, column: Column, number: int) -> nw.Expr:
    """Whether a value counts, and as one of the ends, its declared cell says.

    Only comparisons, differences, quotients and floors of doubles are used; none overflows on values between the ends.
    """
    declared = nw.col(f"d{number}")
    if isinstance(column, Boolean | Category):
        return declared
    value, last = nw.col(f"v{number}"), grid.cells - 1
    upper = grid.lower + grid.width * last
    inner = ((value - grid.lower) / grid.width).floor().cast(nw.Int64)
    ends = nw.when(value >= upper).then(nw.lit(last)).otherwise(inner)
    regular = nw.when(value <= grid.lower).then(nw.lit(0)).otherwise(ends)
    trouble = nw.when(declared < 0).then(declared).otherwise(declared + (grid.cells - column.regular))
    return nw.when((declared >= 0) & (declared < column.regular)).then(regular).otherwise(trouble).cast(nw.Int64)


def summed(space: MomentSpace, rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """A row of sums over rows without missing values, and one over all others; `rows` have a position a column."""
    missing = nw.lit(0)
    for place, grid in enumerate(space.grids):
        missing = nw.when(nw.col(f"k{place}") >= grid.cells).then(nw.lit(1)).otherwise(missing)
    pointed = rows.select(missing.alias("missing"), *_features(space))
    multiplied = pointed.select("missing", *_products(space))
    totals = (nw.col(f"s{place}").sum().cast(nw.Int64).alias(f"s{place}") for place in range(space.size - 2))
    return multiplied.group_by("missing").agg(nw.len().cast(nw.Int64).alias("rows"), *totals)


def _features(space: MomentSpace) -> Iterator[nw.Expr]:
    """Points above -UNIT, and indicators."""
    for place, feature in enumerate(space.features):
        key, grid = nw.col(f"k{feature.column}").cast(nw.Int64), space.grids[feature.column]
        if feature.level is None:
            found = key * (2 * grid.stride) + grid.first
        else:
            found = nw.when(key == feature.level).then(nw.lit(1)).otherwise(nw.lit(0)).cast(nw.Int64)
        yield found.alias(f"x{place}")


def _products(space: MomentSpace) -> Iterator[nw.Expr]:
    """What is added up, as `MomentSpace.signed` takes it."""
    single = [nw.col(f"x{place}") for place in range(len(space.features))]
    squares = [_over_unit(single[a] * single[a] * 2) for a in space.squares]
    products = [_product(space, a, b) for a, b in space.pairs]
    return (found.alias(f"s{place}") for place, found in enumerate((*single, *squares, *products)))


def _product(space: MomentSpace, a: int, b: int) -> nw.Expr:
    product = nw.col(f"x{a}") * nw.col(f"x{b}")
    indicated = any(space.features[one].level is not None for one in (a, b))
    return product if indicated else _over_unit(product)


def _over_unit(product: nw.Expr) -> nw.Expr:
    """Rounded down. Products are below 2^43, and UNIT is a power of two, so that doubles divide them exactly."""
    return (product.cast(nw.Float64) / float(UNIT)).floor().cast(nw.Int64)


def totals(space: MomentSpace, arrays: dict[str, NDArray[Any]]) -> Integers:
    """The sums of coordinates; zeros where there are no rows."""
    kinds = [int(kind) for kind in arrays["missing"]]
    counts = dict(zip(kinds, map(int, arrays["rows"]), strict=True))
    whole = kinds.index(0) if 0 in counts else None
    names = [f"s{place}" for place in range(space.size - 2)]
    sums = [0 if whole is None else int(arrays[name][whole]) for name in names]
    return space.signed(counts.get(0, 0), counts.get(1, 0), sums)
