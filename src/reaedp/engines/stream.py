"""Rows of the embedded engine, a batch at a time, as arrays without copies: Arrow's C stream, read by nanoarrow.

Only what the engine is asked for here is understood: columns of numbers, and lists of pairs of doubles. Null values
must have been replaced in the engine.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from reaedp.errors import ReaedpError

if TYPE_CHECKING:  # most releases count without a stream
    from nanoarrow.c_array import CArray

#: Integers of 8 to 64 bits and doubles, and lists whose bounds are 32-bit numbers.
_UNDERSTOOD = {"c", "s", "i", "l", "g", "+l"}

#: A page of Parquet says that it is longer than its file: it is damaged, and no disk is to blame.
BEYOND_THE_END = "IO Error: Could not read enough bytes"
#: A file that Arrow's library reads can be read no more; the last words are our own.
UNREAD = "Invalid Input Error: reading the Arrow source failed: IOError: the file cannot be read"


def batches(relation: duckdb.DuckDBPyRelation) -> "Iterator[list[CArray]]":
    """The columns of some rows, then of some more; arrays made from them are good until the next batch is asked for."""
    import nanoarrow

    stream = nanoarrow.c_array_stream(_run(relation))
    try:
        _check(stream)
        for batch in stream:
            yield [batch.child(place) for place in range(batch.n_children)]
    except RuntimeError as error:  # nanoarrow's own is one
        raise _failure(error) from None


def named_batches(relation: duckdb.DuckDBPyRelation, names: Sequence[str]) -> Iterator[dict[str, NDArray[np.generic]]]:
    """The columns of some rows by their names, as arrays of their own, then of some more; no list among them."""
    for columns in batches(relation):
        yield {name: _buffer(column).copy() for name, column in zip(names, columns, strict=True)}


def _check(stream: Any) -> None:
    """Refuse a layout that the engine's settings chose and that would be read wrongly here."""
    schema = stream.get_schema()
    if not {schema.child(place).format for place in range(schema.n_children)} <= _UNDERSTOOD:
        raise ReaedpError(
            "The DuckDB connection has arrow_large_buffer_size switched on, which is not supported. Switch it off."
        )


def doubles(column: "CArray") -> NDArray[np.float64]:
    """A column of doubles."""
    return _buffer(column)


def pairs(column: "CArray") -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """A column of lists of pairs: to which list each pair belongs, and its two numbers."""
    bounds = _buffer(column, more=1).astype(np.int64)
    entries = column.child(0)
    first, second = (doubles(entries.child(place))[bounds[0] : bounds[-1]] for place in range(2))
    return np.repeat(np.arange(column.length), np.diff(bounds)), first, second


def _buffer(column: "CArray", more: int = 0) -> NDArray[Any]:
    """A read-only look at the numbers of a column, or at the bounds of its lists, of which there is one more."""
    values = np.asarray(column.view().buffer(1))
    if more and not len(values):  # lists of no rows may have no bounds
        return np.zeros(more, dtype=np.int32)
    return values[column.offset : column.offset + column.length + more]


def _run(relation: duckdb.DuckDBPyRelation) -> Any:
    """Start the query and hand out its stream."""
    return relation.__arrow_c_stream__()


def _failure(error: RuntimeError) -> duckdb.Error:
    """The engine's own kind of error, by the first of its words; the others, which a row may choose, are not looked at.

    nanoarrow puts before them where the stream failed, as in `get_next() failed (5): IO Error: …`.
    """
    words = str(error).partition("): ")[2]
    kinds: dict[str, type[duckdb.Error]] = {
        "Out of Memory": duckdb.OutOfMemoryException,
        "IO Error": duckdb.IOException,
        UNREAD: duckdb.IOException,
        "INTERRUPT": duckdb.InterruptException,
    }
    damaged = words.startswith(BEYOND_THE_END)
    return next((kind() for start, kind in kinds.items() if words.startswith(start) and not damaged), duckdb.Error())
