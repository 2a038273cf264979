"""Charts as plain SVG: how a specification looks before a script brings it to life, on paper, and without scripts.

Vega draws the same when a page is open; to start it for a picture takes longer than all the rest of a page. This knows
the part of Vega-Lite that our charts use. Fills, strokes and classes are Vega's, so that one style sheet serves both.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

from reaedp.report.charts.drawing import GREY, HEIGHT, WIDTH, Specification
from reaedp.report.charts.scales import PIXELS_OF_A_TICK, Bands, Linear, Logarithmic, Scale, number_text

Row = dict[str, Any]
#: Width of a letter in units of the font's size, on average; sizes of labels and titles.
LETTER, LABEL, TITLE = 0.6, 12, 13
#: Colours of the scheme "blues", from few to many.
BLUES = ("cfe1f2", "bed8ec", "a8cee5", "8fc1de", "74b2d7", "5ba3cf", "4592c6", "3181bd", "206fb2", "125ca4", "0a4a90")
#: How much of its part a bar takes; of a group of bars; of a coloured cell.
_BAR, _GROUP, _CELL = 0.9, 0.8, 1.0
FILTER = re.compile(r"datum\.(\w+) == (\w+)")
#: How charts say that a row has a colour of its own.
CONDITION = re.compile(r"datum\.(\w+) == '([^']*)'")
#: Pixels of the colours of a legend.
_LEGEND = 200


class Layer(NamedTuple):
    """One kind of mark with its rows and what places and colours them."""

    mark: dict[str, Any]
    encoding: dict[str, Any]
    rows: list[Row]

    @property
    def opacity(self) -> float:
        """As long as nobody switched to one edition, everything is visible."""
        condition = self.encoding.get("opacity", {}).get("condition", {})
        usual = 0.7 if self.mark["type"] == "point" and "opacity" not in self.encoding else 1.0
        return float(condition.get("value", self.mark.get("opacity", usual)))


@dataclass(frozen=True, slots=True)
class Plot:
    """The layers of a chart and the scales that they share."""

    layers: tuple[Layer, ...]
    width: float
    height: float
    x: Scale
    y: Scale


def svg(specification: Specification) -> str:
    """Draw the chart as SVG."""
    layers = tuple(_layers(specification))
    width, height = float(specification.get("width", WIDTH)), float(specification.get("height", HEIGHT))
    plot = Plot(layers, width, height, _scale(layers, "x", width), _scale(layers, "y", height))
    axes, margins = [_across(plot), _down(plot)], _margins(plot)
    marks = [_marks(plot, layer) for layer in layers]
    legend = _legend(plot)
    left, top, right, bottom = margins
    full_width, full_height = math.ceil(left + width + right), math.ceil(top + height + bottom)
    back = specification.get("background")
    ground = f'<rect width="{full_width}" height="{full_height}" fill="{escape(back)}"/>' if back else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" version="1.1" class="marks" width="{full_width}"'
        f' height="{full_height}" viewBox="0 0 {full_width} {full_height}" font-family="sans-serif">{ground}'
        f'<g fill="none" transform="translate({math.ceil(left)},{math.ceil(top)})">'
        f"{''.join(axes)}{''.join(marks)}{legend}</g></svg>"
    )


def _layers(specification: Specification) -> Iterator[Layer]:
    """All layers with what they inherit."""
    params = {param["name"]: param.get("value") for param in specification.get("params", ())}
    rows = _filtered(specification["data"]["values"], specification, params)
    for layer in specification.get("layer", [specification]):
        encoding = specification.get("encoding", {}) | layer.get("encoding", {})
        yield Layer(layer["mark"], encoding, _filtered(rows, layer, params) if layer is not specification else rows)


def _filtered(rows: list[Row], part: Specification, params: dict[str, Any]) -> list[Row]:
    for transform in part.get("transform", ()):
        found = FILTER.fullmatch(transform["filter"])
        assert found is not None, transform
        field, value = found.groups()
        rows = [row for row in rows if row[field] == params[value]]
    return rows


def _channels(layers: Sequence[Layer], channel: str) -> list[tuple[Layer, dict[str, Any]]]:
    return [(layer, layer.encoding[channel]) for layer in layers if channel in layer.encoding]


def _scale(layers: Sequence[Layer], channel: str, length: float) -> Scale:
    """The scale that all layers share in one direction."""
    used = _channels(layers, channel)
    encoding = used[0][1]
    if encoding["type"] == "nominal":
        grouped, rect = any("yOffset" in layer.encoding for layer, _ in used), used[0][0].mark["type"] == "rect"
        names = dict.fromkeys(row[encoding["field"]] for layer, own in used for row in layer.rows)
        return Bands(tuple(names), length, _CELL if rect else _GROUP if grouped else _BAR)
    fields = [(layer, own["field"]) for name in (channel, f"{channel}2") for layer, own in _channels(layers, name)]
    numbers = [row[field] for layer, field in fields for row in layer.rows if row[field] is not None] or [0.0]
    start, end = (0.0, length) if channel == "x" else (length, 0.0)
    if encoding["scale"].get("type") == "log":
        return Logarithmic.over(numbers, start, end)
    stacked = any(layer.mark["type"] in ("bar", "area") and "y2" not in layer.encoding for layer, _ in used)
    zero = stacked or any(own["scale"].get("zero", True) for _, own in used)
    return Linear.over(numbers, start, end, _count(length, channel), zero=zero)


def _count(length: float, channel: str) -> int:
    return math.ceil(length / PIXELS_OF_A_TICK["across" if channel == "x" else "down"])


# Marks.


def _marks(plot: Plot, layer: Layer) -> str:
    kind = layer.mark["type"]
    drawn = "".join(MARKS[kind](plot, layer))
    return f'<g class="mark-{_CLASSES.get(kind, kind)} role-mark">{drawn}</g>'


def _at(scale: Scale, layer: Layer, channel: str, row: Row) -> float | None:
    """Where a row lies in one direction; nowhere if it has no number there."""
    encoding = layer.encoding.get(channel)
    value = None if encoding is None else row[encoding["field"]]
    if value is None:
        return None
    return scale.middle(value) if isinstance(scale, Bands) else scale.place(value)


def _bars(plot: Plot, layer: Layer) -> Iterator[str]:
    """Bars from zero, standing or lying; those of one name lie beside each other."""
    standing = isinstance(plot.x, Bands)
    names, numbers = (plot.x, plot.y) if standing else (plot.y, plot.x)
    assert isinstance(names, Bands)
    assert isinstance(numbers, Linear)
    ends, sides = ("y", "x") if standing else ("x", "y")
    offset = layer.encoding.get("yOffset")
    parts = offset["sort"] if offset else [None]
    thick = names.part * names.filled / len(parts)
    for row in layer.rows:
        middle, end = _at(names, layer, sides, row), _at(numbers, layer, ends, row)
        if middle is None or end is None:
            continue
        side = middle - thick * len(parts) / 2 + thick * (parts.index(row[offset["field"]]) if offset else 0)
        low, high = sorted((numbers.place(0.0), end))
        box = (side, low, thick, high - low) if standing else (low, side, high - low, thick)
        yield _box(box, _colour(layer, row), layer.opacity)


def _cells(plot: Plot, layer: Layer) -> Iterator[str]:
    """Cells of a coloured table."""
    assert isinstance(plot.x, Bands)
    assert isinstance(plot.y, Bands)
    ramp = _Ramp.of(layer)
    for row in layer.rows:
        x, y, value = _at(plot.x, layer, "x", row), _at(plot.y, layer, "y", row), row[ramp.field]
        if x is not None and y is not None and value is not None:
            wide, high = plot.x.part, plot.y.part
            own = _conditional(layer.encoding["color"], row)
            yield _box((x - wide / 2, y - high / 2, wide, high), own or ramp.colour(value))


def _box(box: tuple[float, float, float, float], fill: str, opacity: float = 1.0) -> str:
    x, y, width, height = box
    return f'<path d="M{x:.2f},{y:.2f}h{width:.2f}v{height:.2f}h{-width:.2f}Z" fill="{fill}"{_faint(opacity)}/>'


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
            yield _line(layer, (x, y), (x if x2 is None else x2, y if y2 is None else y2))


def _line(layer: Layer, start: tuple[float, float], end: tuple[float, float]) -> str:
    dashes = layer.mark.get("strokeDash")
    dashed = f' stroke-dasharray="{dashes[0]},{dashes[1]}"' if dashes else ""
    width = layer.mark.get("strokeWidth", layer.mark.get("thickness", 1))
    return (
        f'<line x1="{start[0]:.2f}" y1="{start[1]:.2f}" x2="{end[0]:.2f}" y2="{end[1]:.2f}"'
        f' stroke="{layer.mark.get("color", GREY)}" stroke-width="{width}"{dashed}{_faint(layer.opacity)}/>'
    )


def _ticks(plot: Plot, layer: Layer) -> Iterator[str]:
    """Short lines across a number, as wide as most of a name's part."""
    standing = isinstance(plot.x, Bands)
    names = plot.x if standing else plot.y
    half = names.part * 0.35 if isinstance(names, Bands) else 6.0
    for row in layer.rows:
        x, y = _at(plot.x, layer, "x", row), _at(plot.y, layer, "y", row)
        if x is not None and y is not None:
            away = (half, 0.0) if standing else (0.0, half)
            yield _line(layer, (x - away[0], y - away[1]), (x + away[0], y + away[1]))


