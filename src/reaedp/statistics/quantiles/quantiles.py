"""Quantiles from a released distribution function."""

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from reaedp.answer import Integers, Shape
from reaedp.contract import Contract
from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.marginal import Marginal
from reaedp.statistics.quantiles.distribution import Distribution
from reaedp.statistics.quantiles.question import QuantileQuery
from reaedp.statistics.statistic import RankedCells

#: Noisy counts that a manifest can hold.
MOST_CELLS = 200_000


@dataclass(frozen=True, slots=True)
class Quantiles(QuantileQuery):
    """Quantiles, their intervals and the distribution function, computed from noisy counts of all cells.

    `at` is a list of ranks, "median", "quartiles", "deciles", "percentiles" or "cdf"; `of`, `by` and `per_person` are
    as in plans. Further ranks can be read from the release at no cost.

    >>> release = curator.release(Quantiles(of="age", at="quartiles", by="sex"), Laplace(1.0))
    >>> list(release.columns())
    ['sex', 'quantile', 'value', 'low_95', 'high_95', 'rows', 'note']
    """

    answers: ClassVar[Shape] = "vector"

    def check(self, contract: Contract) -> None:
        """Refuse columns without an order, and too many cells."""
        QuantileQuery.check(self, contract)
        if self.cells(contract) > MOST_CELLS:
            raise DeclarationError(
                f"A distribution function can have at most {MOST_CELLS:,} cells; {' × '.join(self.columns)} has"
                f" {self.cells(contract):,}. Declare coarser columns, or use mechanism = 'exponential'."
            )

    def cells(self, contract: Contract) -> int:
        """Number of cells of all groups."""
        return Marginal(*self.columns).cells(contract)

    def answer(self, records: RankedCells) -> Integers:
        """Exact counts, group by group."""
        return self.counted(records).ravel()

    def value(self, contract: Contract, noisy: Integers) -> Distribution:
        """The noisy counts on their axes."""
        return Distribution(self.axes(contract), noisy.reshape(self.groups(contract), -1))

    def frame(self, value: Distribution, noise: Calibrated) -> dict[str, NDArray[Any]]:
        """A row for each group and rank, or for each group and cell."""
        return value.read(self.at, noise) if self.at else value.function(noise)
