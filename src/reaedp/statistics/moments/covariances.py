"""Means, covariances and correlations from noisy second moments."""

import math
from collections.abc import Iterator
from functools import cached_property
from itertools import combinations

import numpy as np

from reaedp.statistics.moments.noisy_moments import DEVIATIONS, Derived, NoisyMoments, Told, counts
from reaedp.statistics.moments.ratio import Range, ratio
from reaedp.statistics.moments.space import Reals
from reaedp.statistics.moments.words import POPULATION, THESE

#: A variance must be so many deviations of its noise, or its correlations may be anything.
CLEAR_VARIANCE = 3.0


class Covariances:
    """What noisy moments say of each feature and of each pair."""

    def __init__(self, moments: NoisyMoments) -> None:
        self.moments = moments
        self.features = moments.space.features

    @cached_property
    def matrix(self) -> Reals:
        """The nearest matrix to the noisy covariances that can be one: without negative eigenvalues, within bounds."""
        if not self.moments.enough:
            return np.zeros((len(self.features),) * 2)
        rows, sums = self.moments.rows, self.moments.matrix
        means = sums[0, 1:] / rows
        noisy = sums[1:, 1:] / rows - np.outer(means, means)
        eigenvalues, vectors = np.linalg.eigh((noisy + noisy.T) / 2)
        projected: Reals = (vectors * np.maximum(eigenvalues, 0.0)) @ vectors.T
        # A row and a column scaled down alike stay what they are, so that no variance exceeds that of two ends.
        scale = 1.0 / np.sqrt(np.maximum(np.diag(projected), 1.0))
        return projected * np.outer(scale, scale)

    def mean(self, a: int, *, population: bool = False) -> Range:
        """The mean of a feature: an exact range for that of the rows; one with sampling for that of the population."""
        sums, entries, one = self.moments.matrix, self.moments.space.entries, self.features[a]
        # Numerator and denominator divided by the number of rows have the sampling variance of a mean.
        sampling = max(self.matrix[a, a], 0.0) * max(self.moments.rows, 0.0) if population else 0.0
        parts = self.moments.parts(
            Derived(sums[0, a + 1], entries[0, a + 1]), Derived(sums[0, 0], entries[0, 0]), sampling
        )
        found = ratio(parts, DEVIATIONS) if self.moments.enough else None
        lowest = 0.0 if one.level is not None else -1.0
        middle = Range((1.0 + lowest) / 2, lowest, 1.0) if found is None else _within(found, lowest, 1.0)
        return Range(*(one.centre + one.half * end for end in middle))

    def covariance(self, a: int, b: int) -> Range:
        """The covariance of two features, or the variance of one."""
        scale, lowest = self.features[a].half * self.features[b].half, 0.0 if a == b else -1.0
        value = float(self.matrix[a, b])
        if not self.moments.enough:
            return Range(0.0, lowest * scale, scale)
        line = self._line(a, b)
        reach = DEVIATIONS * self.moments.spread(line)
        found = _within(Range(value, min(line.value - reach, value), max(line.value + reach, value)), lowest, 1.0)
        return Range(*(scale * end for end in found))

    def correlation(self, a: int, b: int) -> Range:
        """The correlation of two features; it may be anything where a variance is hardly more than noise."""
        if not self.moments.enough:
            return Range(0.0, -1.0, 1.0)
        own = self._line(a, a), self._line(b, b)
        if any(line.value <= CLEAR_VARIANCE * self.moments.spread(line) for line in own):
            return Range(0.0, -1.0, 1.0)
        value = float(self.matrix[a, b] / math.sqrt(self.matrix[a, a] * self.matrix[b, b]))
        first, second = own
        below = math.sqrt(first.value * second.value)
        slope = (first.gradient * second.value + second.gradient * first.value) / (2 * below)
        found = ratio(self.moments.parts(self._line(a, b), Derived(below, slope)), DEVIATIONS)
        if found is None:
            return Range(value, -1.0, 1.0)
        return _within(Range(value, min(found.low, value), max(found.high, value)), -1.0, 1.0)

    def _line(self, a: int, b: int) -> Derived:
        """The noisy covariance of one pair, as a line."""
        rows, sums, entries = self.moments.rows, self.moments.matrix, self.moments.space.entries
        mean_a, mean_b, both = (sums[0, a + 1] / rows, sums[0, b + 1] / rows, sums[a + 1, b + 1] / rows)
        moved = entries[a + 1, b + 1] - mean_b * entries[0, a + 1] - mean_a * entries[0, b + 1]
        return Derived(both - mean_a * mean_b, (moved + (2 * mean_a * mean_b - both) * entries[0, 0]) / rows)

    def told(self) -> list[Told]:
        """The lines of a file."""
        return [*counts(self.moments), *self._of_one(), *self._of_two()]

    def _of_one(self) -> Iterator[Told]:
        for a, one in enumerate(self.features):
            variance = self.covariance(a, a)
            yield "mean", one.label, "", THESE, self.mean(a)
            yield "mean", one.label, "", POPULATION, self.mean(a, population=True)
            yield "variance", one.label, "", THESE, variance
            yield "standard deviation", one.label, "", THESE, Range(*map(math.sqrt, variance))

    def _of_two(self) -> Iterator[Told]:
        for (a, one), (b, other) in combinations(enumerate(self.features), 2):
            yield "covariance", one.label, other.label, THESE, self.covariance(a, b)
            yield "correlation", one.label, other.label, THESE, self.correlation(a, b)


def _within(found: Range, lowest: float, highest: float) -> Range:
    return Range(*(min(max(end, lowest), highest) for end in found))
