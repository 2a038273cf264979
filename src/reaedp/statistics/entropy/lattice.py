"""Real numbers on a declared lattice, so that their noise can be integers."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.privacy.unit import Sensitivity

#: Steps of the lattice within one sensitivity: rounding adds less than a thousandth to the noise.
STEPS = 1024
#: More than floating-point arithmetic can move a computed entropy (of at most 64 bits) from the real one.
COMPUTING_ERROR = 2.0**-36


@dataclass(frozen=True, slots=True)
class Lattice:
    """One step length for each of several real numbers that one unit moves by at most its `reach`."""

    reach: tuple[float, ...]

    @property
    def steps(self) -> NDArray[np.float64]:
        """Step lengths: powers of two, so that a point of the lattice is an exact double."""
        return np.array([2.0 ** math.floor(math.log2(max(reach, COMPUTING_ERROR) / STEPS)) for reach in self.reach])

    @property
    def sensitivity(self) -> Sensitivity:
        """Rounded numbers move by at most ⌈(reach + twice the computing error) / step⌉ steps (see PROOFS.md)."""
        moves = [math.ceil((r + 2 * COMPUTING_ERROR) / s) for r, s in zip(self.reach, self.steps, strict=True)]
        return Sensitivity(l1=sum(moves), l2_squared=sum(move * move for move in moves), linf=max(moves))

    def rounded(self, values: NDArray[np.float64]) -> Integers:
        """The nearest points, halves upwards; numbers are of the size of an entropy, far from the 64-bit limits."""
        return np.floor(values / self.steps + 0.5).astype(np.int64)

    def values(self, points: Integers) -> NDArray[np.float64]:
        """Points as real numbers."""
        return points * self.steps
