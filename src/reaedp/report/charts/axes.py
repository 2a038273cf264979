"""Axes and legends of charts as SVG, and the room that their words need."""

import math
from collections.abc import Callable, Iterator
from html import escape
from itertools import pairwise
from typing import Any

from reaedp.report.charts.colours import BLUES, Ramp
from reaedp.report.charts.marks import box
from reaedp.report.charts.plot import Layer, Plot, channels
from reaedp.report.charts.scales import Bands, Linear, number_text

#: Width of a letter in units of the font's size, on average; sizes of labels and titles.
LETTER, LABEL, TITLE = 0.6, 12, 13
#: Pixels of the colours of a legend.
_LEGEND = 200


def text(place: tuple[float, float], words: str, size: int, anchor: str, more: str = "") -> str:
    """Words at a place."""
    return (
        f'<text text-anchor="{anchor}" transform="translate({place[0]:.1f},{place[1]:.1f}){more}" font-size="{size}px"'
        f' fill="#000">{escape(words)}</text>'
    )


def wide(words: str, size: int = LABEL) -> float:
    """About how many pixels words need."""
    return LETTER * size * len(words)


def _cut(words: str, limit: float) -> str:
    most = max(1, int(limit / (LETTER * LABEL)))
    return words if len(words) <= most else words[: most - 1] + "…"


def _labels(plot: Plot, channel: str) -> list[tuple[float, str]]:
    """Where on an axis which words are written; of many names, as many as fit."""
    scale, encoding = getattr(plot, channel), channels(plot.layers, channel)[0][1]
    axis = encoding.get("axis") or {}
    if isinstance(scale, Bands):
        limit = axis.get("labelLimit", 160)
        found = [(scale.middle(name), _cut(str(name), limit)) for name in scale.names]
        slanted = axis.get("labelAngle", 0)
        room = LABEL + 3 if channel == "y" or slanted else max((wide(words) for _, words in found), default=0) + 6
        return found[:: max(1, math.ceil(room / scale.part))]
    step = scale.step if isinstance(scale, Linear) else None
    return [(scale.place(tick), number_text(tick, axis.get("format"), step)) for tick in scale.ticks()]


def _title(plot: Plot, channel: str) -> str:
    return channels(plot.layers, channel)[0][1].get("title") or ""


