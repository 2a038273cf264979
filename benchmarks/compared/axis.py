"""A column as all synthesizers get it: codes from 0 on, and for numbers what the codes stand for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Axis:
    """A column of `size` codes.

    Numbers have `edges` in their own unit: where each cell begins, and where the last one ends. If `null`, code 0
    stands for a missing value and the cells of the edges follow it. A category has no edges.
    """

    name: str
    size: int
    edges: tuple[float, ...] = ()
    null: bool = False

    @classmethod
    def category(cls, name: str, size: int) -> "Axis":
        return cls(name, size)

    @classmethod
    def number(cls, name: str, edges: Sequence[float], *, null: bool = False) -> "Axis":
        return cls(name, len(edges) - 1 + null, tuple(map(float, edges)), null)

    @property
    def ordered(self) -> bool:
        return bool(self.edges)

    def codes(self, values: NDArray[Any]) -> Codes:
        """The cells of numbers; what lies outside the edges goes to the first or last cell."""
        inner = np.digitize(values, self.edges[1:-1]) + self.null
        return np.where(np.isnan(values), 0, inner).astype(np.int32)

    @property
    def middles(self) -> Floats:
        """The middle of each cell; NaN for a missing value."""
        edges = np.array(self.edges)
        return np.concatenate([[np.nan] * self.null, (edges[1:] + edges[:-1]) / 2])