def _points(plot: Plot, layer: Layer) -> Iterator[str]:
    size, shape = math.sqrt(layer.mark.get("size", 60)) / 2, layer.mark.get("shape", "circle")
    for row in layer.rows:
        x, y = _at(plot.x, layer, "x", row), _at(plot.y, layer, "y", row)
        if x is not None and y is not None:
            yield _symbol((x, y), size, shape, _colour(layer, row), layer)


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
    colour, width = layer.mark.get("color", GREY), layer.mark.get("strokeWidth", 2)
    dashes = layer.mark.get("strokeDash")
    dashed = f' stroke-dasharray="{dashes[0]},{dashes[1]}"' if dashes else ""
    for way in _ways(plot, layer, "y"):
        drawn = "L".join(f"{x:.2f},{y:.2f}" for x, y in way)
        yield f'<path d="M{drawn}" stroke="{colour}" stroke-width="{width}"{dashed}{_faint(layer.opacity)}/>'
    point = layer.mark.get("point")
    if point and ("opacity" in layer.encoding or point.get("opacity", 1)):
        size = math.sqrt(point["size"]) / 2
        yield from (_symbol((x, y), size, "circle", colour, layer) for way in _ways(plot, layer, "y") for x, y in way)


def _areas(plot: Plot, layer: Layer) -> Iterator[str]:
    for lower, upper in zip(_ways(plot, layer, "y"), _ways(plot, layer, "y2"), strict=True):
        around = "L".join(f"{x:.2f},{y:.2f}" for x, y in [*lower, *reversed(upper)])
        yield f'<path d="M{around}Z" fill="{layer.mark["color"]}"{_faint(layer.opacity)}/>'


