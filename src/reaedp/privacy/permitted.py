"""What a promise permits: no attack, however clever, tells two neighbours apart better than this on average.

The game: a fair coin decides which of two neighbouring data sets is released, and the attacker says which it was.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reaedp.errors import DeclarationError, sentence
from reaedp.privacy.accounting import delta, epsilon, tally
from reaedp.privacy.distinct import distinct
from reaedp.privacy.loss import Positive, Price
from reaedp.privacy.merging import failure
from reaedp.privacy.normal import probabilities, quantiles

Floats = NDArray[np.float64]

#: Where a price is read: at this many ε's, from 0 to the ε at so small a δ that nothing is left to say beyond.
_PROMISES, _SMALL_DELTA = 65, 1e-12
#: A line of slope e^700 passes every rate that a double can tell from 0.
_STEEPEST = 700.0


class Permitted(Protocol):
    """Ceilings of the game under some promise."""

    def true_positives(self, false_positives: ArrayLike) -> Floats:
        """The largest chance of accusing rightly at this chance of accusing wrongly."""

    @property
    def advantage(self) -> float:
        """The largest difference of the two chances."""

    @property
    def accuracy(self) -> float:
        """The largest chance of being right when the coin is fair."""

    @property
    def auc(self) -> float:
        """The largest area under the curve of the two chances."""


@dataclass(frozen=True, slots=True)
class Promised:
    """Pairs (ε, δ) that all hold for the same release; its ceiling is the lowest of theirs everywhere."""

    promises: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        if not self.promises or not all(e >= 0 and 0 <= d <= 1 for e, d in self.promises):
            raise DeclarationError(
                sentence("Each promise must be a pair (ε, δ) with ε ≥ 0 and δ from 0 to 1", given=self.promises)
            )

    def true_positives(self, false_positives: ArrayLike) -> Floats:
        """min(1, e^ε FPR + δ, 1 - e^-ε (1 - FPR - δ)), the least over all pairs."""
        slopes, heights = self._lines()
        rates = np.asarray(false_positives, dtype=np.float64)
        lowest: Floats = (slopes * rates[..., None] + heights).min(axis=-1)
        return lowest

    @property
    def advantage(self) -> float:
        """The largest difference of true and false positive rates; for one pair δ + (1 - δ) tanh(ε/2)."""
        corners = self._corners()
        return float((self.true_positives(corners) - corners).max())

    @property
    def accuracy(self) -> float:
        """The largest accuracy of a guess at even odds; for one pair (e^ε + δ) / (e^ε + 1)."""
        return (1 + self.advantage) / 2

    @property
    def auc(self) -> float:
        """The largest area under the curve; for one pair 1 - (1 - δ)² / (1 + e^ε)."""
        corners = self._corners()
        return float(np.trapezoid(self.true_positives(corners), corners))

    def _lines(self) -> tuple[Floats, Floats]:
        """Slopes and heights at 0 of the lines under which the curve must stay."""
        epsilons, deltas = np.array(self.promises, dtype=np.float64).T
        epsilons = np.minimum(epsilons, _STEEPEST)
        slopes = np.concatenate([np.exp(epsilons), np.exp(-epsilons), [0.0]])
        heights = np.concatenate([deltas, 1 - np.exp(-epsilons) * (1 - deltas), [1.0]])
        return slopes, heights

    def _corners(self) -> Floats:
        """Every place where the lowest line can change, so that sums over them are exact integrals."""
        slopes, heights = self._lines()
        with np.errstate(divide="ignore", invalid="ignore"):
            crossings = (heights[:, None] - heights) / (slopes - slopes[:, None])
        inside = crossings[(crossings > 0) & (crossings < 1)]
        return distinct(np.concatenate([[0.0], inside, [1.0]]))


@dataclass(frozen=True, slots=True)
class GaussianPromised(Positive):
    """μ-Gaussian differential privacy: the curve of N(0, 1) against N(μ, 1)."""

    mu: float

    def true_positives(self, false_positives: ArrayLike) -> Floats:
        """The largest true positive rate at each false positive rate: Φ(Φ⁻¹(FPR) + μ)."""
        return probabilities(quantiles(np.asarray(false_positives, dtype=np.float64)) + self.mu)

    @property
    def advantage(self) -> float:
        """The largest advantage: 2Φ(μ/2) - 1."""
        return 2 * self.accuracy - 1

    @property
    def accuracy(self) -> float:
        """The largest accuracy: Φ(μ/2)."""
        return float(probabilities(self.mu / 2))

    @property
    def auc(self) -> float:
        """The largest AUC: Φ(μ/√2)."""
        return float(probabilities(self.mu / np.sqrt(2)))


def permitted(epsilon: float, delta: float = 0.0) -> Promised:
    """The ceilings of (ε, δ)-differential privacy."""
    return Promised(((epsilon, delta),))


@lru_cache(maxsize=64)
def permitted_by(price: Price) -> Promised:
    """The ceilings of a price: those of many (ε, δ) on its curve together, all rounded up by the accountant."""
    charged = tally([price])
    # What fails outright is part of every δ on the curve.
    smallest = failure(charged)[1] + _SMALL_DELTA
    largest = epsilon(charged, smallest) if smallest < 1 else 0.0
    return Promised(tuple((float(e), delta(charged, float(e))) for e in np.linspace(0.0, largest, _PROMISES)))
