"""Discrete Gaussian noise: concentrated differential privacy."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Shape
from reaedp.contract import Contract
from reaedp.errors import DeclarationError, sentence
from reaedp.mechanisms.by_price import Buyable
from reaedp.mechanisms.laplace import at_least
from reaedp.mechanisms.noise import Noise
from reaedp.privacy.loss import ZCDP, GaussianDP, Price, UnitGaussian, exact, positive
from reaedp.privacy.normal import quantile
from reaedp.privacy.unit import Sensitivity

#: Discrete noise of variance v is normal noise of variance v less this, rounded at random (see PROOFS.md).
LATTICE_VARIANCE = 4.0
#: From this scale on the loss of that rounding is small.
SMOOTH_SCALE = 10.0
#: Covers floating-point errors and the 10⁻²⁶ by which the two laws differ.
MARGIN = 2.0**-40
#: The same for a μ that is so small that a share of it would not.
LEAST_GAIN = 1e-18


@dataclass(frozen=True, slots=True, init=False)
class Gaussian(Buyable):
    """Noise with probability proportional to exp(-x² / (2 scale²)), scale² = squared L2 sensitivity / (2ρ).

    `Gaussian(epsilon=1, delta=1e-6)` asks for the least noise of that price, as plans do.

    >>> Gaussian(0.5).scale(counting)
    1.0
    >>> Gaussian.within(1.0, 1e-6, counting).rho < 0.5
    True
    """

    name: ClassVar[str] = "discrete Gaussian"
    hides: ClassVar[Shape] = "vector"
    scaled_by: ClassVar[str] = "rho"

    rho: float

    @overload
    def __init__(self, rho: float) -> None: ...
    @overload
    def __init__(self, *, epsilon: float, delta: float) -> None: ...
    def __init__(self, rho: float = math.nan, *, epsilon: float | None = None, delta: float | None = None) -> None:
        if epsilon is not None or delta is not None:  # beside ρ: without it this would be a wish
            raise DeclarationError(
                sentence(
                    "Gaussian takes rho, or epsilon and delta, but not both",
                    given={"rho": rho, "epsilon": epsilon, "delta": delta},
                    remedy="Write Gaussian(epsilon=1, delta=1e-6), or Gaussian(rho=0.1).",
                )
            )
        object.__setattr__(self, "rho", rho)
        positive("rho", rho)

    @classmethod
    def bought(cls, statistic: Any, contract: Contract, *, epsilon: float, delta: float) -> "Gaussian":
        """The least noise for this statistic that costs at most (ε, δ) on its own."""
        return cls.within(epsilon, delta, statistic.sensitivity(contract))

    @classmethod
    def within(cls, epsilon: float, delta: float, sensitivity: Sensitivity) -> "Gaussian":
        """The least noise that costs at most (ε, δ) on its own."""
        from reaedp.privacy.accounting import concentrated_rho, gaussian_mu, unit_gaussian_variance

        if sensitivity.linf == 1:
            variance = unit_gaussian_variance(epsilon, delta, sensitivity.l1)
            return cls(math.nextafter(sensitivity.l2_squared / (2.0 * variance), 0.0))
        rough = cls(concentrated_rho(epsilon, delta))
        variance = sensitivity.l2_squared / gaussian_mu(epsilon, delta) ** 2 * (1 + 2 * MARGIN) + LATTICE_VARIANCE
        smooth = cls(sensitivity.l2_squared / (2 * variance))
        return smooth if smooth.is_smooth(sensitivity) and smooth.rho > rough.rho else rough

    @classmethod
    def dominated(cls, mu: float, sensitivity: Sensitivity) -> "Gaussian":
        """The least noise that the Gaussian loss `mu` dominates, for `mu` up to 8 (see PROOFS.md)."""
        normal = positive("mu", mu) * (1 - 2 * MARGIN) - LEAST_GAIN
        return cls(sensitivity.l2_squared / (2 * (sensitivity.l2_squared / normal**2 + LATTICE_VARIANCE)))

    def is_smooth(self, sensitivity: Sensitivity) -> bool:
        """Whether the lattice is so fine that the privacy loss is that of the normal distribution."""
        scale = self.scale(sensitivity)
        return scale >= SMOOTH_SCALE and 1e-6 <= _normal_mu(sensitivity, scale) <= 8

    def scale(self, sensitivity: Sensitivity) -> float:
        """The smallest double (up to the last digits) whose square gives at most ρ."""
        variance = Fraction(sensitivity.l2_squared) / (2 * exact(self.rho))
        scale = math.sqrt(at_least(variance))
        while Fraction(scale) ** 2 < variance:
            scale = math.nextafter(scale, math.inf)
        return scale

    def price(self, sensitivity: Sensitivity) -> Price:
        """One unit Gaussian per cell that can move by one; otherwise μ, or ρ on a coarse lattice (see PROOFS.md)."""
        if sensitivity.linf == 1:
            variance = math.nextafter(self.scale(sensitivity) ** 2, 0.0)
            return (UnitGaussian(variance),) * sensitivity.l1
        if self.is_smooth(sensitivity):
            return (GaussianDP(_normal_mu(sensitivity, self.scale(sensitivity)) * (1 + MARGIN)),)
        return (ZCDP(self.rho),)

    def apply(self, exact: Integers, sensitivity: Sensitivity, noise: Noise) -> Integers:
        """Add discrete Gaussian noise to exact integers."""
        return noise.gaussian(exact, self.scale(sensitivity))

    def mean_error(self, sensitivity: Sensitivity) -> float:
        """Mean of |x|: the sum of Pr[|x| > t] over t."""
        scale = self.scale(sensitivity)
        return scale * math.sqrt(2 / math.pi) if scale > LARGE_SCALE else float(_tail(scale).sum())

    def error_quantile(self, sensitivity: Sensitivity, confidence: float, cells: int = 1) -> int:
        """Invert the exact tail: all |errors| are at most t with probability (1 - Pr[|x| > t])^cells."""
        scale = self.scale(sensitivity)
        outside = -math.expm1(math.log(confidence) / cells)
        if scale > LARGE_SCALE:
            return math.ceil(-scale * quantile(outside / 2)) + 1
        return int(np.argmax(_tail(scale) <= outside))


def dominating_mu(scale: float, sensitivity: Sensitivity) -> float:
    """The Gaussian loss that dominates noise of a scale above 2; at most 8 (see PROOFS.md)."""
    return _normal_mu(sensitivity, scale) * (1 + MARGIN) + LEAST_GAIN


def _normal_mu(sensitivity: Sensitivity, scale: float) -> float:
    """The μ of the normal noise from which this noise is rounded."""
    return math.sqrt(sensitivity.l2_squared / (scale**2 - LATTICE_VARIANCE))


#: Beyond this the discrete law and the normal one differ by less than a step of the lattice.
LARGE_SCALE = 2_000.0


def _tail(scale: float) -> NDArray[np.float64]:
    """Pr[|x| > t] for t = 0, 1, … until it vanishes in double precision."""
    weights = np.exp(-(np.arange(math.ceil(39 * scale) + 2) ** 2) / (2 * scale**2))
    beyond = np.cumsum(weights[:0:-1])[::-1]
    tail: NDArray[np.float64] = 2 * np.append(beyond, 0.0) / (weights[0] + 2 * beyond[0])
    return tail
