"""Values of the original form → cell numbers: what `decode` undoes."""

from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Boolean, Category, Column, Date, Integer, Number
from reaedp.statistics.by_kind import ByKind, no_way


def codes(column: Column, values: NDArray[Any]) -> NDArray[np.int32]:
    """The cell of every value; missing ones are in the first cell behind the regular ones."""
    missing = np.ma.getmaskarray(values)
    found = np.full(len(values), column.regular, dtype=np.int32)
    found[~missing] = _CELLS.of(column)(column, np.ma.getdata(values)[~missing])
    return found


def _number(column: Number, values: NDArray[Any]) -> NDArray[np.intp]:
    places = np.searchsorted(column.boundaries, values.astype(np.float64), side="right") - 1
    return np.clip(places, 0, column.regular - 1)


def _integer(column: Integer, values: NDArray[Any]) -> NDArray[np.intp]:
    return np.clip((values.astype(np.int64) - column.lower) // column.width, 0, column.regular - 1)


def _date(column: Date, values: NDArray[Any]) -> NDArray[np.intp]:
    starts = np.array(column.starts, dtype="datetime64[D]")
    days = np.array([np.datetime64(day, "D") if isinstance(day, date) else day for day in values.tolist()])
    return np.clip(np.searchsorted(starts, days.astype("datetime64[D]"), side="right") - 1, 0, column.regular - 1)


def _category(column: Category, values: NDArray[Any]) -> NDArray[np.intp]:
    places = {level: place for place, level in enumerate(column.levels)}
    # What is no level is counted behind the last one, and not shown.
    return np.array([places.get(str(value), column.regular) for value in values.tolist()], dtype=np.intp)


def _boolean(column: Column, values: NDArray[Any]) -> NDArray[np.intp]:  # noqa: ARG001
    return values.astype(np.intp)


_CELLS = ByKind[Callable[[Any, NDArray[Any]], NDArray[np.intp]]](
    "cells of synthetic values",
    {Number: _number, Integer: _integer, Date: _date, Category: _category, Boolean: _boolean},
    otherwise=no_way,
    over="columns",
)
