"""Planned correlations and regressions."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from reaedp.contract import Contract
from reaedp.errors import Mistakes
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.plan.kinds.kind import PlannedNoise, check_columns
from reaedp.plan.request import Request

if TYPE_CHECKING:
    from reaedp.statistics.moments.moment_sums import MomentSums


class _PlannedMoments(PlannedNoise):
    """Sums of values and of products, hidden by the least noise within the price."""

    __slots__ = ()

    @abstractmethod
    def statistic(self) -> "MomentSums":
        """What is asked for."""

    def _check_gaussian(self, mistakes: Mistakes) -> None:
        mistakes.unless(self.mechanism == "gaussian", "mechanism must be gaussian", given=self.mechanism)

    def request(self, contract: Contract) -> Request:
        """The statistic, hidden by the least noise within the price."""
        statistic = self.statistic()
        statistic.check(contract)
        mechanism = Gaussian.within(*self.price(contract.budget), statistic.sensitivity(contract))
        return Request(self.name, statistic, mechanism)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCorrelation(_PlannedMoments):
    """Means, variances, covariances and correlations `of` these columns.

    >>> PlannedCorrelation(name="pairs", kind="correlation", of=("age", "smokes"), share=0.1).noise
    'gaussian'
    """

    kinds: ClassVar[tuple[str, ...]] = ("correlation",)

    of: tuple[str, ...]
    mechanism: Literal["gaussian"] = "gaussian"

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note whatever is wrong with columns and mechanism."""
        self._check_gaussian(mistakes)
        if check_columns(self, mistakes, "of"):
            with mistakes.gathered():
                self.statistic()

    def statistic(self) -> "MomentSums":
        """What is asked for."""
        from reaedp.statistics.moments.correlation import Correlation

        return Correlation(self.of)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRegression(_PlannedMoments):
    """The linear regression `of` one column `on` others.

    >>> PlannedRegression(name="ages", kind="regression", of="age", on=("sex",), share=0.1).noise
    'gaussian'
    """

    kinds: ClassVar[tuple[str, ...]] = ("regression",)

    of: str
    on: tuple[str, ...]
    mechanism: Literal["gaussian"] = "gaussian"

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note whatever is wrong with columns and mechanism."""
        self._check_gaussian(mistakes)
        mistakes.unless(isinstance(self.of, str), "of must name a column", given=self.of)
        if check_columns(self, mistakes, "on") and isinstance(self.of, str):
            with mistakes.gathered():
                self.statistic()

    def statistic(self) -> "MomentSums":
        """What is asked for."""
        from reaedp.statistics.moments.regression import Regression

        return Regression(self.of, self.on)
