"""Planned releases of a statistic and a mechanism that were made in Python, such as those of another package."""

from dataclasses import dataclass
from typing import Self

from reaedp.contract import Contract
from reaedp.errors import DeclarationError, Mistakes
from reaedp.mechanisms.mechanism import Mechanism
from reaedp.plan.kinds.kind import Planned
from reaedp.plan.request import Request
from reaedp.privacy.budget import Budget
from reaedp.statistics.statistic import Statistic


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedStatistic(Planned):
    """Any statistic with any suitable mechanism, which also sets the price; only for Python, not for plan files.

    The `statistic` and the `mechanism` are those of `Curator.release`.

    >>> wanted = PlannedStatistic(name="ages", statistic=Marginal("age"), mechanism=Laplace(1.0))
    >>> wanted.request(contract).statistic.title
    'histogram of age'
    """

    statistic: Statistic
    mechanism: Mechanism
    kind: str = "statistic"

    @property
    def noise(self) -> str:
        """The name of the mechanism."""
        return self.mechanism.name

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note nothing: request and contract find whatever is wrong with statistic and mechanism."""

    def request(self, contract: Contract) -> Request:
        """The statistic and the mechanism that were given."""
        return Request(self.name, self.statistic, self.mechanism).settled(contract)

    def times(self, factor: float, budget: Budget) -> Self:  # noqa: ARG002
        """The same release: its mechanism at another price is not known."""
        if factor != 1.0:
            raise DeclarationError(f"{self.name} has only one cost, which its mechanism states.")
        return self

    def _check_price(self, mistakes: Mistakes) -> None:
        given = {key: getattr(self, key) for key in ("epsilon", "delta", "share") if getattr(self, key) is not None}
        mistakes.unless(
            not given, "The mechanism states the cost, so epsilon, delta and share must be left out", given=given
        )
