"""Mergings: which cells of a column are told apart in a table, and sums over those that are not."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Merging:
    """`cell[i]` is the merged cell that cell i belongs to."""

    cell: NDArray[np.intp]
    size: int = field(init=False)
    #: One row for each merged cell, with ones at its members; none if nothing is merged.
    members: Floats | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        size = int(self.cell.max()) + 1
        alike = np.array_equal(self.cell, np.arange(len(self.cell)))
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "members", None if alike else (self.cell == np.arange(size)[:, None]).astype(float))

    def sums(self, values: Floats) -> Floats:
        """Sums over the members of each merged cell."""
        return values if self.members is None else self.members @ values


def merged(values: Floats, mergings: Sequence[Merging]) -> Floats:
    """Sums over merged cells, axis by axis; whole numbers stay exact, as all sums are below 2^53."""
    for axis, merging in enumerate(mergings):
        if merging.members is not None:
            front = np.moveaxis(values, axis, 0)
            sums = merging.members @ front.reshape(len(front), -1)
            values = np.moveaxis(sums.reshape(merging.size, *front.shape[1:]), 0, axis)
    return values
