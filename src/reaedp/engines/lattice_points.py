"""Arrays of curves → lattice points, some curves at a time; the same on every engine and on every worker."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.curves.lattice import CurveLattice

#: Numbers of a block: few enough to stay near the processor while they are multiplied.
BLOCK = 2**19

Reals = NDArray[np.float64]


def wide_points(lattice: CurveLattice, columns: Sequence[Reals]) -> Iterator[Integers]:
    """Curves known on the grid, a column of numbers for each of its points."""
    rows = max(1, BLOCK // len(lattice.ticks))
    for start in range(0, len(columns[0]), rows):
        yield lattice.wide(np.stack([column[start : start + rows] for column in columns]))


def long_points(
    lattice: CurveLattice, owners: NDArray[np.int64], times: Reals, values: Reals, curves: int
) -> Iterator[Integers]:
    """Curves known at times of their own: point i lies on curve `owners[i]`, in increasing order."""
    rows = max(1, BLOCK // len(lattice.ticks))
    for start in range(0, curves, rows):
        first, last = np.searchsorted(owners, (start, start + rows))
        some = min(rows, curves - start)
        yield lattice.long(owners[first:last] - start, times[first:last], values[first:last], some)
