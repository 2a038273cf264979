"""Flags: whether a column's value is missing, as a column of two cells of its own in the model.

Values that are missing together are a dependence of two cells by two. As a flag it takes hardly any room in the
junction tree, where the columns themselves, with all their cells, may find none. A flag is fixed by its column.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Column
from reaedp.synthesis.cliques import Group
from reaedp.synthesis.coarsening import Coarsening
from reaedp.synthesis.fitting import Link
from reaedp.synthesis.merging import Merging

#: The logarithm of the weight of a value that contradicts its flag: no row will show it.
_CONTRADICTION = -60.0


@dataclass(frozen=True, slots=True, eq=False)
class Flags:
    """Flag number i has the number `first + i` among the model's columns and tells of the column `owners[i]`."""

    first: int
    owners: tuple[int, ...]
    coarsenings: tuple[Coarsening, ...]
    links: tuple[Link, ...]

    @classmethod
    def of(cls, axes: Sequence[Column], coarsenings: Sequence[Coarsening], least: float) -> "Flags":
        """Flags of the columns in which missing values have at least this share, and other values too."""
        missing = [_missing(axis, coarse) for axis, coarse in zip(axes, coarsenings, strict=True)]
        owners = tuple(
            column
            for column, (coarse, cells) in enumerate(zip(coarsenings, missing, strict=True))
            if cells.any() and coarse.size > 2 and least <= float(coarse.coarse_shares[cells].sum()) <= 1 - least
        )
        found = [(coarsenings[owner], missing[owner].astype(np.intp)) for owner in owners]
        return cls(
            len(axes),
            owners,
            tuple(_coarsening(coarse, flag) for coarse, flag in found),
            tuple(
                Link((owner, len(axes) + number), np.where(flag[:, None] == np.arange(2), 0.0, _CONTRADICTION))
                for number, (owner, (_, flag)) in enumerate(zip(owners, found, strict=True))
            ),
        )

    def column(self, number: int) -> int:
        """The column that a number stands for, or that its flag tells of."""
        return number if number < self.first else self.owners[number - self.first]

    @property
    def pairs(self) -> list[Group]:
        """All pairs of columns and flags, except of a column with its own."""
        every = range(self.first + len(self.owners))
        return [pair for pair in combinations(every, 2) if self.apart(pair)]

    def alike(self, group: Group) -> bool:
        """Whether it has columns only or flags only."""
        return len({number < self.first for number in group}) == 1

    def apart(self, group: Group) -> bool:
        """Whether no column of the group is there together with its own flag."""
        return len({self.column(number) for number in group}) == len(group)


def _missing(axis: Column, coarse: Coarsening) -> NDArray[np.bool_]:
    """Coarse cells that hold nothing but missing values."""
    missing: NDArray[np.bool_] = np.bincount(coarse.merging.cell[: axis.regular], minlength=coarse.size) == 0
    return missing


def _coarsening(coarse: Coarsening, flag: NDArray[np.intp]) -> Coarsening:
    return Coarsening(coarse.shares, Merging(flag[coarse.merging.cell]), (Merging.none(2),))
