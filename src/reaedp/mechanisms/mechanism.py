"""What every mechanism can say: its price, its noise, and how far a released number may be from the truth."""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from reaedp.answer import Shape
from reaedp.mechanisms.noise import Noise
from reaedp.privacy.loss import Price
from reaedp.privacy.unit import Sensitivity


class Mechanism(Protocol):
    """Noise whose price is fixed; its scale follows from the sensitivity that it must hide."""

    name: ClassVar[str]
    hides: ClassVar[Shape]

    def scale(self, sensitivity: Sensitivity) -> float:
        """The noise scale, in steps of the lattice."""

    def price(self, sensitivity: Sensitivity) -> Price:
        """What one release costs; never more than what was asked for."""

    def apply(self, exact: Any, sensitivity: Sensitivity, noise: Noise) -> Any:
        """The answer with noise."""

    def mean_error(self, sensitivity: Sensitivity) -> float:
        """Mean absolute error of one number."""

    def spread(self, sensitivity: Sensitivity, confidence: float, cells: int = 1) -> int:
        """The least t such that all of `cells` independent errors are within ±t with this confidence."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A mechanism together with the sensitivity that it hides."""

    mechanism: Mechanism
    sensitivity: Sensitivity

    @property
    def scale(self) -> float:
        """The noise scale, in steps of the lattice."""
        return self.mechanism.scale(self.sensitivity)

    @property
    def price(self) -> Price:
        """What one release costs."""
        return self.mechanism.price(self.sensitivity)

    @property
    def title(self) -> str:
        """The mechanism in words."""
        return f"{self.mechanism.name}, scale {self.scale:.6g}"

    @property
    def mean_error(self) -> float:
        """Mean absolute error of one number."""
        return self.mechanism.mean_error(self.sensitivity)

    def spread(self, confidence: float, cells: int = 1) -> int:
        """The least t such that all of `cells` errors are within ±t with this confidence."""
        return self.mechanism.spread(self.sensitivity, confidence, cells)

    def apply(self, exact: Any, noise: Noise) -> Any:
        """The answer with noise."""
        return self.mechanism.apply(exact, self.sensitivity, noise)
