"""Two neighbouring inputs, and ways to run a mechanism on either of them many times."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Outputs = NDArray[Any]
#: Runs a mechanism on some data so many times, independently: one row of the result for each run.
Mechanised = Callable[[Any, int], Outputs]
#: One number for each output, larger where the second of two neighbours is more likely.
Score = Callable[[Outputs], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two neighbouring inputs, `first` and `second`, which differ in one unit; findings refer to them by their `label`.

    >>> Pair(np.array([10]), np.array([11]), label="one row more").label
    'one row more'
    """

    first: Any
    second: Any
    label: str = "the given pair"


def one_at_a_time(release: Callable[[Any], Any]) -> Mechanised:
    """Turn a mechanism that answers once per call into one that answers many times, as `audit` needs it.

    `release` returns one output for one input.

    >>> many = one_at_a_time(lambda exact: exact + 1)
    >>> many(np.array([10]), 3).shape
    (3, 1)
    """

    def repeated(data: Any, runs: int) -> Outputs:
        return np.array([release(data) for _ in range(runs)])

    return repeated


def play(release: Mechanised, pair: Pair, runs: int, rng: np.random.Generator) -> tuple[Outputs, Outputs]:
    """Outputs of both worlds: a fair coin decides each run's world, so that the number of each is binomial."""
    second = int(rng.binomial(runs, 0.5))
    return np.asarray(release(pair.first, runs - second)), np.asarray(release(pair.second, second))
