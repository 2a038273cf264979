"""Cell numbers → values of the original form: what `encode` undoes.

A value is drawn uniformly within its cell, from public bounds and steps alone. A cell that a trouble has for itself
(null, NaN, infinite, unparsable, unseen, outside) comes back as a missing value, because no honest value lies in it:
synthetic tables have no broken texts, and every column keeps its type. Columns are masked arrays, which the engine
writes as NULL; texts and dates are arrays of objects, for which alone it has VARCHAR and DATE.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Boolean, Category, Column, Date, Integer, Number
from reaedp.contract.day import EPOCH
from reaedp.contract.steps import StepCells
from reaedp.statistics.by_kind import ByKind, no_way

Codes = NDArray[np.int32]

#: Bins are divided into at least so many parts, at a power of ten, so that values are short when written.
PARTS_OF_A_BIN = 100


def decode(axes: tuple[Column, ...], codes: Codes, rng: np.random.Generator) -> dict[str, NDArray[Any]]:
    """A column of values for each axis, by its name; `codes` has a row for each record."""
    sizes = np.array([axis.size for axis in axes])
    if codes.ndim != 2 or codes.shape[1] != len(axes):
        raise ValueError(f"Codes must have a column for each of the {len(axes)} axes; given the shape {codes.shape}.")
    if not ((codes >= 0) & (codes < sizes)).all():
        raise ValueError("Codes must be numbers of cells that exist on their axes.")
    return {axis.name: _column(axis, code, rng) for axis, code in zip(axes, codes.T, strict=True)}


def _column(axis: Column, codes: Codes, rng: np.random.Generator) -> NDArray[Any]:
    """What lies under the mask means nothing: the last regular cell stands in for cells of troubles."""
    last = axis.regular - 1
    values = _DECODERS.of(axis)(axis, np.minimum(codes, last), rng)
    return np.ma.MaskedArray(values, mask=codes > last)


def _category(axis: Category, codes: Codes, rng: np.random.Generator) -> NDArray[np.object_]:  # noqa: ARG001
    return np.array(axis.levels, dtype=object)[codes]


def _boolean(axis: Column, codes: Codes, rng: np.random.Generator) -> NDArray[np.bool_]:  # noqa: ARG001
    return np.equal(codes, 1)


def _integer(axis: Integer, codes: Codes, rng: np.random.Generator) -> NDArray[np.int64]:
    if (cells := axis.step_cells) is not None:
        return _stepped(cells, codes, rng).astype(np.int64)
    first = axis.lower + codes.astype(np.int64) * axis.width
    return first if axis.width == 1 else _whole(first, np.minimum(first + axis.width - 1, axis.upper), rng)


def _date(axis: Date, codes: Codes, rng: np.random.Generator) -> NDArray[np.object_]:
    starts = np.array([(start - EPOCH).days for start in axis.starts], dtype=np.int64)
    ends = np.append(starts[1:] - 1, (axis.upper - EPOCH).days)
    days: NDArray[np.object_] = _whole(starts[codes], ends[codes], rng).astype("datetime64[D]").astype(object)
    return days


def _whole(first: NDArray[np.int64], last: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    return rng.integers(first, last, endpoint=True)


def _stepped(cells: StepCells, codes: Codes, rng: np.random.Generator) -> NDArray[np.float64]:
    """One of the values of the column's step that lie in the cell."""
    return cells.steps.values(_whole(cells.first[codes], cells.last[codes], rng))


def _number(axis: Number, codes: Codes, rng: np.random.Generator) -> NDArray[np.float64]:
    """Uniform within the bin, then down to a round number; whatever rounding does, the bin is not left."""
    if (cells := axis.step_cells) is not None:
        return _stepped(cells, codes, rng)
    edges = axis.boundaries
    tops = np.append(np.nextafter(edges[1:-1], -np.inf), edges[-1])
    low, high = edges[codes], edges[1:][codes]
    place = rng.random(len(codes))
    with np.errstate(over="ignore"):  # next to the largest number rounding may pass it; the bin's top stops that
        # A weighted mean, because the width of a bin may exceed the largest number.
        values = low * (1 - place) + high * place
        return np.clip(_rounded_down(values, _powers_of_ten(edges)[codes]), low, tops[codes])


def _powers_of_ten(edges: NDArray[np.float64]) -> NDArray[np.int64]:
    parts = edges[1:] / PARTS_OF_A_BIN - edges[:-1] / PARTS_OF_A_BIN
    tiny = np.finfo(np.float64).tiny
    return np.floor(np.log10(np.maximum(parts, tiny))).astype(np.int64)


def _rounded_down(values: NDArray[np.float64], powers: NDArray[np.int64]) -> NDArray[np.float64]:
    """To a multiple of 10^power; one division or product by a whole power gives the shortest decimal."""
    fine, coarse = 10.0 ** np.maximum(-powers, 0), 10.0 ** np.maximum(powers, 0)
    return np.floor(values * fine / coarse) * coarse / fine


_DECODERS = ByKind[Callable[[Any, Codes, np.random.Generator], NDArray[Any]]](
    "from cells to values",
    {Number: _number, Integer: _integer, Date: _date, Boolean: _boolean, Category: _category},
    otherwise=no_way,
    over="columns",
)
