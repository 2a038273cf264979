"""A release: noisy numbers with everything that a reader must know to use and to check them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.loss import Price
from reaedp.privacy.unit import Unit
from reaedp.statistics import histogram
from reaedp.statistics.estimates import Estimates
from reaedp.statistics.histogram import Interval
from reaedp.statistics.noisy_entropy import EntropyEstimate, entropy_from_counts
from reaedp.statistics.routed_entropy import RoutedEstimate
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

    @property
    def details(self) -> dict[str, Any]:
        """What else a reader should know: public facts and released numbers."""
        found: dict[str, Any] = getattr(self.value, "details", {})
        return found

    @property
    def attachments(self) -> dict[str, bytes]:
        """Files beside the table of numbers, by their suffix."""
        found: dict[str, bytes] = getattr(self.value, "attachments", {})
        return found

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

    def entropy(self, confidence: float = 0.95) -> EntropyEstimate:
        """Shannon's entropy of what was counted, with an interval: from counts, or as it was released."""
        estimate = _ENTROPIES.get(type(self.value), _no_entropy)
        return estimate(self, confidence)

    def __repr__(self) -> str:
        mark = " NOT PRIVATE (seeded noise)" if self.seeded else ""
        return f"Release {self.name!r}: {self.statistic.title}, {self.noise.title}, entry {self.entry}{mark}"


def _from_counts(release: Release, confidence: float) -> EntropyEstimate:
    """A public number of rows says nothing about how many are left where some are dropped."""
    kept = not any(axis.drops for axis in release.counts.axes)
    at_least = release.unit.at_least if kept else None
    return entropy_from_counts(release.counts, release.noise, at_least=at_least, confidence=confidence)


def _as_released(release: Release, confidence: float) -> EntropyEstimate:
    orders = getattr(release.statistic, "orders", ())
    if 1.0 not in orders:
        return _no_entropy(release, confidence)
    place, value = orders.index(1.0), release.value
    bits, error = float(value.values[place]), float(value.errors(release.noise, confidence)[place])
    return EntropyEstimate(max(bits, 0.0), max(bits - error, 0.0), max(bits + error, 0.0), confidence)


def _no_entropy(release: Release, confidence: float) -> EntropyEstimate:  # noqa: ARG001
    raise DeclarationError(f"{release.statistic.title} has no Shannon entropy of its own.")


_ENTROPIES: dict[type[Any], Callable[[Release, float], EntropyEstimate]] = {
    Table: _from_counts,
    Estimates: _as_released,
    RoutedEstimate: lambda release, confidence: release.value.entropy(release.noise, confidence),
}
