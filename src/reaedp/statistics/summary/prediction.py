"""How far means will be off, from public facts alone: bounds, noise, and how many rows are promised."""

from typing import NamedTuple

import numpy as np

from reaedp.contract import Contract
from reaedp.mechanisms.group_threshold import GroupThreshold
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.statistic import SharedOut
from reaedp.statistics.summary.inversion import GRID
from reaedp.statistics.summary.parts import Parts
from reaedp.statistics.summary.reach import Floats, reach
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
    counts = float(reached(parts[0], noise, parts[0].count, confidence))
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
    farthest = float(reached(parts, noise, weights, confidence).max())
    left = rows - float(reached(parts, noise, parts.count, confidence))
    return parts.bounds.width * (1.0 if left <= farthest else farthest / left)


def reached(parts: SharedOut, noise: Calibrated, weights: Floats, confidence: float) -> Floats:
    """How far the noise in weighted sums of parts goes, in rows."""
    found: Floats = reach(noise, parts.coordinates.weights(weights), confidence) / parts.steps
    return found
