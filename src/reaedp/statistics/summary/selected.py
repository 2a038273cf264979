"""Groups that are not known beforehand: partition selection, and then the figures, in one charge."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from reaedp.answer import Shape
from reaedp.contract import Contract
from reaedp.errors import Mistakes
from reaedp.statistics.statistic import SharedOut, Sums


class Selected(ABC):
    """What statistics of groups share whose groups are shown if enough rows are behind them."""

    __slots__ = ()
    answers: ClassVar[Shape] = "grouped"
    by: tuple[str, ...]
    columns: Any
    #: Noisy parts of groups with the public facts that give them meaning.
    told: Any

    @abstractmethod
    def blocks(self, contract: Contract) -> Sequence[SharedOut]:
        """How a row is shared out among the parts of its group."""

    def shape(self, contract: Contract) -> dict[str, int]:
        """Parts of a group, steps that a row adds to all of them, and rows of a unit."""
        blocks = self.blocks(contract)
        return {
            "parts": sum(len(block.names) for block in blocks),
            "row": sum(block.steps for block in blocks),
            "rows": contract.unit.rows,
        }

    def note_groups(self) -> None:
        """Refuse one group of all rows: there would be nothing to select."""
        mistakes = Mistakes()
        mistakes.unless(bool(self.by), "by must name one or more columns whose cells make groups", given=self.by)
        mistakes.report()

    def check(self, contract: Contract) -> None:
        """Refuse unknown columns, and conditions and columns that cannot be added up."""
        contract.select(self.columns)
        for block in self.blocks(contract):
            if (check := getattr(block, "check", None)) is not None:
                check()

    def answer(self, records: Sums) -> Any:
        """Exact parts of the groups that occur; private."""
        return records.group_parts(self.blocks(records.contract), self.by)

    def value(self, contract: Contract, noisy: Any) -> Any:
        """The groups that passed the threshold, in the order of their cells."""
        order = np.lexsort(noisy.keys.T[::-1])
        return self.told(contract, noisy=noisy.parts[order], keys=noisy.keys[order].astype(np.int32))
