"""The levels of a text column, for those who do not know them beforehand."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Keyed, Shape
from reaedp.contract import Contract
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.statistics.statistic import Texts

#: Longer texts are cut, so that no cell can bloat a contract.
LONGEST_LEVEL = 200


@dataclass(frozen=True, slots=True)
class Levels:
    """The texts of a column that occur often enough to be shown."""

    answers: ClassVar[Shape] = "keyed"
    column: str

    @property
    def title(self) -> str:
        """What is released, in words."""
        return f"levels of {self.column}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The column whose levels are still unknown."""
        return (self.column,)

    def check(self, contract: Contract) -> None:
        """Refuse an unknown column."""
        contract.column(self.column)

    def cells(self, contract: Contract) -> int:  # noqa: ARG002
        """One for each level that is found; at least one."""
        return 1

    def step(self, contract: Contract) -> float:  # noqa: ARG002
        """The length of a step of the lattice: one row."""
        return 1.0

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """How far one unit moves the counts."""
        return counting_sensitivity(contract.unit)

    def answer(self, records: Texts) -> Keyed:
        """Exact counts of all texts."""
        found = records.level_counts(self.column, LONGEST_LEVEL)
        keys = np.array(sorted(found), dtype=object)
        return Keyed(keys, np.array([found[key] for key in keys], dtype=np.int64))

    def value(self, contract: Contract, noisy: Keyed) -> dict[str, int]:  # noqa: ARG002
        """The frequent texts with their noisy counts."""
        return dict(zip(noisy.keys.tolist(), noisy.counts.tolist(), strict=True))

    def frame(self, value: dict[str, int], noise: Calibrated) -> dict[str, NDArray[Any]]:  # noqa: ARG002
        """Levels and noisy counts."""
        return {"level": np.array(list(value), dtype=object), "count": np.array(list(value.values()), dtype=np.int64)}
