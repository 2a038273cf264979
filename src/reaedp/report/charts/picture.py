"""The picture of a chart: how it looks before a script brings it to life, on paper, and without scripts.

Vega draws the same when a page is open; to start it for a picture takes longer than all the rest of a page. So charts
are drawn here if every part of their specification is known here: the part of Vega-Lite that ours use. Fills, strokes
and classes are Vega's, so that one style sheet serves both.
"""

import math
import re
from collections.abc import Iterator
from html import escape

from reaedp.report.charts.axes import across, down, margins
from reaedp.report.charts.colours import CONDITION
from reaedp.report.charts.drawing import BESIDE, HALF, HEIGHT, TITLE_ABOVE, WIDTH, Specification
from reaedp.report.charts.legends import legend, length, room
from reaedp.report.charts.marks import MARKS, drawn_marks
from reaedp.report.charts.narrow import WHOLE, narrow
from reaedp.report.charts.plot import FILTER, Layer, Plot, layers_of, shared_scale

#: What the plain drawing minds, or may leave to the script that makes a chart answer to the pointer.
_PARTS = {
    "autosize",
    "background",
    "config",
    "data",
    "encoding",
    "height",
    "layer",
    "mark",
    "params",
    "transform",
    "width",
}
_MARK = {
    *("type", "angle", "clip", "color", "filled", "fontSize", "opacity", "orient", "point", "shape", "size"),
    *("stroke", "strokeDash", "strokeWidth", "thickness"),
}
_PLACE = {"axis", "field", "scale", "sort", "title", "type"}
_CHANNELS = {
    "color": {"axis", "condition", "datum", "field", "legend", "scale", "title", "type", "value"},
    "detail": {"field", "type"},
    "opacity": {"condition", "value"},
    "text": {"field"},
    "tooltip": set[str](),
    "x": _PLACE,
    "x2": {"field"},
    "y": _PLACE,
    "y2": {"field"},
    "yOffset": {"field", "sort", "type"},
}
_AXIS = {
    *("format", "labelAlign", "labelAngle", "labelExpr", "labelLimit", "labelOffset", "labelOverlap", "labelPadding"),
    *("labelSeparation", "ticks", "titleLimit", *TITLE_ABOVE),
}
_SCALE = {"domain", "type", "zero"}
_COLOURS = {"domain", "interpolate", "range"}
#: Ids of an SVG must not meet those of another one on the same page.
_IDS = re.compile(r"\b(gradient_|clip)(\d+)\b")


def picture(specification: Specification, number: int) -> str:
    """The chart as SVG; `number` tells it from the other charts of a page."""
    if not any(_unknown(specification)):
        return svg(specification)
    import vl_convert

    seen: dict[str, str] = {}
    drawn = str(vl_convert.vegalite_to_svg(specification))
    return _IDS.sub(lambda found: seen.setdefault(found[0], f"{found[1]}{number}_{len(seen)}"), drawn)


def pictures(specification: Specification, number: int, *, small: bool) -> tuple[str, str]:
    """The chart for a desk, or for half of one if it is `small`, and the chart for a phone, as SVG."""
    wide, other = specification, specification | narrow(specification)
    if specification["width"] == WIDTH:
        fit = {"autosize": {"type": "fit-x", "contains": "padding"}}
        wide = specification | fit | {"width": (HALF if small else WIDTH) + BESIDE}
        other |= fit | {"width": WHOLE}
    return picture(wide, 2 * number), picture(other, 2 * number + 1)


def svg(specification: Specification) -> str:
    """Draw the chart as SVG."""
    layers = tuple(layers_of(specification))
    width, height = float(specification.get("width", WIDTH)), float(specification.get("height", HEIGHT))
    plot = _plot(layers, width, height)
    left, top, right, bottom = margins(plot)
    for _ in range(2 if "autosize" in specification else 0):  # the width of words follows from that of the chart
        width = float(specification["width"]) - math.ceil(left) - math.ceil(right)
        plot = _plot(layers, width, height)
        left, top, right, bottom = margins(plot)
    above, under = room(plot)
    drawn = [across(plot), down(plot), *(drawn_marks(plot, layer) for layer in layers), legend(plot)]
    full_width = math.ceil(left + max(width + right, 0.0 if "autosize" in specification else length(plot)))
    full_height = math.ceil(above + top + height + bottom + under)
    back = specification.get("background")
    ground = f'<rect width="{full_width}" height="{full_height}" fill="{escape(back)}"/>' if back else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" version="1.1" class="marks" width="{full_width}"'
        f' height="{full_height}" viewBox="0 0 {full_width} {full_height}" font-family="sans-serif">{ground}'
        f'<g fill="none" transform="translate({math.ceil(left)},{math.ceil(above + top)})">'
        f"{''.join(drawn)}</g></svg>"
    )


def _plot(layers: tuple[Layer, ...], width: float, height: float) -> Plot:
    return Plot(layers, width, height, shared_scale(layers, "x", width), shared_scale(layers, "y", height))


def _unknown(part: Specification) -> Iterator[bool]:
    """For each rule whether a chart, or a layer of one, breaks it."""
    yield not part.keys() <= _PARTS
    if "mark" in part:
        mark = part["mark"]
        yield not (isinstance(mark, dict) and mark.keys() <= _MARK and mark["type"] in MARKS)
        yield not isinstance(mark, dict) or not isinstance(mark.get("point", {}), dict)
    for name, channel in part.get("encoding", {}).items():
        yield name not in _CHANNELS
        if name in _CHANNELS and isinstance(channel, dict):
            yield not channel.keys() <= _CHANNELS[name]
            yield "scale" not in channel and channel.get("type") == "quantitative"
            yield channel.get("type") == "temporal"
            yield not (channel.get("axis") or {}).keys() <= _AXIS
            yield not (channel.get("scale") or {}).keys() <= (_COLOURS if name == "color" else _SCALE)
        if name == "color":
            yield from _unknown_colour(part, channel)
    yield not all(FILTER.fullmatch(step.get("filter", "")) for step in part.get("transform", ()))
    for layer in part.get("layer", ()):
        yield from _unknown(layer)


def _unknown_colour(part: Specification, channel: Specification) -> Iterator[bool]:
    scaled = isinstance(channel.get("scale"), dict) and ("field" in channel or "datum" in channel)
    yield not scaled and ("scale" in channel or "value" not in channel)
    yield not scaled and isinstance(part.get("mark"), dict) and part["mark"]["type"] == "rect"
    ramp = scaled and channel.get("type") == "quantitative"
    yield ramp and (channel["scale"].get("interpolate") != "rgb" or "range" not in channel["scale"])
    yield ramp and (channel.get("legend") or {}).get("orient") not in ("top", "bottom")
    yield "condition" in channel and not CONDITION.fullmatch(channel["condition"].get("test", ""))
