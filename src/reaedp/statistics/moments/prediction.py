"""How far noise will move correlations and coefficients, for made-up rows that are spread evenly."""

import math
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.moments.covariances import Covariances
from reaedp.statistics.moments.fit import MOST_NOISE, Fit
from reaedp.statistics.moments.grid import UNIT
from reaedp.statistics.moments.noisy_moments import DEVIATIONS, FEWEST_DEVIATIONS, NoisyMoments
from reaedp.statistics.moments.space import MomentSpace
from reaedp.statistics.noise_variance import noise_variance

#: Mean of |x| for noise of deviation one.
MEAN_ERROR = math.sqrt(2 / math.pi)


@dataclass(frozen=True, slots=True)
class EvenRows:
    """Rows whose columns have nothing to do with one another, each spread evenly over its range or levels."""

    space: MomentSpace
    deviation: float

    @classmethod
    def under(cls, space: MomentSpace, noise: Calibrated) -> "EvenRows":
        """With the deviation of the noise in rows."""
        return cls(space, math.sqrt(noise_variance(noise)) / UNIT)

    def moments(self, rows: float) -> NoisyMoments:
        """What would be released of so many rows if noise were zero, and how large noise is."""
        space = self.space
        means = [0.0 if one.level is None else 1.0 / space.grids[one.column].cells for one in space.features]
        squares = [2 * _mean_square(space.grids[space.features[a].column].cells) - 1 for a in space.squares]
        products = [means[a] * means[b] for a, b in space.pairs]
        return NoisyMoments(space, rows * np.array([1.0, 0.0, *means, *squares, *products]), self.deviation)

    @property
    def fewest(self) -> int:
        """Rows of this kind that a regression needs at least."""
        one = replace(self.moments(1.0), deviation=1.0)
        return math.ceil(self.deviation * max(Fit(one).noise / MOST_NOISE, FEWEST_DEVIATIONS))

    def coefficients(self, rows: float) -> dict[str, float]:
        """The 95 % error of each coefficient but the intercept; infinite if nothing could be told."""
        fit = Fit(self.moments(rows))
        ranges = [fit.coefficient(j) for j in range(len(fit.terms))]
        return {term: (one.high - one.low) / 2 for term, one in zip(fit.terms[1:], ranges[1:], strict=True)}

    def correlation(self, rows: float) -> float:
        """The largest 95 % error of a correlation."""
        found = Covariances(self.moments(rows))
        ranges = (found.correlation(a, b) for a, b in combinations(range(len(self.space.features)), 2))
        return max((one.high - one.low) / 2 for one in ranges)

    def means(self, rows: float) -> float:
        """The 95 % error of a mean in the middle of its range, as a share of the range."""
        return DEVIATIONS * self.deviation / rows / 2


def _mean_square(cells: int) -> float:
    """The mean square of evenly spread points between -1 and 1."""
    return (cells + 1) / (3 * (cells - 1))
