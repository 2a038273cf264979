"""Marks of charts as SVG: bars, cells, lines, points, areas and words."""

import math
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from reaedp.report.charts.colours import Ramp, colour_of, own_colour
from reaedp.report.charts.drawing import GREY
from reaedp.report.charts.plot import Layer, Plot, Row
from reaedp.report.charts.scales import Bands, Linear, Scale


def drawn_marks(plot: Plot, layer: Layer) -> str:
    """All marks of one layer."""
    kind = layer.mark["type"]
    drawn = "".join(MARKS[kind](plot, layer))
    return f'<g class="mark-{_CLASSES.get(kind, kind)} role-mark">{drawn}</g>'


def _at(scale: Scale, layer: Layer, channel: str, row: Row) -> float | None:
    """Where a row lies in one direction; nowhere if it has no number there."""
    encoding = layer.encoding.get(channel)
    value = None if encoding is None else row[encoding["field"]]
    if value is None:
        return None
    place = scale.middle(value) if isinstance(scale, Bands) else scale.place(value)
    if layer.mark.get("clip") and not isinstance(scale, Bands):
        return min(max(place, min(scale.start, scale.end)), max(scale.start, scale.end))
    return place


def _bars(plot: Plot, layer: Layer) -> Iterator[str]:
    """Bars from zero, standing or lying; those of one name lie beside each other."""
    standing = isinstance(plot.x, Bands)
    names, numbers = (plot.x, plot.y) if standing else (plot.y, plot.x)
    assert isinstance(names, Bands)
    assert isinstance(numbers, Linear)
    ends, sides = ("y", "x") if standing else ("x", "y")
    offset = layer.encoding.get("yOffset")
    parts = offset["sort"] if offset else [None]
    thick = layer.mark.get("size", names.part * names.filled / len(parts))
    for row in layer.rows:
        middle, end = _at(names, layer, sides, row), _at(numbers, layer, ends, row)
        if middle is None or end is None:
            continue
        side = middle - thick * len(parts) / 2 + thick * (parts.index(row[offset["field"]]) if offset else 0)
        low, high = sorted((numbers.place(0.0), end))
        place = (side, low, thick, high - low) if standing else (low, side, high - low, thick)
        yield box(place, colour_of(layer, row), layer.opacity)


def _cells(plot: Plot, layer: Layer) -> Iterator[str]:
    """Cells of a coloured table."""
    assert isinstance(plot.x, Bands)
    assert isinstance(plot.y, Bands)
    ramp = Ramp.of(layer)
    for row in layer.rows:
        x, y, value = _at(plot.x, layer, "x", row), _at(plot.y, layer, "y", row), row[ramp.field]
        if x is not None and y is not None and value is not None:
            wide, high = plot.x.part, plot.y.part
            own = own_colour(layer.encoding["color"], row)
            yield box((x - wide / 2, y - high / 2, wide, high), own or ramp.colour(value), more=_edge(layer))


def _edge(layer: Layer) -> str:
    stroke = layer.mark.get("stroke")
    return f' stroke="{stroke}" stroke-width="{layer.mark.get("strokeWidth", 1)}"' if stroke else ""


def _words(plot: Plot, layer: Layer) -> Iterator[str]:
    """A word in the middle of each place."""
    size, field = layer.mark["fontSize"], layer.encoding["text"]["field"]
    for row in layer.rows:
        x, y = _at(plot.x, layer, "x", row), _at(plot.y, layer, "y", row)
        if x is not None and y is not None:
            yield (
                f'<text text-anchor="middle" transform="translate({x:.2f},{y + 0.3 * size:.2f})" font-size="{size}px"'
                f' fill="{colour_of(layer, row)}">{escape(row[field])}</text>'
            )


def box(place: tuple[float, float, float, float], fill: str, opacity: float = 1.0, more: str = "") -> str:
    """A filled rectangle: left, top, width and height."""
    x, y, width, height = place
    return f'<path d="M{x:.2f},{y:.2f}h{width:.2f}v{height:.2f}h{-width:.2f}Z" fill="{fill}"{more}{_faint(opacity)}/>'


def _faint(opacity: float) -> str:
    return "" if opacity == 1.0 else f' opacity="{opacity:g}"'


def _rules(plot: Plot, layer: Layer) -> Iterator[str]:
    """Lines between two numbers, or across the whole chart."""
    for row in layer.rows:
        x, y = _at(plot.x, layer, "x", row), _at(plot.y, layer, "y", row)
        x2, y2 = _at(plot.x, layer, "x2", row), _at(plot.y, layer, "y2", row)
        if "y" not in layer.encoding:
            y, y2 = 0.0, plot.height
        if x is not None and y is not None:
            yield _line(layer, row, (x, y), (x if x2 is None else x2, y if y2 is None else y2))


def _line(layer: Layer, row: Row, start: tuple[float, float], end: tuple[float, float]) -> str:
    dashes = layer.mark.get("strokeDash")
    dashed = f' stroke-dasharray="{dashes[0]},{dashes[1]}"' if dashes else ""
    width = layer.mark.get("strokeWidth", layer.mark.get("thickness", 1))
    return (
        f'<line x1="{start[0]:.2f}" y1="{start[1]:.2f}" x2="{end[0]:.2f}" y2="{end[1]:.2f}"'
        f' stroke="{_ink(layer, row)}" stroke-width="{width}"{dashed}{_faint(layer.opacity)}/>'
    )