def _ways(plot: Plot, layer: Layer, channel: str) -> list[list[tuple[float, float]]]:
    groups: dict[Any, list[tuple[float, float]]] = {}
    detail = layer.encoding.get("detail", {}).get("field")
    for row in layer.rows:
        x, y = _at(plot.x, layer, "x", row), _at(plot.y, layer, channel, row)
        if x is not None and y is not None:
            groups.setdefault(row.get(detail), []).append((x, y))
    return [sorted(way) for way in groups.values()]


MARKS: dict[str, Callable[[Plot, Layer], Iterator[str]]] = {
    "bar": _bars,
    "rect": _cells,
    "rule": _rules,
    "tick": _ticks,
    "point": _points,
    "line": _lines,
    "area": _areas,
}
_CLASSES = {"bar": "rect", "tick": "rect", "point": "symbol"}


# Colours.


class _Ramp(NamedTuple):
    """Colours of numbers between two ends."""

    field: str
    low: float
    high: float

    @classmethod
    def of(cls, layer: Layer) -> "_Ramp":
        encoding = layer.encoding["color"]
        numbers = [row[encoding["field"]] for row in layer.rows if row[encoding["field"]] is not None] or [0.0]
        return cls(encoding["field"], *encoding["scale"].get("domain", (min(numbers), max(numbers))))

    def colour(self, value: float) -> str:
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.0
        place = min(max(share, 0.0), 1.0) * (len(BLUES) - 1)
        first = min(int(place), len(BLUES) - 2)
        mixed = (
            round(int(before, 16) + (place - first) * (int(after, 16) - int(before, 16)))
            for before, after in zip(_parts(BLUES[first]), _parts(BLUES[first + 1]), strict=True)
        )
        return "#" + "".join(f"{part:02x}" for part in mixed)


