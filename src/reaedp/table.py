"""Counts and shares over named axes: one algebra for exact and for noisy numbers.

What separates the two is the release: a table inside one went through noise, any other is private.
"""

import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Column
from reaedp.errors import DeclarationError, unknown
from reaedp.frames.framed import Framed
from reaedp.frames.sketch import bars
from reaedp.label import shown

#: Larger domains are released by keys; a dense table of this size takes 400 MB.
MOST_DENSE_CELLS = 50_000_000


def domain_size(axes: Iterable[Column]) -> int:
    """Number of cells of the product of these columns."""
    return math.prod(axis.size for axis in axes)


def _sized(axis: Column) -> str:
    return f"{shown(axis.name)} ({axis.size:,} cells)"


def _frozen(values: NDArray[np.generic]) -> NDArray[np.generic]:
    values.setflags(write=False)
    return values


def labels(axes: Iterable[Column], codes: NDArray[Any], taken: Iterable[str]) -> dict[str, NDArray[Any]]:
    """One column of cell names for each axis; a name that a column of numbers has already gets a mark."""
    found: dict[str, NDArray[Any]] = {}
    names = set(taken)
    for axis, code in zip(axes, codes, strict=True):
        found[free(axis.name, names | found.keys())] = np.array(axis.cells, dtype=object)[code]
    return found


def numbered(axes: Iterable[Column], names: Iterable[NDArray[Any]]) -> NDArray[np.int32]:
    """Cells by their names, a row for each place of the columns and an entry for each axis; unknown ones are errors."""
    found = []
    for axis, cells in zip(axes, names, strict=True):
        places = {cell: place for place, cell in enumerate(axis.cells)}
        found.append([places[cell] for cell in cells])
    return np.array(found, dtype=np.int32).reshape(len(found), -1).T


def free(name: str, taken: Container[str]) -> str:
    """The name, with as many marks as it takes to be another one than those that are taken."""
    while name in taken:
        name += "_"
    return name


