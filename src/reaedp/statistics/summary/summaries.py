"""The released parts of a summary, and the figures that are made of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from reaedp.contract import Date
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.summary.figures import ColumnFigures
from reaedp.statistics.summary.grouped import Block, Grouped
from reaedp.statistics.summary.parts import Parts

_MEANS = ("mean", "population mean")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Summaries(Grouped):
    """Noisy parts of columns: those of the first column, then those of the next."""

    parts: tuple[Parts, ...]
    statistics: tuple[str, ...]

    @property
    def main(self) -> str:
        """The statistic that people look for first."""
        return "mean" if "mean" in self.statistics else self.statistics[0]

    def of(self, place: int, noise: Calibrated, confidence: float) -> ColumnFigures:
        """The figures of one column."""
        ends = np.cumsum([0, *(parts.coordinates.numbers for parts in self.parts)]).tolist()
        low, high = list(pairwise(ends))[place]
        return ColumnFigures(self.parts[place], self.noisy[:, low:high], noise, self.rows_of_a_unit, confidence)

    def blocks(self, noise: Calibrated, confidence: float) -> Iterator[Block]:
        """Each statistic of each column; means of dates are days."""
        for place, parts in enumerate(self.parts):
            for figure in self.of(place, noise, confidence).figures(self.statistics):
                dated = isinstance(parts.column, Date) and figure.name in _MEANS
                yield Block(parts.column.name, figure, dated)
