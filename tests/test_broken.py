"""The checker that the implemented mechanism passes convicts every broken form on the same neighbours."""

import math

import numpy as np
import pytest

from broken import Case, Law, cases, stopped
from reaedp.errors import DeclarationError
from reaedp.mechanisms.acceptance import PrivacyTest, optimal
from reaedp.mechanisms.stopping import Stopping, guarantee
from reaedp.privacy.unit import Unit

CASES = cases()
every_case = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


def hockey_stick(first: Law, second: Law, epsilon: float) -> float:
    """The least δ for this ε in one direction."""
    return float(np.maximum(first - math.exp(epsilon) * second, 0).sum())


def true_delta(smaller: Law, larger: Law, epsilon: float) -> float:
    return max(hockey_stick(larger, smaller, epsilon), hockey_stick(smaller, larger, epsilon))


@every_case
def test_a_broken_form_is_convicted(case: Case) -> None:
    laws = [case.law(data) for data in (case.smaller, case.larger)]
    assert all(law.min() >= 0 and law.sum() <= 1 + 1e-9 for law in laws)
    assert true_delta(*laws, case.epsilon) > 100 * case.delta


@every_case
def test_a_fifth_more_epsilon_does_not_save_it(case: Case) -> None:
    laws = [case.law(data) for data in (case.smaller, case.larger)]
    assert true_delta(*laws, 1.2 * case.epsilon) > max(50 * case.delta, 5e-4)


@every_case
@pytest.mark.parametrize("known", [True, False])
def test_the_sound_form_passes_on_the_same_neighbours(case: Case, known: bool) -> None:
    size = int(case.smaller.sum())
    unit = Unit("add-remove", at_least=size if known and size else None)
    stopping, epsilon = Stopping(2.0**-10), max(case.epsilon, 0.5)
    test = optimal(epsilon, 1e-6 / stopping.odds, case.world.gamma, unit.at_least or 0)
    loss = guarantee(test, stopping, case.world.gamma, unit, epsilon)
    assert 0.99e-6 < loss.delta <= 1e-6
    laws = [stopped(case.world, test, stopping, data) for data in (case.smaller, case.larger)]
    # The laws are computed in doubles: errors of 1e-15.
    assert true_delta(*laws, loss.epsilon) <= loss.delta + 1e-14


def test_a_test_without_noise_gets_no_guarantee() -> None:
    with pytest.raises(DeclarationError):
        guarantee(PrivacyTest((0,) * 30), Stopping(0.01), 2.0, Unit("add-remove", at_least=69), 1.0)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tries_until_one_passes", 1 / 21),
        ("tries_until_a_rare_one_passes", 0.49),
        ("never_answers_without_seeds", 1.0),
        ("tries_once_and_shows_nothing", 1 / 1001),
    ],
)
def test_the_true_delta_is_the_known_one(name: str, expected: float) -> None:
    case = next(case for case in CASES if case.name == name)
    laws = [case.law(data) for data in (case.smaller, case.larger)]
    assert expected == pytest.approx(true_delta(*laws, case.epsilon), rel=0.01)
