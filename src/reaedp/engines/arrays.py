"""Columns of frames in memory as arrays: plain numbers are counted where they lie, without an engine.

To ask the engine takes longer than to add up some ten thousand rows, and NumPy adds up a million in less than half of
its time. Which columns are plain is decided by types alone: those of NumPy in pandas, and those of Arrow, that hold one
number or truth value for each row.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Rows that are looked at together: what is computed of them stays near the processor.
ROWS = 2**15
#: Tables of Arrow whose pieces are smaller than this on average are put together first.
SMALL_PIECE = 2**10


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Numbers:
    """Private numbers of one column, one for each of some rows, of any type of NumPy from truth values to doubles.

    There is nothing in the rows that are `missing`, whatever number stands there.
    """

    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None


#: Some rows after others, with their numbers in each column that was asked for.
Blocks = Iterator[Sequence[Numbers]]


def blocks_of(frame: Any) -> Callable[[Sequence[str]], Blocks | None]:
    """What gives the blocks of columns of a frame that is prepared for the engine; nothing if one is not plain."""
    library = type(frame).__module__.split(".")[0]
    if library == "pandas" and _is_frame_of_pandas(frame):
        return lambda names: _of_pandas(frame, names)
    if library == "pyarrow" and hasattr(frame, "to_batches"):
        return lambda names: _of_arrow(frame, names)
    return lambda _: None


def _is_frame_of_pandas(frame: Any) -> bool:
    """Whether it is no class of a stranger's, whose columns may be something else."""
    import pandas

    return type(frame) is pandas.DataFrame


def _of_pandas(frame: Any, names: Sequence[str]) -> Blocks | None:
    columns = [frame[name] for name in names]
    if not all(_plain(column.dtype) for column in columns):
        return None
    arrays = [column.to_numpy() for column in columns]
    return ([_with_nan_missing(array[at : at + ROWS]) for array in arrays] for at in range(0, len(frame), ROWS))


def _plain(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.isnative and (dtype.kind in "biu" or dtype in (np.float32, np.float64))


def _with_nan_missing(values: NDArray[Any]) -> Numbers:
    """Numbers of pandas, which does not tell NaN from a null."""
    if values.dtype.kind != "f" or not np.isnan(values.min()):
        return Numbers(values)
    return Numbers(values, np.isnan(values))


def _of_arrow(table: Any, names: Sequence[str]) -> Blocks | None:
    import pyarrow as pa

    chosen = table.select(list(names))
    for kind in chosen.schema.types:
        if not (pa.types.is_integer(kind) or pa.types.is_boolean(kind) or kind in (pa.float32(), pa.float64())):
            return None
    if chosen.num_rows < SMALL_PIECE * max(column.num_chunks for column in chosen.columns):
        chosen = chosen.combine_chunks()
    batches = chosen.to_batches(max_chunksize=ROWS)
    return (list(map(_of_array, batch.columns)) for batch in batches if batch.num_rows)


def _of_array(array: Any) -> Numbers:
    """Numbers of Arrow, in which NaN is no null."""
    if not array.null_count:
        return Numbers(array.to_numpy(zero_copy_only=False))
    missing = array.is_null().to_numpy(zero_copy_only=False)
    return Numbers(array.fill_null(array.type.to_pandas_dtype()(0)).to_numpy(zero_copy_only=False), missing)
