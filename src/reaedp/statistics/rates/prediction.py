"""How far rates will be off, from public facts alone: noise, bounds, and how many rows are promised."""

from typing import NamedTuple

import numpy as np

from reaedp.contract import Contract
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.rates.flag import Flag
from reaedp.statistics.rates.paired import Paired
from reaedp.statistics.rates.rates import Rates
from reaedp.statistics.summary.prediction import appearing_rows, expected_rows, reached

#: Rates among which the one with the largest error is looked for.
TRIED = np.linspace(0.0, 1.0, 33)


class ExpectedRates(NamedTuple):
    """Errors at one confidence: of a count, and of the rate of a group of so many rows, and where it is that large."""

    rows: float
    promised: bool
    counts: float
    rate: float
    where: str


def expected_rates(statistic: Rates, contract: Contract, noise: Calibrated, confidence: float = 0.95) -> ExpectedRates:
    """For groups of equal size, of all rows that are promised, or as small as a group can be that appears.

    Ratios are those of two columns that are at half their bounds.
    """
    parts = statistic.shared(contract)
    rows, promised = expected_rows(statistic.grouping, statistic.columns, contract)
    rows = max(rows, appearing_rows(noise))
    whole = parts.weights(**{name: 1.0 for name in parts.names if name not in parts.missing})
    counts = float(reached(parts, noise, whole, confidence))
    if isinstance(parts, Flag):
        return ExpectedRates(rows, promised, counts, share_error(parts, noise, rows, confidence), "at most")
    above, below = parts.corner_values()
    off = float(reached(parts, noise, above - below, confidence))
    error = parts.scale * 2 * off / rows
    return ExpectedRates(rows, promised, counts, error, f"of {parts.scale:.4g}, {_half(parts)}")


def _half(parts: Paired) -> str:
    return f"if {parts.above.name} and {parts.per.name} are at half of their upper bounds on average"


def share_error(parts: Flag, noise: Calibrated, rows: float, confidence: float) -> float:
    """How far the share of rows that say yes is off, whatever it is; 1 at most."""
    yes, both = parts.weights(yes=1.0), parts.weights(yes=1.0, no=1.0)
    farthest = float(reached(parts, noise, yes - TRIED[:, None] * both, confidence).max())
    left = rows - float(reached(parts, noise, both, confidence))
    return 1.0 if left <= farthest else farthest / left
