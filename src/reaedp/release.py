"""A release: noisy numbers with everything that a reader must know to use and to check them."""

from dataclasses import dataclass
from typing import Any

from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.loss import Price
from reaedp.privacy.unit import Unit
from reaedp.statistics import histogram
from reaedp.statistics.histogram import Interval
from reaedp.statistics.statistic import Statistic
from reaedp.table import Table


@dataclass(frozen=True, slots=True)
class Release:
    """Every field was public before, or went through noise."""

    name: str
    dataset: str
    statistic: Statistic
    noise: Calibrated
    unit: Unit
    step: float
    value: Any
    entry: int
    contract: str
    seeded: bool

    @property
    def price(self) -> Price:
        """What it cost."""
        return self.noise.price

    @property
    def mean_error(self) -> float:
        """Mean absolute error of a released number, in rows or bits."""
        return self.noise.mean_error * self.step

    @property
    def counts(self) -> Table:
        """Noisy counts as released: unbiased integers, some of them negative."""
        if not isinstance(self.value, Table):
            raise DeclarationError(f"{self.statistic.title} has no table of counts.")
        return self.value

    def estimate(self, total: float | None = None) -> Table:
        """Counts without negative numbers, adding up to a known total if one is given."""
        return histogram.estimate(self.counts, total)

    def proportions(self, total: float | None = None) -> Table:
        """Shares of the estimated counts."""
        return histogram.proportions(self.counts, total)

    def intervals(self, confidence: float = 0.95) -> Interval:
        """Ranges each of which contains its true count at least this often."""
        return histogram.intervals(self.counts, self.noise, confidence)

    def simultaneous_intervals(self, confidence: float = 0.95) -> Interval:
        """Ranges all of which together contain their true counts at least this often."""
        return histogram.simultaneous_intervals(self.counts, self.noise, confidence)

    def __repr__(self) -> str:
        mark = " NOT PRIVATE (seeded noise)" if self.seeded else ""
        return f"Release {self.name!r}: {self.statistic.title}, {self.noise.title}, entry {self.entry}{mark}"
