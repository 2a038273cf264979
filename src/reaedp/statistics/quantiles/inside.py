"""From a place inside a cell to a value."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Column
from reaedp.contract.steps import StepCells

Floats = NDArray[np.float64]


def values(column: Column, cells: NDArray[np.int64], shares: Floats) -> NDArray[Any]:
    """The values at these shares of the ways through cells; whole numbers, days and steps stay what they are."""
    assert column.ends is not None
    if (stepped := _steps(column)) is not None:
        first, last = stepped.first[cells], stepped.last[cells]
        ahead = np.floor(np.clip(shares, 0.0, 1.0) * (last - first + 1)).astype(np.int64)
        return _like(column, stepped.steps.values(np.minimum(first + ahead, last)))
    low, high = (end[cells] for end in column.ends)
    if low.dtype.kind == "f":
        return np.asarray(low + (high - low) * np.clip(shares, 0.0, 1.0), dtype=np.float64)
    step = np.ones(1, dtype="timedelta64[D]")[0] if low.dtype.kind == "M" else 1
    ahead = np.floor(np.clip(shares, 0.0, 1.0) * ((high - low) / step + 1)).astype(np.int64)
    return written(np.minimum(low + ahead * step, high))


def lowest(column: Column, cells: NDArray[np.int64]) -> NDArray[Any]:
    """Where cells begin, or their first value of a declared step."""
    assert column.ends is not None
    if (stepped := _steps(column)) is not None:
        return _like(column, stepped.steps.values(stepped.first[cells]))
    return written(column.ends.low[cells])


def highest(column: Column, cells: NDArray[np.int64]) -> NDArray[Any]:
    """Where cells end, or their last value of a declared step."""
    assert column.ends is not None
    if (stepped := _steps(column)) is not None:
        return _like(column, stepped.steps.values(stepped.last[cells]))
    return written(column.ends.high[cells])


def wide_cells(column: Column) -> float:
    """The share of cells that have more than one value, so that something inside them can be missed."""
    assert column.ends is not None
    stepped = _steps(column)
    low, high = column.ends if stepped is None else (stepped.first, stepped.last)
    return float((low < high).mean())


def _steps(column: Column) -> StepCells | None:
    found: StepCells | None = getattr(column, "step_cells", None)  # columns of dates have none
    return found


def _like(column: Column, found: Floats) -> NDArray[Any]:
    """Whole numbers where the column has such."""
    assert column.ends is not None
    return found.astype(column.ends.low.dtype)


def written(found: NDArray[Any]) -> NDArray[Any]:
    """Values as files have them: days as texts."""
    return found.astype(str).astype(object) if found.dtype.kind == "M" else found
