"""Curves as seeds: the first coefficients of each, rounded to coarse cells, so that many curves share a cell."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Curve
from reaedp.curves.bases import Reals
from reaedp.curves.lattice import RADIUS
from reaedp.curves.space import CurveSpace
from reaedp.errors import DeclarationError, sentence
from reaedp.mechanisms.noise import Noise
from reaedp.synthesis.seeds import Counts, Places, uniform

#: Coarse coefficients of curves, a row each.
Cells = NDArray[np.int64]

#: Numbers of cells, and sums of a few of them, stay within 64 bits.
_MOST_CELLS = 2**61


def relative_deviations(curve: Curve) -> Reals:
    """√λ over the first one's: how much a typical curve varies in each coefficient."""
    eigenvalues = CurveSpace(curve).eigenvalues
    assert eigenvalues is not None
    relative: Reals = np.sqrt(eigenvalues / eigenvalues[0])
    return relative


@dataclass(frozen=True, slots=True)
class CoarseLattice:
    """Cells of `grains[j]` lattice points in coefficient j; a candidate is at most `reach` cells from its seed."""

    grains: tuple[int, ...]
    reach: int

    def __post_init__(self) -> None:
        if math.prod(self.extents) > _MOST_CELLS:
            raise DeclarationError(
                sentence(
                    "There are too many cells of seeds to number them",
                    given=f"2^{math.log2(math.prod(self.extents)):.0f} cells",
                    remedy="Keep fewer coefficients, or raise spread.",
                )
            )

    @classmethod
    def of(cls, curve: Curve, kept: int, grain: float, reach: int) -> "CoarseLattice":
        """Cells in proportion to √λ, as a typical curve varies; `grain` is the first's side, in parts of the clip."""
        sides = grain * RADIUS * relative_deviations(curve)[:kept]
        return cls(tuple(max(1, round(side)) for side in sides.tolist()), reach)

    @property
    def bounds(self) -> tuple[int, ...]:
        """Cells on each side of zero: those of seeds, of candidates around them, of other seeds around those."""
        return tuple(RADIUS // grain + 1 + 2 * self.reach for grain in self.grains)

    @property
    def extents(self) -> tuple[int, ...]:
        """The number of cells in each direction."""
        return tuple(2 * bound + 1 for bound in self.bounds)

    @property
    def strides(self) -> Integers:
        """What one cell in each direction adds to a cell's number; the last is one."""
        return np.array([math.prod(self.extents[place + 1 :]) for place in range(len(self.extents))], dtype=np.int64)

    def cells(self, points: NDArray[np.integer]) -> Cells:
        """The cells of lattice points, in whole numbers: each depends on its own point alone."""
        grains = np.array(self.grains, dtype=np.int64)
        coarse: Cells = (2 * points[:, : len(self.grains)].astype(np.int64) + grains) // (2 * grains)
        return coarse

    def numbers(self, cells: Cells) -> Integers:
        """One number for each cell, in the order of coefficients."""
        numbers: Integers = (cells + np.array(self.bounds, dtype=np.int64)) @ self.strides
        return numbers


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveSeeds:
    """Private curves, known by their cells."""

    lattice: CoarseLattice
    _cells: Cells
    _numbers: Integers = field(init=False)
    _before: Counts = field(init=False)

    def __post_init__(self) -> None:
        numbers, firsts, counts = np.unique(self.lattice.numbers(self._cells), return_index=True, return_counts=True)
        object.__setattr__(self, "_numbers", numbers)
        object.__setattr__(self, "_cells", self._cells[firsts])
        object.__setattr__(self, "_before", np.append(0, np.cumsum(counts)))

    @classmethod
    def of(cls, lattice: CoarseLattice, points: NDArray[np.integer]) -> "CurveSeeds":
        """The seeds of lattice points."""
        return cls(lattice, lattice.cells(points))

    @property
    def size(self) -> int:
        """The number of curves."""
        return int(self._before[-1])

    def draw(self, count: int, noise: Noise) -> Places:
        """Uniform curves, independent of each other, by the places of their cells; without any curve, of none."""
        return np.searchsorted(self._before[1:], uniform(count, max(self.size, 1), noise), side="right")

    def cells(self, places: Places) -> Cells:
        """Cells of drawn curves; zeros where there is none."""
        if not self.size:
            return np.zeros((len(places), len(self.lattice.grains)), dtype=np.int64)
        return self._cells[places]

    def below(self, numbers: Integers) -> Counts:
        """How many curves have cells with smaller numbers."""
        counts: Counts = self._before[np.searchsorted(self._numbers, numbers)]
        return counts
