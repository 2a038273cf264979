"""Gaussian noise on counts in parts of a row, so fine that integers cost next to nothing beside it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Shape
from reaedp.mechanisms.gaussian import LATTICE_VARIANCE, Gaussian, dominating_mu
from reaedp.mechanisms.noise import Noise
from reaedp.privacy.loss import GaussianDP, Price
from reaedp.privacy.unit import Sensitivity

#: Noise that is so many parts wide has a 256th of its variance for the lattice.
FINE = 32.0
#: Parts of a row at most, which are fine for every μ up to 8.
FINEST = 256
#: What rounding changes in squares.
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class FineGaussian:
    """Noise that the Gaussian loss `mu` dominates, for `mu` up to 8, on counts in parts of a row.

    A row has the fewest parts that are fine against the noise: a power of two, at most `finest`, so that doubles hold
    the noisy counts exactly. Everything that is said of the noise is in rows.
    """

    name: ClassVar[str] = "discrete Gaussian on parts of rows"
    hides: ClassVar[Shape] = "vector"

    mu: float
    finest: int = FINEST

    def grain(self, sensitivity: Sensitivity) -> int:
        """Parts of a row; they follow from what is public."""
        return _fewest(sensitivity.l2_squared / self.mu**2, self.finest)

    def scale(self, sensitivity: Sensitivity) -> float:
        """The noise scale, in rows."""
        return self._of_parts(sensitivity).scale(self._parts(sensitivity)) / self.grain(sensitivity)

    def price(self, sensitivity: Sensitivity) -> Price:  # noqa: ARG002
        """The Gaussian loss (see PROOFS.md)."""
        return (GaussianDP(self.mu),)

    def apply(self, exact: Integers, sensitivity: Sensitivity, noise: Noise) -> NDArray[np.float64]:
        """Exact counts with noise, in rows and parts of them."""
        grain, scale = self.grain(sensitivity), self._of_parts(sensitivity).scale(self._parts(sensitivity))
        return noise.gaussian(exact, scale, grain) / grain

    def mean_error(self, sensitivity: Sensitivity) -> float:
        """Mean of |x|, in rows."""
        return self._of_parts(sensitivity).mean_error(self._parts(sensitivity)) / self.grain(sensitivity)

    def error_quantile(self, sensitivity: Sensitivity, confidence: float, cells: int = 1) -> int:
        """The least whole t such that all of `cells` errors are within ±t rows with this confidence."""
        parts = self._of_parts(sensitivity).error_quantile(self._parts(sensitivity), confidence, cells)
        return -(-parts // self.grain(sensitivity))

    def _parts(self, sensitivity: Sensitivity) -> Sensitivity:
        return sensitivity.finer(self.grain(sensitivity))

    def _of_parts(self, sensitivity: Sensitivity) -> Gaussian:
        return Gaussian.dominated(self.mu, self._parts(sensitivity))


def bought_mu(scale: float, sensitivity: Sensitivity, finest: int) -> float | None:
    """The μ for which noise of this scale, in rows, was drawn; none if it is less than any that is drawn."""
    candidates = (2**power for power in range(finest.bit_length()))
    fine = (grain for grain in candidates if grain == finest or (grain * scale) ** 2 - LATTICE_VARIANCE >= _ENOUGH)
    grain = next(fine)
    if (grain * scale) ** 2 <= LATTICE_VARIANCE:
        return None
    return dominating_mu(grain * scale, sensitivity.finer(grain))


_ENOUGH = FINE**2 * (1 - _SLACK)


def _fewest(variance: float, finest: int) -> int:
    """The least power of two that makes normal noise of this variance, in rows, wide enough."""
    grain = 1
    while grain < finest and grain**2 * variance < FINE**2:
        grain *= 2
    return grain
