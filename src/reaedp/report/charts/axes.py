"""Axes of charts as SVG, and the room that their words need."""

import math
from html import escape

from reaedp.report.charts.drawing import ABOVE
from reaedp.report.charts.plot import Plot, channels
from reaedp.report.charts.scales import Bands, Linear, number_text

#: Width of a letter in units of the font's size, on average; sizes of labels and titles.
LETTER, LABEL, TITLE = 0.6, 12, 13


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
    title = text((plot.width / 2, base + below(plot) - 4), _title(plot, "x"), TITLE, "middle") * bool(_title(plot, "x"))
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
    beside = text((-_beside(plot) + 12, plot.height / 2), named, TITLE, "middle", " rotate(-90)")
    title = (text((0, ABOVE), named, TITLE, "start") if _above(plot) else beside) * bool(named)
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


def below(plot: Plot) -> float:
    """Room for the words below the chart."""
    longest = max((wide(label) for _, label in _labels(plot, "x")), default=0.0)
    angle = math.radians(abs(_slanted(plot)))
    tall = 14 + longest * math.sin(angle) + (LABEL if not angle else 8)
    return tall + (18 if _title(plot, "x") else 4)


def _beside(plot: Plot) -> float:
    """Room for the words left of the chart."""
    longest = max((wide(label) for _, label in _labels(plot, "y")), default=0.0)
    return longest + 12 + (18 if _title(plot, "y") and not _above(plot) else 0)


def _above(plot: Plot) -> bool:
    """Whether the title of the axis that goes down stands over it."""
    axis = channels(plot.layers, "y")[0][1].get("axis") or {}
    return axis.get("titleAngle") == 0


def margins(plot: Plot) -> tuple[float, float, float, float]:
    """Left, top, right, bottom; slanted words may begin left of the chart."""
    angle = math.radians(abs(_slanted(plot)))
    slanted = max((wide(label) * math.cos(angle) - x for x, label in _labels(plot, "x")), default=0.0)
    top = 24 if _title(plot, "y") and _above(plot) else 10
    return max(_beside(plot), slanted if angle else 0.0) + 6, top, 16, below(plot) + 4
