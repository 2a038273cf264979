"""Columns of released numbers in the types of pandas, Polars and Arrow.

A type follows from the kind of a column, never from what is in it: a column that can lack values has a type that can,
also where none is missing.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.errors import DeclarationError

#: Named columns of the same length; missing values are masked.
Frame = Mapping[str, NDArray[Any]]


class _Parts(NamedTuple):
    """The values of a column, and where they are missing, if they can be."""

    values: NDArray[Any]
    missing: NDArray[np.bool_] | None

    @property
    def texts(self) -> list[str | None]:
        """Texts, with nothing in the place of missing ones."""
        gone = np.zeros(len(self.values), dtype=bool) if self.missing is None else self.missing
        return [None if lost else value for value, lost in zip(self.values.tolist(), gone.tolist(), strict=True)]


def _parts(column: NDArray[Any]) -> _Parts:
    if not isinstance(column, np.ma.MaskedArray):
        return _Parts(np.asarray(column), None)
    return _Parts(np.asarray(column.data), np.ma.getmaskarray(column))


def dates(column: NDArray[Any]) -> NDArray[Any]:
    """A column of days as one type, however they are held; missing ones stay masked."""
    values, missing = _parts(column)
    if missing is None:
        return values.astype("datetime64[D]")
    days = np.full(values.shape, np.datetime64("NaT", "D"))
    days[~missing] = values[~missing].astype("datetime64[D]")
    return np.ma.MaskedArray(days, mask=missing)


def to_pandas(frame: Frame) -> Any:
    """A pandas data frame: texts are `string`, whole numbers that can be missing `Int64`."""
    with _needed("pandas", "to_pandas"):
        import pandas as pd

    def series(column: NDArray[Any]) -> Any:
        values, missing = parts = _parts(column)
        kind = values.dtype.kind
        if kind == "O":
            return pd.Series(parts.texts, dtype="string")
        if missing is None:
            return pd.Series(values.astype("datetime64[s]") if kind == "M" else values.copy())
        if kind == "f":
            return pd.Series(np.where(missing, np.nan, values))
        if kind == "M":
            return pd.Series(np.where(missing, np.datetime64("NaT"), values).astype("datetime64[s]"))
        if kind == "b":
            return pd.Series(pd.arrays.BooleanArray(values.copy(), missing.copy()))
        return pd.Series(pd.arrays.IntegerArray(values.astype(np.int64), missing.copy()))

    return pd.DataFrame({name: series(column) for name, column in frame.items()})


def to_polars(frame: Frame) -> Any:
    """A Polars data frame."""
    with _needed("polars", "to_polars"):
        import polars as pl

    def series(column: NDArray[Any]) -> Any:
        values, missing = parts = _parts(column)
        if values.dtype.kind == "O":
            return pl.Series(parts.texts, dtype=pl.String)
        found = pl.Series(values.copy())
        if missing is None or not missing.any():
            return found
        return pl.select(pl.when(pl.Series(~missing)).then(found)).to_series()

    return pl.DataFrame({name: series(column) for name, column in frame.items()})


def to_arrow(frame: Frame) -> Any:
    """The numbers as an Arrow table."""
    with _needed("pyarrow", "to_arrow"):
        import pyarrow as pa

    def array(column: NDArray[Any]) -> Any:
        values, missing = parts = _parts(column)
        return pa.array(parts.texts, pa.string()) if values.dtype.kind == "O" else pa.array(values, mask=missing)

    return pa.table({name: array(column) for name, column in frame.items()})


@contextmanager
def _needed(library: str, method: str) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError:
        raise DeclarationError(f"{method} needs {library}, which is not installed: pip install {library}.") from None


def same(one: Frame, other: Frame) -> bool:
    """Whether two frames hold the same columns in the same order, value by value; NaN equals NaN."""
    return list(one) == list(other) and all(_alike(one[name], other[name]) for name in one)


def _alike(one: NDArray[Any], other: NDArray[Any]) -> bool:
    (first, gone), (second, lost) = _parts(one), _parts(other)
    if first.shape != second.shape or first.dtype.kind != second.dtype.kind:
        return False
    nowhere = np.zeros(first.shape, dtype=bool)
    gone, lost = (nowhere if gone is None else gone), (nowhere if lost is None else lost)
    there = ~gone
    numbers = first.dtype.kind == "f"
    return np.array_equal(gone, lost) and np.array_equal(first[there], second[there], equal_nan=numbers)