def _ink(layer: Layer, row: Row) -> str:
    """The colour of a line."""
    return colour_of(layer, row) if "color" in layer.encoding else str(layer.mark.get("color", GREY))


def _ticks(plot: Plot, layer: Layer) -> Iterator[str]:
    """Short lines across a number, as wide as most of a name's part."""
    standing = isinstance(plot.x, Bands)
    names = plot.x if standing else plot.y
    half = layer.mark.get("size", names.part * 0.7 if isinstance(names, Bands) else 12.0) / 2
    for row in layer.rows:
        x, y = _at(plot.x, layer, "x", row), _at(plot.y, layer, "y", row)
        if x is not None and y is not None and not _cut_off(plot, layer, row):
            away = (half, 0.0) if standing else (0.0, half)
            yield _line(layer, row, (x - away[0], y - away[1]), (x + away[0], y + away[1]))


def _cut_off(plot: Plot, layer: Layer, row: Row) -> bool:
    """Whether a mark that ends with the axes lies beyond an end of them."""
    ends = ((scale, row[layer.encoding[channel]["field"]]) for scale, channel in ((plot.x, "x"), (plot.y, "y"))
            if not isinstance(scale, Bands))  # fmt: skip
    return bool(layer.mark.get("clip")) and any(not scale.low <= value <= scale.high for scale, value in ends)


def _points(plot: Plot, layer: Layer) -> Iterator[str]:
    size, shape = math.sqrt(layer.mark.get("size", 60)) / 2, layer.mark.get("shape", "circle")
    for row in layer.rows:
        x, y = _at(plot.x, layer, "x", row), _at(plot.y, layer, "y", row)
        if x is not None and y is not None:
            yield _symbol((x, y), size, shape, colour_of(layer, row), layer)


def _symbol(place: tuple[float, float], size: float, shape: str, colour: str, layer: Layer) -> str:
    paint = f'fill="{colour}"{_faint(layer.opacity)}'
    if shape == "stroke":  # a line that stands upright
        width = layer.mark.get("strokeWidth", 1)
        way = f"M0,{-size:.2f}V{size:.2f}"
        paint = f'stroke="{colour}" stroke-width="{width}"{_faint(layer.opacity)}'
    elif shape == "diamond":
        way = f"M0,{-size:.2f}L{size:.2f},0L0,{size:.2f}L{-size:.2f},0Z"
    else:
        way = f"M{size:.2f},0A{size:.2f},{size:.2f},0,1,1,{-size:.2f},0A{size:.2f},{size:.2f},0,1,1,{size:.2f},0"
    return f'<path transform="translate({place[0]:.2f},{place[1]:.2f})" d="{way}" {paint}/>'


def _lines(plot: Plot, layer: Layer) -> Iterator[str]:
    """A line through the points of each group, in the order of x, and the points if they are visible."""
    width, dashes = layer.mark.get("strokeWidth", 2), layer.mark.get("strokeDash")
    dashed = f' stroke-dasharray="{dashes[0]},{dashes[1]}"' if dashes else ""
    ways = _ways(plot, layer, "y")
    for colour, way in ways:
        drawn = "L".join(f"{x:.2f},{y:.2f}" for x, y in way)
        yield f'<path d="M{drawn}" stroke="{colour}" stroke-width="{width}"{dashed}{_faint(layer.opacity)}/>'
    point = layer.mark.get("point")
    if point and ("opacity" in layer.encoding or point.get("opacity", 1)):
        size = math.sqrt(point["size"]) / 2
        yield from (_symbol((x, y), size, "circle", colour, layer) for colour, way in ways for x, y in way)


def _areas(plot: Plot, layer: Layer) -> Iterator[str]:
    for (colour, lower), (_, upper) in zip(_ways(plot, layer, "y"), _ways(plot, layer, "y2"), strict=True):
        around = "L".join(f"{x:.2f},{y:.2f}" for x, y in [*lower, *reversed(upper)])
        yield f'<path d="M{around}Z" fill="{colour}"{_faint(layer.opacity)}/>'


def _ways(plot: Plot, layer: Layer, channel: str) -> list[tuple[str, list[tuple[float, float]]]]:
    """The points of each group, in the order of x, with its colour."""
    groups: dict[Any, tuple[str, list[tuple[float, float]]]] = {}
    detail = (layer.encoding.get("detail") or layer.encoding.get("color", {})).get("field")
    for row in layer.rows:
        x, y = _at(plot.x, layer, "x", row), _at(plot.y, layer, channel, row)
        if x is not None and y is not None:
            groups.setdefault(row.get(detail), (_ink(layer, row), []))[1].append((x, y))
    return [(colour, sorted(way)) for colour, way in groups.values()]


MARKS: dict[str, Callable[[Plot, Layer], Iterator[str]]] = {
    "bar": _bars,
    "rect": _cells,
    "rule": _rules,
    "tick": _ticks,
    "point": _points,
    "line": _lines,
    "area": _areas,
    "text": _words,
}
_CLASSES = {"bar": "rect", "tick": "rect", "point": "symbol"}
