"""The same chart for a phone: as wide as its place, with all its words, none of them smaller.

Many names go down the side, their bars lie; names too long for that stand above their marks, or in several lines.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from reaedp.report.charts.drawing import LETTER, LINE, MOST_NAMES, TITLE_ABOVE, WIDTH, Specification

#: Pixels of a whole drawing: a small phone without its margins.
WHOLE = 320
#: Pixels of an axis with its numbers, of a name below an axis, and of words beside one at most.
_AXIS, _SLANTED, _BESIDE = 46, 17, 130
#: Slanted names are no longer than this many letters.
_SHORT = 13
#: A name on a line of its own above its mark, as wide as the smallest phone has room in any font; the height of such a
#: pair, and that of a bar in it. Pictures are scaled down there instead.
_ABOVE_MARK: Specification = {"labelAlign": "left", "labelPadding": 0, "ticks": False, "labelLimit": 250, "titleY": -12}
_PAIR, _THICK = 38, 12
#: What parts the lines of a name, and the height of a line.
PART, _TURN = " · ", 15
_IN_LINES = f"split(datum.label, '{PART}')"
#: Pixels of a letter in a square, and the room around a word there.
_WITHIN, _AROUND = 6.7, 2
_OTHER = {"x": "y", "y": "x", "x2": "y2", "y2": "x2"}


def narrow(chart: Specification) -> Specification:
    """What a chart has otherwise in a narrow place; its data stay as they are."""
    parts: Specification = {key: _copied(chart[key]) for key in ("encoding", "height", "layer", "mark") if key in chart}
    if chart["width"] != WIDTH:
        return parts | _squares(chart, parts)
    cells = any(part["mark"]["type"] == "rect" for part in parts.get("layer", [parts]))
    if _lies_better(_names(chart, parts, "x"), _names(chart, parts, "y"), cells=cells):
        _turn(parts)
        lines = len(_names(chart, parts, "y"))
        parts["height"] = (0.8 * LINE if lines > MOST_NAMES // 2 else 1.2 * LINE) * lines
    across, down = _names(chart, parts, "x"), _names(chart, parts, "y")
    for side in _sides(parts, "x"):
        fits = len(across) * _SLANTED < WHOLE - _AXIS - min(_BESIDE, _longest(down) * LETTER)
        below = {"labelAngle": 0 if _level(across) else -50, "labelOverlap": not fits, "labelLimit": _BESIDE}
        side["axis"] = _said(side) | (below if across else {"labelSeparation": 8}) | {"titleLimit": WHOLE - 20}
    for side in _sides(parts, "y"):
        side["axis"] = _said(side) | TITLE_ABOVE | {"titleLimit": WHOLE - 20}
    if down:
        _named_beside(parts, across, down, cells=cells)
    for side in _sides(parts, "color"):
        _small_legend(side)
    return parts


def _copied(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _copied(value) for key, value in part.items()}
    return [_copied(value) for value in part] if isinstance(part, list) else part


def _sides(parts: Specification, channel: str) -> Iterator[Specification]:
    """How the chart and its layers use a channel."""
    for part in (parts, *parts.get("layer", ())):
        if channel in part.get("encoding", {}):
            yield part["encoding"][channel]


def _said(side: Specification) -> Specification:
    """What an axis says of its numbers; where its words stand is decided here."""
    return {key: value for key, value in (side.get("axis") or {}).items() if key in ("format", "labelOverlap")}


def _names(chart: Specification, parts: Specification, channel: str) -> list[str]:
    """The names along an axis; none along one of numbers."""
    fields = [side["field"] for side in _sides(parts, channel) if side.get("type") == "nominal"]
    return list(dict.fromkeys(str(row[fields[0]]) for row in chart["data"]["values"])) if fields else []


def _longest(names: Sequence[str]) -> int:
    return max(map(len, names), default=0)


def _level(names: Sequence[str]) -> bool:
    return len(names) * (_longest(names) * LETTER + 8) <= WHOLE - 2 * _AXIS


def _lies_better(across: Sequence[str], down: Sequence[str], *, cells: bool) -> bool:
    """Whether the names below a chart have more room beside it."""
    if cells:
        beside = min(_BESIDE, _longest(down) * LETTER)
        return len(across) > len(down) and len(across) * _SLANTED > WHOLE - _AXIS - beside
    if not across or down or _level(across) or len(across) > MOST_NAMES:
        return False
    return len(across) * _SLANTED > WHOLE - 2 * _AXIS or _longest(across) > _SHORT


def _turn(parts: Specification) -> None:
    """What went right goes down, and the other way round."""
    for part in (parts, *parts.get("layer", ())):
        part["encoding"] = {_OTHER.get(name, name): side for name, side in part.get("encoding", {}).items()}


def _named_beside(parts: Specification, across: Sequence[str], down: Sequence[str], *, cells: bool) -> None:
    """Room for names beside the chart, or a place of their own where they are too long."""
    rest = WHOLE - _AXIS - len(across) * _SLANTED
    room = min(150, rest) if cells and rest >= 90 else _BESIDE
    axis: Specification = {"labelLimit": room}
    grouped = any(_sides(parts, "yOffset"))
    if _longest(down) * LETTER > room and cells:
        axis["labelExpr"] = _IN_LINES
        parts["height"] = len(down) * max(LINE, _TURN * max(name.count(PART) + 1 for name in down) + 2)
    elif _longest(down) * LETTER > room and not grouped:
        too_long = _longest(down) * LETTER > _ABOVE_MARK["labelLimit"]
        lines = max(name.count(PART) + 1 for name in down) if too_long else 1
        axis = _ABOVE_MARK | {"labelOffset": -_TURN * lines} | ({"labelExpr": _IN_LINES} if lines > 1 else {})
        parts["height"] = (_PAIR + _TURN * (lines - 1)) * len(down)
        for part in parts.get("layer", [parts]):
            if part["mark"]["type"] in ("bar", "tick"):
                part["mark"]["size"] = _THICK
    for side in _sides(parts, "y"):
        side["axis"] = side["axis"] | axis


def _small_legend(colour: Specification) -> None:
    """Colours mean the same, in less room."""
    if not isinstance(colour.get("legend"), dict):
        return
    if colour.get("type") == "quantitative":
        colour["legend"] |= {"gradientLength": 110, "titleLimit": 170}
    else:
        names = colour["scale"]["domain"]
        columns = max(1, int((WHOLE - _AXIS) // (_longest(names) * LETTER + 28)))
        colour["legend"] |= {"columns": columns, "offset": 26}  # above the title of the axis


def _squares(chart: Specification, parts: Specification) -> Specification:
    """A map of squares as large as there is room; without words where these have none."""
    names = _names(chart, parts, "y")
    said = max((len(row["said"]) for row in chart["data"]["values"]), default=0) * _WITHIN + _AROUND
    limit = min(_BESIDE, max(80, WHOLE - _AXIS - len(names) * max(said, _SLANTED)))
    beside = min(limit, _longest(names) * LETTER) + 20
    side = min(float(chart["width"]), WHOLE - beside - 20)
    for channel, angle in (("x", -45), ("y", 0)):
        for one in _sides(parts, channel):
            one["axis"] = {"labelLimit": limit, "labelAngle": angle}
            one["axis"]["labelOverlap"] = len(names) * _SLANTED > side
    if said > side / max(len(names), 1):
        parts["layer"] = [layer for layer in parts["layer"] if layer["mark"]["type"] != "text"]
    for colour in _sides(parts, "color"):
        _small_legend(colour)
    return {"width": side, "height": side}
