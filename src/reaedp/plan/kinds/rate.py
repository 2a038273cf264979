"""Planned rates: shares of rows that meet a condition, or ratios of two columns' sums, by groups."""

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, ClassVar, Literal

from reaedp.contract import Contract
from reaedp.errors import Mistakes
from reaedp.plan.kinds.kind import PlannedNoise, check_columns
from reaedp.plan.kinds.vector import check_noise, hidden
from reaedp.plan.request import Request

if TYPE_CHECKING:
    from reaedp.statistics.rates.rates import Rates


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRate(PlannedNoise):
    """The share of rows that meet a condition on `of`, or the sum of `of` `per` that of another column.

    `by`, `levels`, `at_least`, `below`, `standard` and `weights` are as in `Rates`; with the mechanism "threshold",
    only groups with enough rows are released.

    >>> PlannedRate(name="smokers", kind="rate", of="smokes", mechanism="laplace", epsilon=1.0).by
    ()
    """

    kinds: ClassVar[tuple[str, ...]] = ("rate",)

    of: str
    mechanism: Literal["laplace", "gaussian", "threshold"]
    by: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    at_least: float | date | None = None
    below: float | date | None = None
    per: str | None = None
    standard: str | None = None
    weights: tuple[float, ...] = ()

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note an unknown mechanism, and whatever is wrong with columns, condition and weights."""
        check_noise(self, mistakes, "threshold")
        if check_columns(self, mistakes, "by"):
            with mistakes.gathered():
                self._statistic()

    def request(self, contract: Contract) -> Request:
        """All figures at once, hidden by the least noise within the price."""
        return hidden(self, self._statistic(), contract)

    def _statistic(self) -> "Rates":
        from reaedp.statistics.rates.keyed_rates import KeyedRates
        from reaedp.statistics.rates.rates import Rates

        keys = ("levels", "at_least", "below", "per", "standard", "weights")
        kind = KeyedRates if self.mechanism == "threshold" else Rates
        return kind(self.of, self.by, **{key: getattr(self, key) for key in keys})
