"""Synthetic records as a statistic: what is asked of the records, and what comes back in their original form."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Shape
from reaedp.contract import Column, Contract
from reaedp.errors import Mistakes
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import Noise
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.statistics.statistic import Countable
from reaedp.synthesis.decode import decode
from reaedp.synthesis.model import Codes

#: Rows of one release; more than this are better drawn in several releases' worth of files.
MOST_ROWS = 20_000_000


class Question(NamedTuple):
    """Records that a mechanism may ask, each question with noise of its own, and the rows that are wanted."""

    records: Countable
    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True, slots=True, eq=False)
class SyntheticRecords:
    """Released rows: as cell numbers, as values of the original form, and how they came about."""

    axes: tuple[Column, ...]
    codes: Codes
    values: dict[str, NDArray[Any]]
    #: What a reader should know; public facts and released numbers only.
    details: dict[str, Any]

    @classmethod
    def made(
        cls, question: Question, codes: Codes, names: tuple[str, ...], noise: Noise, details: dict[str, Any]
    ) -> "SyntheticRecords":
        """Put the columns into the order asked for and draw a value within each cell."""
        axes = question.records.contract.select(question.columns)
        ordered = np.ascontiguousarray(codes[:, [names.index(name) for name in question.columns]])
        question.records.progress("drawing values")
        return cls(axes, ordered, decode(axes, ordered, noise.generator()), details)

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, slots=True)
class Synthetic:
    """So many rows that look like the records but are none of them."""

    columns: tuple[str, ...]
    rows: int
    answers: ClassVar[Shape] = "records"

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        names = self.columns
        good = isinstance(names, tuple) and len(names) > 0 and all(isinstance(name, str) for name in names)
        mistakes.unless(
            good and len(set(names)) == len(names), "columns must be one or more different column names", given=names
        )
        mistakes.unless(
            type(self.rows) is int and 1 <= self.rows <= MOST_ROWS,
            f"rows must be a whole number from 1 to {MOST_ROWS:,}",
            given=self.rows,
        )
        mistakes.report()

    @property
    def title(self) -> str:
        """What is released, in words."""
        return f"{self.rows:,} synthetic records of {' × '.join(self.columns)}"

    def check(self, contract: Contract) -> None:
        """Refuse unknown columns."""
        contract.select(self.columns)

    def cells(self, contract: Contract) -> int:  # noqa: ARG002
        """Rows."""
        return self.rows

    def step(self, contract: Contract) -> float:  # noqa: ARG002
        """One row of the tables from which the model is learned."""
        return 1.0

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """That of counts: whatever is asked of the records is a count or a distance of counts."""
        return counting_sensitivity(contract.unit)

    def answer(self, records: Countable) -> Question:
        """The records themselves; private."""
        return Question(records, self.columns, self.rows)

    def value(self, contract: Contract, noisy: SyntheticRecords) -> SyntheticRecords:  # noqa: ARG002
        """As the mechanism made them."""
        return noisy

    def frame(self, value: SyntheticRecords, noise: Calibrated) -> dict[str, NDArray[Any]]:  # noqa: ARG002
        """The rows in their original form."""
        return value.values
