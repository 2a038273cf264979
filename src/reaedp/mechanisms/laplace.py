"""Discrete Laplace noise: pure ε-differential privacy."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from reaedp.answer import Integers, Shape
from reaedp.mechanisms.noise import Noise
from reaedp.privacy.loss import Positive, Price, PureDP, exact
from reaedp.privacy.unit import Sensitivity


@dataclass(frozen=True, slots=True)
class Laplace(Positive):
    """Noise with probability proportional to exp(-|x| / scale), scale = L1 sensitivity / ε.

    >>> Laplace(0.5).scale(counting), Laplace(0.5).error_quantile(counting, 0.95)
    (2.0, 6)
    """

    name: ClassVar[str] = "discrete Laplace"
    hides: ClassVar[Shape] = "vector"

    epsilon: float

    def scale(self, sensitivity: Sensitivity) -> float:
        """The smallest double whose exact value gives at most ε."""
        return _scale(self.epsilon, sensitivity.l1)

    def price(self, sensitivity: Sensitivity) -> Price:
        """ε; where only unit steps are possible, one equal share for each cell that can move (see PROOFS.md)."""
        if sensitivity.linf == 1 and sensitivity.l1 > 1:
            return (PureDP(self.epsilon / sensitivity.l1),) * sensitivity.l1
        return (PureDP(self.epsilon),)

    def apply(self, exact: Integers, sensitivity: Sensitivity, noise: Noise) -> Integers:
        """Add discrete Laplace noise to exact integers."""
        return noise.laplace(exact, self.scale(sensitivity))

    def mean_error(self, sensitivity: Sensitivity) -> float:
        """2q / (1 - q²) with q = exp(-1 / scale)."""
        rate = 1.0 / self.scale(sensitivity)
        return -2.0 * math.exp(-rate) / math.expm1(-2.0 * rate)

    def error_quantile(self, sensitivity: Sensitivity, confidence: float, cells: int = 1) -> int:
        """Invert the exact tail: all |errors| are at most t with probability (1 - 2 q^(t+1) / (1 + q))^cells."""
        rate = 1.0 / self.scale(sensitivity)
        outside = -math.expm1(math.log(confidence) / cells)
        steps = (math.log(2.0) - math.log(outside) - math.log1p(math.exp(-rate))) / rate - 1.0
        return max(0, math.ceil(steps - 1e-9))


@lru_cache(maxsize=1024, typed=True)  # equal numbers of different types may be written differently
def _scale(epsilon: float, l1: int) -> float:
    """Fractions take their time, and forecasts ask for hundreds of quantiles of the same noise."""
    return at_least(Fraction(l1) / exact(epsilon))


def at_least(bound: Fraction) -> float:
    """The smallest double that is not below an exact bound."""
    value = float(bound)
    return value if Fraction(value) >= bound else math.nextafter(value, math.inf)
