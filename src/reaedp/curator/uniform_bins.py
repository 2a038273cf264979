"""Bins of equal width: the bin of a value by arithmetic, exactly as its edges say.

The position of a value, in bins from the lower end, is computed with an error of at most `slack`, and shifted up by as
much: it is never too low, and at most 2·slack too high. So if it lies at least 2·slack above a whole number, it lies in
the bin of that number, which holds for nearly all values. The others are compared with the edge itself.
"""

import math
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np


@dataclass(frozen=True, slots=True)
class UniformBins:
    """A number of equal bins from `lower` to `upper`, both finite."""

    lower: float
    upper: float
    bins: float

    @classmethod
    def of(cls, lower: float, upper: float, bins: int) -> "UniformBins | None":
        """Such bins, if arithmetic finds them: the computed end edges must enclose the range."""
        found = cls(lower, upper, float(bins))
        first, last = found._edge(0.0), found._edge(found.bins)
        close = math.isfinite(last) and math.isfinite(found.rate) and first <= found.lower and found.upper <= last
        return found if close and found.slack < 0.25 else None

    @property
    def width(self) -> float:
        """The width of all bins together."""
        return self.upper - self.lower

    @property
    def rate(self) -> float:
        """Bins in a unit of the value."""
        return self.bins / self.width

    @property
    def slack(self) -> float:
        """How many bins a position can be off: rounding of the edges, of the value, and of three operations."""
        largest = max(abs(self.lower), abs(self.upper))
        return float(self.bins * (8 * np.spacing(largest) / self.width + 2.0**-48))

    def position(self, value: Any) -> Any:
        """Where a value lies, in bins; outside the range it may be infinite. An expression, an array or a number."""
        return (value - (self.lower - self.slack * self.width / self.bins)) * self.rate

    def inside(self, value: nw.Expr) -> nw.Expr:
        """Values of the range without its upper end; NaN is above all numbers."""
        return (value >= self.lower) & (value < self.upper)

    def certain(self, position: nw.Expr, whole: nw.Expr) -> nw.Expr:
        """Whether the whole part of a position is the bin; never for what lies outside the range, which NaN does."""
        return (position >= 0) & (position < self.bins) & (position - whole >= 2 * self.slack)

    def compared(self, value: nw.Expr) -> nw.Expr:
        """The bin of any value inside the range: one below the whole part if the edge there lies above the value."""
        guess = self.position(value).floor().cast(nw.Float64)
        return nw.when(value < self._edge(guess)).then(guess - 1.0).otherwise(guess)

    def _edge(self, number: Any) -> Any:
        """The lower edge of a bin, computed step by step as the declaration computes it."""
        scaled = number * self.width
        return (scaled + self.lower * self.bins if self.lower else scaled) / self.bins
