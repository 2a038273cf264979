"""The numbers that are released of a column's parts: the parts themselves, or sums of them that one row moves less.

Where rows are replaced, every neighbour has as many of them. Then the number of rows needs no noise to speak of, and a
row that moves from the lower to the upper bound moves one sum and not two.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reaedp.answer import Integers
from reaedp.contract import Contract
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.summary.reach import Floats

#: How many times each row counts in a number of rows that no neighbour changes: its noise is so much smaller.
ROW_WEIGHT = 16


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


def rows_are_fixed(contract: Contract, columns: Sequence[str], by: Sequence[str]) -> bool:
    """Whether every neighbour has as many rows: one is replaced by another, none is dropped, and all are one group."""
    unit, dropped = contract.unit, any(column.drops for column in contract.select(tuple(columns)))
    return unit.change == "replace" and unit.rows == 1 and not dropped and not by


def all_parts(parts: int) -> Coordinates:
    """The parts as they are."""
    return Coordinates(np.eye(parts, dtype=np.int64), np.eye(parts))


def fixed_rows(regular: int, beyond: int, missing: int) -> Coordinates:
    """Places, twice; the part between the bounds, twice; a number for each bound that cuts; misses; and rows.

    Rows without a place are put in the middle, from where no value is farther than half the range.
    """
    cells, squares = beyond + missing, regular == 3
    others = beyond + (missing > 0)
    place, between, first, rows = 0, 1, 1 + squares, 1 + squares + others
    made = np.zeros((regular + cells, rows + 1), dtype=np.int64)
    back = np.zeros(made.shape)
    lower, upper, found = 0, regular - 1, regular + np.arange(cells)
    own = first + np.minimum(np.arange(cells), others - 1)  # all that miss share the last one
    made[:, rows] = ROW_WEIGHT
    made[1:, place] = 1
    made[upper, place] = 2
    made[found, own] = 1
    back[[lower, upper], place] = -0.5, 0.5
    back[np.ix_([lower, upper], range(first, rows))] = -0.5
    back[lower, rows] = 1.0 / ROW_WEIGHT
    back[found, own] = 1.0
    back[regular + beyond :, own[-1:]] = 1.0 / max(missing, 1)
    if squares:
        made[between, between] = 2
        back[[lower, between, upper], between] = -0.25, 0.5, -0.25
    return Coordinates(made, back)


def fixed_sensitivity(steps: int, degree: int) -> Sensitivity:
    """How far one row moves the numbers of `fixed_rows` when it is replaced (see PROOFS.md)."""
    if degree == 1:
        return Sensitivity(2 * steps, 4 * steps**2, 2 * steps)
    return Sensitivity(-(-9 * steps // 4) + 6, (2 * steps + 5) ** 2, 2 * steps + 2)
