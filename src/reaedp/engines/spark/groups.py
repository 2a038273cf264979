"""Many groupings of the same rows on Spark.

Spark itself counts several in one pass by repeating each row for each of them. Where workers run Python, they count
most groupings in arrays instead, many in one pass, and Spark adds up the arrays of its tasks.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import functions as f

from reaedp.engines.blocks import MOST_CELLS
from reaedp.engines.source import Unreadable
from reaedp.engines.spark.collect import collected
from reaedp.engines.spark.python_workers import Task, travelling
from reaedp.errors import ReaedpError

Group = tuple[str, ...]
Arrays = dict[str, NDArray[np.generic]]

#: Groupings that Spark counts in one pass: each row is repeated so often, and a pass costs more than a few groupings.
REPEATED = 16
#: Keys of all groupings of one pass, each of which is a bit of an integer.
MOST_KEYS = 60
#: Groupings that a worker counts in one pass: of at most `MOST_CELLS` cells each, they take 16 MB of memory.
IN_ARRAYS = 64
#: Rows that a worker counts together: more than an array has cells, few enough to stay in the processor's cache.
ROWS_OF_A_CHUNK = 2**17


def grouped_by_spark(rows: Any, groups: Sequence[Group]) -> Iterator[Arrays]:
    """Counts of groupings, in their order."""
    some: list[Group] = []
    for group in groups:
        if len(some) == REPEATED or len({key for other in (*some, group) for key in other}) > MOST_KEYS:
            yield from _repeated(rows, some)
            some = []
        some.append(group)
    if some:
        yield from _repeated(rows, some)


def grouped_by_python(rows: Any, groups: Sequence[Group], sizes: Mapping[str, int]) -> Iterator[Arrays]:
    """Counts of several groupings by Python workers; groupings that are too large for an array are left to Spark."""
    shapes = {group: tuple(sizes[key] for key in group) for group in groups}
    for small, run in itertools.groupby(groups, lambda group: math.prod(shapes[group]) <= MOST_CELLS):
        some = tuple(run)
        if not small:
            yield from grouped_by_spark(rows, some)
            continue
        for start in range(0, len(some), IN_ARRAYS):
            chunk = some[start : start + IN_ARRAYS]
            try:
                tables = _in_arrays(rows, {group: shapes[group] for group in chunk})
            except (ReaedpError, Unreadable):  # not every worker runs Python, or not with so much memory
                yield from grouped_by_spark(rows, chunk)
                continue
            yield from tables


def _repeated(rows: Any, groups: Sequence[Group]) -> Iterator[Arrays]:
    """A bit of `part` is set for each key that a grouping leaves out; two with the same keys are one for Spark."""
    keys = list(dict.fromkeys(key for group in groups for key in group))
    sets = {frozenset(group): [f.col(key) for key in group] for group in groups}
    counted = rows.groupingSets(list(sets.values()), *keys).agg(
        f.grouping_id().alias("part"), f.count(f.lit(1)).alias("rows")
    )
    found = collected(counted.select("part", "rows", *(f.coalesce(f.col(key), f.lit(0)).alias(key) for key in keys)))
    for group in groups:
        here = found["part"] == sum(1 << place for place, key in enumerate(reversed(keys)) if key not in group)
        yield {key: found[key][here] for key in group} | {"rows": found["rows"][here]}


def _in_arrays(rows: Any, shapes: Mapping[Group, tuple[int, ...]]) -> list[Arrays]:
    keys = list(dict.fromkeys(key for group in shapes for key in group))
    places = [([keys.index(key) for key in group], shape) for group, shape in shapes.items()]
    with travelling():
        counts = rows.select(*keys).mapInArrow(_counting(places), "part int, cell int, rows bigint")
        found = collected(counts.groupBy("part", "cell").agg(f.sum("rows").alias("rows")))
    return [_table(found, part, group, shape) for part, (group, shape) in enumerate(shapes.items())]


def _table(found: Arrays, part: int, group: Group, shape: tuple[int, ...]) -> Arrays:
    here = found["part"] == part
    cells = np.unravel_index(found["cell"][here].astype(np.intp), shape)
    return dict(zip(group, cells, strict=True)) | {"rows": found["rows"][here]}


def _counting(groups: Sequence[tuple[list[int], tuple[int, ...]]]) -> Task:
    """A task that says, once, how many of its rows fall into each cell of each grouping: those that have any."""

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        totals = [np.zeros(math.prod(shape), dtype=np.int64) for _, shape in groups]
        for columns in _chunks(batches):
            for part, (places, shape) in enumerate(groups):
                cells = np.ravel_multi_index([columns[place] for place in places], shape)
                totals[part] += np.bincount(cells, minlength=len(totals[part]))
        for part, total in enumerate(totals):
            cells = np.flatnonzero(total)
            parts = np.full(len(cells), part, dtype=np.int32)
            arrays = [pa.array(parts), pa.array(cells.astype(np.int32)), pa.array(total[cells])]
            yield pa.record_batch(arrays, names=["part", "cell", "rows"])

    return task


def _chunks(batches: Iterator[Any]) -> Iterator[list[NDArray[Any]]]:
    """Columns of about `ROWS_OF_A_CHUNK` rows, from smaller batches."""
    waiting: list[Any] = []
    for batch in batches:
        waiting.append(batch)
        if sum(map(len, waiting)) >= ROWS_OF_A_CHUNK:
            yield _joined(waiting)
            waiting = []
    if waiting:
        yield _joined(waiting)


def _joined(batches: Sequence[Any]) -> list[NDArray[Any]]:
    columns = zip(*(batch.columns for batch in batches), strict=True)
    return [np.concatenate([part.to_numpy(zero_copy_only=False) for part in parts]) for parts in columns]
