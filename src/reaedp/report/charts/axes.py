"""Axes of charts as SVG, and the room that their words need."""

import math
from html import escape
from itertools import pairwise
from typing import Any

from reaedp.report.charts.narrow import PART, WHOLE
from reaedp.report.charts.plot import Plot, channels
from reaedp.report.charts.scales import Bands, Linear, number_text

#: Width of a letter in units of the font's size, on average; sizes of labels and titles.
LETTER, LABEL, TITLE = 0.6, 12, 13


def text(place: tuple[float, float], words: str, size: int, anchor: str, more: str = "") -> str:
    """Words at a place, in one line or around it in several."""
    lines, (x, y) = words.split("\n"), place
    turns = "".join(
        f'<tspan x="0" dy="{size + 2 if line else 0}">{escape(part)}</tspan>' for line, part in enumerate(lines)
    )
    return (
        f'<text text-anchor="{anchor}" transform="translate({x:.1f},{y - (len(lines) - 1) * (size + 2) / 2:.1f}){more}"'
        f' font-size="{size}px" fill="#000">{turns if len(lines) > 1 else escape(words)}</text>'
    )


def wide(words: str, size: int = LABEL) -> float:
    """About how many pixels words need."""
    return LETTER * size * max(map(len, words.split("\n")))


def _cut(words: str, limit: float, size: int = LABEL) -> str:
    most = max(1, int(limit / (LETTER * size)))
    return words if len(words) <= most else words[: most - 1] + "…"


def _lines(name: str, axis: dict[str, Any]) -> str:
    """A name as it is written beside an axis."""
    parts = name.split(PART) if "labelExpr" in axis else [name]
    limit = WHOLE - 20 if axis.get("labelAlign") == "left" else axis.get("labelLimit", 160)
    return "\n".join(_cut(part, limit) for part in parts)


def _labels(plot: Plot, channel: str) -> list[tuple[float, str]]:
    """Where on an axis which words are written; of many names, as many as fit."""
    scale, encoding = getattr(plot, channel), channels(plot.layers, channel)[0][1]
    axis = encoding.get("axis") or {}
    if isinstance(scale, Bands):
        found = [(scale.middle(name), _lines(str(name), axis)) for name in scale.names]
        slanted = axis.get("labelAngle", 0)
        room = LABEL + 3 if channel == "y" or slanted else max((wide(words) for _, words in found), default=0) + 6
        return found[:: max(1, math.ceil(room / scale.part))]
    step = scale.step if isinstance(scale, Linear) else None
    return [(scale.place(tick), number_text(tick, axis.get("format"), step)) for tick in scale.ticks()]


