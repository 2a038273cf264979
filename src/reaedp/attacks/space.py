"""How far apart two records are: the sum over columns of a distance from 0 to 1."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reaedp.attacks.pair import Codes
from reaedp.contract import Column, Date, Integer, Number
from reaedp.statistics.by_kind import ByKind

Places = NDArray[np.float32]

#: Whether cells have an order; between the cells of other kinds there is no more or less.
_ORDERED = ByKind[bool](
    "whether its cells have an order",
    {Number: True, Integer: True, Date: True},
    otherwise=False,
    plain=("Category", "Boolean"),
    over="columns",
)
#: Distances held at a time.
_BLOCK = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """A place for every cell of every column; two cells are min(1, |difference of places|) apart.

    Ordered cells lie between 0 and 1; cells without order, and those for troubles, are at least 1 from any other.
    """

    places: tuple[Places, ...]

    @classmethod
    def of(cls, axes: Sequence[Column]) -> "Space":
        """The space of declared columns."""
        return cls(
            tuple(_ordered(axis.regular, axis.size) if _ORDERED.of(axis) else _named(axis.size) for axis in axes)
        )

    @classmethod
    def unordered(cls, sizes: Sequence[int]) -> "Space":
        """Every column a list of names."""
        return cls(tuple(_named(size) for size in sizes))

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of cells of each column."""
        return tuple(len(places) for places in self.places)

    def on(self, columns: Sequence[int]) -> "Space":
        """The space of some columns."""
        return Space(tuple(self.places[column] for column in columns))

    def nearest(self, targets: Codes, records: Codes, count: int) -> tuple[NDArray[np.intp], Places]:
        """Rows and distances of each target's nearest records, nearest first; among equals any may come."""
        found = [_smallest(block, count) for block in self._distances(targets, records)]
        return np.concatenate([rows for rows, _ in found]), np.concatenate([near for _, near in found])

    def _distances(self, targets: Codes, records: Codes) -> Iterator[Places]:
        left, right = self._placed(targets), self._placed(records)
        step = max(1, _BLOCK // max(1, len(records)))
        for start in range(0, max(1, len(targets)), step):
            block = left[:, start : start + step]
            total = np.zeros((block.shape[1], len(records)), dtype=np.float32)
            for ours, theirs in zip(block, right, strict=True):
                gap = ours[:, None] - theirs
                np.abs(gap, out=gap)
                total += np.minimum(gap, 1.0, out=gap)
            yield total

    def _placed(self, codes: Codes) -> Places:
        return np.stack([places[codes[:, column]] for column, places in enumerate(self.places)])


def _named(size: int) -> Places:
    return np.arange(size, dtype=np.float32)


def _ordered(regular: int, size: int) -> Places:
    return np.concatenate([np.linspace(0, 1, regular), 2 + np.arange(size - regular)]).astype(np.float32)


def _smallest(distances: Places, count: int) -> tuple[NDArray[np.intp], Places]:
    rows = np.argpartition(distances, min(count, distances.shape[1]) - 1, axis=1)[:, :count]
    near = np.take_along_axis(distances, rows, axis=1)
    order = np.argsort(near, axis=1)
    return np.take_along_axis(rows, order, axis=1), np.take_along_axis(near, order, axis=1)
