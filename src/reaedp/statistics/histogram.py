"""What may be derived from noisy counts: arithmetic on released numbers, which costs nothing."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.mechanisms.mechanism import Calibrated
from reaedp.table import Table

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """Lower and upper ends, cell by cell."""

    low: Table
    high: Table


def estimate(noisy: Table, total: float | None = None) -> Table:
    """The nearest table without negative numbers that has this total, by default its own.

    Cutting negative numbers off would add about half a noise scale to every empty cell; projecting onto the
    simplex spreads what the cut would add over all cells.
    """
    values = noisy.values.astype(np.float64).ravel()
    wanted = max(0.0, float(values.sum()) if total is None else total)
    return noisy.with_values(onto_simplex(values, wanted))


def proportions(noisy: Table, total: float | None = None) -> Table:
    """Shares of the estimated table."""
    return estimate(noisy, total).normalise()


def intervals(noisy: Table, noise: Calibrated, confidence: float) -> Interval:
    """Ranges each of which contains its true count at least this often."""
    return _around(noisy, noise.spread(confidence))


def simultaneous_intervals(noisy: Table, noise: Calibrated, confidence: float) -> Interval:
    """Ranges all of which together contain their true counts at least this often."""
    return _around(noisy, noise.spread(confidence, cells=noisy.values.size))


def views(noisy: Table, noise: Calibrated) -> dict[str, Table]:
    """Everything that a reader of a histogram may want, by the name it has in files."""
    single, joint = intervals(noisy, noise, 0.95), simultaneous_intervals(noisy, noise, 0.95)
    estimated = estimate(noisy)
    return {
        "count": noisy,
        "estimate": estimated,
        "share": estimated.normalise(),
        "low_95": single.low,
        "high_95": single.high,
        "all_low_95": joint.low,
        "all_high_95": joint.high,
    }


def _around(noisy: Table, distance: int) -> Interval:
    """True counts are never negative, so that cutting the range at zero loses no coverage."""
    values = noisy.values.astype(np.int64)
    return Interval(
        noisy.with_values(np.maximum(values - distance, 0)), noisy.with_values(np.maximum(values + distance, 0))
    )


def onto_simplex(values: Floats, total: float) -> Floats:
    """The nearest point with non-negative entries and this sum (Held, Wolfe and Crowder 1974)."""
    if total == 0:
        return np.zeros_like(values)
    descending = np.sort(values)[::-1]
    excess = (np.cumsum(descending) - total) / np.arange(1, len(values) + 1)
    shift = excess[np.flatnonzero(descending >= excess)[-1]]
    projected: Floats = np.maximum(values - shift, 0.0)
    return projected
