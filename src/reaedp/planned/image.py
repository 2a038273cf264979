"""Planned images."""

from dataclasses import dataclass
from typing import Literal

from reaedp.contract import Contract
from reaedp.errors import Mistakes
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.planned.planned import Planned, spoken
from reaedp.request import Request
from reaedp.statistics.pixels import Pixels


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedImage(Planned):
    """The picture that the contract declares, each of its pixels with noise."""

    mechanism: Literal["laplace", "gaussian"]

    @property
    def noise(self) -> str:
        """The name of the mechanism."""
        return spoken(self.mechanism)

    @property
    def pure(self) -> bool:
        """Laplace noise knows no δ."""
        return self.mechanism == "laplace"

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note an unknown mechanism."""
        mistakes.unless(
            self.mechanism in ("laplace", "gaussian"), "mechanism must be laplace or gaussian", given=self.mechanism
        )

    def request(self, contract: Contract) -> Request:
        """All pixels, hidden by the least noise within the price."""
        statistic, (epsilon, delta) = Pixels(), self.price(contract.budget)
        statistic.check(contract)
        if self.mechanism == "laplace":
            return Request(self.name, statistic, Laplace(epsilon))
        return Request(self.name, statistic, Gaussian.within(epsilon, delta, statistic.sensitivity(contract)))
