"""Looks at columns: each column counted with noise, and again for what is worth more there than for a table."""

from collections.abc import Sequence

import numpy as np

from reaedp.statistics.statistic import Cells
from reaedp.synthesis.dependencies import MEAN_NOISE
from reaedp.synthesis.purse import FIRST_LOOK, NoisyCounts, Purse, column_shares

#: Columns get this share of μ² at least, if they have more cells than so many on average: tables tell fewer as well.
LEAST_SHARE, FEW = 1 / 3, 4
#: If the noise of columns for which all is spent moves this share of the rows, all is spent on them.
SPOILT = 0.08
#: A rest of μ² below this share buys no table that would tell anything.
LITTLE = 0.1
#: A share of μ² below which nothing can be learned.
NOTHING = 1e-6
#: Beyond this, sums of counts would not be exact; no data set has so many rows, but noise could.
MOST_ROWS = 2.0**50


class Looks:
    """Noisy counts of each column, and the number of rows that they tell; exact counts, which only noise may touch."""

    def __init__(self, records: Cells, names: tuple[str, ...], purse: Purse) -> None:
        self.purse = purse
        found = {group: counts.dense().values for group, counts in records.group_counts([(name,) for name in names])}
        self._exact = [found[name,].astype(np.int64) for name in names]
        self.singles = self._looked(FIRST_LOOK * purse.left)
        self._look_longer()

    @property
    def total(self) -> float:
        """Every column counts the same rows; the sum over a narrow one has less noise."""
        sums = [float(single.values.sum()) for single in self.singles]
        mean = float(np.average(sums, weights=[1 / (single.values.size * single.scale**2) for single in self.singles]))
        return min(max(1.0, mean), MOST_ROWS)

    @property
    def lost(self) -> float:
        """The share of rows that a column's noise moves if all is spent on columns; no cell loses more than it has."""
        shares = column_shares([single.values.size for single in self.singles])
        noises = [MEAN_NOISE * self.purse.scale(self.purse.whole * share) for share in shares.tolist()]
        moved = [
            np.clip(single.values, 0.0, noise).sum() / 2 for single, noise in zip(self.singles, noises, strict=True)
        ]
        return float(np.mean(moved)) / self.total

    def look_again(self) -> None:
        """Spend all that is left: means of both looks, weighted by what each tells."""
        self._look(self.purse.left)

    def _look_longer(self) -> None:
        """More for columns, most of all where their own noise would spoil whatever tables tell."""
        many = np.mean([exact.size for exact in self._exact]) > FEW
        rest = min(1 - LEAST_SHARE if many else 1.0, 1 - (self.lost / SPOILT) ** 2)
        more = self.purse.left - (rest if rest > LITTLE else 0.0) * self.purse.whole
        if more > NOTHING * self.purse.whole:
            self._look(more)

    def _look(self, squared: float) -> None:
        self.singles = [self._combined(*both) for both in zip(self.singles, self._looked(squared), strict=True)]

    def _looked(self, squared: float) -> list[NoisyCounts]:
        """All columns, for so much of μ² together."""
        shares = column_shares([exact.size for exact in self._exact])
        return [self.purse.counts(exact, squared * share) for exact, share in zip(self._exact, shares, strict=True)]

    def _combined(self, one: NoisyCounts, other: NoisyCounts) -> NoisyCounts:
        """The mean of two looks at the same counts, in the finest parts of rows."""
        weights: Sequence[float] = [one.scale**-2.0, other.scale**-2.0]
        mean = np.average([one.values, other.values], axis=0, weights=weights)
        return NoisyCounts(np.rint(mean * self.purse.finest) / self.purse.finest, sum(weights) ** -0.5)
