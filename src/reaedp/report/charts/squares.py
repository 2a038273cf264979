"""A square for each pair of columns, with a number in it; what noise alone could have made is grey and has none."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.report.charts import drawing as draw
from reaedp.report.charts.drawing import Specification

#: The side of a map, and the least and the largest side of one of its squares; what fits into the smaller has no text.
_SIDE, _LEAST, _LARGEST, _WITH_TEXT = 400, 12, 64, 36
#: The words in the squares.
_WORDS: Specification = {
    "mark": {"type": "text", "fontSize": 12},
    "encoding": {
        "text": {"field": "said"},
        "color": {"condition": {"test": "datum.ink == 'light'", "value": "#ffffff"}, "value": "#1b1e24"},
    },
}


def squares(
    sides: tuple[Sequence[str], Sequence[str]],
    numbers: dict[str, NDArray[Any]],
    doubt: NDArray[np.bool_],
    *,
    columns: Sequence[str],
    shade: Specification,
    written: Callable[[float], str],
    dark: NDArray[np.bool_],
    said: dict[str, tuple[str, str | None]],
) -> Specification:
    """Each pair stands in two squares. `shade` colours its field, whose number is `written` in the square.

    `dark` tells which colours take white letters; `said` is told of the numbers when pointed at.
    """
    first, second = sides
    rows = {
        "one": np.array([*first, *second], dtype=object),
        "other": np.array([*second, *first], dtype=object),
    } | {name: np.tile(found, 2) for name, found in numbers.items()}
    rows["told"] = draw.readings(np.tile(doubt, 2))
    words = ["·" if noise else written(number) for number, noise in zip(numbers[shade["field"]], doubt, strict=True)]
    rows["said"] = np.array(2 * words, dtype=object)
    rows["ink"] = np.tile(np.where(dark & ~doubt, "light", "dark"), 2).astype(object)
    step = max(_LEAST, min(_LARGEST, _SIDE // max(len(columns), 1)))
    names = {"one": ("column", None), "other": ("and", None)}
    coloured: Specification = {
        "mark": {"type": "rect", "stroke": "#8a8f98", "strokeWidth": 0.5},
        "encoding": {
            "color": draw.told_apart(shade),
            "tooltip": draw.hover(**(names | said | {"told": ("reading", None)})),
        },
    }
    return {
        "data": draw.values(rows),
        "width": step * len(columns),
        "height": step * len(columns),
        "encoding": {
            "x": draw.names("one", None, len(columns))
            | {"axis": {"labelAngle": -45, "labelLimit": 120}, "sort": list(columns)},
            "y": draw.names("other", None, 0) | {"axis": {"labelLimit": 160}, "sort": list(columns)},
        },
        "layer": [coloured, _WORDS] if step >= _WITH_TEXT else [coloured],
    }
