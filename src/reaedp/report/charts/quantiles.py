"""Shares of rows at or below values: quantiles with their intervals, and distribution functions with their bands."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.label import different, shown
from reaedp.report.charts import drawing as draw
from reaedp.report.charts.drawing import Frame, Specification

#: Groups whose lines can be told apart, and their colours.
MOST_GROUPS = 10
_COLOURS = [
    *(draw.BLUE, draw.ORANGE, "#2e8b57", "#9c5fb5", "#b58a00"),
    *("#d6527e", "#2b9a99", "#7a7f87", "#8c6d46", "#5a6fd8"),
]


def quantiles(frame: Frame, groups: Sequence[str], of: str, original: NDArray[Any] | None = None) -> Specification:
    """A point for each quantile, a line through those of a group, and intervals where there are any."""
    rows = _rows(frame, groups, frame["value"], "quantile", ("low_95", "high_95"), original=original)
    across = _across(rows["value"], of)
    if groups and len(set(rows["share"].tolist())) == 1:
        return _of_each_group(rows, across, of)
    layers = [_line(across, of, points=True)]
    if "low" in rows:
        ends = {"x": across | {"field": "low"}, "x2": {"field": "high"}, "y": _UP}
        layers.append({"mark": {"type": "rule", "opacity": 0.6, "strokeWidth": 3}, "encoding": ends})
    if "original" in rows:
        said = draw.hover(group=("group", None), original=("true value, not to be published", None))
        true = {"x": across | {"field": "original"}, "y": _UP, "opacity": draw.only_when("original"), "tooltip": said}
        mark = {"type": "tick", "orient": "vertical", "color": draw.ORANGE, "thickness": 3, "size": 20}
        layers.append({"mark": mark, "encoding": true | {"color": {"value": draw.ORANGE}}})
    switch = {"params": [draw.switch()]} if "original" in rows else {}
    return {"data": draw.values(rows), "encoding": _coloured(rows, groups), "layer": layers} | switch


def _of_each_group(rows: dict[str, Any], across: Specification, of: str) -> Specification:
    """One quantile of each group: a dot on a line of its own, with its interval if it has one."""
    form = ".6~g" if across["type"] == "quantitative" else None
    said = draw.hover(group=("group", None), value=(shown(of), form))
    seen, colour = {"opacity": draw.only_when("private")}, {"color": {"value": draw.BLUE}}
    point: Specification = {"type": "point", "filled": True, "size": 90}
    layers: list[Specification] = [{"mark": point, "encoding": {"x": across, "tooltip": said} | colour | seen}]
    if "low" in rows:
        ends = {"x": across | {"field": "low"}, "x2": {"field": "high"}, "opacity": draw.only_when("private", 0.5)}
        layers.insert(0, {"mark": {"type": "rule", "strokeWidth": 3}, "encoding": ends | colour})
    if "original" in rows:
        told = draw.hover(group=("group", None), original=("true value, not to be published", form))
        true = {"x": across | {"field": "original"}, "opacity": draw.only_when("original"), "tooltip": told}
        layers.append({"mark": {"type": "tick", "color": draw.ORANGE, "thickness": 3}, "encoding": true})
    return draw.line_by_line(rows, "group", layers)


def distribution(frame: Frame, ends: NDArray[Any], groups: Sequence[str], of: str) -> Specification:
    """A line over the `ends` of cells, and the range of each of its points."""
    rows = _rows(frame, groups, ends, "at_most", ("at_most_low_95", "at_most_high_95"))
    across = _across(rows["value"], of)
    around = {"x": across, "y": _UP | {"field": "low"}, "y2": {"field": "high"}}
    band = {"mark": {"type": "area", "opacity": 0.2}, "encoding": around}
    return {
        "data": draw.values(rows),
        "encoding": _coloured(rows, groups),
        "layer": [band, _line(across, of, points=False)],
    }


_UP = draw.quantity("share", "share of rows at or below", format=".0%")


def _rows(
    frame: Frame,
    groups: Sequence[str],
    at: NDArray[Any],
    share: str,
    ends: tuple[str, str],
    *,
    original: NDArray[Any] | None = None,
) -> dict[str, Any]:
    """The rows of the first groups, by short names."""
    texts = [np.asarray(frame[name]).tolist() for name in groups]
    named = [" · ".join(shown(cell, 30) for cell in cells) for cells in zip(*texts, strict=True)] or ["all"] * len(at)
    clear = np.asarray(frame["note"]) == "" if groups and "note" in frame else np.ones(len(named), dtype=bool)
    told = [name for name, whole in zip(named, clear.tolist(), strict=True) if whole] or named  # others may be empty
    apart = list(dict.fromkeys(told))[:MOST_GROUPS]
    labels = dict(zip(apart, different(apart), strict=True))
    kept = np.array([name in labels for name in named], dtype=bool)
    found: dict[str, Any] = {"value": np.asarray(at)[kept], "share": np.asarray(frame[share])[kept]}
    found["group"] = np.array([labels[name] for name in named if name in labels], dtype=object)
    if ends[0] in frame:
        found |= {name: np.asarray(frame[end])[kept] for name, end in zip(("low", "high"), ends, strict=True)}
    if original is not None and len(original) == len(kept):
        found["original"] = np.asarray(original)[kept]
    return found


def _across(found: NDArray[Any], of: str) -> Specification:
    if found.dtype.kind in "if":
        return draw.quantity("value", shown(of), zero=False)
    return draw.days("value", shown(of))


def _line(across: Specification, of: str, *, points: bool) -> Specification:
    form = ".6~g" if across["type"] == "quantitative" else None
    said = draw.hover(group=("group", None), value=(shown(of), form), share=("share of rows at or below", ".1%"))
    mark = {"type": "line"} | ({"point": {"filled": True, "size": 60}} if points else {})
    return {"mark": mark, "encoding": {"x": across, "y": _UP, "tooltip": said}}


def _coloured(rows: dict[str, Any], groups: Sequence[str]) -> Specification:
    if not groups:
        return {"color": {"value": draw.BLUE}}
    named = list(dict.fromkeys(rows["group"].tolist()))
    columns = max(1, draw.WIDTH // (max(map(len, named), default=0) * draw.LETTER + 28))
    return {
        "color": {
            "field": "group",
            "type": "nominal",
            "title": None,
            "scale": {"domain": named, "range": _COLOURS[: len(named)]},
            "legend": {"orient": "top", "columns": columns, "symbolOpacity": 1},
        }
    }
