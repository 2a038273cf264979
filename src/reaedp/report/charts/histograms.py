"""Histograms: bars with ranges for one column, colours for two, and the largest cells where there are too many."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.label import different, shown
from reaedp.report.charts.drawing import (
    BLUE,
    GREY,
    LINE,
    ORANGE,
    Frame,
    Specification,
    hover,
    names,
    only_when,
    quantity,
    switch,
    values,
)

#: Bars that can be told apart, cells of a coloured table, and the largest cells of one that is larger.
MOST_BARS, MOST_ACROSS, MOST_DOWN, MOST_LISTED = 400, 150, 60, 40
#: The columns of numbers of a histogram, by their names in charts.
_NUMBERS = {"count": "count", "estimate": "estimate", "share": "share", "low": "low_95", "high": "high_95"}
_COUNT = ",.0f"
_SAID = {
    "count": ("released count", _COUNT),
    "estimate": ("estimate", ",.1f"),
    "share": ("share", ".2%"),
    "low": ("95 % interval from", _COUNT),
    "high": ("to", _COUNT),
}


def histogram(frame: Frame, axes: Sequence[str], original: NDArray[Any] | None = None) -> Specification:
    """The chart that suits the number of columns and cells; `axes` are the first columns of the frame."""
    sizes = [len(dict.fromkeys(np.asarray(frame[axis]).tolist())) for axis in axes]
    if len(axes) == 1 and sizes[0] <= MOST_BARS:
        return _bars(frame, axes[0], original)
    across = int(np.argmax(sizes))
    down = int(np.prod(sizes)) // max(sizes[across], 1)
    if len(axes) > 1 and sizes[across] <= MOST_ACROSS and down <= MOST_DOWN:
        return _coloured(frame, axes, across, original)
    return largest_cells(frame, axes, original)


def largest_cells(frame: Frame, axes: Sequence[str], original: NDArray[Any] | None = None) -> Specification:
    """The cells with the most rows as bars that lie on their side."""
    order = np.argsort(-np.asarray(frame["count"]), kind="stable")[:MOST_LISTED]
    some = {name: np.asarray(column)[order] for name, column in frame.items()}
    rows = _numbers(some) | {"cell": np.array(different(_combined(some, axes)), dtype=object)}
    said = {name: words for name, words in _SAID.items() if name in rows}
    title = " × ".join(shown(axis, 30) for axis in axes)
    bars: Specification = {
        "mark": {"type": "bar", "color": BLUE},
        "encoding": {
            "x": quantity("count", "rows", format=_COUNT),
            "opacity": only_when("private"),
            "tooltip": hover(cell=(title, None), **said),
        },
    }
    layers = [bars]
    if original is not None:
        rows["original"] = original[order]
        layers.append(_ticks("x", thickness=3))
    side = names("cell", title, 0) | {"axis": {"labelLimit": 300}}
    return {
        "data": values(rows),
        "params": [switch()],
        "height": LINE * len(order),
        "encoding": {"y": side},
        "layer": layers,
    }


def _bars(frame: Frame, axis: str, original: NDArray[Any] | None) -> Specification:
    cells = different(np.asarray(frame[axis]).tolist())
    rows = {"cell": np.array(cells, dtype=object)} | _numbers(frame)
    title = shown(axis)
    said = hover(cell=(title, None), **_SAID)
    layers: list[Specification] = [
        {
            "mark": {"type": "bar", "color": BLUE},
            "encoding": {
                "y": quantity("count", "rows", format=_COUNT),
                "opacity": only_when("private", 0.85),
                "tooltip": said,
            },
        },
        {
            "mark": {"type": "rule", "color": GREY, "strokeWidth": 1.5},
            "encoding": {
                "y": quantity("low", "rows", format=_COUNT),
                "y2": {"field": "high"},
                "opacity": only_when("private"),
            },
        },
    ]
    if original is not None:
        rows["original"] = original
        layers.append(_ticks("y", thickness=3))
    return {
        "data": values(rows),
        "params": [switch()],
        "encoding": {"x": names("cell", title, len(cells))},
        "layer": layers,
    }


def _ticks(channel: str, *, thickness: int) -> Specification:
    """What was counted without noise."""
    return {
        "mark": {"type": "tick", "color": ORANGE, "thickness": thickness},
        "encoding": {
            channel: quantity("original", "rows", format=_COUNT),
            "opacity": only_when("original"),
            "tooltip": hover(cell=("cell", None), original=("true count, not to be published", _COUNT)),
        },
    }


def _coloured(frame: Frame, axes: Sequence[str], across: int, original: NDArray[Any] | None) -> Specification:
    """The column with the most cells goes right, all others together go down."""
    others = [axis for place, axis in enumerate(axes) if place != across]
    columns = np.asarray(frame[axes[across]]).tolist()
    lines = _combined(frame, others)
    rows = {
        "cell": np.array(_labelled(columns), dtype=object),
        "line": np.array(_labelled(lines), dtype=object),
    } | _numbers(frame)
    down_title = " × ".join(shown(name, 30) for name in others)
    said = {"cell": (shown(axes[across], 30), None), "line": (down_title, None)} | dict(_SAID)
    field = "estimate"
    if original is not None:
        rows["original"] = original
        said["original"] = ("true count, not to be published", _COUNT)
    return {
        "data": values(rows),
        "height": LINE * len(set(lines)),
        "mark": {"type": "rect"},
        "encoding": {
            "x": names("cell", shown(axes[across]), len(set(columns))),
            "y": names("line", down_title, 0) | {"axis": {"labelLimit": 220}},
            "color": quantity(field, "estimated rows") | {"scale": {"scheme": "blues"}},
            "tooltip": hover(**said),
        },
    }


def _labelled(texts: Sequence[Any]) -> list[str]:
    """The same label for the same text, different ones for different texts."""
    apart = list(dict.fromkeys(texts))
    named = dict(zip(apart, different(apart), strict=True))
    return [named[text] for text in texts]


def _combined(frame: Frame, axes: Sequence[str]) -> list[str]:
    columns = [np.asarray(frame[axis]).tolist() for axis in axes]
    return [" · ".join(shown(cell, 30) for cell in cells) for cells in zip(*columns, strict=True)]


def _numbers(frame: Frame) -> dict[str, NDArray[Any]]:
    return {name: np.asarray(frame[column]) for name, column in _NUMBERS.items() if column in frame}
