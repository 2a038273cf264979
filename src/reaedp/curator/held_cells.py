"""Cell numbers of rows that are held for a while, beside their engine: to ask it takes longer than to add up."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from reaedp.contract import Column
from reaedp.engines.kept_rows import FEW_CELLS, added_up


class HeldCells:
    """Private numbers, a row for each that counts: `k0`, `k1` and so on are those of the columns."""

    __slots__ = ("_columns", "_numbers")

    def __init__(self, columns: tuple[Column, ...], numbers: Mapping[str, NDArray[Any]]) -> None:
        self._columns, self._numbers = columns, numbers

    def __repr__(self) -> str:
        return f"HeldCells of {len(self._columns)} columns"

    def __reduce__(self) -> Any:
        raise TypeError("Cells are private and are never pickled.")

    def answer(self, *groups: tuple[Column, ...]) -> bool:
        """Whether all of these columns are held, and their combinations few enough to be added up."""
        return all(
            group and set(group) <= set(self._columns) and math.prod(column.size for column in group) <= FEW_CELLS
            for group in groups
        )

    def counted(self, columns: tuple[Column, ...], keys: Sequence[str]) -> dict[str, NDArray[Any]]:
        """The combinations that occur, the numbers of each column under its key, and their rows."""
        numbers = {
            key: self._numbers[f"k{self._columns.index(column)}"] for key, column in zip(keys, columns, strict=True)
        }
        return added_up(numbers, tuple(keys), {key: column.size for key, column in zip(keys, columns, strict=True)})
