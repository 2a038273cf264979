"""How often each declared cell occurs among synthetic values."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Column
from reaedp.synthesis.encode import codes

#: The cell of values that are missing.
MISSING = "missing"


def shares(column: Column, values: NDArray[Any]) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Names of the cells, the last one for missing values, and the share of the values in each."""
    missing = np.ma.getmaskarray(values)
    counts = np.bincount(codes(column, values)[~missing], minlength=column.regular)[: column.regular]
    share = np.append(counts, missing.sum()) / max(len(values), 1)
    return (*column.labels, MISSING), share


def merged(column: Column, counts: NDArray[Any]) -> NDArray[np.float64]:
    """Shares of the same cells from counts that have a cell for each trouble."""
    regular, troubles = counts[: column.regular], counts[column.regular :]
    shared: NDArray[np.float64] = np.append(regular, troubles.sum()) / max(counts.sum(), 1)
    return shared
