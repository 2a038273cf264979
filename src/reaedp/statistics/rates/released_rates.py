"""The released parts of rates, and the figures that are made of them: plain ones, and standardised ones."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.rates.flag import Flag
from reaedp.statistics.rates.paired import Paired
from reaedp.statistics.rates.rate_figures import RateFigures
from reaedp.statistics.summary.figures import Figure
from reaedp.statistics.summary.grouped import Block, Grouped


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ReleasedRates(Grouped):
    """Noisy parts of a rate, `called` so; with `weights` of strata those of the first stratum, then of the next."""

    parts: Flag | Paired
    called: str
    weights: tuple[float, ...]

    @property
    def main(self) -> str:
        """The figure that people look for first."""
        return "standardised rate" if self.weights else "rate"

    def blocks(self, noise: Calibrated, confidence: float) -> Iterator[Block]:
        """Figures of whole groups, and then those that weights make of their strata."""
        for figure in self.whole(noise, confidence).figures():
            yield Block(self.called, figure)
        if self.weights:
            strata, weighted = self._strata, np.flatnonzero(self.weights)
            each = [self._figures(strata[:, place], noise, confidence) for place in weighted]
            yield Block(self.called, self._standardised("standardised rate", [one.rate() for one in each]))
            told = [one.population_rate() for one in each]
            yield Block(self.called, self._standardised("population standardised rate", told))

    def whole(self, noise: Calibrated, confidence: float) -> RateFigures:
        """The figures of whole groups, whatever their strata."""
        return self._figures(self._strata.sum(axis=1), noise, confidence, self._strata.shape[1])

    @property
    def _strata(self) -> np.ndarray:
        """Groups, their strata, and the parts of each."""
        parts = self.parts.coordinates.numbers
        return self.noisy.reshape(len(self.noisy), self.noisy.shape[1] // parts, parts)

    def _figures(self, noisy: np.ndarray, noise: Calibrated, confidence: float, copies: int = 1) -> RateFigures:
        return RateFigures(self.parts, noisy, noise, self.rows_of_a_unit, confidence, copies)

    def _standardised(self, name: str, strata: list[Figure]) -> Figure:
        """The weighted mean; distances to the ends as the sides of a right angle (Zou and Donner 2008)."""
        shares = np.array([weight for weight in self.weights if weight]) / sum(self.weights)
        values, low, high = (np.stack([getattr(one, key) for one in strata]) for key in ("values", "low", "high"))
        mean = shares @ values
        below, above = (np.sqrt(shares**2 @ (values - end) ** 2) for end in (low, high))
        known = np.all([one.known for one in strata], axis=0)
        low = np.where(known, np.maximum(mean - below, shares @ low), shares @ low)
        high = np.where(known, np.minimum(mean + above, shares @ high), shares @ high)
        return Figure(name, mean, low, high, known)
