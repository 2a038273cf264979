"""What the colours of a chart mean, as SVG: names, or numbers from few to many."""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from reaedp.report.charts.axes import LABEL, TITLE, below, margins, text, wide
from reaedp.report.charts.colours import Ramp
from reaedp.report.charts.marks import box
from reaedp.report.charts.plot import Layer, Plot, channels
from reaedp.report.charts.scales import Linear, number_text

#: Pixels of a ramp, its steps of one colour, and the height of a line of names and of a ramp with its words.
_LONG, _STEPS, NAMES, RAMP = 200, 40, 20, 58


def legend(plot: Plot) -> str:
    """The legend; empty if colours mean nothing."""
    coloured = _scaled_colours(plot)
    if not coloured:
        return ""
    drawn = _names(plot, coloured[0][1]) if coloured[0][1]["type"] == "nominal" else _ramp(plot, *coloured[0])
    return f'<g class="role-legend">{"".join(drawn)}</g>'


def room(plot: Plot) -> tuple[float, float]:
    """The pixels that a legend needs above and below a chart with its axes."""
    for _, encoding in _scaled_colours(plot)[:1]:
        if encoding["type"] == "nominal":
            return NAMES * math.ceil(len(encoding["scale"]["domain"]) / _columns(encoding)), 0.0
        return (RAMP, 0.0) if encoding["legend"]["orient"] == "top" else (0.0, RAMP)
    return 0.0, 0.0


def length(plot: Plot) -> float:
    """The pixels that a legend needs from the axis to the right."""
    for _, encoding in _scaled_colours(plot)[:1]:
        if encoding["type"] != "nominal":
            return max(wide(encoding["title"], TITLE), float(encoding["legend"].get("gradientLength", _LONG)) + 20)
    return 0.0


def _scaled_colours(plot: Plot) -> list[tuple[Layer, dict[str, Any]]]:
    return [(layer, encoding) for layer, encoding in channels(plot.layers, "color") if "type" in encoding]


def _columns(encoding: dict[str, Any]) -> int:
    """How many names stand beside each other: all, unless said."""
    names = len(encoding["scale"]["domain"])
    return min(names, int((encoding.get("legend") or {}).get("columns", names)))


def _names(plot: Plot, encoding: dict[str, Any]) -> Iterator[str]:
    """Names with their colours above the chart and the title of its axis, in columns."""
    scale, columns = encoding["scale"], _columns(encoding)
    named = list(zip(scale["domain"], scale["range"], strict=True))
    steps = [max(wide(name) for name, _ in named[place::columns]) + 28 for place in range(columns)]
    top = -margins(plot)[1] - 8 - NAMES * (math.ceil(len(named) / columns) - 1)
    for place, (name, colour) in enumerate(named):
        x, y = sum(steps[: place % columns]), top + NAMES * (place // columns)
        yield f'<circle cx="{x + 6:.1f}" cy="{y - 4:g}" r="5" fill="{colour}"/>'
        yield text((x + 15, y), name, LABEL, "start")


def _ramp(plot: Plot, layer: Layer, encoding: dict[str, Any]) -> Iterator[str]:
    """Colours from few to many, above or below the chart."""
    form = encoding["legend"]
    ramp, long = Ramp.of(layer), form.get("gradientLength", _LONG)
    top = -RAMP if form["orient"] == "top" else plot.height + below(plot) + 10
    high = ramp.high if ramp.high > ramp.low else ramp.low + 1
    yield text((0, top + TITLE), encoding["title"], TITLE, "start")
    for left, right in pairwise(long * step / _STEPS for step in range(_STEPS + 1)):
        value = ramp.low + (high - ramp.low) * (left + right) / 2 / long
        yield box((left, top + 19, right - left + 0.3, 14), ramp.colour(value))
    scale = Linear.between(ramp.low, high, 0.0, long, 4)
    for tick in scale.ticks():
        words = number_text(tick, form.get("format"), scale.step)
        yield text((scale.place(tick), top + 46), words, LABEL, "middle")