def across(plot: Plot) -> str:
    """The axis below the chart."""
    labels, base = _labels(plot, "x"), plot.height
    slanted = _slanted(plot)
    turned = f" rotate({slanted})" if slanted else ""
    anchor = "end" if slanted else "middle"
    words = "".join(text((x, base + (12 if slanted else 18)), label, LABEL, anchor, turned) for x, label in labels)
    title = text((plot.width / 2, base + _below(plot) - 4), _title(plot, "x"), TITLE, "middle") * bool(
        _title(plot, "x")
    )
    grid = "".join(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{base:g}" stroke="#ddd"/>' for x, _ in labels)
    ticks = "".join(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{base:g}" y2="{base + 5:g}" stroke="#888"/>'
                    for x, _ in labels)  # fmt: skip
    whole = f'<line x1="0" x2="{plot.width:g}" y1="{base:g}" y2="{base:g}" stroke="#888"/>'
    return _axis("" if isinstance(plot.x, Bands) else grid, ticks, whole, words + title)


def down(plot: Plot) -> str:
    """The axis left of the chart."""
    labels = _labels(plot, "y")
    words = "".join(text((-8, y + 4), label, LABEL, "end") for y, label in labels)
    named = _title(plot, "y")
    title = text((-_beside(plot) + 12, plot.height / 2), named, TITLE, "middle", " rotate(-90)") * bool(named)
    grid = "".join(f'<line x1="0" x2="{plot.width:g}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>' for y, _ in labels)
    ticks = "".join(f'<line x1="-5" x2="0" y1="{y:.1f}" y2="{y:.1f}" stroke="#888"/>' for y, _ in labels)
    whole = f'<line x1="0" x2="0" y1="0" y2="{plot.height:g}" stroke="#888"/>'
    return _axis("" if isinstance(plot.y, Bands) else grid, ticks, whole, words + title)


def _axis(grid: str, ticks: str, whole: str, words: str) -> str:
    parts = {"grid": grid, "tick": ticks, "domain": whole, "label": words}
    return "".join(f'<g class="role-axis-{name}">{drawn}</g>' for name, drawn in parts.items() if drawn)


def _slanted(plot: Plot) -> float:
    axis = channels(plot.layers, "x")[0][1].get("axis") or {}
    return float(axis.get("labelAngle", 0)) if isinstance(plot.x, Bands) else 0.0


def _below(plot: Plot) -> float:
    """Room for the words below the chart."""
    longest = max((wide(label) for _, label in _labels(plot, "x")), default=0.0)
    angle = math.radians(abs(_slanted(plot)))
    tall = 14 + longest * math.sin(angle) + (LABEL if not angle else 8)
    return tall + (18 if _title(plot, "x") else 4)


def _beside(plot: Plot) -> float:
    """Room for the words left of the chart."""
    longest = max((wide(label) for _, label in _labels(plot, "y")), default=0.0)
    return longest + 12 + (18 if _title(plot, "y") else 0)


def margins(plot: Plot) -> tuple[float, float, float, float]:
    """Left, top, right, bottom; slanted words may begin left of the chart."""
    angle = math.radians(abs(_slanted(plot)))
    slanted = max((wide(label) * math.cos(angle) - x for x, label in _labels(plot, "x")), default=0.0)
    kinds = _legend_kind(plot)
    right = 30 + wide(_scaled_colours(plot)[0][1]["title"], TITLE) if kinds == "ramp" else 16
    return max(_beside(plot), slanted if angle else 0.0) + 6, 34 if kinds == "names" else 10, right, _below(plot) + 4


def _legend_kind(plot: Plot) -> str:
    coloured = _scaled_colours(plot)
    return "" if not coloured else "names" if coloured[0][1]["type"] == "nominal" else "ramp"


def _scaled_colours(plot: Plot) -> list[tuple[Layer, dict[str, Any]]]:
    return [(layer, encoding) for layer, encoding in channels(plot.layers, "color") if "type" in encoding]


def legend(plot: Plot) -> str:
    """What the colours of a chart mean; empty if they mean nothing."""
    kinds = _legend_kind(plot)
    return f'<g class="role-legend">{"".join(_LEGENDS[kinds](plot))}</g>' if kinds else ""


def _names_legend(plot: Plot) -> Iterator[str]:
    """Names with their colours above the chart."""
    scale, x = _scaled_colours(plot)[0][1]["scale"], 0.0
    for name, colour in zip(scale["domain"], scale["range"], strict=True):
        yield f'<circle cx="{x + 6:.1f}" cy="-22" r="5" fill="{colour}"/>{text((x + 15, -18), name, LABEL, "start")}'
        x += wide(name) + 28


def _ramp_legend(plot: Plot) -> Iterator[str]:
    """Colours from few to many, right of the chart."""
    layer, encoding = _scaled_colours(plot)[0]
    ramp, left, long = Ramp.of(layer), plot.width + 18, min(_LEGEND, plot.height)
    edges = [long * step / (2 * len(BLUES)) for step in range(2 * len(BLUES) + 1)]
    for top, bottom in pairwise(edges):
        value = ramp.high - (ramp.high - ramp.low) * (top + bottom) / 2 / long
        yield box((left, 18 + top, 16, bottom - top + 0.3), ramp.colour(value))
    yield text((left, 10), encoding["title"], TITLE, "start")
    form = (encoding.get("axis") or {}).get("format")
    ends = Linear.over([ramp.low, ramp.high], long, 0.0, max(2, round(long / 50)))
    scale = Linear(ramp.low, ramp.high if ramp.high > ramp.low else ramp.low + 1, long, 0.0, ends.step)
    for tick in ends.ticks():
        if ramp.low <= tick <= ramp.high:
            yield text((left + 20, 22 + scale.place(tick)), number_text(tick, form, ends.step), LABEL, "start")


_LEGENDS: dict[str, Callable[[Plot], Iterator[str]]] = {"names": _names_legend, "ramp": _ramp_legend}
