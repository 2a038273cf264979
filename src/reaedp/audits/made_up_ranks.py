"""Made-up rows whose ranks one unit turns: neighbours for quantiles, whether counted or chosen."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from reaedp.audits.made_up import Placement
from reaedp.contract import Contract
from reaedp.mechanisms.exponential import steps
from reaedp.statistics.quantiles.chosen_quantiles import ChosenQuantiles
from reaedp.statistics.quantiles.quantiles import Quantiles
from reaedp.statistics.quantiles.ranks import shares

#: The rank turns at this part of the way through the cells: the rarer side then shows most in a few thousand runs.
TURN = 6


class RanksApart(NamedTuple):
    """In words, and as rows: everyone else, and the unit before and after."""

    label: str
    others: Placement
    before: Placement
    after: Placement


def ranks_apart(statistic: Quantiles | ChosenQuantiles, contract: Contract, shared: int) -> Iterator[RanksApart]:
    """The unit at one end, so that the rank first chosen moves past a few rows; or in another group.

    Between these rows and either end all places have one score. The unit's rows lower it on one side of them and raise
    it on the other, as far as any rows can.
    """
    columns, rows = contract.select(statistic.columns), 1 if statistic.per_person else contract.unit.rows
    last, share = columns[-1].regular - 1, _first_share(statistic)
    lower, turning, upper = _crowds(share, rows, shared, replaced=contract.unit.change == "replace")

    def at(place: int, count: int, group: int = 0) -> Placement:
        cells = [min(group, column.size - 1) for column in columns[:-1]]
        return Placement(np.array([[*cells, place]], dtype=np.int32), np.array([count], dtype=np.int64))

    others = at(0, lower) + at(min(max(1, last // TURN), last), turning) + at(last, upper)
    ends = (0, last) if share >= Fraction(1, 2) else (last, 0)
    before, after = (at(end, rows) for end in ends)
    yield RanksApart("all its rows at one end", others, before, after)
    if statistic.by:
        away = at(ends[1], rows, group=max(column.size for column in columns[:-1]))
        yield RanksApart("all its rows in another group", others, before, away)


def _first_share(statistic: Quantiles | ChosenQuantiles) -> Fraction:
    """The share of rows below the rank that is chosen first."""
    return steps(shares(statistic.at))[0][0].share if statistic.at else Fraction(1, 2)


def _crowds(share: Fraction, rows: int, shared: int, *, replaced: bool) -> tuple[int, int, int]:
    """Rows of everyone else at the lower end, at the turn and at the upper end.

    Before, both sides miss the rank by what the unit moves them or more; so the unit can bring one of them nearer.
    """
    moved = Fraction(rows) if replaced else max(share, 1 - share) * rows
    own = rows if replaced else 0
    rank, below = share * (shared + own), own if share >= Fraction(1, 2) else 0
    lower = min(max(math.floor(rank - moved) - below, 0), shared)
    turning = min(math.ceil(rank + moved) - below - lower, shared - lower)
    return lower, turning, shared - turning - lower
