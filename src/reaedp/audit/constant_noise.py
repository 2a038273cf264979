"""Noise that forgets what it is given: if anything still depends on the data, it did not pass through noise."""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from reaedp.answer import Integers
from reaedp.mechanisms.noise import Words


class Drawn(NamedTuple):
    """What noise was asked to hide, and with which scale."""

    exact: Integers
    scale: float


@dataclass(frozen=True, slots=True)
class ConstantNoise:
    """Answers the same number whatever the data, and remembers what it should have hidden."""

    value: int
    rng: np.random.Generator
    drawn: list[Drawn] = field(default_factory=list)
    seeded: ClassVar[bool] = True

    def laplace(self, exact: Integers, scale: float) -> Integers:
        """The number, as often as there are cells."""
        return self._answer(exact, scale)

    def gaussian(self, exact: Integers, scale: float) -> Integers:
        """The same."""
        return self._answer(exact, scale)

    def choose(self, scores: Integers, scale: float) -> int:
        """The first place."""
        self._answer(scores, scale)
        return 0

    def words(self, count: int) -> Words:
        """Words of a fixed sequence."""
        return self.generator().integers(0, 2**64, count, dtype=np.uint64)

    def generator(self) -> np.random.Generator:
        """The same stream each time."""
        return deepcopy(self.rng)

    def _answer(self, exact: Integers, scale: float) -> Integers:
        self.drawn.append(Drawn(exact.copy(), scale))
        return np.full(exact.shape, self.value, dtype=np.int64)
