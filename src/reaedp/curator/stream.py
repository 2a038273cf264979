"""Rows of the embedded engine, a batch at a time, as arrays without copies: Arrow's C stream interface.

Only what the engine is asked for here is understood: columns of numbers, and lists of pairs of doubles. Null values
must have been replaced in the engine.
"""

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from reaedp.errors import ReaedpError


class ArrowArray(ctypes.Structure):
    """The layout that the interface prescribes for an array."""


class ArrowStream(ctypes.Structure):
    """The layout that the interface prescribes for a stream of arrays."""


class ArrowSchema(ctypes.Structure):
    """The layout that the interface prescribes for the type of an array, as far as it is read here."""

    _fields_ = (
        ("format", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("metadata", ctypes.c_void_p),
        ("flags", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("children", ctypes.POINTER(ctypes.c_void_p)),
        ("dictionary", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    )


#: Doubles, integers of 32 and of 64 bits, and lists whose bounds are 32-bit numbers.
_KINDS: dict[bytes, Any] = {b"c": np.int8, b"s": np.int16, b"g": np.float64, b"i": np.int32, b"l": np.int64}
_UNDERSTOOD = {*_KINDS, b"+l"}
_Array, _Stream = ctypes.POINTER(ArrowArray), ctypes.POINTER(ArrowStream)
ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(_Array)),
    ("dictionary", _Array),
    ("release", ctypes.CFUNCTYPE(None, _Array)),
    ("private_data", ctypes.c_void_p),
]
ArrowStream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, _Stream, ctypes.c_void_p)),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, _Stream, _Array)),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, _Stream)),
    ("release", ctypes.CFUNCTYPE(None, _Stream)),
    ("private_data", ctypes.c_void_p),
]


def batches(relation: duckdb.DuckDBPyRelation) -> Iterator[list[ArrowArray]]:
    """The columns of some rows, then of some more; arrays made from them are good until the next batch is asked for."""
    return _arrays(_run(relation))[1]


def named_batches(relation: duckdb.DuckDBPyRelation, names: Sequence[str]) -> Iterator[dict[str, NDArray[np.generic]]]:
    """The columns of some rows by their names, as arrays of their own, then of some more; no list among them."""
    formats, arrays = _arrays(_run(relation))
    for columns in arrays:
        yield {
            name: _view(column, 1, column.length, _KINDS[kind]).copy()
            for name, kind, column in zip(names, formats, columns, strict=True)
        }


def _arrays(capsule: Any) -> tuple[list[bytes], Iterator[list[ArrowArray]]]:
    stream = ArrowStream.from_address(_address(capsule))
    return _formats(stream), _each(capsule, stream)


def _each(capsule: Any, stream: ArrowStream) -> Iterator[list[ArrowArray]]:  # noqa: ARG001 - keeps the stream alive
    while True:
        array = ArrowArray()
        if stream.get_next(ctypes.byref(stream), ctypes.byref(array)):
            raise _stopped(stream.get_last_error(ctypes.byref(stream)))
        if not array.release:
            return
        with _released(array):
            yield [array.children[place].contents for place in range(array.n_children)]


def _formats(stream: ArrowStream) -> list[bytes]:
    """The columns' types; refuses a layout that the engine's settings chose and that would be read wrongly here."""
    schema = ArrowSchema()
    if stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)):
        raise _stopped(stream.get_last_error(ctypes.byref(stream)))
    children = [ArrowSchema.from_address(schema.children[place] or 0) for place in range(schema.n_children)]
    formats = [bytes(child.format) for child in children]
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(schema.release)(ctypes.addressof(schema))
    if not set(formats) <= _UNDERSTOOD:
        raise ReaedpError(
            "The engine's connection is set to large Arrow buffers, which are not read here; reset"
            " arrow_large_buffer_size."
        )
    return formats


def doubles(column: ArrowArray) -> NDArray[np.float64]:
    """A column of doubles."""
    return _view(column, 1, column.length, np.float64)


def pairs(column: ArrowArray) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """A column of lists of pairs: to which list each pair belongs, and its two numbers."""
    bounds = _view(column, 1, column.length + 1, np.int32).astype(np.int64)
    entries = column.children[0].contents
    first, second = (doubles(entries.children[place].contents)[bounds[0] : bounds[-1]] for place in range(2))
    return np.repeat(np.arange(column.length), np.diff(bounds)), first, second


def _run(relation: duckdb.DuckDBPyRelation) -> Any:
    """Start the query."""
    return relation.__arrow_c_stream__()


def _stopped(words: bytes | None) -> duckdb.Error:
    """The engine's own kind of error, by the first of its words; the others are not repeated."""
    said = (words or b"").decode("utf-8", "replace")
    kinds: dict[str, type[duckdb.Error]] = {
        "Out of Memory": duckdb.OutOfMemoryException,
        "IO Error": duckdb.IOException,
        "INTERRUPT": duckdb.InterruptException,
    }
    return next((kind() for start, kind in kinds.items() if said.startswith(start)), duckdb.Error())


def _address(capsule: Any) -> int:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(pointer(capsule, b"arrow_array_stream"))


@contextmanager
def _released(array: ArrowArray) -> Iterator[None]:
    try:
        yield
    finally:
        array.release(ctypes.byref(array))


def _view(column: ArrowArray, buffer: int, length: int, kind: Any) -> NDArray[Any]:
    """A read-only look at one of a column's buffers; an empty one may lie nowhere."""
    size = np.dtype(kind).itemsize
    address = column.buffers[buffer]
    if length == 0 or not address:
        return np.zeros(length, dtype=kind)
    raw = (ctypes.c_char * (length * size)).from_address(address + column.offset * size)
    view: NDArray[Any] = np.frombuffer(raw, dtype=kind)
    view.setflags(write=False)
    return view
