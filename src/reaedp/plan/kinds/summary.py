"""Planned summaries: counts, sums, means and variances of columns, by groups."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from reaedp.contract import Contract
from reaedp.errors import Mistakes
from reaedp.plan.kinds.kind import PlannedNoise, check_columns
from reaedp.plan.kinds.vector import check_noise, hidden
from reaedp.plan.request import Request

if TYPE_CHECKING:
    from reaedp.statistics.summary.summary import Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSummary(PlannedNoise):
    """Figures of the columns `of`, overall or in groups `by` others; `statistics` and `clipped` are as in `Summary`.

    With the mechanism "threshold", groups need not be declared: those with enough rows are released.

    >>> PlannedSummary(name="ages", kind="summary", of=("age",), mechanism="laplace", epsilon=1.0).by
    ()
    """

    kinds: ClassVar[tuple[str, ...]] = ("summary",)

    of: tuple[str, ...]
    mechanism: Literal["laplace", "gaussian", "threshold"]
    by: tuple[str, ...] = ()
    statistics: tuple[str, ...] = ("count", "sum", "mean")
    clipped: bool = False

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note an unknown mechanism, and whatever is wrong with columns and statistics."""
        check_noise(self, mistakes, "threshold")
        if check_columns(self, mistakes, "of", "by", "statistics"):
            with mistakes.gathered():
                self._statistic()

    def request(self, contract: Contract) -> Request:
        """All figures at once, hidden by the least noise within the price."""
        return hidden(self, self._statistic(), contract)

    def _statistic(self) -> "Summary":
        from reaedp.statistics.summary.keyed_summary import KeyedSummary
        from reaedp.statistics.summary.summary import Summary

        kind = KeyedSummary if self.mechanism == "threshold" else Summary
        return kind(self.of, self.by, self.statistics, clipped=self.clipped)
