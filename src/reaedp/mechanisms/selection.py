"""A private choice among candidates: the exponential mechanism, priced as Gaussian differential privacy."""

from dataclasses import dataclass
from math import erf, erfc, inf, log, log1p, nextafter
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Shape
from reaedp.mechanisms.noise import Noise
from reaedp.privacy.loss import GaussianDP, Price, positive
from reaedp.privacy.unit import Sensitivity

#: Far above the relative error of the few float operations behind a scale.
_SLACK = 1e-12


def bounded_range(mu: float) -> float:
    """The largest ε for which every mechanism whose log-likelihood ratio has the range ε is μ-GDP, rounded down.

    ε = 2 logit Φ(μ/2), written so that nothing cancels: Φ = (1 + erf)/2.
    """
    half = mu / 8**0.5
    # erf and erfc are accurate on their own sides of one.
    logit = log1p(erf(half)) - (log(erfc(half)) if half > 1 else log1p(-erf(half)))
    return 2 * logit * (1 - _SLACK)


def chosen_mu(scale: float, sensitivity: Sensitivity) -> float:
    """The μ of a choice at this scale, rounded up: what `bounded_range` undoes, 2 Φ⁻¹(1 / (1 + exp(-ε/2)))."""
    from reaedp.privacy.covering import pure_mu

    return pure_mu(sensitivity.l1 / scale)


@dataclass(frozen=True, slots=True)
class Selection:
    """A candidate is chosen with probability proportional to exp(score / scale), scale = 2 · sensitivity / ε(μ).

    The sensitivity's `l1` bounds how far any one score moves.
    """

    name: ClassVar[str] = "exponential mechanism"
    hides: ClassVar[Shape] = "vector"

    mu: float

    def __post_init__(self) -> None:
        positive("mu", self.mu, below=16)

    def scale(self, sensitivity: Sensitivity) -> float:
        """The scale of the choice in units of the score, rounded up."""
        return nextafter(2 * sensitivity.l1 / bounded_range(self.mu), inf)

    def price(self, sensitivity: Sensitivity) -> Price:  # noqa: ARG002
        """μ (see PROOFS.md of the synthesis)."""
        return (GaussianDP(self.mu),)

    def choose(self, scores: Integers, sensitivity: Sensitivity, noise: Noise) -> int:
        """The place of the chosen score."""
        return noise.choose(scores, self.scale(sensitivity))

    def choose_each(self, scores: Integers, sensitivity: Sensitivity, noise: Noise) -> NDArray[np.intp]:
        """The place of the chosen score of each row.

        The sensitivity's `l1` bounds how far the rows' scores move together: the sum, over rows, of the largest move.
        """
        return np.array(noise.choose_each(scores, self.scale(sensitivity)), dtype=np.intp)
