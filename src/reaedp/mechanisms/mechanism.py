"""What every mechanism can say: its price, its noise, and how far a released number may be from the truth."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

from reaedp.answer import Shape
from reaedp.mechanisms.noise import Noise
from reaedp.privacy.loss import Price
from reaedp.privacy.unit import Sensitivity


class Mechanism(Protocol):
    """Noise at a fixed price; its scale follows from the sensitivity of the statistic.

    >>> def of_one_row(mechanism: Mechanism) -> float:
    ...     return mechanism.mean_error(Sensitivity(1, 1, 1))
    >>> of_one_row(Laplace(1.0)) < of_one_row(Laplace(0.5))
    True
    """

    name: ClassVar[str]
    hides: ClassVar[Shape]

    def scale(self, sensitivity: Sensitivity) -> float:
        """The noise scale, in steps of the lattice."""

    def price(self, sensitivity: Sensitivity) -> Price:
        """The privacy loss of one release; never more than what was asked for."""

    def apply(self, exact: Any, sensitivity: Sensitivity, noise: Noise) -> Any:
        """The exact answer plus noise."""

    def mean_error(self, sensitivity: Sensitivity) -> float:
        """Mean absolute error of one number."""

    def error_quantile(self, sensitivity: Sensitivity, confidence: float, cells: int = 1) -> int:
        """The least t such that all of `cells` independent errors are within ±t with this confidence."""


@dataclass(frozen=True)
class Calibrated:
    """A mechanism together with the sensitivity that it hides; price and scale are computed once.

    A statistic's sensitivity says how far one unit moves its answer under a contract; `Request.calibrated` looks it up.
    """

    mechanism: Mechanism
    sensitivity: Sensitivity

    @cached_property
    def scale(self) -> float:
        """The noise scale, in steps of the lattice."""
        return self.mechanism.scale(self.sensitivity)

    @cached_property
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

    def error_quantile(self, confidence: float, cells: int = 1) -> int:
        """The least t such that all of `cells` errors are within ±t with this confidence."""
        return self.mechanism.error_quantile(self.sensitivity, confidence, cells)

    def apply(self, exact: Any, noise: Noise) -> Any:
        """The answer with noise."""
        return self.mechanism.apply(exact, self.sensitivity, noise)


class OnRecords:
    """A mechanism that asks the records itself; its whole price is fixed before it sees them."""

    __slots__ = ()
    hides: ClassVar[Shape] = "records"
