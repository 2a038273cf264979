"""Entropies with their intervals, and the map of how closely columns are related."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.label import different
from reaedp.report.charts import drawing as draw
from reaedp.report.charts.drawing import Frame, Specification

_BITS = ".4~f"
#: The side of a map, and the least and the largest side of one of its squares; what fits into the smaller has no text.
_SIDE, _LEAST, _LARGEST, _WITH_TEXT = 400, 12, 64, 36
#: The words in the squares of a map.
_SHARES: Specification = {
    "mark": {"type": "text", "fontSize": 12},
    "encoding": {
        "text": {"field": "said"},
        "color": {"condition": {"test": "datum.ink == 'light'", "value": "#ffffff"}, "value": "#1b1e24"},
    },
}


def entropies(
    frame: Frame,
    original: NDArray[Any] | None = None,
    *,
    measures: Sequence[str] | None = None,
    doubt: NDArray[np.bool_] | None = None,
) -> Specification:
    """A point and its range for each number; `measures` are their names, if not those of the frame."""
    called = np.asarray(frame["measure"]).tolist() if measures is None else measures
    rows = {
        "measure": np.array(different(called), dtype=object),
        "bits": frame["bits"],
        "low": frame["low_95"],
        "high": frame["high_95"],
        "told": draw.readings(np.zeros(len(called), dtype=bool) if doubt is None else doubt),
    }
    said = draw.hover(
        measure=("measure", None),
        bits=("bits", _BITS),
        **draw.interval(_BITS),
        told=("reading", None),
    )
    layers: list[Specification] = [
        {
            "mark": {"type": "rule", "strokeWidth": 3},
            "encoding": {
                "x": draw.quantity("low", "bits"),
                "x2": {"field": "high"},
                "color": draw.told_apart(),
                "opacity": draw.only_when("private", 0.5),
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 90},
            "encoding": {
                "x": draw.quantity("bits", "bits"),
                "color": draw.told_apart(),
                "opacity": draw.only_when("private"),
                "tooltip": said,
            },
        },
    ]
    if original is not None:
        rows["original"] = original
        layers.append(
            {
                "mark": {"type": "tick", "color": draw.ORANGE, "thickness": 3},
                "encoding": {
                    "x": draw.quantity("original", "bits"),
                    "opacity": draw.only_when("original"),
                    "tooltip": draw.hover(
                        measure=("measure", None), original=("true bits, not to be published", _BITS)
                    ),
                },
            }
        )
    return draw.line_by_line(rows, "measure", layers)


def information_map(
    frame: Frame,
    original: NDArray[Any] | None = None,
    *,
    called: Mapping[str, str] = MappingProxyType({}),
    doubt: NDArray[np.bool_] | None = None,
) -> Specification:
    """Mutual information of each pair of columns, relative to the mean of their entropies, as squares.

    `called` says what columns are called, where that is not their name. A column with itself is no finding.
    """
    apart = np.asarray(frame["first"] != frame["second"])
    first, second = (np.asarray(frame[side]) for side in ("first", "second"))
    columns = list(dict.fromkeys(first.tolist()))
    named = dict(zip(columns, different([called.get(name, name) for name in columns], 40), strict=True))
    sides = {"one": (first, second), "other": (second, first)}
    rows: dict[str, NDArray[Any]] = {
        side: np.array([named[name] for part in parts for name in part[apart].tolist()], dtype=object)
        for side, parts in sides.items()
    }
    numbers = {"share": "symmetric_uncertainty", "bits": "mutual_information"}
    ends = {"low": "mutual_information_low_95", "high": "mutual_information_high_95"}
    for name, column in (numbers | ends).items():
        rows[name] = np.tile(np.asarray(frame[column])[apart], 2)
    rows["told"] = draw.readings(np.tile(np.zeros(len(apart), dtype=bool)[apart] if doubt is None else doubt[apart], 2))
    rows |= _shares(rows["share"], rows["told"])
    said = {
        "one": ("column", None),
        "other": ("and", None),
        "bits": ("mutual information, bits", _BITS),
        **draw.interval(_BITS),
        "share": ("symmetric uncertainty", ".1%"),
        "told": ("reading", None),
    }
    if original is not None:
        rows["original"] = np.tile(np.asarray(original)[apart], 2)
        said["original"] = ("true mutual information, not to be published", _BITS)
    step = max(_LEAST, min(_LARGEST, _SIDE // len(columns)))
    legend = {"orient": "top", "format": ".0%"}
    shade = draw.quantity("share", "symmetric uncertainty") | {
        "scale": draw.SHADED | {"domain": [0, 1]},
        "legend": legend,
    }
    squares: Specification = {
        "mark": {"type": "rect", "stroke": "#8a8f98", "strokeWidth": 0.5},
        "encoding": {"color": draw.told_apart(shade), "tooltip": draw.hover(**said)},
    }
    return {
        "data": draw.values(rows),
        "width": step * len(columns),
        "height": step * len(columns),
        "encoding": {
            "x": draw.names("one", None, len(columns))
            | {"axis": {"labelAngle": -45, "labelLimit": 120}, "sort": list(named.values())},
            "y": draw.names("other", None, 0) | {"axis": {"labelLimit": 160}, "sort": list(named.values())},
        },
        "layer": [squares, _SHARES] if step >= _WITH_TEXT else [squares],
    }


def _shares(shares: NDArray[Any], told: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """What is written in each square, and in which ink; what noise alone could have made has no number."""
    doubtful = told == draw.DOUBTFUL
    said = ["·" if doubt else f"{share:.0%}" for share, doubt in zip(shares.tolist(), doubtful.tolist(), strict=True)]
    ink = np.where((shares > 0.5) & ~doubtful, "light", "dark")
    return {"said": np.array(said, dtype=object), "ink": ink.astype(object)}
