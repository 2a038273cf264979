"""Quantiles that the exponential mechanism chooses."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Chosen, Integers, Ordered, Shape
from reaedp.contract import Column, Contract
from reaedp.errors import DeclarationError
from reaedp.mechanisms.exponential import steps
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.quantiles.distribution import few, group_labels
from reaedp.statistics.quantiles.inside import values
from reaedp.statistics.quantiles.question import QuantileQuery
from reaedp.statistics.quantiles.ranks import shares
from reaedp.statistics.statistic import RankedCells

#: Places into which a cell is divided; those of the first and the last one, where clipped values are; and of all cells.
_PARTS, _END_PARTS, _ALL_PARTS = 64, 256, 2**18
#: Cells of a group among which one is chosen in a moment.
MOST_CELLS = 1_000_000


def parts_of(column: Column) -> Integers:
    """Into how many places each regular cell is divided: powers of two, from public facts alone."""
    parts = np.full(column.regular, _parts(column.regular), dtype=np.int64)
    parts[[0, -1]] = _END_PARTS
    return parts


def places_of(cells: int) -> int:
    """How many places so many cells have."""
    ends = min(cells, 2)
    return ends * _END_PARTS + (cells - ends) * _parts(cells)


def _parts(cells: int) -> int:
    most: int = max(1, min(_PARTS, _ALL_PARTS // cells))
    return 1 << (most.bit_length() - 1)


def rank_error(noise: Calibrated, at: tuple[float, ...], places: int, confidence: float) -> float:
    """With this confidence or more, a chosen place misses its rank by no more rows than this (see PROOFS.md)."""
    scales = level_scales(noise, at)
    return float(sum(scales) * math.log(places * len(scales) / (1 - confidence)))


def level_scales(noise: Calibrated, at: tuple[float, ...]) -> list[float]:
    """The scale of the choices of each level, in rows; the largest of the level."""
    mechanism: Any = noise.mechanism
    levels = steps(shares(at))
    return [
        max(mechanism.step_scale(noise.sensitivity, step, len(levels)) / step.share.denominator for step in level)
        for level in levels
    ]


@dataclass(frozen=True, slots=True, eq=False)
class ChosenValues:
    """Noisy numbers of rows, and the chosen places: a row of them for each group."""

    axes: tuple[Column, ...]
    chosen: Chosen

    @property
    def details(self) -> dict[str, Any]:
        """What the mechanism gave, group by group."""
        return {"noisy_rows": self.chosen.rows.tolist(), "places": self.chosen.places.ravel().tolist()}

    def located(self) -> tuple[Integers, NDArray[np.float64]]:
        """The cell of every place, and how far into it the place is."""
        parts = parts_of(self.axes[-1])
        places = self.chosen.places.ravel()
        cells = np.searchsorted(np.cumsum(parts), places, side="right").astype(np.int64)
        return cells, (places - (np.cumsum(parts) - parts)[cells] + 0.5) / parts[cells]


@dataclass(frozen=True, slots=True)
class ChosenQuantiles(QuantileQuery):
    """Quantiles chosen by the exponential mechanism, and a noisy number of rows for each group.

    A value is less likely to be chosen the more ranks it is off. Most accurate for few ranks and fine columns. There
    are no confidence intervals for the values; the release says by how many ranks a value may be off. `of`, `at`, `by`
    and `per_person` are as in `Quantiles`.

    >>> release = curator.release(ChosenQuantiles(of="age", at=0.5), Exponential(1.0))
    >>> list(release.columns())
    ['quantile', 'value', 'rank_error_95', 'rows', 'note']
    """

    answers: ClassVar[Shape] = "ordered"

    def check(self, contract: Contract) -> None:
        """Refuse columns without an order, a missing rank, and too many cells."""
        QuantileQuery.check(self, contract)
        if not self.at:
            raise DeclarationError("The exponential mechanism needs ranks; a distribution function is made of counts.")
        if contract.column(self.of).regular > MOST_CELLS:
            raise DeclarationError(f"Quantiles are chosen among at most {MOST_CELLS:,} cells; declare fewer.")

    def cells(self, contract: Contract) -> int:
        """One number for each rank, and the number of rows, of every group."""
        return self.groups(contract) * (len(self.at) + 1)

    def answer(self, records: RankedCells) -> Ordered:
        """Exact counts of the regular cells, group by group."""
        column = records.contract.column(self.of)
        return Ordered(self.counted(records)[:, : column.regular], parts_of(column), shares(self.at))

    def value(self, contract: Contract, noisy: Chosen) -> ChosenValues:
        """The chosen places on their axes."""
        return ChosenValues(self.axes(contract), noisy)

    def frame(self, value: ChosenValues, noise: Calibrated) -> dict[str, NDArray[Any]]:
        """A row for each group and rank: the value, the ranks it may miss, and the noisy number of rows."""
        mechanism: Any = noise.mechanism
        cells, inside = value.located()
        rows, each = value.chosen.rows, len(self.at)
        missed = rank_error(noise, self.at, int(parts_of(value.axes[-1]).sum()), 0.95)
        numbers = {
            "quantile": np.tile(np.array(self.at), len(rows)),
            "value": values(value.axes[-1], cells, inside),
            "rank_error_95": np.full(len(cells), missed),
            "rows": np.repeat(rows, each),
            "note": np.repeat(few(rows, mechanism.rows_scale(noise.sensitivity)), each),
        }
        return group_labels(value.axes[:-1], each, numbers) | numbers
