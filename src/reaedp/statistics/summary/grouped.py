"""Figures of groups as one table: a row for each group and figure, with intervals, whatever the figures are."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Column
from reaedp.contract.day import EPOCH
from reaedp.errors import DeclarationError, unknown
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.summary.comparison import Comparison, compared
from reaedp.statistics.summary.figures import TOO_FEW, Figure
from reaedp.statistics.summary.reach import reach
from reaedp.table import labels, with_ends

NEAR = "near the threshold: tends to be too high"


class Block(NamedTuple):
    """One figure of what is called `column`, group by group; whether it is a day."""

    column: str
    figure: Figure
    dated: bool = False


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Grouped(ABC):
    """Noisy parts, a row for each group of cells of the `axes`.

    `rows_of_a_unit` says how many rows of a sample may go together. Where groups were selected, `keys` are their cells.
    """

    axes: tuple[Column, ...]
    noisy: Integers
    rows_of_a_unit: int
    keys: NDArray[np.int32] | None = None

    @property
    def details(self) -> dict[str, Any]:
        """The noisy numbers that everything else follows from."""
        return {"noisy_parts": self.noisy.ravel().tolist()}

    @property
    @abstractmethod
    def main(self) -> str:
        """The figure that people look for first."""

    @abstractmethod
    def blocks(self, noise: Calibrated, confidence: float) -> Iterable[Block]:
        """All figures in the order of the file."""

    def columns(self, noise: Calibrated, confidence: float, ends: tuple[str, str]) -> dict[str, NDArray[Any]]:
        """A row for each group and figure; `ends` names the ends of the intervals."""
        blocks = list(self.blocks(noise, confidence))
        groups, count, near = len(self.noisy), len(blocks), self._near(noise)
        numbers = {
            "column": np.array([block.column for block in blocks] * groups, dtype=object),
            "statistic": np.array([block.figure.name for block in blocks] * groups, dtype=object),
            "value": _woven([block.figure.values for block in blocks]),
            ends[0]: _woven([block.figure.low for block in blocks]),
            ends[1]: _woven([block.figure.high for block in blocks]),
        }
        if any(block.dated for block in blocks):
            numbers["date"] = _texts(_dates(block.figure.values) if block.dated else [""] * groups for block in blocks)
        notes = [np.where(near, NEAR, np.where(block.figure.known, "", TOO_FEW)).tolist() for block in blocks]
        numbers["note"] = _texts(notes)
        return labels(self.axes, np.repeat(self._codes, count, axis=1), numbers) | numbers

    def framed(self, columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Columns that begin with the labels of the groups, with the ends of ranges beside them."""
        rows = len(next(iter(columns.values())))
        return with_ends(columns, self.axes, np.repeat(self._codes, rows // max(len(self.noisy), 1), axis=1))

    def compare(
        self, noise: Calibrated, statistic: str, column: str | None, confidence: float, groups: Mapping[str, Any]
    ) -> Comparison:
        """The difference and the ratio of one figure of two groups."""
        blocks = list(self.blocks(noise, confidence))
        names = list(dict.fromkeys(block.column for block in blocks))
        if column is None and len(names) > 1:
            raise DeclarationError(f"Name the column, one of {', '.join(names)}.")
        if column is not None and column not in names:
            raise DeclarationError(unknown("column", column, names))
        found = {block.figure.name: block for block in blocks if block.column == (column or names[0])}
        if statistic not in found:
            raise DeclarationError(unknown("statistic", statistic, found))
        return compared(found[statistic].figure, self._pair(groups), dated=found[statistic].dated)

    def _near(self, noise: Calibrated) -> NDArray[np.bool_]:
        """Groups that may be shown only because their noise is high."""
        threshold = getattr(noise.mechanism, "threshold", None)
        if self.keys is None or threshold is None:
            return np.zeros(len(self.noisy), dtype=bool)
        parts = self.noisy.astype(np.float64)
        surely = threshold(noise.sensitivity) + reach(noise, np.ones(parts.shape[1]), 0.9)
        found: NDArray[np.bool_] = parts.sum(axis=1) < surely
        return found

    def _pair(self, groups: Mapping[str, Any]) -> tuple[int, int]:
        """The places of two groups that differ in one column: that of a pair of cells; every other has one cell."""
        names = [axis.name for axis in self.axes]
        pairs = [name for name, cells in groups.items() if isinstance(cells, tuple | list) and len(cells) == 2]
        if set(groups) != set(names) or len(pairs) != 1:
            raise DeclarationError(
                f"Two groups are compared by a pair of cells of one of the columns {', '.join(names) or '(none)'} and"
                f" one cell of each other; given {dict(groups)}."
            )
        first, second = (
            self._place([groups[name][side] if name in pairs else groups[name] for name in names]) for side in (0, 1)
        )
        return first, second

    def _place(self, cells: list[object]) -> int:
        """The number of a group by the labels of its cells."""
        codes = [_code(axis, cell) for axis, cell in zip(self.axes, cells, strict=True)]
        if self.keys is not None:
            found = np.flatnonzero((self.keys == codes).all(axis=1))
            if not found.size:
                raise DeclarationError(f"The group {', '.join(map(str, cells))} is not among those that were released.")
            return int(found[0])
        return int(np.ravel_multi_index(codes, [axis.size for axis in self.axes]))

    @property
    def _codes(self) -> NDArray[np.intp]:
        """The cell of every group on each axis."""
        if self.keys is not None:
            return self.keys.T.astype(np.intp)
        return np.indices([axis.size for axis in self.axes]).reshape(len(self.axes), len(self.noisy))


def _code(axis: Column, cell: object) -> int:
    """The number of a cell by its label, as the files have it."""
    text = str(cell).lower() if isinstance(cell, bool) else str(cell)
    if text not in axis.cells:
        raise DeclarationError(unknown(f"cell of {axis.name}", text, axis.cells))
    return axis.cells.index(text)


def _woven(columns: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """All figures of the first group, then those of the next."""
    return np.stack(columns, axis=1).ravel()


def _texts(columns: Iterable[list[str]]) -> NDArray[Any]:
    return np.array(list(columns), dtype=object).T.ravel()


def _dates(days: NDArray[np.float64]) -> list[str]:
    """The day on which a mean falls."""
    return [(EPOCH + timedelta(days=int(day))).isoformat() for day in np.floor(days)]
