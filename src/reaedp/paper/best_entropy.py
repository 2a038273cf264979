"""The project's own private entropy of a histogram, run many times over public counts."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Routed
from reaedp.contract import Category, Contract
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import Noise
from reaedp.privacy.budget import Budget
from reaedp.privacy.unit import Change, Unit
from reaedp.statistics.entropy.entropies import shannon_entropy
from reaedp.statistics.entropy.entropy import Entropy
from reaedp.statistics.entropy.noisy_entropy import entropies_from_counts
from reaedp.statistics.entropy.routes import Route, RouteName, best_route

Floats = NDArray[np.float64]

CHANGES: tuple[Change, ...] = ("add-remove", "replace")
_COLUMN = ("bin",)


def contract(cells: int, rows: int, change: Change) -> Contract:
    """A column with this many cells, the last two of which are those of missing and of unseen values."""
    column = Category(name="bin", levels=tuple(map(str, range(cells - 2))), provenance="public")
    unit = Unit(change, at_least=rows)
    return Contract(dataset="public", unit=unit, budget=Budget(10, 1e-6), ledger="none", columns=(column,))


def best_entropies(counts: Integers, change: Change, epsilon: float, runs: int, noise: Noise) -> Floats:
    """Bits released in each run by the best route that public facts allow."""
    terms = contract(len(counts), int(counts.sum()), change)
    route = best_route(terms, _COLUMN, epsilon)
    released = _ROUTES[route.name](counts, terms, route, runs, noise)
    return released.clip(0.0, math.log2(len(counts)))


def _direct(counts: Integers, terms: Contract, route: Route, runs: int, noise: Noise) -> Floats:
    calibrated = Calibrated(route.mechanism, route.statistic.sensitivity(terms))
    points: Integers = calibrated.apply(np.full(runs, _point(counts, terms)), noise)
    return np.multiply(points, Entropy(_COLUMN).step(terms), dtype=np.float64)


def _histogram(counts: Integers, terms: Contract, route: Route, runs: int, noise: Noise) -> Floats:
    calibrated = Calibrated(route.mechanism, route.statistic.sensitivity(terms))
    tables = calibrated.apply(np.tile(counts, (runs, 1)), noise)
    return entropies_from_counts(tables, calibrated, at_least=terms.unit.at_least).value


def _two_stage(counts: Integers, terms: Contract, route: Route, runs: int, noise: Noise) -> Floats:
    """Each run looks first, and then goes one way or the other."""
    statistic: Any = route.statistic
    mechanism: Any = route.mechanism
    calibrated = Calibrated(mechanism, statistic.sensitivity(terms))
    exact = Routed(np.array([statistic.look(terms, counts)]), np.array([_point(counts, terms)]), counts)
    answers: list[Routed] = [calibrated.apply(exact, noise) for _ in range(runs)]
    points = np.array([answer.number.item() for answer in answers if answer.number is not None])
    tables = [answer.counts for answer in answers if answer.counts is not None]
    found = [points * Entropy(_COLUMN).step(terms)]
    if tables:
        of_counts = mechanism.counts(calibrated.sensitivity)
        found.append(entropies_from_counts(np.array(tables), of_counts, at_least=terms.unit.at_least).value)
    return np.concatenate(found)


def _point(counts: Integers, terms: Contract) -> int:
    return int(Entropy(_COLUMN).lattice(terms).rounded(np.array([shannon_entropy(counts)])).item())


_ROUTES: dict[RouteName, Callable[[Integers, Contract, Route, int, Noise], Floats]] = {
    "direct": _direct,
    "histogram": _histogram,
    "two-stage": _two_stage,
}
