"""Histograms: bars with ranges for one column, colours for two, and the largest cells where there are too many."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.label import different, shown
from reaedp.report.charts import drawing as draw
from reaedp.report.charts.drawing import Frame, Specification

#: Bars that can be told apart, cells of a coloured table, and the largest cells of one that is larger.
MOST_BARS, MOST_ACROSS, MOST_DOWN, MOST_LISTED = 400, 150, 60, 40
#: Bars lower than this share of the highest are hard to see; if these are many, they are drawn again by themselves.
LOW, MANY = 0.1, 1 / 3
#: The columns of numbers of a histogram, by their names in charts.
_NUMBERS = {"count": "count", "estimate": "estimate", "share": "share", "low": "low_95", "high": "high_95"}
_COUNT = ",.0f"
_SAID = {
    "count": ("released count", _COUNT),
    "estimate": ("estimate", ",.1f"),
    "share": ("share", ".2%"),
    "low": ("95 % interval from", _COUNT),
    "high": ("to", _COUNT),
    "told": ("reading", None),
}


@dataclass(frozen=True, slots=True, eq=False)
class DrawnCells:
    """What is drawn: numbers, what their columns are called, which of them may be noise, and what is counted.

    `axes` are the first columns of the frame. `original` are true numbers, which only the custodian has.
    """

    frame: Frame
    axes: tuple[str, ...]
    titles: tuple[str, ...]
    doubt: NDArray[np.bool_]
    unit: str
    original: NDArray[Any] | None

    @classmethod
    def of(
        cls,
        frame: Frame,
        axes: Sequence[str],
        original: NDArray[Any] | None = None,
        *,
        titles: Sequence[str] | None = None,
        doubt: NDArray[np.bool_] | None = None,
        unit: str = "rows",
    ) -> "DrawnCells":
        """Columns are called by their names and nothing is in doubt, unless said."""
        undoubted = np.zeros(len(frame["count"]), dtype=bool)
        return cls(frame, tuple(axes), tuple(titles or axes), undoubted if doubt is None else doubt, unit, original)

    def some(self, places: NDArray[Any]) -> "DrawnCells":
        """Those in these places, or where this is true."""
        frame = {name: np.asarray(column)[places] for name, column in self.frame.items()}
        original = None if self.original is None else np.asarray(self.original)[places]
        return DrawnCells(frame, self.axes, self.titles, self.doubt[places], self.unit, original)

    @property
    def numbers(self) -> dict[str, NDArray[Any]]:
        """All columns of numbers that there are, by their names in charts, and how to read them."""
        found = {name: np.asarray(self.frame[column]) for name, column in _NUMBERS.items() if column in self.frame}
        found |= {"told": draw.readings(self.doubt)}
        return found if self.original is None else found | {"original": self.original}

    def title(self, *places: int) -> str:
        """What these columns are called together."""
        return " × ".join(shown(self.titles[place], 60) for place in places)

    @property
    def sizes(self) -> list[int]:
        """How many different cells each column has here."""
        return [len(dict.fromkeys(np.asarray(self.frame[axis]).tolist())) for axis in self.axes]


def histogram(cells: DrawnCells) -> Specification:
    """The chart that suits the number of columns and cells."""
    sizes = cells.sizes
    if len(sizes) == 1 and sizes[0] <= MOST_BARS:
        return _bars(cells)
    across = int(np.argmax(sizes))
    down = int(np.prod(sizes)) // max(sizes[across], 1)
    if len(sizes) > 1 and sizes[across] <= MOST_ACROSS and down <= MOST_DOWN:
        return _coloured(cells, across)
    return largest_cells(cells)


def low_bars(cells: DrawnCells) -> Specification:
    """The low bars of one column on an axis of their own, where there are many; nothing otherwise."""
    counts = np.asarray(cells.frame["count"], dtype=np.float64)
    top = LOW * counts.max(initial=0.0)
    if len(cells.axes) > 1 or len(counts) > MOST_BARS or np.mean(counts < top) < MANY or top <= 0:
        return {}
    return _bars(cells, top)


def largest_cells(cells: DrawnCells) -> Specification:
    """The cells with the most rows as bars that lie on their side."""
    some = cells.some(np.argsort(-np.asarray(cells.frame["count"]), kind="stable")[:MOST_LISTED])
    rows = some.numbers | {"cell": np.array(different(_combined(some.frame, some.axes)), dtype=object)}
    said = {name: words for name, words in _SAID.items() if name in rows}
    title = some.title(*range(len(some.axes)))
    bars: Specification = {
        "mark": {"type": "bar"},
        "encoding": {
            "x": draw.quantity("count", some.unit, format=_COUNT),
            "color": draw.told_apart(),
            "opacity": draw.only_when("private"),
            "tooltip": draw.hover(cell=(title, None), **said),
        },
    }
    layers = [bars] if some.original is None else [bars, _ticks("x", some.unit)]
    return {
        "data": draw.values(rows),
        "params": [draw.switch()],
        "height": draw.LINE * len(rows["cell"]),
        "encoding": {"y": draw.names("cell", title, 0) | {"axis": {"labelLimit": 300}}},
        "layer": layers,
    }


def _bars(cells: DrawnCells, top: float | None = None) -> Specification:
    """A bar and its range for each cell; with a `top`, the axis ends there and what is higher is cut."""
    labels = different(np.asarray(cells.frame[cells.axes[0]]).tolist())
    rows = {"cell": np.array(labels, dtype=object)} | cells.numbers
    cut = {} if top is None else {"clip": True}
    scale = {} if top is None else {"scale": {"domain": [min(0.0, float(rows["low"].min())), top]}}
    layers: list[Specification] = [
        {
            "mark": {"type": "bar"} | cut,
            "encoding": {
                "y": draw.quantity("count", cells.unit, format=_COUNT) | scale,
                "color": draw.told_apart(),
                "opacity": draw.only_when("private", 0.85),
                "tooltip": draw.hover(cell=(cells.title(0), None), **_SAID),
            },
        },
        {
            "mark": {"type": "rule", "color": draw.GREY, "strokeWidth": 1.5} | cut,
            "encoding": {
                "y": draw.quantity("low", cells.unit, format=_COUNT) | scale,
                "y2": {"field": "high"},
                "opacity": draw.only_when("private"),
            },
        },
    ]
    if cells.original is not None:
        layers.append(_ticks("y", cells.unit, cut, scale))
    return {
        "data": draw.values(rows),
        "params": [draw.switch()],
        "encoding": {"x": draw.names("cell", cells.title(0), len(labels), max(map(len, labels), default=0))},
        "layer": layers,
    }


def _ticks(
    channel: str, unit: str, cut: Specification | None = None, scale: Specification | None = None
) -> Specification:
    """What was counted without noise."""
    return {
        "mark": {"type": "tick", "color": draw.ORANGE, "thickness": 3} | (cut or {}),
        "encoding": {
            channel: draw.quantity("original", unit, format=_COUNT) | (scale or {}),
            "opacity": draw.only_when("original"),
            "tooltip": draw.hover(cell=("cell", None), original=("true count, not to be published", _COUNT)),
        },
    }


def _coloured(cells: DrawnCells, across: int) -> Specification:
    """The column with the most cells goes right, all others together go down."""
    others = [place for place in range(len(cells.axes)) if place != across]
    columns = np.asarray(cells.frame[cells.axes[across]]).tolist()
    lines = _combined(cells.frame, [cells.axes[place] for place in others])
    rows = {
        "cell": np.array(_labelled(columns), dtype=object),
        "line": np.array(_labelled(lines), dtype=object),
    } | cells.numbers
    said = {"cell": (cells.title(across), None), "line": (cells.title(*others), None)} | dict(_SAID)
    if cells.original is not None:
        said["original"] = ("true count, not to be published", _COUNT)
    legend = {"orient": "bottom", "format": _COUNT, "gradientLength": 240, "titleLimit": 240}
    shade = draw.quantity("estimate", f"estimated {cells.unit}") | {"scale": draw.SHADED, "legend": legend}
    return {
        "data": draw.values(rows),
        "height": 1.2 * draw.LINE * len(set(lines)),
        "mark": {"type": "rect"},
        "encoding": {
            "x": draw.names(
                "cell", cells.title(across), len(set(columns)), max(map(len, map(str, columns)), default=0)
            ),
            "y": draw.names("line", cells.title(*others), 0) | {"axis": {"labelLimit": 220} | draw.TITLE_ABOVE},
            "color": draw.told_apart(shade),
            "tooltip": draw.hover(**said),
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
