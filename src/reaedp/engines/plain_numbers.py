"""Numbers of plain CSV, split and read by Arrow's library, which takes half the time of the engine's reader.

Nothing depends on it but time: whatever a block of lines holds, the rows are those that the engine would read.
"""

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb

from reaedp.contract import Column, Integer, Number
from reaedp.engines import canonical
from reaedp.engines.stream import UNREAD

#: Importing the library takes as long as reading so many bytes.
FEWEST_BYTES = 2**26
#: Older engines ask a stream for its rows but once.
OLDEST_ENGINE = 2
#: Blocks that are split at the same time.
MOST_THREADS = 8
#: Bytes that are split at once.
BLOCK = 2**21


def plain_numbers(
    connection: duckdb.DuckDBPyConnection,
    paths: Sequence[str],
    separator: str,
    names: Sequence[str],
    columns: Sequence[Column],
) -> Any:
    """The canonical form of number columns; nothing if there are others, or if this would take longer.

    The files must be plain, bare and in lines, as `PlainTexts` says.
    """
    numbers = [column.name for column in columns if type(column) in (Number, Integer)]
    places = [names.index(name) for name in numbers if name in names]
    asked = 0 < len(columns) == len(set(places))
    able = len(names) > 1 and len(separator.encode()) == 1 and int(duckdb.__version__.split(".")[0]) >= OLDEST_ENGINE
    if not (asked and able):
        return None
    try:
        if sum(Path(path).stat().st_size for path in paths) < FEWEST_BYTES:
            return None
        blocks = Blocks(connection, paths, separator, len(names), places)
        if not blocks.begin_well():
            return None
    except (ImportError, OSError):
        return None
    made = [
        f"{canonical.finished(column, f'v{number}', 'DOUBLE')} AS v{number}, filled{number}"
        for number, column in enumerate(columns)
    ]
    return connection.from_arrow(blocks).project(", ".join(made))


class Blocks:
    """Columns of files in lines, as `v0, filled0, …`, from the beginning for everyone who asks."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        paths: Sequence[str],
        separator: str,
        width: int,
        places: Sequence[int],
    ) -> None:
        import pyarrow
        from pyarrow import csv

        self._arrow, self._csv = pyarrow, csv
        self._connection, self._paths, self._separator = connection, paths, separator
        self._width, self._places = width, places
        both = ((f"v{number}", f"filled{number}") for number in range(len(places)))
        kinds = pyarrow.float64(), pyarrow.bool_()
        self._schema = pyarrow.schema([field for names in both for field in zip(names, kinds, strict=True)])

    def __arrow_c_schema__(self) -> object:
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._arrow.RecordBatchReader.from_batches(self._schema, self._batches()).__arrow_c_stream__()

    def begin_well(self) -> bool:
        """Whether the first block is nothing but numbers: where it is not, few others are."""
        try:
            self._numbers(next(self._lines(), memoryview(b"")))
        except self._arrow.ArrowInvalid:
            return False
        return True

    def _batches(self) -> Iterator[Any]:
        """Blocks in turn, of which some are split meanwhile; Arrow's library lets others run."""
        threads = min(os.cpu_count() or 1, MOST_THREADS)
        waiting: deque[Future[Any]] = deque()
        try:
            with ThreadPoolExecutor(threads) as pool:
                for lines in self._lines():
                    waiting.append(pool.submit(self._batch, lines))
                    if len(waiting) > 2 * threads:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
        except (OSError, MemoryError, duckdb.Error):  # the machine's, as no row fails anything here
            raise OSError(UNREAD.rpartition(": ")[2]) from None

    def _lines(self) -> Iterator[memoryview]:
        """Whole lines of each file behind its header."""
        for path in self._paths:
            with Path(path).open("rb", buffering=0) as file:
                rest, begin = b"", True
                while True:
                    block = bytearray(len(rest) + BLOCK)
                    block[: len(rest)] = rest
                    size = len(rest) + (file.readinto(memoryview(block)[len(rest) :]) or 0)
                    last = size == len(rest)
                    end = size if last else block.rfind(b"\n", 0, size) + 1
                    start = block.find(b"\n", 0, end) + 1 if begin else 0
                    begin = begin and not start
                    rest = bytes(memoryview(block)[end:size])
                    if not begin and start < end:
                        yield memoryview(block)[start:end]
                    if last:
                        break

    def _batch(self, lines: memoryview) -> Any:
        """What numbers a block has: all of its texts, or those that the engine finds."""
        try:
            return self._numbers(lines)
        except self._arrow.ArrowInvalid:
            return self._converted(lines)

    def _numbers(self, lines: memoryview) -> Any:
        """Fails where a text that is not empty is no number, and where a line has another number of cells."""
        read = self._read(lines, self._arrow.float64())
        both = (array for column in read.columns for array in (column, column.is_valid()))
        return self._arrow.record_batch(list(both), schema=self._schema)

    def _converted(self, lines: memoryview) -> Any:
        """The same by the expressions for texts."""
        try:
            texts = self._read(lines, self._arrow.string())
        except self._arrow.ArrowInvalid:
            texts = self._split(lines)
        cells = [(f"v{number}", f"filled{number}", f"r{number}") for number in range(len(self._places))]
        made = ", ".join(f"{canonical.number(r, canonical.BARE)} AS {v}, {r} IS NOT NULL AS {f}" for v, f, r in cells)
        with self._connection.cursor() as cursor:
            table = self._arrow.table(cursor.from_arrow(self._arrow.table(texts)).project(made))
        return self._whole(table.cast(self._schema))

    def _read(self, lines: memoryview, kind: Any) -> Any:
        names = [f"c{number}" for number in range(self._width)]
        asked = [f"r{number}" for number in range(len(self._places))]
        for name, place in zip(asked, self._places, strict=True):
            names[place] = name
        table = self._csv.read_csv(
            self._arrow.py_buffer(lines),
            self._csv.ReadOptions(use_threads=False, block_size=len(lines) + 1, column_names=names),
            self._csv.ParseOptions(delimiter=self._separator, quote_char=False),
            self._csv.ConvertOptions(
                column_types=dict.fromkeys(asked, kind),
                include_columns=asked,
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
        return self._whole(table)

    def _split(self, lines: memoryview) -> Any:
        """Lines with too few cells are no rows, and cells beyond the header are not looked at."""
        cells = (line.split(self._separator) for line in str(lines, "utf-8", "replace").split("\n"))
        rows = [row for row in cells if len(row) >= self._width]
        columns = [self._arrow.array([row[place] or None for row in rows], "string") for place in self._places]
        return self._arrow.record_batch(columns, [f"r{number}" for number in range(len(columns))])

    def _whole(self, table: Any) -> Any:
        batches = table.combine_chunks().to_batches()
        return batches[0] if batches else self._arrow.RecordBatch.from_pylist([], schema=table.schema)
