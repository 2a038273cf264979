"""Mergings: which cells of a column are told apart in a table, and sums over those that are not."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Merging:
    """`cell[i]` is the merged cell that cell i belongs to."""

    cell: NDArray[np.intp]

    @classmethod
    def none(cls, size: int) -> "Merging":
        """Every cell by itself."""
        return cls(np.arange(size))

    @cached_property
    def size(self) -> int:
        """Number of merged cells."""
        return int(self.cell.max()) + 1

    @cached_property
    def members(self) -> Floats | None:
        """One row for each merged cell, with ones at its members; none if nothing is merged."""
        if np.array_equal(self.cell, np.arange(len(self.cell))):
            return None
        ones: Floats = (self.cell == np.arange(self.size)[:, None]).astype(np.float64)
        return ones

    def follows(self, finer: "Merging") -> bool:
        """Whether each of its cells is a union of cells of another merging of the same cells."""
        return len(np.unique(finer.cell * self.size + self.cell)) == finer.size

    def after(self, finer: "Merging") -> "Merging":
        """From the cells of a finer merging to its own."""
        cell = np.zeros(finer.size, dtype=np.intp)
        cell[finer.cell] = self.cell
        return Merging(cell)

    def sums(self, values: Floats) -> Floats:
        """Sums over the members of each merged cell, of which there may be millions."""
        return np.bincount(self.cell, weights=values).astype(np.float64)


def merged(values: Floats, mergings: Sequence[Merging]) -> Floats:
    """Sums over merged cells, axis by axis; whole numbers stay exact, as all sums are below 2^53."""
    for axis, merging in enumerate(mergings):
        if merging.members is not None:
            front = np.moveaxis(values, axis, 0)
            sums = merging.members @ front.reshape(len(front), -1)
            values = np.moveaxis(sums.reshape(merging.size, *front.shape[1:]), 0, axis)
    return values
