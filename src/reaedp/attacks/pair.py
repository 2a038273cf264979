"""Two answers that differ by one person: with the target and without, or with somebody else in the target's place."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.attacks.trials import Flags
from reaedp.mechanisms.noise import Noise
from reaedp.privacy.loss import Price

Numbers = NDArray[Any]
Codes = NDArray[np.integer]


class Hiding(Protocol):
    """Noise that is bought: a calibrated mechanism, or parts of one."""

    @property
    def price(self) -> Price:
        """What one release costs."""

    def apply(self, exact: Any, noise: Noise) -> Any:
        """Releases, one for each row of exact numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class TwoAnswers:
    """The exact answers of two neighbouring data sets: one vector each, or one for each round of a game."""

    present: Numbers
    absent: Numbers

    def either(self, member: Flags) -> Numbers:
        """One answer for each coin."""
        return np.where(member[:, None], self.present, self.absent)

    @property
    def moved(self) -> "TwoAnswers":
        """The coordinates in which the two differ; under independent noise the others say nothing."""
        differ = self.present != self.absent
        return TwoAnswers(self.present[differ], self.absent[differ])


def counts(codes: Codes, sizes: Sequence[int], columns: Sequence[int]) -> Integers:
    """The table of some columns as one vector."""
    shape = tuple(sizes[column] for column in columns)
    cells = np.ravel_multi_index(tuple(codes[:, column] for column in columns), shape)
    return np.bincount(cells, minlength=int(np.prod(shape))).astype(np.int64)


def with_and_without(
    codes: Codes, row: int, sizes: Sequence[int], groups: Sequence[Sequence[int]]
) -> tuple[TwoAnswers, ...]:
    """The tables of these groups of columns, with and without one row."""
    rest = np.delete(codes, row, axis=0)
    return tuple(TwoAnswers(counts(codes, sizes, group), counts(rest, sizes, group)) for group in groups)
