"""A falling curve for people: as bars on a terminal, and as a file for a page or a spreadsheet."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from reaedp.errors import DeclarationError

Points = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT, _MARGIN = 640, 400, 60


def bar(value: float, values: Sequence[float], width: int = 32) -> str:
    """A bar on a logarithmic scale from the least to the largest of some values."""
    positive = [number for number in values if number > 0]
    if value <= 0 or not positive:
        return ""
    low, high = math.log(min(positive)), math.log(max(positive))
    return "█" * (1 + round((math.log(value) - low) / ((high - low) or 1.0) * (width - 1)))


def write_chart(path: Path, points: Points, names: tuple[str, str]) -> None:
    """Write a curve as .svg or .csv."""
    write = {".svg": _svg, ".csv": _csv}.get(path.suffix)
    if write is None:
        raise DeclarationError(f"--plot writes .svg or .csv; given {str(path)!r}.")
    try:
        path.write_text(write(points, names), encoding="utf-8")
    except OSError as error:
        raise DeclarationError(f"{path} cannot be written: {error.strerror}.") from None


def _csv(points: Points, names: tuple[str, str]) -> str:
    lines = [",".join(names), *(f"{x:.17g},{y:.17g}" for x, y in points)]
    return "\n".join(lines) + "\n"


def _svg(points: Points, names: tuple[str, str]) -> str:
    """Both axes are logarithmic, so that an error that falls as 1 / ε is a straight line."""
    shown = [(x, y) for x, y in points if y > 0]
    if not shown:
        raise DeclarationError("All errors are zero, so there is nothing to draw. Choose a .csv file instead.")
    across = _scale([x for x, _ in shown], _MARGIN, _WIDTH - 20)
    up = _scale([y for _, y in shown], _HEIGHT - _MARGIN, 20)
    places = [(across(x), up(y)) for x, y in shown]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    ticks = [_text(across(x), _HEIGHT - _MARGIN + 20, f"{x:.3g}", "middle") for x, _ in shown]
    ticks += [_text(_MARGIN - 6, up(y) + 4, f"{y:.3g}", "end") for _, y in shown[:: max(1, len(shown) // 4)]]
    axes = f"{_MARGIN},20 {_MARGIN},{_HEIGHT - _MARGIN} {_WIDTH - 20},{_HEIGHT - _MARGIN}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif"',
            ' font-size="12">',
            f'<polyline points="{axes}" fill="none" stroke="#888"/>',
            f'<polyline points="{line}" fill="none" stroke="#1f5fa8" stroke-width="2"/>',
            *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#1f5fa8"/>' for x, y in places),
            *ticks,
            _text(_WIDTH / 2, _HEIGHT - 15, names[0], "middle"),
            _text(_MARGIN, 14, names[1], "start"),
            "</svg>\n",
        ]
    )


def _scale(values: Sequence[float], start: float, end: float) -> Callable[[float], float]:
    """Takes logarithms from the range of the values to another."""
    low, high = math.log(min(values)), math.log(max(values))
    return lambda value: start + (end - start) * (math.log(value) - low) / ((high - low) or 1.0)


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'
