"""A number, or the counts that it is computed from: whichever a first look at the counts favours."""

from dataclasses import dataclass
from math import inf, nextafter
from typing import ClassVar

from reaedp.answer import Routed, Shape
from reaedp.errors import DeclarationError, sentence
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import Noise
from reaedp.privacy.loss import Price, PureDP, exact, positive
from reaedp.privacy.unit import Sensitivity


@dataclass(frozen=True, slots=True)
class TwoStage:
    """First buys a noisy look; its result decides whether the rest of ε buys the number itself or the counts.

    `first` is the ε of the look. If the noisy look is below the `threshold`, the number is released, otherwise the
    counts; which of the two is public. The sensitivity is that of look, number and counts as one vector: the number
    moves by at most `linf`, look and counts by at most half of the rest of `l1` each.

    >>> TwoStage(1.0, 0.1, 1_000).rest
    0.9
    """

    name: ClassVar[str] = "two-stage discrete Laplace"
    hides: ClassVar[Shape] = "routed"

    epsilon: float
    first: float
    threshold: int

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        positive("first", self.first, below=self.epsilon)
        if type(self.threshold) is not int:
            raise DeclarationError(sentence("threshold must be a whole number", given=self.threshold))

    @property
    def rest(self) -> float:
        """The largest double that, with `first`, adds up to at most ε in exact decimals."""
        left = exact(self.epsilon) - exact(self.first)
        rest = float(left)
        return rest if exact(rest) <= left else nextafter(rest, -inf)

    def scale(self, sensitivity: Sensitivity) -> float:
        """The noise scale of the number, in steps of its lattice."""
        return self.number(sensitivity).scale

    def price(self, sensitivity: Sensitivity) -> Price:  # noqa: ARG002
        """ε, whichever way it goes (see PROOFS.md)."""
        return (PureDP(self.epsilon),)

    def apply(self, exact: Routed, sensitivity: Sensitivity, noise: Noise) -> Routed:
        """The noisy look, and either the noisy number or the noisy counts."""
        look = self.look(sensitivity).apply(exact.look, noise)
        if look.item() < self.threshold:
            return Routed(look, self.number(sensitivity).apply(exact.number, noise), None)
        return Routed(look, None, self.counts(sensitivity).apply(exact.counts, noise))

    def look(self, sensitivity: Sensitivity) -> Calibrated:
        """The noise of the look."""
        return Calibrated(Laplace(self.first), _of_counts(sensitivity))

    def number(self, sensitivity: Sensitivity) -> Calibrated:
        """The noise of the number."""
        steps = sensitivity.linf
        return Calibrated(Laplace(self.rest), Sensitivity(l1=steps, l2_squared=steps * steps, linf=steps))

    def counts(self, sensitivity: Sensitivity) -> Calibrated:
        """The noise of the counts."""
        return Calibrated(Laplace(self.rest), _of_counts(sensitivity))

    def mean_error(self, sensitivity: Sensitivity) -> float:
        """Mean absolute error of the number."""
        return self.number(sensitivity).mean_error

    def error_quantile(self, sensitivity: Sensitivity, confidence: float, cells: int = 1) -> int:
        """The error quantile of the number."""
        return self.number(sensitivity).error_quantile(confidence, cells)


def _of_counts(sensitivity: Sensitivity) -> Sensitivity:
    """Rounded up: half of the rest is a whole number unless the sensitivity is not that of three such parts."""
    rows = -(-(sensitivity.l1 - sensitivity.linf) // 2)
    return Sensitivity(l1=rows, l2_squared=rows * rows, linf=rows)
