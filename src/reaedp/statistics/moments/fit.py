"""Linear regression from noisy second moments: coefficients corrected for noise, and ranges that cover them."""

import math
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.polynomial import Polynomial

from reaedp.statistics.moments.noisy_moments import DEVIATIONS, Derived, NoisyMoments, Told, counts
from reaedp.statistics.moments.ratio import Range, ratio
from reaedp.statistics.moments.share import NoisyShare
from reaedp.statistics.moments.space import Reals
from reaedp.statistics.moments.words import INTERCEPT, POPULATION, THESE

#: Noise of X'X relative to X'X, as the root of the sum of squares of A^-½ (noise) A^-½, up to which ranges cover.
MOST_NOISE = 0.3
#: Sampling deviations are made so much larger: the variance of errors is seldom the same wherever predictors are.
UNEVEN = 1.1
#: No intercept is told where 0 is so many half ranges away from the middle: doubles would not hold it.
FARTHEST_ZERO = 1e4
_ANYTHING = Range(0.0, -math.inf, math.inf)


class _Basis(NamedTuple):
    """The matrix of second moments, and how its entries are made of the released sums."""

    matrix: Reals
    entries: Reals


class Fit:
    """The regression of the last feature on one and all others."""

    def __init__(self, moments: NoisyMoments) -> None:
        self.moments, self.features = moments, moments.space.features
        self._centred = _Basis(moments.matrix, moments.space.entries)

    @property
    def _zeros(self) -> Reals:
        """Where the value 0 of each predictor lies, in points from the middle of its range."""
        return np.array([one.centre / one.half for one in self.features[:-1]])

    @cached_property
    def _from_zero(self) -> "_Basis":
        """Predictors counted from the value 0, where the intercept is."""
        shift = np.eye(len(self.features) + 1)
        shift[1:-1, 0] = self._zeros
        return _Basis(
            shift @ self._centred.matrix @ shift.T,
            np.einsum("ip,pqk,jq->ijk", shift, self._centred.entries, shift, optimize=True),
        )

    @property
    def terms(self) -> tuple[str, ...]:
        """The names of the coefficients."""
        return (INTERCEPT, *(one.label for one in self.features[:-1]))

    @cached_property
    def noise(self) -> float:
        """How large the noise of X'X is against X'X, whatever the units."""
        before = self.moments.matrix[:-1, :-1]
        eigenvalues, vectors = np.linalg.eigh((before + before.T) / 2)
        if eigenvalues[0] <= 0:
            return math.inf
        root = vectors / np.sqrt(eigenvalues)
        entries = self.moments.space.entries[:-1, :-1]
        relative = np.einsum("pi,pqk,qj->ijk", root, entries, root, optimize=True)
        return self.moments.deviation * float(np.linalg.norm(relative))

    @property
    def enough(self) -> bool:
        """Whether there are rows enough, at this noise, for any coefficient to be told."""
        return self.moments.enough and self.noise <= MOST_NOISE

    def coefficient(self, j: int, *, population: bool = False) -> Range:
        """A coefficient of the regression of these rows, or of the population, where errors spread much alike."""
        if not self.enough or (j == 0 and np.abs(self._zeros).max() > FARTHEST_ZERO):
            return _ANYTHING
        above, below = self._partial(j)
        sampling = UNEVEN**2 * self._residual_variance * max(below.value, 0.0) if population else 0.0
        found = ratio(self.moments.parts(above, below, sampling), DEVIATIONS)
        if found is None:
            return _ANYTHING
        target = self.features[-1]
        unit, start = (target.half, target.centre) if j == 0 else (target.half / self.features[j - 1].half, 0.0)
        return Range(*(start + unit * end for end in found))

    def _partial(self, j: int) -> tuple[Derived, Derived]:
        """Sums of products of what the other terms do not explain of term j, with the target and with itself."""
        count = len(self.features)
        others = [place for place in range(count) if place != j]
        basis = self._centred if j else self._from_zero
        return self._explained(basis, (j, count), others), self._explained(basis, (j, j), others)

    def _explained(self, basis: "_Basis", of: tuple[int, int], others: list[int]) -> Derived:
        """A Schur complement: an entry less what the others explain, without the bias of their noise."""
        (matrix, entries), (j, target) = basis, of
        inverse = np.linalg.inv(matrix[np.ix_(others, others)])
        left, right = np.zeros(len(matrix)), np.zeros(len(matrix))
        left[[j, *others]] = 1.0, *(-inverse @ matrix[others, j])
        right[target] = 1.0
        right[others] = -inverse @ matrix[others, target]
        first, second = (np.einsum("pqk,q->pk", entries, side)[others] for side in (left, right))
        bias = -(self.moments.deviation**2) * float(np.einsum("pq,pk,qk->", inverse, first, second, optimize=True))
        gradient = np.einsum("p,pqk,q->k", left, entries, right, optimize=True)
        return Derived(float(left @ matrix @ right) - bias, gradient)

    @cached_property
    def _unexplained(self) -> Derived:
        count = len(self.features)
        return self._explained(self._centred, (count, count), list(range(count)))

    @property
    def _residual_variance(self) -> float:
        free = max(self.moments.rows - len(self.features), 1.0)
        return max(self._unexplained.value, 0.0) / free

    def residual_deviation(self) -> Range:
        """The standard deviation of what the regression leaves unexplained."""
        unit = self.features[-1].half
        entries = self.moments.space.entries
        parts = (
            self.moments.parts(self._unexplained, Derived(self.moments.rows, entries[0, 0])) if self.enough else None
        )
        found = None if parts is None else ratio(parts, DEVIATIONS)
        if found is None:
            return Range(0.0, 0.0, unit)
        return Range(*(unit * math.sqrt(min(max(end, 0.0), 1.0)) for end in found))

    def explained(self) -> Range:
        """The share of the target's variance that the regression explains."""
        count = len(self.features)
        whole = self._explained(self._centred, (count, count), [0]).value if self.enough else 0.0
        return self._share(whole).consistent(DEVIATIONS) if whole > 0 else Range(0.0, 0.0, 1.0)

    def _share(self, whole: float) -> NoisyShare:
        """The share explained, and its noise if the coefficients found were longer or shorter and explained another."""
        (matrix, entries), scale = self._centred, self.moments.deviation / whole
        alone, fitted = np.zeros(len(matrix)), np.zeros(len(matrix))
        alone[[0, -1]] = -matrix[0, -1] / matrix[0, 0], 1.0
        fitted[:-1] = np.linalg.solve(matrix[:-1, :-1], matrix[:-1] @ alone)
        products = self._second_order(alone - fitted) / math.sqrt(whole)
        first, second, third = (float(np.trace(np.linalg.matrix_power(products @ products.T, k))) for k in (1, 2, 3))
        # At this length they would explain everything.
        fitted /= math.sqrt(float(fitted @ matrix @ fitted) / whole) or 1.0
        by_alone, by_fitted = (np.einsum("pqk,q->pk", entries, side) for side in (alone, fitted))
        linear, bent = 2 * scale * (fitted @ by_alone), -scale * (fitted @ by_fitted + alone @ by_alone)
        # What is explained by more than was found lies in directions that noise takes: there noise may be larger.
        hidden = max(4 * second / first - float(linear @ linear), 0.0) if first else 0.0
        return NoisyShare(
            1 - self._unexplained.value / whole,
            _square(linear, bent) + 2 * second,
            hidden,
            6 * _square(products @ linear, products @ bent),
            8 * third,
        )

    def _second_order(self, residual: Reals) -> Reals:
        """What is unexplained gets less by the squared length of this times the noise."""
        (matrix, entries), deviation = self._centred, self.moments.deviation
        moved = np.einsum("pqk,q->pk", entries[:-1], residual)
        found: Reals = deviation * np.linalg.solve(np.linalg.cholesky(matrix[:-1, :-1]), moved)
        return found

    def told(self) -> list[Told]:
        """The lines of a file."""
        return [
            *self._coefficients(),
            ("residual standard deviation", "", "", THESE, self.residual_deviation()),
            ("share of variance explained", "", "", THESE, self.explained()),
            *counts(self.moments),
        ]

    def _coefficients(self) -> Iterator[Told]:
        target = self.features[-1].label
        for j, term in enumerate(self.terms):
            for about in (THESE, POPULATION):
                yield "coefficient", target, term, about, self.coefficient(j, population=about == POPULATION)


def _square(linear: Reals, bent: Reals) -> Polynomial:
    """The squared length of t·linear + t²·bent."""
    return Polynomial([0.0, 0.0, linear @ linear, 2 * (linear @ bent), bent @ bent])
