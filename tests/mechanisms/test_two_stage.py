import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from reaedp import Budget, Contract, Integer, RoutedEntropy, TwoStage, Unit
from reaedp.answer import Routed
from reaedp.errors import DeclarationError
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.loss import PureDP, exact
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.entropy.entropies import shannon_entropy
from reaedp.statistics.entropy.entropy import Entropy

X = Integer(name="x", lower=0, upper=0, provenance="public")  # one number and three cells for troubles
STATISTIC = RoutedEntropy(("x",))


def contract(unit: Unit) -> Contract:
    return Contract(dataset="d", unit=unit, budget=Budget(9, 1e-6), ledger="unused", columns=(X,))


def exact_answer(terms: Contract, counts: tuple[int, ...]) -> Routed:
    table = np.array(counts)
    point = Entropy(("x",)).lattice(terms).rounded(np.array([shannon_entropy(table)]))
    return Routed(np.array([STATISTIC.look(terms, table)]), point, table)


def neighbours(counts: tuple[int, ...], change: str) -> list[tuple[int, ...]]:
    added = [tuple(np.add(counts, row)) for row in np.eye(len(counts), dtype=int)]
    if change == "add-remove":
        return added
    return [tuple(np.subtract(more, row)) for more in added for row in np.eye(len(counts), dtype=int)]


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("change", ["add-remove", "replace"])
@pytest.mark.parametrize("at_least", [2, 4])
def test_either_way_costs_at_most_epsilon_between_all_neighbours_in_exact_arithmetic(
    change: str, at_least: int
) -> None:
    """Discrete Laplace noise shows a distance d at scale s with a log-ratio of d / s; losses of the stages add up."""
    terms, mechanism = contract(Unit(change, at_least=at_least)), TwoStage(0.7, 0.1, 3)  # type: ignore[arg-type]
    sensitivity = STATISTIC.sensitivity(terms)
    scales = [Fraction(part(sensitivity).scale) for part in (mechanism.look, mechanism.number, mechanism.counts)]
    worst = [Fraction(0), Fraction(0)]
    for counts in product(range(4), repeat=X.size):
        if sum(counts) < at_least:
            continue
        here = exact_answer(terms, counts)
        for other in neighbours(counts, change):
            if min(other) >= 0:
                there = exact_answer(terms, other)
                distances = [int(np.abs(a - b).sum()) for a, b in zip(here, there, strict=True)]
                look, number, cells = (distance / scale for distance, scale in zip(distances, scales, strict=True))
                worst = [max(worst[0], look + number), max(worst[1], look + cells)]
    assert max(worst) <= exact(0.7)
    # Counts use up all of ε; the entropy's rounding leaves a little.
    assert worst[1] > exact(0.7) * Fraction(999, 1000)
    assert (PureDP(0.7),) == mechanism.price(sensitivity)


@pytest.mark.parametrize(("epsilon", "first"), [(0.3, 0.1), (1.0, 1e-9), (0.7, 0.005 * 0.7), (5.0, 0.025)])
def test_both_stages_together_never_exceed_epsilon_in_exact_decimals(epsilon: float, first: float) -> None:
    rest = TwoStage(epsilon, first, 0).rest
    assert exact(first) + exact(rest) <= exact(epsilon)
    assert exact(first) + exact(rest) > exact(epsilon) * (1 - Fraction(1, 10**15))


def test_the_noisy_look_decides_as_often_as_its_law_says() -> None:
    mechanism, sensitivity = TwoStage(1.0, 0.2, 10), Sensitivity(l1=1002, l2_squared=10**6 + 2, linf=1000)
    noise, repetitions = SeededNoise(np.random.default_rng(1)), 5000
    exact_one = Routed(np.array([8]), np.array([123]), np.array([5, 3]))
    answers = [mechanism.apply(exact_one, sensitivity, noise) for _ in range(repetitions)]
    assert all((answer.number is None) != (answer.counts is None) for answer in answers)
    assert all((answer.look.item() < 10) == (answer.counts is None) for answer in answers)
    # Two more than 8 at scale 5: q² / (1 + q) with q = exp(-1/5); five standard deviations around it.
    expected = math.exp(-2 / 5) / (1 + math.exp(-1 / 5))
    share = np.mean([answer.counts is not None for answer in answers])
    assert abs(share - expected) < 5 * math.sqrt(expected * (1 - expected) / repetitions)
    spread = np.std([answer.counts[0] for answer in answers if answer.counts is not None])
    # Scale 1 / 0.8 has a standard deviation of 1.72; about 1,800 draws give it within 2.6 % (one sigma).
    assert 1.49 < spread < 1.95


@pytest.mark.parametrize(
    ("epsilon", "first", "threshold"), [(1.0, 1.0, 5), (1.0, 0.0, 5), (0.0, 0.1, 5), (1.0, 0.1, 2.5)]
)
def test_parameters_that_mean_nothing_are_refused(epsilon: float, first: float, threshold: float) -> None:
    with pytest.raises(DeclarationError):
        TwoStage(epsilon, first, threshold)  # type: ignore[arg-type]
