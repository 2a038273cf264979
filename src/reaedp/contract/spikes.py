"""Spikes: common values of a column of numbers, each in a bin of its own."""

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import numpy as np

from reaedp.contract.number import Number
from reaedp.contract.steps import Steps


def decimal_step(values: Sequence[float]) -> float:
    """One unit of the last decimal place that any of the values has: 1 for 0, 40 and 7, and 0.01 for 0.5 and 1.25."""
    places = max(max(0, -int(Decimal(repr(float(value))).normalize().as_tuple().exponent)) for value in values)
    return 1.0 if places == 0 else float(Decimal(1).scaleb(-places))


def with_spikes(column: Number, values: Sequence[float], entry: int) -> Number:
    """The column on steps of the common values' decimal places, with a bin for each of them; `entry` paid for both.

    Other edges are moved up to the next step, so that every bin holds a value.

    >>> hours = Number(name="hours", lower=0, upper=80, bins=2, provenance="public")
    >>> with_spikes(hours, [0.0, 40.0], entry=3).edges
    (0.0, 1.0, 40.0, 41.0, 80.0)
    """
    old = column.boundaries
    step = column.step or decimal_step([*values, float(old[0])])
    steps = Steps(float(old[0]), step)
    alone = steps.nearest(np.array(sorted(values)))
    wanted = steps.values(np.unique(np.concatenate([steps.at_least(old[:-1]), alone, alone + 1])))
    inside = wanted[(wanted > old[0]) & (wanted < old[-1])].tolist()
    edges = tuple(float(edge) for edge in (old[0], *inside, old[-1]))
    assert all(low < high for low, high in pairwise(edges)) and math.isfinite(step)  # noqa: PT018
    return replace(column, lower=None, upper=None, bins=None, edges=edges, step=step, provenance="dp", entry=entry)