def _parts(colour: str) -> tuple[str, str, str]:
    return colour[:2], colour[2:4], colour[4:]


def _colour(layer: Layer, row: Row) -> str:
    encoding = layer.encoding.get("color")
    if encoding is None:
        return str(layer.mark["color"])
    own = _conditional(encoding, row) or encoding.get("value")
    if own is not None:
        return str(own)
    scale, value = encoding["scale"], encoding["datum"] if "datum" in encoding else row[encoding["field"]]
    return str(scale["range"][scale["domain"].index(value)])


def _conditional(encoding: dict[str, Any], row: Row) -> str | None:
    """The colour of a row that the rule for all others does not hold for."""
    condition = encoding.get("condition")
    found = CONDITION.fullmatch(condition["test"]) if condition else None
    return str(condition["value"]) if condition and found and row[found[1]] == found[2] else None


# Axes and legends.


def _text(place: tuple[float, float], words: str, size: int, anchor: str, more: str = "") -> str:
    return (
        f'<text text-anchor="{anchor}" transform="translate({place[0]:.1f},{place[1]:.1f}){more}" font-size="{size}px"'
        f' fill="#000">{escape(words)}</text>'
    )


def _wide(words: str, size: int = LABEL) -> float:
    return LETTER * size * len(words)


def _cut(words: str, limit: float) -> str:
    most = max(1, int(limit / (LETTER * LABEL)))
    return words if len(words) <= most else words[: most - 1] + "…"


def _labels(plot: Plot, channel: str) -> list[tuple[float, str]]:
    """Where on an axis which words are written; of many names, as many as fit."""
    scale, encoding = getattr(plot, channel), _channels(plot.layers, channel)[0][1]
    axis = encoding.get("axis") or {}
    if isinstance(scale, Bands):
        limit = axis.get("labelLimit", 160)
        found = [(scale.middle(name), _cut(str(name), limit)) for name in scale.names]
        slanted = axis.get("labelAngle", 0)
        room = LABEL + 3 if channel == "y" or slanted else max((_wide(words) for _, words in found), default=0) + 6
        return found[:: max(1, math.ceil(room / scale.part))]
    step = scale.step if isinstance(scale, Linear) else None
    return [(scale.place(tick), number_text(tick, axis.get("format"), step)) for tick in scale.ticks()]


def _title(plot: Plot, channel: str) -> str:
    return _channels(plot.layers, channel)[0][1].get("title") or ""