def with_ends(
    columns: Mapping[str, NDArray[Any]], axes: Iterable[Column], codes: NDArray[Any]
) -> dict[str, NDArray[Any]]:
    """Columns that begin with the labels of axes, with the ends of cells that are ranges beside their labels."""
    names = list(columns)
    found: dict[str, NDArray[Any]] = {}
    for name, axis, code in zip(names, axes, codes, strict=False):
        found[name] = columns[name]
        ends, last = axis.ends, axis.regular - 1
        for side, end in zip(("low", "high"), ends or (), strict=False):
            column = np.ma.MaskedArray(end[np.minimum(code, last)], mask=code > last)
            found[free(f"{name}_{side}", {*names, *found})] = column
    return found | {name: columns[name] for name in names if name not in found}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table(Framed):
    """An immutable array with one axis per column.

    `values` has one number for each combination of cells of its `axes`. Its `repr` shows no numbers, because a table
    that is not part of a release is private: no log or traceback may show it.

    >>> table = Table(contract.select(("smokes",)), np.array([30, 10, 0, 0]))
    >>> table.total, table.names, float(table.normalise().values[0])
    (40.0, ('smokes',), 0.75)
    """

    axes: tuple[Column, ...]
    values: NDArray[np.generic]

    def __post_init__(self) -> None:
        shape = tuple(axis.size for axis in self.axes)
        if self.values.shape != shape:
            raise ValueError(f"The values must have the shape of the axes {shape}; given {self.values.shape}.")
        object.__setattr__(self, "values", _frozen(self.values.copy()))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the axes."""
        return tuple(axis.name for axis in self.axes)

    @property
    def codes(self) -> NDArray[np.intp]:
        """The number of every cell on each axis, a row for each axis."""
        return np.indices(self.values.shape).reshape(len(self.axes), -1)

    def frame(self) -> dict[str, NDArray[Any]]:
        """A row for each cell: its label on every axis, with the ends of ranges, and its `value`."""
        cells, value = labels(self.axes, self.codes, ("value",)), self.values.ravel()
        return self.framed(cells | {"value": value})

    def framed(self, columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Columns that begin with the labels of the cells, with the ends of ranges beside them."""
        return with_ends(columns, self.axes, self.codes)

    def _headline(self) -> str:
        return f"Table of {' × '.join(map(_sized, self.axes))}"

    def drawing(self) -> str:
        """A bar for each cell."""
        return bars(self.values.astype(np.float64).ravel(), "value of each cell")

    def __repr__(self) -> str:
        return f"<{self._headline()}; to_pandas(), to_polars() and to_arrow() give its numbers>"

    @property
    def total(self) -> float:
        """Sum of all cells."""
        return float(self.values.sum())

    def project(self, *names: str) -> "Table":
        """Sum over all other axes; the result's axes are in the order asked for."""
        positions = [self._position(name) for name in names]
        others = tuple(axis for axis in range(len(self.axes)) if axis not in positions)
        summed: NDArray[np.generic] = self.values.sum(axis=others)
        order = np.argsort(np.argsort(positions))
        return Table(tuple(self.axes[position] for position in positions), summed.transpose(order))

    def normalise(self, *given: str) -> "Table":
        """Shares of the total, or of each cell of the `given` axes; an empty cell's shares are uniform."""
        positions = {self._position(name) for name in given}
        others = tuple(axis for axis in range(len(self.axes)) if axis not in positions)
        values = self.values.astype(np.float64)
        totals = values.sum(axis=others, keepdims=True)
        cells = math.prod(self.values.shape[axis] for axis in others)
        shares = np.divide(values, totals, out=np.full(values.shape, 1.0 / cells), where=totals != 0)
        return Table(self.axes, shares)

    def present(self) -> "KeyCounts":
        """The counts of the cells that have any."""
        keys = np.argwhere(self.values).astype(np.int32)
        return KeyCounts(self.axes, keys, self.values[self.values != 0].astype(np.int64))

    def with_values(self, values: NDArray[np.generic]) -> "Table":
        """Other numbers on the same axes."""
        return Table(self.axes, values.reshape(self.values.shape))

    def _position(self, name: str) -> int:
        if name not in self.names:
            raise DeclarationError(unknown("axis", name, self.names))
        return self.names.index(name)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KeyCounts(Framed):
    """Counts of those cells of a large domain that are present: row i of `keys` has `counts[i]`.

    Keys are in increasing order, so that their order tells nothing about the order of the data. Its `repr` has no
    numbers, for the same reason as that of `Table`.
    """

    axes: tuple[Column, ...]
    keys: NDArray[np.int32]
    counts: NDArray[np.int64]

    def __post_init__(self) -> None:
        if self.keys.shape != (len(self.counts), len(self.axes)):
            raise ValueError("Keys and counts must have the same length, and keys one entry per axis.")
        order = np.lexsort(self.keys.T[::-1])
        object.__setattr__(self, "keys", _frozen(self.keys[order]))
        object.__setattr__(self, "counts", _frozen(self.counts[order]))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the axes."""
        return tuple(axis.name for axis in self.axes)

    def project(self, *names: str) -> "KeyCounts":
        """Sum over all other axes."""
        known = self.names
        positions = [known.index(name) for name in names]
        axes = tuple(self.axes[position] for position in positions)
        keys, places = _distinct(axes, self.keys[:, positions])
        counts = np.zeros(len(keys), dtype=np.int64)
        np.add.at(counts, places, self.counts)
        return KeyCounts(axes, keys, counts)

    def frame(self) -> dict[str, NDArray[Any]]:
        """A row for each cell that is present: its labels, with the ends of ranges, and its `count`."""
        return self.framed(labels(self.axes, self.keys.T, ("count",)) | {"count": self.counts})

    def framed(self, columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Columns that begin with the labels of the cells, with the ends of ranges beside them."""
        return with_ends(columns, self.axes, self.keys.T)

    def _headline(self) -> str:
        return f"Counts of cells of {' × '.join(map(_sized, self.axes))}"

    def drawing(self) -> str:
        """A bar for each cell."""
        return bars(self.counts.astype(np.float64), "count of each cell")

    def __repr__(self) -> str:
        return f"<{self._headline()}; to_pandas(), to_polars() and to_arrow() give its numbers>"

    def dense(self) -> Table:
        """The counts of all cells, those that are absent as zero."""
        values = np.zeros(tuple(axis.size for axis in self.axes), dtype=np.int64)
        values[tuple(self.keys.T)] = self.counts
        return Table(self.axes, values)


def _distinct(axes: tuple[Column, ...], keys: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Keys without repetition, and the place of each key among them; by one number each, where that holds a key."""
    sizes = [axis.size for axis in axes]
    if not axes or math.prod(sizes) >= 2**63:
        found, places = np.unique(keys, axis=0, return_inverse=True)
        return found, places.ravel()
    numbers, places = np.unique(np.ravel_multi_index(tuple(keys.T), sizes), return_inverse=True)
    return np.stack(np.unravel_index(numbers, sizes), axis=-1).astype(np.int32), places.ravel()
