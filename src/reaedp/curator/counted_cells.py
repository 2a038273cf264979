"""Tables of counts from what an engine yields: arrays of cell numbers and of rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Column
from reaedp.table import KeyCounts, Table

#: Cells that are held together when there are more; noise for so many takes a second.
CELLS_OF_A_PART = 2**17


def key_counts(axes: tuple[Column, ...], keys: list[NDArray[Any]], rows: NDArray[Any]) -> KeyCounts:
    """How many rows there are of each combination of cells."""
    matrix = np.column_stack([key.astype(np.int32) for key in keys]).reshape(-1, len(axes))
    return KeyCounts(axes, matrix, rows.astype(np.int64))


def in_parts(axes: tuple[Column, ...], batches: Iterator[dict[str, NDArray[Any]]]) -> Iterator[KeyCounts]:
    """Counts in parts of about `CELLS_OF_A_PART` cells, and at least one part."""
    waiting: list[KeyCounts] = []
    whole = True
    for arrays in batches:
        keys = [arrays[f"k{number}"] for number in range(len(axes))]
        waiting.append(key_counts(axes, keys, arrays["rows"]))
        if sum(len(part.counts) for part in waiting) >= CELLS_OF_A_PART:
            yield _joined(axes, waiting)
            waiting, whole = [], False
    if waiting or whole:
        yield _joined(axes, waiting)


def _joined(axes: tuple[Column, ...], parts: list[KeyCounts]) -> KeyCounts:
    keys = [np.empty((0, len(axes)), dtype=np.int32), *(part.keys for part in parts)]
    counts = [np.empty(0, dtype=np.int64), *(part.counts for part in parts)]
    return KeyCounts(axes, np.concatenate(keys), np.concatenate(counts))


def projected(
    axes: tuple[Column, ...], keys: list[NDArray[Any]], rows: NDArray[Any], groups: list[tuple[str, ...]]
) -> Iterator[tuple[tuple[str, ...], KeyCounts]]:
    """The counts of these groupings from those of one that has all their columns."""
    if groups == [tuple(axis.name for axis in axes)]:
        yield groups[0], key_counts(axes, keys, rows)
        return
    counts = np.zeros(tuple(axis.size for axis in axes), dtype=np.int64)
    counts[tuple(key.astype(np.intp) for key in keys)] = rows
    table = Table(axes, counts)
    for group in groups:
        yield group, table.project(*group).present()
