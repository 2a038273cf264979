"""Noisy parts of groups that the data chose, shown only where enough rows are behind them."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from reaedp.answer import GroupedParts, Shape
from reaedp.contract import Contract
from reaedp.errors import whole_number
from reaedp.mechanisms.by_price import Buyable
from reaedp.mechanisms.noise import Noise
from reaedp.mechanisms.threshold import AboveThreshold
from reaedp.privacy.unit import Sensitivity

#: Thresholds are larger by this share, far more than doubles are off.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class GroupThreshold(Buyable, AboveThreshold):
    """Discrete Laplace noise on every part of each group present; a group appears if its noisy sum is large enough.

    `parts` is the number of parts of a group, `row` the number of steps that one row adds to all of them together, and
    `rows` the number of rows that one unit contributes. All follow from statistic and contract, so
    `GroupThreshold(epsilon=1, delta=1e-6)` is enough.

    >>> found = GroupThreshold(1.0, 1e-6, parts=1, row=1, rows=1).threshold(counting)
    >>> 14 <= found <= 17
    True
    """

    name: ClassVar[str] = "thresholded groups of discrete Laplace"
    hides: ClassVar[Shape] = "grouped"
    scaled_by: ClassVar[str] = "row"

    parts: int
    row: int
    rows: int

    def __post_init__(self) -> None:
        AboveThreshold.__post_init__(self)
        for key in ("parts", "row", "rows"):
            whole_number(key, getattr(self, key))

    @classmethod
    def bought(cls, statistic: Any, contract: Contract, *, epsilon: float, delta: float) -> "GroupThreshold":
        """The mechanism for a given statistic of groups."""
        return cls(epsilon, delta, **statistic.shape(contract))

    def fits(self, statistic: Any, contract: Contract) -> bool:
        """Whether it was made for this statistic: the threshold of another statistic might hide too little."""
        wanted: dict[str, int] = statistic.shape(contract)
        return wanted == {"parts": self.parts, "row": self.row, "rows": self.rows}

    def threshold(self, sensitivity: Sensitivity) -> int:
        """The least sum of parts at which one unit's new groups appear with probability at most δ (see PROOFS.md)."""
        scale = self.scale(sensitivity)

        def excess(chance: float, rows: int) -> float:
            return self._beyond(chance) * scale + self.parts + self.row * rows

        least = max(excess(self.delta, self.rows), excess(self.delta / self.rows, 1))
        return math.ceil(least * (1 + ROUNDING))

    def shown_rows(self, sensitivity: Sensitivity) -> float:
        """The threshold in rows."""
        return self.threshold(sensitivity) / self.row

    def _beyond(self, chance: float) -> float:
        """How far the sum of all parts' noise goes with this chance, in units of its scale."""
        low, high = 0.0, 4.0 * (self.parts - math.log(chance))
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if sum_tail(middle, self.parts) > chance else (low, middle)
        return high

    def bound_on_delta(self, sensitivity: Sensitivity) -> float:
        """A larger δ would make not showing a group stronger evidence than one row."""
        return -math.expm1(-self.row / self.scale(sensitivity))

    def apply(self, exact: GroupedParts, sensitivity: Sensitivity, noise: Noise) -> GroupedParts:
        """The groups whose noisy parts sum to at least the threshold; every part gets noise of its own, once."""
        noisy = noise.laplace(exact.parts, self.scale(sensitivity))
        # Doubles hold such sums exactly where they are near the threshold, and do not leave their range.
        shown = noisy.sum(axis=1, dtype=np.float64) >= self.threshold(sensitivity)
        return GroupedParts(exact.keys[shown], noisy[shown])


def sum_tail(t: float, terms: int) -> float:
    """Pr[S > t] for the sum S of so many independent Laplace noises of scale 1, t at least 0.

    S is the difference of two sums of exponential times. It exceeds t if fewer than `terms` points of a Poisson process
    fall into t and into the time that another process takes for `terms` points: a Poisson and a negative binomial
    number of them.
    """
    from scipy.special import betainc, gammaln, xlogy

    places = np.arange(terms)
    poisson = np.exp(xlogy(places, t) - t - gammaln(places + 1))
    return float(poisson @ betainc(terms, terms - places, 0.5))
