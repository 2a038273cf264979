"""What correlations and regressions share: sums of values and of products, hidden together."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Shape
from reaedp.contract import Category, Contract
from reaedp.errors import DeclarationError, Mistakes, sentence
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.moments.grid import UNIT
from reaedp.statistics.moments.noisy_moments import Moments, NoisyMoments, Told, frame
from reaedp.statistics.moments.space import MomentSpace
from reaedp.statistics.statistic import Multipliable

#: More features would have sums of more than a thousand products.
MOST_FEATURES = 45


class MomentSums(ABC):
    """Sums of values and products of some columns, and what follows from them."""

    __slots__ = ()
    answers: ClassVar[Shape] = "vector"

    @property
    @abstractmethod
    def title(self) -> str:
        """What is released, in words."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The declared columns that are read; the last one is the target of a regression."""

    @abstractmethod
    def told(self, moments: NoisyMoments) -> list[Told]:
        """What follows from the sums, which are `moments`, line by line."""

    def check(self, contract: Contract) -> None:
        """Refuse unknown columns, single values, and more products than anyone reads."""
        mistakes, features = Mistakes(), 0
        contract.select(self.columns)
        with mistakes.gathered():
            features = len(self.space(contract).features)
        mistakes.unless(
            features <= MOST_FEATURES,
            f"All columns together must have at most {MOST_FEATURES} features: numbers, and levels after the first",
            given=features,
            remedy="Leave columns out, or declare fewer levels.",
        )
        mistakes.report()

    def space(self, contract: Contract) -> MomentSpace:
        """The coordinates that are added up."""
        return MomentSpace.of(contract, self.columns)

    def cells(self, contract: Contract) -> int:
        """The number of sums."""
        return self.space(contract).size

    def step(self, contract: Contract) -> float:  # noqa: ARG002
        """The step of a sum, in rows."""
        return 1.0 / UNIT

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """How far one unit moves the sums."""
        return self.space(contract).sensitivity(contract.unit)

    def answer(self, records: Multipliable) -> Integers:
        """The exact sums of values and products; private."""
        return records.moment_sums(self.columns)

    def value(self, contract: Contract, noisy: Integers) -> Moments:
        """The noisy sums with what they mean."""
        return Moments(self.space(contract), np.asarray(noisy, dtype=np.int64), contract.unit.rows)

    def frame(self, value: Moments, noise: Calibrated) -> dict[str, NDArray[Any]]:
        """Everything that follows from the sums, with 95 % ranges."""
        return frame(self.told(NoisyMoments.of(value, noise)))


def refuse_names(contract: Contract, columns: tuple[str, ...], remedy: str) -> None:
    """Refuse categories where numbers are meant; truth values count as 0 and 1."""
    for column in contract.select(columns):
        if isinstance(column, Category):
            rule = f"{column.name} must be a column of numbers, dates or truth values"
            raise DeclarationError(sentence(rule, given=column.kind, remedy=remedy))