def _across(plot: Plot) -> str:
    """The axis below the chart."""
    labels, base = _labels(plot, "x"), plot.height
    slanted = _slanted(plot)
    turned = f" rotate({slanted})" if slanted else ""
    anchor = "end" if slanted else "middle"
    words = "".join(_text((x, base + (12 if slanted else 18)), label, LABEL, anchor, turned) for x, label in labels)
    title = _text((plot.width / 2, base + _below(plot) - 4), _title(plot, "x"), TITLE, "middle") * bool(
        _title(plot, "x")
    )
    grid = "".join(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{base:g}" stroke="#ddd"/>' for x, _ in labels)
    ticks = "".join(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{base:g}" y2="{base + 5:g}" stroke="#888"/>'
                    for x, _ in labels)  # fmt: skip
    whole = f'<line x1="0" x2="{plot.width:g}" y1="{base:g}" y2="{base:g}" stroke="#888"/>'
    return _axis("" if isinstance(plot.x, Bands) else grid, ticks, whole, words + title)


def _down(plot: Plot) -> str:
    """The axis left of the chart."""
    labels = _labels(plot, "y")
    words = "".join(_text((-8, y + 4), label, LABEL, "end") for y, label in labels)
    named = _title(plot, "y")
    title = _text((-_beside(plot) + 12, plot.height / 2), named, TITLE, "middle", " rotate(-90)") * bool(named)
    grid = "".join(f'<line x1="0" x2="{plot.width:g}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>' for y, _ in labels)
    ticks = "".join(f'<line x1="-5" x2="0" y1="{y:.1f}" y2="{y:.1f}" stroke="#888"/>' for y, _ in labels)
    whole = f'<line x1="0" x2="0" y1="0" y2="{plot.height:g}" stroke="#888"/>'
    return _axis("" if isinstance(plot.y, Bands) else grid, ticks, whole, words + title)


def _axis(grid: str, ticks: str, whole: str, words: str) -> str:
    parts = {"grid": grid, "tick": ticks, "domain": whole, "label": words}
    return "".join(f'<g class="role-axis-{name}">{drawn}</g>' for name, drawn in parts.items() if drawn)


def _slanted(plot: Plot) -> float:
    axis = _channels(plot.layers, "x")[0][1].get("axis") or {}
    return float(axis.get("labelAngle", 0)) if isinstance(plot.x, Bands) else 0.0


def _below(plot: Plot) -> float:
    """Room for the words below the chart."""
    longest = max((_wide(label) for _, label in _labels(plot, "x")), default=0.0)
    angle = math.radians(abs(_slanted(plot)))
    tall = 14 + longest * math.sin(angle) + (LABEL if not angle else 8)
    return tall + (18 if _title(plot, "x") else 4)


def _beside(plot: Plot) -> float:
    """Room for the words left of the chart."""
    longest = max((_wide(label) for _, label in _labels(plot, "y")), default=0.0)
    return longest + 12 + (18 if _title(plot, "y") else 0)


def _margins(plot: Plot) -> tuple[float, float, float, float]:
    """Left, top, right, bottom; slanted words may begin left of the chart."""
    angle = math.radians(abs(_slanted(plot)))
    slanted = max((_wide(label) * math.cos(angle) - x for x, label in _labels(plot, "x")), default=0.0)
    kinds = _legend_kinds(plot)
    right = 30 + _wide(_scaled_colours(plot)[0][1]["title"], TITLE) if kinds == "ramp" else 16
    return max(_beside(plot), slanted if angle else 0.0) + 6, 34 if kinds == "names" else 10, right, _below(plot) + 4


def _legend_kinds(plot: Plot) -> str:
    coloured = _scaled_colours(plot)
    return "" if not coloured else "names" if coloured[0][1]["type"] == "nominal" else "ramp"


def _scaled_colours(plot: Plot) -> list[tuple[Layer, dict[str, Any]]]:
    return [(layer, encoding) for layer, encoding in _channels(plot.layers, "color") if "type" in encoding]


def _legend(plot: Plot) -> str:
    kinds = _legend_kinds(plot)
    return f'<g class="role-legend">{"".join(_LEGENDS[kinds](plot))}</g>' if kinds else ""


def _names_legend(plot: Plot) -> Iterator[str]:
    """Names with their colours above the chart."""
    scale, x = _scaled_colours(plot)[0][1]["scale"], 0.0
    for name, colour in zip(scale["domain"], scale["range"], strict=True):
        yield f'<circle cx="{x + 6:.1f}" cy="-22" r="5" fill="{colour}"/>{_text((x + 15, -18), name, LABEL, "start")}'
        x += _wide(name) + 28


def _ramp_legend(plot: Plot) -> Iterator[str]:
    """Colours from few to many, right of the chart."""
    layer, encoding = _scaled_colours(plot)[0]
    ramp, left, long = _Ramp.of(layer), plot.width + 18, min(_LEGEND, plot.height)
    edges = [long * step / (2 * len(BLUES)) for step in range(2 * len(BLUES) + 1)]
    for top, bottom in pairwise(edges):
        value = ramp.high - (ramp.high - ramp.low) * (top + bottom) / 2 / long
        yield _box((left, 18 + top, 16, bottom - top + 0.3), ramp.colour(value))
    yield _text((left, 10), encoding["title"], TITLE, "start")
    form = (encoding.get("axis") or {}).get("format")
    ends = Linear.over([ramp.low, ramp.high], long, 0.0, max(2, round(long / 50)))
    scale = Linear(ramp.low, ramp.high if ramp.high > ramp.low else ramp.low + 1, long, 0.0, ends.step)
    for tick in ends.ticks():
        if ramp.low <= tick <= ramp.high:
            yield _text((left + 20, 22 + scale.place(tick)), number_text(tick, form, ends.step), LABEL, "start")


_LEGENDS: dict[str, Callable[[Plot], Iterator[str]]] = {"names": _names_legend, "ramp": _ramp_legend}
