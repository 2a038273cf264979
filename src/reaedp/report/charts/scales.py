"""Scales of a chart: from values to places along an axis, with round numbers to write beside it, as d3 chooses them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

#: A number is written for about this many pixels of an axis.
PIXELS_OF_A_TICK = {"across": 72, "down": 40}
#: An axis ends at a multiple of about this share of its length.
EDGES = 10
#: Steps of an axis are these multiples of powers of ten, by how far the wanted step lies above the power.
_ROUND = ((math.sqrt(50), 10), (math.sqrt(10), 5), (math.sqrt(2), 2), (0.0, 1))


@dataclass(frozen=True, slots=True)
class Linear:
    """Numbers from `low` to `high`, spread over the pixels from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    step: float

    @classmethod
    def over(cls, numbers: Sequence[float], start: float, end: float, ticks: int, *, zero: bool = False) -> "Linear":
        """A scale that has room for all numbers and ends at round ones."""
        low, high = min([*numbers, *([0.0] if zero else [])]), max([*numbers, *([0.0] if zero else [])])
        if low == high:
            low, high = (low, low + 1) if low >= 0 else (low, 0.0)
        for _ in range(2):  # a wider scale may have wider steps
            edge = _step(low, high, EDGES)
            low, high = math.floor(low / edge) * edge, math.ceil(high / edge) * edge
        return cls(low, high, start, end, _step(low, high, ticks))

    @classmethod
    def between(cls, low: float, high: float, start: float, end: float, ticks: int) -> "Linear":
        """A scale that ends at these numbers."""
        return cls(low, high, start, end, _step(low, high, ticks))

    def place(self, value: float) -> float:
        """Where a number lies."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """The round numbers within."""
        slack = 1e-9  # of a step, for the rounding of ends
        first, last = math.ceil(self.low / self.step - slack), math.floor(self.high / self.step + slack)
        return [number * self.step for number in range(first, last + 1)]


@dataclass(frozen=True, slots=True)
class Logarithmic:
    """Positive numbers, whose powers of ten are equally far apart."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def over(cls, numbers: Sequence[float], start: float, end: float) -> "Logarithmic":
        """A scale that has room for all positive numbers and ends at powers of ten."""
        powers = [math.log10(number) for number in numbers if number > 0] or [0.0]
        low, high = math.floor(min(powers)), math.ceil(max(powers))
        return cls(10.0**low, 10.0 ** max(high, low + 1), start, end)

    def place(self, value: float) -> float:
        """Where a number lies."""
        share = math.log10(value / self.low) / math.log10(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """The powers of ten within the axis."""
        first, last = (round(math.log10(edge)) for edge in (self.low, self.high))
        return [10.0**power for power in range(first, last + 1)]


@dataclass(frozen=True, slots=True)
class Bands:
    """Names in their order, each with an equal part of the pixels; `filled` is the share of a part that a bar takes."""

    names: tuple[Any, ...]
    length: float
    filled: float

    @property
    def part(self) -> float:
        """Pixels of one name."""
        return self.length / max(len(self.names), 1)

    def middle(self, name: Any) -> float:
        """The middle of a name's part."""
        return (self.names.index(name) + 0.5) * self.part


Scale = Linear | Logarithmic | Bands


def _step(low: float, high: float, ticks: int) -> float:
    """The round step that makes about so many."""
    wanted = (high - low) / max(ticks, 1)
    power = 10.0 ** math.floor(math.log10(wanted))
    step: float = power * next(factor for least, factor in _ROUND if wanted / power >= least)
    return step


def number_text(value: float, form: str | None, step: float | None = None) -> str:
    """A number as Vega's formats ",.0f", ".0%", ".4~g" write it; without one, with the digits that a step has."""
    if form is not None:
        sign = "," if form.startswith(",") else ""
        digits, kind = form.strip(",.").replace("~", "")[:-1], form[-1]
        text = f"{value:{sign}.{digits}{kind}}"
        return _trimmed(text) if "~" in form else text
    if step is None:
        return _trimmed(f"{value:,.12f}") if value >= 1e-6 else f"{value:g}"
    return f"{value:,.{max(0, -math.floor(math.log10(step) + 1e-9))}f}"


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
