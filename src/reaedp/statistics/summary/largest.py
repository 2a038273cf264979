"""Top lists: the rows of a released table with the largest values, a view that costs nothing."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.errors import DeclarationError, sentence, unknown


def largest(columns: Mapping[str, NDArray[Any]], number: int, by: str, of: str | None) -> dict[str, NDArray[Any]]:
    """So many rows, the largest first, of one statistic of one column where the table has several."""
    if not (type(number) is int and number >= 1):
        raise DeclarationError(sentence("A top list must have a whole number of at least 1 rows", given=number))
    chosen, values = _ranked(columns, by, of)
    order = chosen[np.argsort(-values[chosen], kind="stable")[:number]]
    return {name: column[order] for name, column in columns.items()}


def _ranked(columns: Mapping[str, NDArray[Any]], by: str, of: str | None) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """The rows among which the largest are looked for, and the numbers by which."""
    if "statistic" not in columns:
        if by not in columns or columns[by].dtype.kind not in "iuf":
            numbers = [name for name, column in columns.items() if column.dtype.kind in "iuf"]
            raise DeclarationError(unknown("column of numbers", by, numbers))
        return np.arange(len(columns[by])), columns[by].astype(np.float64)
    called = list(dict.fromkeys(columns["column"].tolist()))
    if of is None and len(called) > 1:
        raise DeclarationError(f"Name the column, one of {', '.join(map(str, called))}.")
    if of is not None and of not in called:
        raise DeclarationError(unknown("column", of, called))
    figures = list(dict.fromkeys(columns["statistic"].tolist()))
    if figures and by not in figures:
        raise DeclarationError(unknown("statistic", by, figures))
    wanted = (columns["statistic"] == by) & ((of is None) | (columns["column"] == of))
    return np.flatnonzero(wanted), columns["value"].astype(np.float64)
