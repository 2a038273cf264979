"""From a place inside a cell to a value."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Column

Floats = NDArray[np.float64]


def values(column: Column, cells: NDArray[np.int64], shares: Floats) -> NDArray[Any]:
    """The values at these shares of the ways through cells; whole numbers and days stay what they are."""
    assert column.ends is not None
    low, high = (end[cells] for end in column.ends)
    if low.dtype.kind == "f":
        return np.asarray(low + (high - low) * np.clip(shares, 0.0, 1.0), dtype=np.float64)
    step = np.ones(1, dtype="timedelta64[D]")[0] if low.dtype.kind == "M" else 1
    ahead = np.floor(np.clip(shares, 0.0, 1.0) * ((high - low) / step + 1)).astype(np.int64)
    return written(np.minimum(low + ahead * step, high))


def lowest(column: Column, cells: NDArray[np.int64]) -> NDArray[Any]:
    """Where cells begin."""
    assert column.ends is not None
    return written(column.ends.low[cells])


def highest(column: Column, cells: NDArray[np.int64]) -> NDArray[Any]:
    """Where cells end."""
    assert column.ends is not None
    return written(column.ends.high[cells])


def written(found: NDArray[Any]) -> NDArray[Any]:
    """As files have them: days as texts."""
    return found.astype(str).astype(object) if found.dtype.kind == "M" else found