def _apart(labels: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """Every second number, again and again, until none touches the next."""
    while any(y - x < (wide(one) + wide(other)) / 2 for (x, one), (y, other) in pairwise(labels)):
        labels = labels[::2]
    return labels


def _title(plot: Plot, channel: str) -> str:
    encoding = channels(plot.layers, channel)[0][1]
    return _cut(encoding.get("title") or "", (encoding.get("axis") or {}).get("titleLimit", 480), TITLE)


def across(plot: Plot) -> str:
    """The axis below the chart."""
    labels, base = _labels(plot, "x"), plot.height
    slanted = _slanted(plot)
    turned = f" rotate({slanted})" if slanted else ""
    anchor = "end" if slanted else "middle"
    told = labels if isinstance(plot.x, Bands) else _apart(labels)
    words = "".join(text((x, base + (12 if slanted else 18)), label, LABEL, anchor, turned) for x, label in told)
    named = _title(plot, "x")
    centred = wide(named, TITLE) <= plot.width
    middle = (plot.width / 2 if centred else plot.width, base + below(plot) - 4)
    title = text(middle, named, TITLE, "middle" if centred else "end") * bool(named)
    grid = "".join(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{base:g}" stroke="#ddd"/>' for x, _ in labels)
    ticks = "".join(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{base:g}" y2="{base + 5:g}" stroke="#888"/>'
                    for x, _ in labels)  # fmt: skip
    whole = f'<line x1="0" x2="{plot.width:g}" y1="{base:g}" y2="{base:g}" stroke="#888"/>'
    return _axis("" if isinstance(plot.x, Bands) else grid, ticks, whole, words + title)


def down(plot: Plot) -> str:
    """The axis left of the chart."""
    labels = _labels(plot, "y")
    beside = (-8.0, 4.0, "end") if not (within := _within(plot)) else (0.0, 4.0 + within, "start")
    words = "".join(text((beside[0], y + beside[1]), label, LABEL, beside[2]) for y, label in labels)
    named = _title(plot, "y")
    turned = text((-_beside(plot) + 12, plot.height / 2), named, TITLE, "middle", " rotate(-90)")
    title = (text((0, _above(plot)), named, TITLE, "start") if _above(plot) else turned) * bool(named)
    grid = "".join(f'<line x1="0" x2="{plot.width:g}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>' for y, _ in labels)
    ticks = "".join(f'<line x1="-5" x2="0" y1="{y:.1f}" y2="{y:.1f}" stroke="#888"/>' for y, _ in labels)
    whole = f'<line x1="0" x2="0" y1="0" y2="{plot.height:g}" stroke="#888"/>'
    return _axis("" if isinstance(plot.y, Bands) else grid, "" if within else ticks, whole, words + title)


def _within(plot: Plot) -> float:
    """How far above its mark a name stands that has no room beside the chart; nothing if it has."""
    axis = channels(plot.layers, "y")[0][1].get("axis") or {}
    return float(axis["labelOffset"]) if axis.get("labelAlign") == "left" else 0.0


def _axis(grid: str, ticks: str, whole: str, words: str) -> str:
    parts = {"grid": grid, "tick": ticks, "domain": whole, "label": words}
    return "".join(f'<g class="role-axis-{name}">{drawn}</g>' for name, drawn in parts.items() if drawn)


def _slanted(plot: Plot) -> float:
    axis = channels(plot.layers, "x")[0][1].get("axis") or {}
    return float(axis.get("labelAngle", 0)) if isinstance(plot.x, Bands) else 0.0


def below(plot: Plot) -> float:
    """Room for the words below the chart."""
    longest = max((wide(label) for _, label in _labels(plot, "x")), default=0.0)
    angle = math.radians(abs(_slanted(plot)))
    tall = 14 + longest * math.sin(angle) + (LABEL if not angle else 8)
    return tall + (18 if _title(plot, "x") else 4)


def _beside(plot: Plot) -> float:
    """Room for the words left of the chart."""
    if _within(plot):
        return 0.0
    longest = max((wide(label) for _, label in _labels(plot, "y")), default=0.0)
    return longest + 12 + (18 if _title(plot, "y") and not _above(plot) else 0)


def _above(plot: Plot) -> float:
    """Where the title of the axis that goes down stands over it; nowhere if it stands beside it."""
    axis = channels(plot.layers, "y")[0][1].get("axis") or {}
    return float(axis["titleY"]) if axis.get("titleAngle") == 0 else 0.0


def margins(plot: Plot) -> tuple[float, float, float, float]:
    """Left, top, right, bottom; slanted words may begin left of the chart."""
    angle = math.radians(abs(_slanted(plot)))
    slanted = max((wide(label) * math.cos(angle) - x for x, label in _labels(plot, "x")), default=0.0)
    top = 18 - _above(plot) if _title(plot, "y") and _above(plot) else 10
    last = max((x + wide(label) / 2 - plot.width for x, label in _labels(plot, "x")), default=0.0)
    first = max((wide(label) / 2 - x for x, label in _labels(plot, "x")), default=0.0)
    right = 16.0 if angle else max(16.0, last + 4)
    return max(_beside(plot), slanted if angle else first) + 6, top, right, below(plot) + 4
