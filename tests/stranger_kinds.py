"""Kinds as another package would write them: a statistic, a mechanism, a planned release, a column and an engine."""

from dataclasses import dataclass
from typing import Any, ClassVar

import duckdb
import numpy as np
from numpy.typing import NDArray

from reaedp import Contract, Laplace, Number, Threshold, register, register_engine
from reaedp.answer import Integers, Keyed, KeyedParts, Shape
from reaedp.errors import DeclarationError, Mistakes
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import Noise
from reaedp.plan.kinds.kind import Planned
from reaedp.plan.request import Request
from reaedp.privacy.loss import Price
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.statistic import Countable


@dataclass(frozen=True, slots=True)
class CountsAbove:
    """How many rows hold at least each of some numbers, all of them edges of bins."""

    column: str
    thresholds: tuple[float, ...]
    answers: ClassVar[Shape] = "vector"

    @property
    def title(self) -> str:
        return f"rows by {self.column} at or above {len(self.thresholds)} thresholds"

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def check(self, contract: Contract) -> None:
        column = contract.column(self.column)
        if not isinstance(column, Number) or not set(self.thresholds) <= set(column.boundaries.tolist()):
            raise DeclarationError(f"Thresholds of {self.column} must be edges of its bins; given {self.thresholds}.")

    def cells(self, contract: Contract) -> int:  # noqa: ARG002
        return len(self.thresholds)

    def step(self, contract: Contract) -> float:  # noqa: ARG002
        return 1.0

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """Rows that come, go or change move each count by as many as they are, at most."""
        rows, counts = contract.unit.rows, len(self.thresholds)
        return Sensitivity(l1=rows * counts, l2_squared=rows * rows * counts, linf=rows)

    def answer(self, records: Countable) -> Integers:
        column: Any = records.contract.column(self.column)
        counts = records.counts(self.columns).values[: column.regular].astype(np.int64)
        lows = column.boundaries[:-1]
        return np.array([counts[lows >= threshold].sum() for threshold in self.thresholds], dtype=np.int64)

    def value(self, contract: Contract, noisy: Integers) -> Integers:  # noqa: ARG002
        return noisy

    def frame(self, value: Integers, noise: Calibrated) -> dict[str, NDArray[Any]]:
        reach = noise.error_quantile(0.95)
        return {
            "at_least": np.array(self.thresholds),
            "rows": value,
            "low_95": np.maximum(value - reach, 0),
            "high_95": np.maximum(value + reach, 0),
        }


@dataclass(frozen=True, slots=True)
class WideLaplace:
    """Discrete Laplace noise, `factor` times as wide as ε asks for, and cheaper by as much."""

    epsilon: float
    factor: float
    name: ClassVar[str] = "wide discrete Laplace"
    hides: ClassVar[Shape] = "vector"

    @property
    def _narrow(self) -> Laplace:
        return Laplace(self.epsilon / self.factor)

    def scale(self, sensitivity: Sensitivity) -> float:
        return self._narrow.scale(sensitivity)

    def price(self, sensitivity: Sensitivity) -> Price:
        return self._narrow.price(sensitivity)

    def apply(self, exact: Integers, sensitivity: Sensitivity, noise: Noise) -> Integers:
        return self._narrow.apply(exact, sensitivity, noise)

    def mean_error(self, sensitivity: Sensitivity) -> float:
        return self._narrow.mean_error(sensitivity)

    def error_quantile(self, sensitivity: Sensitivity, confidence: float, cells: int = 1) -> int:
        return self._narrow.error_quantile(sensitivity, confidence, cells)


@dataclass(frozen=True, slots=True)
class ShyKeys:
    """A threshold that tells nobody where it lies."""

    epsilon: float
    delta: float
    name: ClassVar[str] = "shy keys"
    hides: ClassVar[Shape] = "keyed"

    @property
    def _inner(self) -> Threshold:
        return Threshold(self.epsilon, self.delta)

    def scale(self, sensitivity: Sensitivity) -> float:
        return self._inner.scale(sensitivity)

    def price(self, sensitivity: Sensitivity) -> Price:
        return self._inner.price(sensitivity)

    def apply(self, exact: Keyed | KeyedParts, sensitivity: Sensitivity, noise: Noise) -> Keyed:
        return self._inner.apply(exact, sensitivity, noise)

    def mean_error(self, sensitivity: Sensitivity) -> float:
        return self._inner.mean_error(sensitivity)

    def error_quantile(self, sensitivity: Sensitivity, confidence: float, cells: int = 1) -> int:
        return self._inner.error_quantile(sensitivity, confidence, cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCountsAbove(Planned):
    """`kind = "counts-above"` in a plan."""

    kinds: ClassVar[tuple[str, ...]] = ("counts-above",)

    column: str
    thresholds: tuple[float, ...]

    @property
    def noise(self) -> str:
        return "wide Laplace"

    @property
    def pure(self) -> bool:
        return True

    def note_mistakes(self, mistakes: Mistakes) -> None:
        mistakes.unless(bool(self.thresholds), "thresholds must be one or more numbers", given=self.thresholds)

    def request(self, contract: Contract) -> Request:
        epsilon, _ = self.price(contract.budget)
        statistic = CountsAbove(self.column, tuple(map(float, self.thresholds)))
        return Request(self.name, statistic, WideLaplace(2 * epsilon, 2.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Logarithmic(Number):
    """Positive numbers in bins each of which is as many times larger than the one before it."""

    kind: ClassVar[str] = "logarithmic"

    @property
    def boundaries(self) -> NDArray[np.float64]:
        assert self.lower is not None and self.upper is not None and self.bins is not None  # noqa: PT018
        edges = np.geomspace(self.lower, self.upper, self.bins + 1)
        edges[0], edges[-1] = self.lower, self.upper
        return edges

    def note_mistakes(self, mistakes: Mistakes) -> None:
        positive = isinstance(self.lower, int | float) and self.lower > 0
        mistakes.unless(positive, f"{self.where('lower')} must be a positive number", given=self.lower)
        if positive:
            Number.note_mistakes(self, mistakes)


def open_fixed(address: str) -> Any:
    """A text file whose first three characters of a line are an age, and the fourth a letter."""
    path = address.removeprefix("fixed://").replace("'", "''")
    lines = f"read_csv('{path}', columns = {{'line': 'VARCHAR'}}, delim = '\\x01', header = false, auto_detect = false)"
    return duckdb.connect().sql(f"SELECT substr(line, 1, 3) AS age, substr(line, 4, 1) AS sex FROM {lines}")


def register_all() -> None:
    for kind in (CountsAbove, WideLaplace, ShyKeys, PlannedCountsAbove, Logarithmic):
        register(kind)
    register_engine("fixed", open_fixed)
