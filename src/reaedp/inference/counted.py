"""Counted tables: noisy counts over merged cells of some columns, from which questions are answered."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Column

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class CountedTable:
    """`counts` over cells of `axes`; `merged[i]` sends the declared cells of axis i to those of the table.

    `within[i]` is the share that each declared cell is believed to have of its merged one. `redrawn` gives copies of
    the counts with fresh noise; they are `shifted` where they differ from the counts on average, as those of a fit do.
    """

    title: str
    axes: tuple[Column, ...]
    merged: tuple[Places, ...]
    within: tuple[Floats, ...]
    counts: Floats
    redrawn: Callable[[np.random.Generator, int], Floats]
    laplace: bool = False
    shifted: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns that were counted."""
        return tuple(axis.name for axis in self.axes)

    def joins(self, columns: tuple[str, ...]) -> bool:
        """Whether all these columns are in the table."""
        return set(columns) <= set(self.names)

    def merges(self, name: str) -> bool:
        """Whether cells of a column are merged here."""
        return len(np.unique(self.merged[self.names.index(name)])) < len(self.merged[self.names.index(name)])


def evenly(axes: tuple[Column, ...]) -> tuple[tuple[Places, ...], tuple[Floats, ...]]:
    """Every declared cell by itself."""
    return tuple(np.arange(axis.size) for axis in axes), tuple(np.ones(axis.size) for axis in axes)
