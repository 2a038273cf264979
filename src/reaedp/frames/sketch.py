"""Small charts as SVG, drawn by hand: no library, no script, and room for what noise can do.

Bars that noise alone could have made are grey.
"""

import math
from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

WIDTH, HEIGHT, MARGIN = 480.0, 120.0, 6.0
#: Bars and lines that can still be told apart.
MOST_BARS, MOST_LINES = 240, 30
#: A bar alone need not fill the drawing.
WIDEST = 60.0
BLUE, GREY = "#3b82c4", "#8a8f98"


def bars(
    heights: Numbers,
    words: str,
    low: Numbers | None = None,
    high: Numbers | None = None,
    doubtful: NDArray[np.bool_] | None = None,
) -> str:
    """A bar for each number, from nothing, with its range as a line; empty if there are too many or none."""
    count = len(heights)
    if not 0 < count <= MOST_BARS:
        return ""
    lows, highs = (heights if low is None else low), (heights if high is None else high)
    up = _scale(np.concatenate([heights, lows, highs, [0.0]]))
    step = min((WIDTH - 2 * MARGIN) / count, WIDEST)
    parts, zero = [], up(0.0)
    for place in range(count):
        x, top = MARGIN + place * step, up(float(heights[place]))
        unsure = doubtful is not None and doubtful[place]
        bar = (x + 0.1 * step, min(top, zero), 0.8 * step, abs(zero - top))
        parts.append(_shape("rect", ("x", "y", "width", "height"), bar, f'fill="{GREY if unsure else BLUE}"'))
        if low is not None:
            ends = (x + step / 2, up(float(lows[place])), x + step / 2, up(float(highs[place])))
            parts.append(_shape("line", ("x1", "y1", "x2", "y2"), ends, 'stroke="currentColor" stroke-opacity="0.6"'))
    base = _shape("line", ("x1", "y1", "x2", "y2"), (MARGIN, zero, WIDTH - MARGIN, zero), 'stroke="currentColor"')
    return _drawing([*parts, base], words)


def lines(
    times: Numbers, curves: Sequence[Numbers], words: str, low: Numbers | None = None, high: Numbers | None = None
) -> str:
    """Curves over time, at most thirty of them, above a band."""
    shown = [np.asarray(curve, dtype=np.float64) for curve in curves[:MOST_LINES]]
    if len(times) < 2 or not shown:
        return ""
    band = [end for end in (low, high) if end is not None]
    up, across = _scale(np.concatenate([*shown, *band])), _scale(times, WIDTH, falling=False)
    parts = []
    if low is not None and high is not None:
        around = [*zip(times, low, strict=True), *zip(times[::-1], high[::-1], strict=True)]
        corners = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in around)
        parts.append(f'<polygon points="{corners}" fill="{BLUE}" fill-opacity="0.2"/>')
    for curve in shown:
        points = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in zip(times, curve, strict=True))
        faint = "" if len(shown) == 1 else ' stroke-opacity="0.5"'
        parts.append(f'<polyline points="{points}" fill="none" stroke="{BLUE}" stroke-width="1.5"{faint}/>')
    return _drawing(parts, words)


class _scale:  # noqa: N801 - a function with a memory
    """From numbers to places on the drawing: larger ones are higher, or farther right."""

    def __init__(self, numbers: Numbers, length: float = HEIGHT, *, falling: bool = True) -> None:
        finite = numbers[np.isfinite(numbers)]
        self.least = float(finite.min()) if finite.size else 0.0
        most = float(finite.max()) if finite.size else 1.0
        self.length, self.falling = length, falling
        # Halves, because the range of doubles is wider than the largest of them.
        self.half = (most / 2 - self.least / 2) or 0.5

    def __call__(self, number: float) -> float:
        number = float(number)  # whose least quotients are zero and no error, whatever NumPy was told
        place = min(max((number / 2 - self.least / 2) / self.half, 0.0), 1.0) if math.isfinite(number) else 0.0
        inside = self.length - 2 * MARGIN
        return MARGIN + ((1.0 - place) if self.falling else place) * inside


def _shape(name: str, keys: Sequence[str], places: Sequence[float], style: str) -> str:
    said = " ".join(f'{key}="{place:.1f}"' for key, place in zip(keys, places, strict=True))
    return f"<{name} {said} {style}/>"


def _drawing(parts: Sequence[str], words: str) -> str:
    """A figure with its words below."""
    said = escape(words)
    chart = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" width="{WIDTH:g}"'
        f' style="max-width:100%" role="img" aria-label="{said}">{"".join(parts)}</svg>'
    )
    return f'<figure style="margin:0.5em 0">{chart}<figcaption>{said}</figcaption></figure>'
