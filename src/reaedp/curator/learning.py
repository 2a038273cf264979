"""Learning what is not public, for a price: bounds of a number, levels of a category."""

from dataclasses import replace

import numpy as np

from reaedp.contract import Contract, Number
from reaedp.contract.category import Undeclared
from reaedp.curator.curator import Curator
from reaedp.engines.data import Data, Engine
from reaedp.errors import ReaedpError
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.threshold import Threshold
from reaedp.release.release import Release
from reaedp.statistics.levels import Levels
from reaedp.statistics.marginal import Marginal

#: 1, 2, 5, 10, 20, … on both sides of zero: fixed before any data is seen, and round numbers for people.
_STEPS = [digit * 10.0**power for power in range(-6, 13) for digit in (1, 2, 5)]
LADDER = tuple([-step for step in reversed(_STEPS)] + [0.0] + _STEPS)


def learn_bounds(
    contract: Contract, data: Data, column: str, epsilon: float, *, engine: Engine | None = None
) -> tuple[float, float, Release]:
    """Round numbers between which the values of a column lie, outliers aside.

    Noisy counts on a fixed ladder of bins; the bounds are the ends of the bins whose counts exceed what noise alone
    reaches in one of twenty ladders.

    >>> lower, upper, release = learn_bounds(contract, "data.csv", "age", 1.0)
    >>> lower <= 0.0, 100.0 <= upper
    (True, True)
    """
    ladder = Number(name=column, edges=LADDER, provenance="public")
    curator = Curator(replace(contract, columns=(ladder,)), data, engine=engine)
    release = curator.release(Marginal(column), Laplace(epsilon), name=column)
    counts = release.counts.values[: len(LADDER) - 1].astype(np.int64)
    full = np.flatnonzero(counts > release.noise.error_quantile(0.95, cells=len(counts)))
    if not full.size:
        raise ReaedpError(
            f"ε = {epsilon:g} was too little to find bounds of {column!r}: no bin stood out from the noise."
            " The charge stands. Spend more, or declare public bounds."
        )
    return LADDER[full[0]], LADDER[full[-1] + 1], release


def learn_levels(
    contract: Contract, data: Data, column: str, epsilon: float, delta: float, *, engine: Engine | None = None
) -> tuple[tuple[str, ...], Release]:
    """The texts of a column that occur often enough, in alphabetical order.

    >>> levels, release = learn_levels(contract, "data.csv", "sex", 1.0, 1e-7)
    >>> levels
    ('f', 'm')
    """
    text = Undeclared(name=column, provenance="public")
    curator = Curator(replace(contract, columns=(text,)), data, engine=engine)
    release = curator.release(Levels(column), Threshold(epsilon, delta), name=column)
    levels = tuple(sorted(release.value))
    if not levels:
        raise ReaedpError(
            f"No level of {column!r} occurs often enough to be shown at ε = {epsilon:g}, δ = {delta:g}."
            " The charge stands. Spend more, or declare public levels."
        )
    return levels, release
