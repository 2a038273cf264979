"""Made-up data as tables of counts: what statistics need to know of records, without any rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Column, Contract
from reaedp.statistics.statistic import Answers, RankedCells
from reaedp.table import KeyCounts, Table

Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """Made-up rows by cells: row i of `codes` occurs `rows[i]` times."""

    codes: Codes
    rows: NDArray[np.int64]

    def __add__(self, other: "Placement") -> "Placement":
        return Placement(np.concatenate([self.codes, other.codes]), np.concatenate([self.rows, other.rows]))

    @property
    def total(self) -> int:
        """The number of made-up rows."""
        return int(self.rows.sum())


@dataclass(frozen=True, slots=True)
class MadeUp:
    """Records that exist only as counts of the cells of some columns."""

    contract: Contract
    table: KeyCounts

    @classmethod
    def of(cls, contract: Contract, columns: tuple[str, ...], placement: Placement) -> "MadeUp":
        """Cells named twice are added up, cells without rows are left out."""
        held = placement.rows > 0
        table = KeyCounts(contract.select(columns), placement.codes[held], placement.rows[held])
        return cls(contract, table.project(*columns))

    def counts(self, names: tuple[str, ...]) -> Table:
        """How many rows fall into each cell."""
        return self.key_counts(names).dense()

    def middle_counts(self, names: tuple[str, ...]) -> Table:
        """Counts of people with one row each, in the cell of that row; one without a rank counts nowhere."""
        table = self.counts(names)
        values = table.values.copy()
        values[..., table.axes[-1].regular :] = 0
        return table.with_values(values)

    def key_counts(self, names: tuple[str, ...]) -> KeyCounts:
        """How many rows fall into each cell that has any."""
        return self.table.project(*names)

    def key_parts(self, names: tuple[str, ...]) -> Iterator[KeyCounts]:
        """The counts of all keys, in one part."""
        return iter([self.key_counts(names)])

    def group_counts(self, groups: Sequence[tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], KeyCounts]]:
        """The counts of several groupings of the same rows."""
        return ((group, self.key_counts(group)) for group in groups)

    def answer(self, statistic: Answers[RankedCells]) -> Any:
        """The exact answer of a statistic that asks for counts only."""
        return statistic.answer(self)


def codes(columns: Sequence[Column], places: NDArray[np.int64]) -> Codes:
    """The cells at these places when the last column's cells vary fastest; works for domains of any size."""
    found, left = [], np.asarray(places, dtype=np.int64)
    for column in reversed(columns):
        found.append(left % column.size)
        left = left // column.size
    return np.stack(found[::-1], axis=-1).astype(np.int32)


def placed(columns: Sequence[Column], rows: dict[int, int]) -> Placement:
    """Rows at numbered cells; -1 is the last cell of every column."""
    numbers = np.array(list(rows), dtype=np.int64)
    last = np.array([column.size - 1 for column in columns], dtype=np.int32)
    found = codes(columns, np.maximum(numbers, 0))
    found[numbers == -1] = last
    return Placement(found, np.array(list(rows.values()), dtype=np.int64))
