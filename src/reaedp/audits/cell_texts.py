"""Texts that fall into given cells, as made-up files have them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Column
from reaedp.synthesis.decode import decode

#: What stands in a file for a value that has no regular cell.
TROUBLES = {
    "null": "",
    "nan": "NaN",
    "infinite": "-inf",
    "unparsable": "1,2;3",
    "unseen": "a level that nobody declared",
    "outside": "-1e308",
}
DATES = {"unparsable": "2020-13-45", "outside": "9999-12-31"}
Codes = NDArray[np.int32]


def texts(axes: tuple[Column, ...], codes: Codes) -> list[list[str]]:
    """For each column a text for each row that falls into these cells."""
    values = decode(axes, codes, np.random.default_rng(0))
    return [
        [_text(axis, int(code), value) for code, value in zip(column, np.ma.getdata(values[axis.name]), strict=True)]
        for axis, column in zip(axes, codes.T, strict=True)
    ]


def _text(axis: Column, code: int, value: Any) -> str:
    if code < axis.regular:
        return str(value).lower() if isinstance(value, np.bool_) else str(value)
    known = TROUBLES | DATES if axis.kind == "date" else TROUBLES
    return known[axis.own_cells[code - axis.regular]]
