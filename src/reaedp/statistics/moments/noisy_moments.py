"""Noisy sums of values and products as what they are sums of, with the noise of everything that follows from them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.moments.grid import UNIT
from reaedp.statistics.moments.ratio import Noisy, Range
from reaedp.statistics.moments.space import MomentSpace, Reals
from reaedp.statistics.moments.words import THESE
from reaedp.statistics.noise_variance import noise_variance

#: The count must be so many deviations of its noise, or nothing is estimated.
FEWEST_DEVIATIONS = 10.0
#: Deviations of a normal law that hold 95 % of it.
DEVIATIONS = 1.959963984540054


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """The released integers and what they mean. `rows_of_a_unit` is how many rows of a sample may go together."""

    space: MomentSpace
    noisy: Integers
    rows_of_a_unit: int = 1

    @property
    def details(self) -> dict[str, Any]:
        """The numbers from which all others follow."""
        return {"noisy_moments": self.noisy.tolist()}


class Derived(NamedTuple):
    """A number that follows from noisy sums, and how its first-order noise is made of theirs."""

    value: float
    gradient: Reals


@dataclass(frozen=True)
class NoisyMoments:
    """The matrix of second moments of (1, features), in rows, and the deviation of the noise of each sum."""

    space: MomentSpace
    sums: Reals
    deviation: float
    rows_of_a_unit: int = 1

    @classmethod
    def of(cls, value: Moments, noise: Calibrated) -> "NoisyMoments":
        """Rounding to the lattice counts as noise: of a sum it is at most a point for each row."""
        sums = value.noisy.astype(np.float64) / UNIT
        rounding = max(sums[0], 0.0) / UNIT
        deviation = math.hypot(math.sqrt(noise_variance(noise)) / UNIT, rounding)
        return cls(value.space, sums, deviation, value.rows_of_a_unit)

    @classmethod
    def exact(cls, value: Moments) -> "NoisyMoments":
        """Sums without noise, of which all is told that can be."""
        return cls(value.space, value.noisy.astype(np.float64) / UNIT, 0.0, value.rows_of_a_unit)

    @cached_property
    def matrix(self) -> Reals:
        """Sums of ones, of values and of products."""
        found: Reals = self.space.entries @ self.sums
        return found

    @property
    def rows(self) -> float:
        """The number of rows without missing values."""
        return float(self.sums[0])

    @property
    def enough(self) -> bool:
        """Whether there are so many rows that anything can be said."""
        return self.rows > 0 and self.rows >= FEWEST_DEVIATIONS * self.deviation

    def counted(self, place: int) -> Range:
        """A number of rows, which is never negative."""
        value, reach = float(self.sums[place]), DEVIATIONS * self.deviation
        return Range(max(value, 0.0), max(value - reach, 0.0), max(value + reach, 0.0))

    def spread(self, line: Derived) -> float:
        """The deviation of the noise of a number."""
        return self.deviation * float(np.linalg.norm(line.gradient))

    def parts(self, above: Derived, below: Derived, sampling: float = 0.0) -> Noisy:
        """A ratio's parts; `sampling` is the variance of the numerator if rows were drawn one by one.

        Rows of one person may all say the same, so that as many fewer were drawn.
        """
        first, second = above.gradient, below.gradient
        squared = self.deviation**2
        variances = squared * float(first @ first) + self.rows_of_a_unit * sampling, squared * float(second @ second)
        return Noisy(above.value, below.value, variances, squared * float(first @ second))


#: One line of a file: what is told, of which one or two features, about whom, and what it is.
Told = tuple[str, str, str, str, Range]


def frame(lines: Sequence[Told]) -> dict[str, NDArray[Any]]:
    """The columns of a file."""
    texts = dict(
        zip(("measure", "first", "second", "about"), zip(*(line[:4] for line in lines), strict=True), strict=True)
    )
    numbers = np.array([line[4] for line in lines], dtype=np.float64).T
    named = {name: np.array(column, dtype=object) for name, column in texts.items()}
    return named | dict(zip(("value", "low_95", "high_95"), numbers, strict=True))


def counts(moments: NoisyMoments) -> list[Told]:
    """How many rows there are, and how many are left out."""
    return [
        ("rows", "", "", THESE, moments.counted(0)),
        ("rows with missing values", "", "", THESE, moments.counted(1)),
    ]
