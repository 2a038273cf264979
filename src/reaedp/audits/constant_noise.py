"""Noise that forgets what it is given: if anything still depends on the data, it did not pass through noise."""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from reaedp.answer import Integers, Words

#: Gaussian answers lie between this many scales and half as many more, so that a model finds enough rows to go on.
SCALES = 100
Kind = Literal["laplace", "gaussian", "choice"]


class Drawn(NamedTuple):
    """What noise was asked to hide, and with which scale."""

    kind: Kind
    exact: Integers
    scale: float
    #: Parts of one in which the scale is; exact numbers are whole.
    grain: int = 1


@dataclass(frozen=True, slots=True)
class ConstantNoise:
    """Answers the same whatever the data, and remembers what it should have hidden.

    Laplace answers are one number, which lies below or above every threshold; Gaussian ones and choices vary from place
    to place, so that what is learned from them is not all alike.
    """

    value: int
    rng: np.random.Generator
    drawn: list[Drawn] = field(default_factory=list)
    seeded: ClassVar[bool] = True

    def laplace(self, exact: Integers, scale: float) -> Integers:
        """The number, as often as there are cells."""
        self.drawn.append(Drawn("laplace", exact.copy(), scale))
        return np.full(exact.shape, self.value, dtype=np.int64)

    def gaussian(self, exact: Integers, scale: float, grain: int = 1) -> Integers:
        """Numbers of a fixed sequence."""
        self.drawn.append(Drawn("gaussian", exact.copy(), scale, grain))
        least = max(1, round(SCALES * scale))
        return self.generator().integers(least, least + least // 2, exact.shape, dtype=np.int64, endpoint=True)

    def choose(self, scores: Integers, scale: float) -> int:
        """One place after the other."""
        self.drawn.append(Drawn("choice", scores.copy(), scale))
        return len(self.drawn) % len(scores)

    def choose_each(self, scores: Integers, scale: float) -> list[int]:
        """One place after the other; what is asked of rows that share no record is one question."""
        self.drawn.append(Drawn("choice", scores.copy(), scale))
        return [(len(self.drawn) + row) % scores.shape[1] for row in range(len(scores))]

    def words(self, count: int) -> Words:
        """Words of a fixed sequence."""
        return self.generator().integers(0, 2**64, count, dtype=np.uint64)

    def generator(self) -> np.random.Generator:
        """Give the same stream of random numbers each time."""
        return deepcopy(self.rng)
