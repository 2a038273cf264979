"""Which way to an entropy is better, from public facts: noise on the entropy itself, or on the counts.

Noise on the entropy has the same size whatever the data. Noise on the counts hurts little when all cells are about
equally full, and much when many are empty. Where that matters and a first look can tell, a part of ε is kept for it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Contract
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated, Mechanism
from reaedp.mechanisms.two_stage import TwoStage
from reaedp.statistics.entropy.entropy import Entropy, named, public_rows, refuse_dropped_rows
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy.prediction import example_entropies, examples, histogram_errors
from reaedp.statistics.entropy.routed_entropy import RoutedEntropy
from reaedp.statistics.marginal import Marginal
from reaedp.statistics.statistic import Statistic

Floats = NDArray[np.float64]
RouteName = Literal["direct", "histogram", "two-stage"]

#: An error in bits that has a logarithm; enormous prices leave none.
SMALLEST_ERROR = 1e-300
#: Shares of ε that the look may take.
SHARES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.14)


class PredictedErrors(NamedTuple):
    """Mean absolute errors in bits: directly, and by the histogram for each example with its entropy."""

    direct: float
    histogram: Floats
    entropies: Floats

    @property
    def border(self) -> float | None:
        """The least entropy from which on the histogram is better."""
        worse = np.flatnonzero(self.histogram >= self.direct)
        first = worse[-1] + 1 if worse.size else 0
        return float(self.entropies[first]) if first < len(self.entropies) else None


@dataclass(frozen=True, slots=True)
class Route:
    """What to release in order to learn an entropy, and why."""

    name: RouteName
    statistic: Statistic
    mechanism: Mechanism
    why: str


def predicted_errors(
    contract: Contract, columns: tuple[str, ...], epsilon: float, order: float = 1.0
) -> PredictedErrors:
    """Both routes at this price, with as many rows as there are at least."""
    entropy, counts, rows = Entropy(columns, (order,)), Marginal(*columns), public_rows(contract.unit)
    entropy.check(contract)
    assert rows is not None
    error = Calibrated(Laplace(epsilon), entropy.sensitivity(contract)).mean_error * entropy.step(contract)
    direct = max(error, SMALLEST_ERROR)
    noise, cells = Calibrated(Laplace(epsilon), counts.sensitivity(contract)), counts.cells(contract)
    # Where no draw is off, one that was not made would be: an error of zero is a small error.
    histogram = np.maximum(histogram_errors(noise, rows, cells, order).mean(axis=1), direct * 1e-3)
    return PredictedErrors(direct, histogram, example_entropies(rows, cells, order))


def best_route(contract: Contract, columns: str | Sequence[str], epsilon: float, order: float = 1.0) -> Route:
    """The route to an entropy with the smallest predicted error, averaged over example distributions.

    `order` 1 is Shannon entropy, others are Rényi entropies.

    >>> best_route(contract, ("age",), 1.0).name, best_route(contract, ("age",), 1.0, order=2).name
    ('two-stage', 'direct')
    """
    columns = named(columns, "An entropy")
    refuse_dropped_rows(contract, columns)
    rows, cells = public_rows(contract.unit), Marginal(*columns).cells(contract)
    if rows is None:
        why = "The contract has no at_least, so noise on the entropy itself would swamp it."
        return Route("histogram", EntropyHistogram.under(contract, columns, orders=(order,)), Laplace(epsilon), why)
    predicted = predicted_errors(contract, columns, epsilon, order)
    direct, histogram = math.log(predicted.direct), float(np.log(predicted.histogram).mean())
    looks = RoutedEntropy(columns, order).look(contract, examples(rows, cells)[0]).astype(np.float64)
    noise = Laplace(epsilon).scale(Marginal(*columns).sensitivity(contract))
    score, share, threshold = min(_plans(predicted, looks, noise))
    if score < min(direct, histogram):
        mechanism = TwoStage(epsilon, epsilon * share, threshold)
        why = f"{100 * share:.2g} % of ε for a look at how evenly rows fall into cells decides between the two routes."
        return Route("two-stage", RoutedEntropy(columns, order), mechanism, why)
    if direct <= histogram:
        why = "Noise on the entropy is expected to be smaller."
        return Route("direct", Entropy(columns, (order,)), Laplace(epsilon), why)
    return Route(
        "histogram",
        EntropyHistogram.under(contract, columns, orders=(order,)),
        Laplace(epsilon),
        "Noise on the counts is expected to matter less.",
    )


def _plans(predicted: PredictedErrors, looks: Floats, noise: float) -> list[tuple[float, float, int]]:
    """For each share of ε and each threshold between two examples: mean log error, share, threshold."""
    distinct = np.unique(looks)
    thresholds = np.ceil((distinct[1:] + distinct[:-1]) / 2) if len(distinct) > 1 else distinct
    return [
        (_mean_log_error(predicted, (threshold - looks) * share / noise, share), share, int(threshold))
        for share in SHARES
        for threshold in thresholds
    ]


def _mean_log_error(predicted: PredictedErrors, distance: Floats, share: float) -> float:
    """Laplace noise on the look decides; errors grow as one over what is left of ε."""
    tail = 0.5 * np.exp(-np.abs(distance))
    direct = np.where(distance < 0, tail, 1 - tail)
    mixed = direct * predicted.direct + (1 - direct) * predicted.histogram
    return float(np.log(mixed / (1 - share)).mean())
