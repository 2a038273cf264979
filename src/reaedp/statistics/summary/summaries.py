"""The released parts of a summary, and the tables that are made of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Column, Date
from reaedp.contract.day import EPOCH
from reaedp.errors import DeclarationError, unknown
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.summary.comparison import Comparison, compared
from reaedp.statistics.summary.figures import TOO_FEW, ColumnFigures, Figure
from reaedp.statistics.summary.parts import Parts
from reaedp.table import labels, with_ends

_MEANS = ("mean", "population mean")


class _Block(NamedTuple):
    """One statistic of one column, group by group."""

    parts: Parts
    figure: Figure


@dataclass(frozen=True, slots=True, eq=False)
class Summaries:
    """Noisy parts, a row for each group: the parts of the first column, then those of the next.

    `axes` are the columns that make the groups, `rows_of_a_unit` says how many rows of a sample may go together.
    """

    axes: tuple[Column, ...]
    parts: tuple[Parts, ...]
    statistics: tuple[str, ...]
    noisy: Integers
    rows_of_a_unit: int

    @property
    def details(self) -> dict[str, Any]:
        """The noisy numbers that everything else follows from."""
        return {"noisy_parts": self.noisy.ravel().tolist()}

    @property
    def main(self) -> str:
        """The statistic that people look for first."""
        return "mean" if "mean" in self.statistics else self.statistics[0]

    def of(self, column: str | None, noise: Calibrated, confidence: float) -> ColumnFigures:
        """The figures of one column, by default of the only one."""
        names = [parts.column.name for parts in self.parts]
        if column is None and len(names) > 1:
            raise DeclarationError(f"Say which column is meant, one of {', '.join(names)}.")
        if column is not None and column not in names:
            raise DeclarationError(unknown("column", column, names))
        place = 0 if column is None else names.index(column)
        ends = np.cumsum([0, *(len(parts.names) for parts in self.parts)]).tolist()
        low, high = list(pairwise(ends))[place]
        return ColumnFigures(self.parts[place], self.noisy[:, low:high], noise, self.rows_of_a_unit, confidence)

    def columns(self, noise: Calibrated, confidence: float, ends: tuple[str, str]) -> dict[str, NDArray[Any]]:
        """A row for each group, column and statistic; `ends` names the ends of the intervals."""
        blocks = list(self._blocks(noise, confidence))
        groups, count = len(self.noisy), len(blocks)
        numbers = {
            "column": _tiled([block.parts.column.name for block in blocks], groups),
            "statistic": _tiled([block.figure.name for block in blocks], groups),
            "value": _woven([block.figure.values for block in blocks]),
            ends[0]: _woven([block.figure.low for block in blocks]),
            ends[1]: _woven([block.figure.high for block in blocks]),
        }
        dated = [isinstance(block.parts.column, Date) and block.figure.name in _MEANS for block in blocks]
        if any(dated):
            numbers["date"] = _texts(_dates(days) if is_date else [""] * groups for days, is_date in self._days(blocks))
        numbers["note"] = _texts(["" if known else TOO_FEW for known in block.figure.known] for block in blocks)
        return labels(self.axes, np.repeat(self._codes, count, axis=1), numbers) | numbers

    def framed(self, columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Columns that begin with the labels of the groups, with the ends of ranges beside them."""
        rows = len(next(iter(columns.values())))
        return with_ends(columns, self.axes, np.repeat(self._codes, rows // len(self.noisy), axis=1))

    def compare(
        self, noise: Calibrated, statistic: str, column: str | None, confidence: float, groups: Mapping[str, Any]
    ) -> Comparison:
        """The difference and the ratio of one statistic of two groups."""
        figures = self.of(column, noise, confidence)
        if statistic not in (known := (*self.statistics, "population mean")):
            raise DeclarationError(unknown("statistic", statistic, known))
        found = {figure.name: figure for figure in figures.figures(self.statistics)}[statistic]
        return compared(found, self._pair(groups))

    def _pair(self, groups: Mapping[str, Any]) -> tuple[int, int]:
        """The places of two groups that differ in one column: that of a pair of cells; every other has one cell."""
        names = [axis.name for axis in self.axes]
        pairs = [name for name, cells in groups.items() if isinstance(cells, tuple | list) and len(cells) == 2]
        if set(groups) != set(names) or len(pairs) != 1:
            raise DeclarationError(
                f"Two groups are compared by a pair of cells of one of the columns {', '.join(names) or '(none)'} and"
                f" one cell of each other; given {dict(groups)}."
            )
        places = []
        for side in (0, 1):
            cells = [groups[name][side] if name in pairs else groups[name] for name in names]
            codes = [_code(axis, cell) for axis, cell in zip(self.axes, cells, strict=True)]
            places.append(int(np.ravel_multi_index(codes, [axis.size for axis in self.axes])))
        return places[0], places[1]

    @property
    def _codes(self) -> NDArray[np.intp]:
        """The cell of every group on each axis."""
        return np.indices([axis.size for axis in self.axes]).reshape(len(self.axes), len(self.noisy))

    def _blocks(self, noise: Calibrated, confidence: float) -> Iterator[_Block]:
        for parts in self.parts:
            for figure in self.of(parts.column.name, noise, confidence).figures(self.statistics):
                yield _Block(parts, figure)

    @staticmethod
    def _days(blocks: list[_Block]) -> Iterator[tuple[NDArray[np.float64], bool]]:
        for block in blocks:
            yield block.figure.values, isinstance(block.parts.column, Date) and block.figure.name in _MEANS


def _code(axis: Column, cell: object) -> int:
    """The number of a cell by its label, as the files have it."""
    text = str(cell).lower() if isinstance(cell, bool) else str(cell)
    if text not in axis.cells:
        raise DeclarationError(unknown(f"cell of {axis.name}", text, axis.cells))
    return axis.cells.index(text)


def _woven(columns: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """All statistics of the first group, then those of the next."""
    return np.stack(columns, axis=1).ravel()


def _texts(columns: Iterator[list[str]]) -> NDArray[Any]:
    return np.array(list(columns), dtype=object).T.ravel()


def _tiled(names: list[str], groups: int) -> NDArray[Any]:
    return np.array(names * groups, dtype=object)


def _dates(days: NDArray[np.float64]) -> list[str]:
    """The day on which a mean falls."""
    return [(EPOCH + timedelta(days=int(day))).isoformat() for day in np.floor(days)]
