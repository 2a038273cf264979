"""How far means will be off, from public facts alone: bounds, noise, and how many rows are promised."""

from typing import NamedTuple

import numpy as np

from reaedp.contract import Contract
from reaedp.mechanisms.group_threshold import GroupThreshold
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.summary.inversion import GRID
from reaedp.statistics.summary.parts import Parts
from reaedp.statistics.summary.reach import reach
from reaedp.statistics.summary.summary import Summary

#: Rows of a group where the contract promises none.
SOME_ROWS = 1_000


class ExpectedErrors(NamedTuple):
    """Errors at one confidence: of a count, and of each column's mean in a group of so many rows."""

    rows: float
    promised: bool
    counts: float
    means: dict[str, float]


def expected_errors(
    statistic: Summary, contract: Contract, noise: Calibrated, confidence: float = 0.95
) -> ExpectedErrors:
    """For groups of equal size, of all rows that are promised; or as small as a group can be that appears."""
    parts = statistic.parts(contract)
    rows, promised = expected_rows(statistic.by, statistic.columns, contract)
    rows = max(rows, appearing_rows(noise))
    counts = float(reach(noise, parts[0].count, confidence)) / parts[0].steps
    means = {one.column.name: mean_error(one, noise, rows, confidence) for one in parts}
    return ExpectedErrors(rows, promised, counts, means)


def expected_rows(by: tuple[str, ...], columns: tuple[str, ...], contract: Contract) -> tuple[float, bool]:
    """Rows of one of equal groups, and whether they are promised: none is where a column drops rows."""
    groups = int(np.prod([column.regular for column in contract.select(by)], dtype=np.int64))
    dropped = any(column.drops for column in contract.select(columns))
    if contract.unit.at_least is None or dropped:
        return float(SOME_ROWS), False
    return contract.unit.at_least / groups, True


def appearing_rows(noise: Calibrated) -> float:
    """Rows that a group needs to appear among those that are selected; none where all groups do."""
    mechanism = noise.mechanism
    return mechanism.shown_rows(noise.sensitivity) if isinstance(mechanism, GroupThreshold) else 0.0


def mean_error(parts: Parts, noise: Calibrated, rows: float, confidence: float) -> float:
    """How far a mean of so many rows is off, wherever in the range it lies; the range at most."""
    weights = parts.position - GRID[:, None] * parts.count
    farthest = float(reach(noise, weights, confidence).max()) / parts.steps
    left = rows - float(reach(noise, parts.count, confidence)) / parts.steps
    return parts.bounds.width * (1.0 if left <= farthest else farthest / left)
