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
    return _around(noisy, noise.error_quantile(confidence))


def simultaneous_intervals(noisy: Table, noise: Calibrated, confidence: float) -> Interval:
    """Ranges all of which together contain their true counts at least this often."""
    return _around(noisy, noise.error_quantile(confidence, cells=noisy.values.size))


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


def onto_simplex(values: Floats, total: float | Floats) -> Floats:
    """The nearest point with non-negative entries and this sum (Held, Wolfe and Crowder 1974), along the last axis."""
    wanted = np.asarray(total, dtype=np.float64)[..., None]
    descending = np.flip(np.sort(values, axis=-1), axis=-1)
    excess = (np.cumsum(descending, axis=-1) - wanted) / np.arange(1, values.shape[-1] + 1)
    positive = np.flip(descending >= excess, axis=-1)
    last = values.shape[-1] - 1 - np.argmax(positive, axis=-1, keepdims=True)
    shift = np.take_along_axis(excess, last, axis=-1)
    projected: Floats = np.where(wanted == 0, 0.0, np.maximum(values - shift, 0.0))
    return projected
