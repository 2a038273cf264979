"""Rounds of the membership game: a fair coin, a release, and how strongly the attacker suspects the target is in."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reaedp.errors import DeclarationError, sentence

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """Independent rounds; `member` was tossed as a fair coin, `score` is larger where the attacker suspects more."""

    member: Flags
    score: Floats

    def __post_init__(self) -> None:
        if self.member.ndim != 1 or self.member.shape != self.score.shape:
            shapes = (self.member.shape, self.score.shape)
            raise DeclarationError(sentence("Each round must have one truth and one score", given=shapes))

    def __len__(self) -> int:
        return len(self.member)

    def without_target(self, rng: np.random.Generator) -> "Trials":
        """The same attack on somebody whose data were never there: the rounds without the target, and new coins."""
        outside = self.score[~self.member]
        return Trials(coins(len(outside), rng), outside)


def coins(count: int, rng: np.random.Generator) -> Flags:
    """Independent tosses of a fair coin."""
    return rng.random(count) < 0.5
