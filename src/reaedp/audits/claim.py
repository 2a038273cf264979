"""What is claimed about a release, and so what may be seen of it and what may not."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import cast

import numpy as np

from reaedp.errors import DeclarationError, sentence
from reaedp.privacy.accounting import delta as composed_delta
from reaedp.privacy.accounting import epsilon as composed_epsilon
from reaedp.privacy.accounting import tally
from reaedp.privacy.conversion import rounded_up
from reaedp.privacy.loss import ApproxDP, Loss, Price, PureDP
from reaedp.privacy.merging import basic_epsilon, failure
from reaedp.privacy.permitted import Promised

#: A loss, a price of several losses, or (ε, δ).
Claimed = Loss | Price | tuple[float, float]
#: Where the curve of a price is read, from 0 to twice the ε that is stated.
_PROMISES = 33


@dataclass(frozen=True, slots=True)
class Claim:
    """A price, and the δ at which its ε is stated; δ is 0 where the price is pure."""

    price: Price
    delta: float

    @classmethod
    def of(cls, claimed: Claimed, delta: float | None = None) -> "Claim":
        """Read a loss, a price, or (ε, δ); losses whose ε depends on δ need to be told one."""
        price = _price(claimed)
        certain = all(type(loss) in (PureDP, ApproxDP) for loss in price)
        if certain and delta is None:
            return cls(price, rounded_up(failure(tally([price]))[0]))
        if delta is None or not 0 < delta < 1:
            raise DeclarationError(
                sentence("delta must be between 0 and 1, because the ε of this loss depends on it", given=delta)
            )
        return cls(price, delta)

    @property
    def pure(self) -> bool:
        """Whether ε holds without any δ."""
        return self.delta == 0

    @property
    def charged(self) -> Mapping[Loss, int]:
        """How often each loss occurs."""
        return tally([self.price])

    @property
    def epsilon(self) -> float:
        """The ε at this δ."""
        if self.pure:
            return rounded_up(Fraction(basic_epsilon(self.charged)))
        return composed_epsilon(self.charged, self.delta)

    @property
    def permitted(self) -> Promised:
        """What no attacker exceeds on average."""
        return _permitted(self)

    def __str__(self) -> str:
        return f"ε = {self.epsilon:.4g}" + ("" if self.pure else f" at δ = {self.delta:.3g}")


@lru_cache(maxsize=256)
def _permitted(claim: Claim) -> Promised:
    epsilons, charged = np.linspace(0.0, 2 * claim.epsilon, _PROMISES), claim.charged
    return Promised(tuple((float(e), composed_delta(charged, float(e))) for e in epsilons))


def _price(claimed: Claimed) -> Price:
    if not isinstance(claimed, tuple):
        return (claimed,)
    if len(claimed) == 2 and all(isinstance(part, int | float) for part in claimed):
        epsilon, delta = cast("tuple[float, float]", claimed)
        return (ApproxDP(epsilon, delta),) if delta else (PureDP(epsilon),)
    return cast("Price", claimed)
