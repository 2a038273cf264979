"""Many groupings of the same rows on Spark.

Spark itself counts several in one pass by repeating each row for each of them. Where workers run Python, they count
most groupings in arrays instead, many in one pass. On one machine the driver adds up the arrays of all tasks, elsewhere
workers do.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import functions as f

from reaedp.engines.source import Unreadable
from reaedp.engines.spark.collect import collected
from reaedp.engines.spark.patience import ALONE, WorkersLost
from reaedp.engines.spark.python_workers import Task, travelling
from reaedp.engines.spark.session import unweighed
from reaedp.errors import ReaedpError

Group = tuple[str, ...]
Arrays = dict[str, NDArray[np.generic]]
#: Where a cell number lies: the number of the word, its first bit there, how many bits.
Field = tuple[int, int, int]

#: Groupings that Spark counts in one pass: each row is repeated so often, and a pass costs more than a few groupings.
REPEATED = 16
#: Keys of all groupings of one pass, each of which is a bit of an integer.
MOST_KEYS = 60
#: Cells of the largest array that a worker counts in, and of all arrays of a pass, which take 16 MB of memory.
MOST_CELLS, CELLS_OF_A_PASS = 2**18, 2**21
#: Cells of the arrays of all tasks that the driver adds up: 64 MB.
CELLS_OF_ALL_TASKS = 2**23
#: Rows that a worker counts together: few enough to stay in the processor's cache, and not far fewer than cells.
ROWS_OF_A_CHUNK = 2**17
#: Cell numbers travel in integers of so many bits, without the sign.
BITS = 63
#: What workers say: the number of a grouping, and how many rows fall into each of its cells, 64 bits each.
COUNTS = "part int, counts binary"


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
    for small, some in passes_of_python(groups, sizes):
        if not small:
            yield from grouped_by_spark(rows, some)
            continue
        try:
            tables = _in_arrays(rows, {group: tuple(sizes[key] for key in group) for group in some})
        except WorkersLost:
            raise
        except (ReaedpError, Unreadable):  # not every worker runs Python, or not with so much memory
            yield from grouped_by_spark(rows, some)
            continue
        yield from tables


def passes_of_python(groups: Sequence[Group], sizes: Mapping[str, int]) -> list[tuple[bool, list[Group]]]:
    """Groupings that are counted together, in their order, and whether they are small enough for arrays."""
    passes: list[tuple[bool, list[Group]]] = []
    room = 0
    for group in groups:
        cells = math.prod(sizes[key] for key in group)
        small = cells <= MOST_CELLS
        room -= cells if small else 1
        if not passes or passes[-1][0] != small or room < 0:
            passes.append((small, []))
            room = CELLS_OF_A_PASS - cells if small else REPEATED - 1
        passes[-1][1].append(group)
    return passes


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
    """Workers count into arrays, which are added up here if they are few, or where those of a grouping meet."""
    sizes = {key: size for group, shape in shapes.items() for key, size in zip(group, shape, strict=True)}
    keys, fields = list(sizes), fields_of_words(list(sizes.values()))
    places = [([keys.index(key) for key in group], shape) for group, shape in shapes.items()]
    packed, tasks = _packed(rows, keys, fields), most_tasks(rows.sparkSession, sum(map(math.prod, shapes.values())))
    with travelling(), unweighed(rows.sparkSession) if tasks else nullcontext():  # arrays of many tasks are large
        counts = (packed.coalesce(tasks) if tasks else packed).mapInArrow(_counting(fields, places), COUNTS)
        found = collected(counts if tasks else counts.repartition("part").mapInArrow(_adding, COUNTS))
    totals = _totals(zip(found["part"].tolist(), found["counts"], strict=True))
    return [_table(totals.get(part), group, shape) for part, (group, shape) in enumerate(shapes.items())]


def most_tasks(session: Any, cells: int) -> int:
    """On one machine as many tasks as it has cores, if arrays of all of them are few; else 0.

    A second stage in which workers add up takes longer than counting a hundred thousand rows.
    """
    context = getattr(session, "sparkContext", None)
    cores = context.defaultParallelism if context is not None and ALONE.fullmatch(context.master) else 0
    return cores if cores * cells <= CELLS_OF_ALL_TASKS else 0


def fields_of_words(sizes: Sequence[int]) -> list[Field]:
    """Where the cell numbers of columns of these sizes lie in as few words as bits in their order allow."""
    fields: list[Field] = []
    word = used = 0
    for size in sizes:
        bits = (size - 1).bit_length()
        if used + bits > BITS:
            word, used = word + 1, 0
        fields.append((word, used, bits))
        used += bits
    return fields


def _packed(rows: Any, keys: Sequence[str], fields: Sequence[Field]) -> Any:
    """Words of cell numbers: Spark hands each column to Python row by row, whatever it holds."""
    words: dict[str, Any] = {}
    for key, (word, start, _) in zip(keys, fields, strict=True):
        name, field = f"word{word}", f.shiftleft(f.col(key).cast("bigint"), start)
        words[name] = words[name].bitwiseOR(field) if name in words else field
    return rows.select(*(word.alias(name) for name, word in words.items()))


def _unpacked(words: Sequence[NDArray[Any]], fields: Sequence[Field]) -> list[NDArray[np.int32]]:
    return [((words[word] >> start) & ((1 << bits) - 1)).astype(np.int32) for word, start, bits in fields]


def _table(total: NDArray[np.int64] | None, group: Group, shape: tuple[int, ...]) -> Arrays:
    """The cells that have rows; no task says anything about a table without any."""
    total = np.empty(0, dtype=np.int64) if total is None else total
    cells = np.flatnonzero(total)
    keys: Arrays = dict(zip(group, np.unravel_index(cells, shape), strict=True))
    return keys | {"rows": total[cells]}


def _counting(fields: Sequence[Field], groups: Sequence[tuple[list[int], tuple[int, ...]]]) -> Task:
    """A task that says, once, how many of its rows fall into each cell of each grouping."""

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        totals = {part: np.zeros(math.prod(shape), dtype=np.int64) for part, (_, shape) in enumerate(groups)}
        for words in _chunks(batches):
            columns = _unpacked(words, fields)
            for part, (places, shape) in enumerate(groups):
                totals[part] += np.bincount(_cells(columns, places, shape), minlength=len(totals[part]))
        yield _said(totals)

    return task


def _cells(columns: Sequence[NDArray[Any]], places: Sequence[int], shape: Sequence[int]) -> NDArray[np.intp]:
    """The number of each row's combination of cells, the last column's fastest."""
    cells = columns[places[0]].astype(np.intp)
    for place, size in zip(places[1:], shape[1:], strict=True):
        cells *= size
        cells += columns[place]
    return cells


def _adding(batches: Iterator[Any]) -> Iterator[Any]:
    """A task that adds up the arrays of each grouping."""
    columns = ((column.to_pylist() for column in batch.columns) for batch in batches)
    yield _said(_totals(pair for parts, counts in columns for pair in zip(parts, counts, strict=True)))


def _totals(pairs: Iterable[tuple[int, bytes]]) -> dict[int, NDArray[np.int64]]:
    """The sum of all arrays of each grouping."""
    totals: dict[int, NDArray[np.int64]] = {}
    for part, counts in pairs:
        more = np.frombuffer(counts, dtype=np.int64)
        totals[part] = totals[part] + more if part in totals else more
    return totals


def _said(totals: Mapping[int, NDArray[np.int64]]) -> Any:
    """Arrays and the groupings that they belong to, as Spark takes them."""
    import pyarrow as pa

    parts, counts = pa.array(list(totals), pa.int32()), [total.tobytes() for total in totals.values()]
    return pa.record_batch([parts, pa.array(counts, pa.binary())], names=["part", "counts"])


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
