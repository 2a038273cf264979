"""How a cost grows: the exponent of a power law, fitted by least squares of logarithms."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Growth:
    """cost ≈ factor · size^exponent between the smallest and the largest size of the fit."""

    exponent: float
    factor: float
    smallest: float
    largest: float

    def __str__(self) -> str:
        return f"{self.exponent:.2f} (from {self.smallest:,.0f} to {self.largest:,.0f})"

    def at(self, size: float) -> float:
        """The cost that the law gives; beyond the range of the fit it is an extrapolation."""
        return self.factor * size**self.exponent


def fitted(sizes: Sequence[float], costs: Sequence[float], above: float = 0.0) -> Growth:
    """The law through all points whose size is at least `above`: below, fixed costs hide the growth."""
    points = [(math.log(s), math.log(c)) for s, c in zip(sizes, costs, strict=True) if s >= above]
    if len(points) < 2:
        raise ValueError(f"A growth is fitted to two or more sizes; given {len(points)}.")
    middle, level = (math.fsum(values) / len(points) for values in zip(*points, strict=True))
    spread = math.fsum((x - middle) ** 2 for x, _ in points)
    exponent = math.fsum((x - middle) * (y - level) for x, y in points) / spread
    kept = [s for s in sizes if s >= above]
    return Growth(exponent, math.exp(level - exponent * middle), min(kept), max(kept))
