"""What every `[[release]]` of a plan says: its name, its kind, and what may be spent on it."""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, get_type_hints

from reaedp.contract import Contract
from reaedp.contract.wording import Described
from reaedp.errors import Mistakes
from reaedp.plan.request import Request
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import exact, positive
from reaedp.privacy.spending import decimal_floor

_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned(Described, ABC):
    """`epsilon` (and `delta`), or a `share` of the contract's budget, buys one release."""

    #: What plans call it.
    kinds: ClassVar[tuple[str, ...]] = ()

    kind: str
    epsilon: float | None = None
    delta: float | None = None
    share: float | None = None

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        mistakes.unless(
            isinstance(self.name, str) and _FILE_NAME.fullmatch(self.name) is not None,
            "name must be 1 to 100 letters, digits, - or _, because it becomes a file name",
            given=self.name,
        )
        self.note_wording(mistakes)
        self.note_mistakes(mistakes)
        self._check_price(mistakes)
        mistakes.report()

    @property
    @abstractmethod
    def noise(self) -> str:
        """The name of the noise, as messages use it."""

    @property
    def pure(self) -> bool:
        """Whether δ has no meaning here."""
        return False

    @abstractmethod
    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note whatever is wrong with the keys of this kind."""

    @abstractmethod
    def request(self, contract: Contract) -> Request:
        """The statistic and the mechanism that this release asks for, or that public facts choose for it."""

    def price(self, budget: Budget) -> tuple[float, float]:
        """What may be spent on this release, as (ε, δ).

        Shares are rounded down, in decimals, so that those that add up to 1 take no more than the whole budget.
        """
        if self.share is None:
            return float(self.epsilon or 0), float(self.delta or 0)
        share = exact(self.share)
        return decimal_floor(share * exact(budget.epsilon)), self.delta or decimal_floor(share * exact(budget.delta))

    def times(self, factor: float, budget: Budget) -> Self:
        """The same release for a multiple of its ε, rounded down."""
        epsilon, delta = self.price(budget)
        least = decimal_floor(exact(epsilon) * exact(factor))
        return replace(self, epsilon=least, delta=None if self.pure else delta, share=None)

    def costing(self, epsilon: float, budget: Budget) -> Self:
        """The same release for another ε; δ follows the share of the budget where that decides it."""
        price, _ = self.price(budget)
        if price == epsilon:
            return self
        moved = self.times(epsilon / price, budget)
        if self.share is None or self.pure or self.delta is not None:
            return moved
        share = min(exact(epsilon) / exact(budget.epsilon), exact(1.0))
        return replace(moved, delta=decimal_floor(share * exact(budget.delta)))

    def _check_price(self, mistakes: Mistakes) -> None:
        mistakes.unless(
            (self.epsilon is None) != (self.share is None),
            "Either epsilon or share must be declared, but not both",
            given={"epsilon": self.epsilon, "share": self.share},
            remedy="A share of 0.25 is a quarter of the contract's budget.",
        )
        if self.pure:
            mistakes.unless(
                self.delta is None, f"delta must be left out for {self.noise} noise, which is pure DP", given=self.delta
            )
        elif self.share is None:
            mistakes.unless(self.delta is not None, f"delta must be declared for {self.noise}", given=self.delta)
        for key, below in (("epsilon", float("inf")), ("delta", 1.0), ("share", 1.0 + 1e-15)):
            if getattr(self, key) is not None:
                with mistakes.gathered():
                    positive(key, getattr(self, key), below=below)


def check_columns(planned: Planned, mistakes: Mistakes, *keys: str) -> bool:
    """Note keys that are not lists of column names; whether all are."""
    good = {key: _names(getattr(planned, key)) for key in keys}
    for key in keys:
        mistakes.unless(good[key], f"{key} must be a list of column names", given=getattr(planned, key))
    return all(good.values())


class PlannedNoise(Planned):
    """One release whose plan names the noise."""

    __slots__ = ()
    mechanism: str

    @property
    def pure(self) -> bool:
        """Whether the noise is pure DP: only Laplace noise has no δ."""
        return self.mechanism == "laplace"

    @property
    def noise(self) -> str:
        """The name of the mechanism."""
        return spoken(self.mechanism)


def spoken(name: object) -> str:
    """The name of a mechanism or method in a message, also where something else was given."""
    return name if isinstance(name, str) else "this"


def _names(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(name, str) for name in value)


def key_types(planned: type[Planned]) -> dict[str, Any]:
    """The type of every key of a kind; closed lists of other rooms are imported for this alone."""
    from reaedp.curves.curve_proposal import LawName
    from reaedp.curves.mean_curve import Covered
    from reaedp.curves.smoothing import Covariance
    from reaedp.mechanisms.paper_parameters import TestName
    from reaedp.synthesis.deniability import ProposalName

    lists = {"LawName": LawName, "Covered": Covered, "Covariance": Covariance}
    return get_type_hints(planned, localns={**lists, "TestName": TestName, "ProposalName": ProposalName})
