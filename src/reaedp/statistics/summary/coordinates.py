"""The numbers that are released of a column's parts: the parts themselves, or sums of them that one row moves less.

A row that is replaced leaves one part and joins another, which moves two numbers. Counted from the middle of the range,
it moves one number as far, and the number of rows stays as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reaedp.answer import Integers
from reaedp.contract import Contract
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.summary.reach import Floats

if TYPE_CHECKING:
    from reaedp.statistics.statistic import SharedOut

#: Parts of the upper end, by the kind of what is added up.
UPPER = ("upper", "yes", "first")


@dataclass(frozen=True, slots=True, eq=False)
class Coordinates:
    """How the released numbers are made of the parts, a row for each part, and how weights of parts become theirs."""

    made: Integers
    back: Floats

    @property
    def numbers(self) -> int:
        """How many numbers are released."""
        return int(self.made.shape[1])

    def of(self, parts: Integers) -> Integers:
        """What is released of exact parts; private."""
        found: Integers = parts @ self.made
        return found

    def weights(self, of_parts: Floats) -> Floats:
        """Weights of the released numbers that give the same sum as these of the parts; equal for all that miss."""
        found: Floats = of_parts @ self.back
        return found


def is_centred(contract: Contract, by: Sequence[str]) -> bool:
    """Whether values are counted from the middle: where rows are replaced by others of the same and only group."""
    return contract.unit.change == "replace" and not by


def all_parts(parts: int) -> Coordinates:
    """The parts as they are."""
    return Coordinates(np.eye(parts, dtype=np.int64), np.eye(parts))


def centred(regular: int, beyond: int, missing: int) -> Coordinates:
    """What is above the middle less what is below; the middle part, twice; bounds that cut; misses; and all rows.

    Rows without a value are in the middle, from where no value is farther than half the range.
    """
    cells, squares = beyond + missing, regular == 3
    others = beyond + (missing > 0)
    place, between, first, rows = 0, 1, 1 + squares, 1 + squares + others
    made = np.zeros((regular + cells, rows + 1), dtype=np.int64)
    back = np.zeros(made.shape)
    lower, upper, found = 0, regular - 1, regular + np.arange(cells)
    own = first + np.minimum(np.arange(cells), others - 1)  # all that miss share the last one
    made[:, rows] = 1
    made[[lower, upper], place] = -1, 1
    made[found, own] = 1
    back[[lower, upper], place] = -0.5, 0.5
    back[np.ix_([lower, upper], range(first, rows))] = -0.5
    back[[lower, upper], rows] = 0.5
    back[found, own] = 1.0
    back[regular + beyond :, own[-1:]] = 1.0 / max(missing, 1)
    if squares:
        made[between, between] = 2
        back[[lower, between, upper], between] = -0.25, 0.5, -0.25
    return Coordinates(made, back)


def centred_sensitivity(steps: int, degree: int, rows: int) -> Sensitivity:
    """How far so many rows move the numbers of `centred` if each is replaced, removed or added (see PROOFS.md)."""
    if degree == 1:
        return Sensitivity(2 * rows * steps, 4 * (rows * steps) ** 2, 2 * rows * steps)
    l1, l2, linf = -(-9 * steps // 4) + 6, 2 * steps + 5, 2 * steps + 2
    return Sensitivity(rows * l1, (rows * l2) ** 2, rows * linf)


def at_end(shared: "SharedOut", *, upper: bool) -> Integers:
    """What a row adds to the parts at the lower end of its range, whose part comes first, or at the upper one."""
    end = next(name for name in UPPER if name in shared.names) if upper else shared.names[0]
    return shared.weights(**{end: float(shared.steps)}).astype(np.int64)
