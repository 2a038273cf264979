"""Which way to a mutual information is better, from public facts: noise on it, or on the counts of both sides.

The error by counts depends on the counts, which are not known. It is measured on made-up tables whose sides tell each
other from nothing to all they can, with fixed draws of the noise.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Contract
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.entropy.entropies import mutual_information
from reaedp.statistics.entropy.entropy import MutualInformation, named, public_rows, refuse_dropped_rows
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy.noisy_information import information_of
from reaedp.statistics.entropy.prediction import MOST_CELLS, draws_of
from reaedp.statistics.entropy.routes import SMALLEST_ERROR, Route
from reaedp.statistics.marginal import Marginal
from reaedp.table import domain_size

#: Shares of rows in which one side settles the other, in the made-up tables.
DEPENDENCES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
_DRAWS, _LEAST_ERROR = 15, 1e-3


class InformationErrors(NamedTuple):
    """Mean absolute errors in bits: directly, and by the histogram for each example."""

    direct: float
    histogram: NDArray[np.float64]


def information_examples(rows: int, sizes: tuple[int, int]) -> list[Integers]:
    """Tables with even sides, in which a share of the rows lies on a diagonal and the others anywhere."""
    first, second = np.indices(sizes)
    diagonal = (first * sizes[1] // sizes[0] == second) | (second * sizes[0] // sizes[1] == first)
    tables = [share * diagonal / diagonal.sum() + (1 - share) / diagonal.size for share in DEPENDENCES]
    return [_rounded(table, rows) for table in tables]


def _rounded(shares: NDArray[np.float64], rows: int) -> Integers:
    below = np.rint(np.cumsum(shares.ravel()) * rows)
    return np.diff(below, prepend=0.0).astype(np.int64).reshape(shares.shape)


def information_errors(contract: Contract, statistic: MutualInformation, epsilon: float) -> InformationErrors:
    """Both routes at this price, with as many rows as there are at least."""
    statistic.check(contract)
    rows, counts = public_rows(contract.unit), Marginal(*statistic.columns)
    assert rows is not None
    sensitivity, step = statistic.sensitivity(contract), statistic.step(contract)
    direct = max(Calibrated(Laplace(epsilon), sensitivity).mean_error * step, SMALLEST_ERROR)
    noise = Calibrated(Laplace(epsilon), counts.sensitivity(contract))
    first, second = (domain_size(contract.select(side)) for side in statistic.sides)
    return InformationErrors(direct, np.maximum(_errors_by_counts(noise, rows, (first, second)), direct * _LEAST_ERROR))


@lru_cache(maxsize=8)
def _errors_by_counts(noise: Calibrated, rows: int, sizes: tuple[int, int]) -> NDArray[np.float64]:
    """The mean absolute error of the information of each example with this noise on its counts."""
    draws = draws_of(noise, math.prod(sizes), _DRAWS).reshape(_DRAWS, *sizes)
    errors = []
    for table in information_examples(rows, sizes):
        found = [float(information_of(table + drawn, noise, at_least=rows).value) for drawn in draws]
        errors.append(float(np.abs(np.array(found) - mutual_information(table)).mean()))
    return np.array(errors)


def best_information_route(
    contract: Contract, first: str | Sequence[str], second: str | Sequence[str], epsilon: float
) -> Route:
    """The route to a mutual information with the smallest predicted error, averaged over example distributions.

    `first` and `second` name the columns of the two sides.

    >>> best_information_route(contract, "age", "sex", 1.0).name
    'histogram'
    """
    sides = named(first, "Mutual information"), named(second, "Mutual information")
    statistic, columns = MutualInformation(*sides), (*sides[0], *sides[1])
    refuse_dropped_rows(contract, columns)
    by_counts = EntropyHistogram.under(contract, columns, first=sides[0])
    if public_rows(contract.unit) is None:
        why = "The contract has no at_least, so noise on the information itself would swamp it."
        return Route("histogram", by_counts, Laplace(epsilon), why)
    if Marginal(*columns).cells(contract) > MOST_CELLS:
        why = "With this many cells, noise on the information itself is smaller."
        return Route("direct", statistic, Laplace(epsilon), why)
    direct, histogram = information_errors(contract, statistic, epsilon)
    if math.log(direct) <= float(np.log(histogram).mean()):
        return Route("direct", statistic, Laplace(epsilon), "Noise on the information is expected to be smaller.")
    return Route("histogram", by_counts, Laplace(epsilon), "Noise on the counts is expected to matter less.")
