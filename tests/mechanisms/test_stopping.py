import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from reaedp.errors import DeclarationError
from reaedp.mechanisms.acceptance import PrivacyTest, optimal
from reaedp.mechanisms.record_plan import TAUS, each_record, fitting_plan, plan_records, records_bought
from reaedp.mechanisms.stopping import Stopping, guarantee, row_loss
from reaedp.privacy.accounting import epsilon as composed
from reaedp.privacy.loss import ApproxDP, exact
from reaedp.privacy.unit import Unit

KNOWN = Unit("add-remove", at_least=1000)
STOPPING = Stopping(1e-3)
TEST = optimal(1.0, Fraction(1e-6) / STOPPING.odds, 2.0, 1000)


def plausible(*counts: int) -> np.ndarray:
    return np.array(counts, dtype=np.int64)


@pytest.mark.parametrize("tau", [0.5, 0.1, 1e-3, 1e-9])
def test_stops_happen_for_exactly_the_words_below_tau(tau: float) -> None:
    stopping = Stopping(tau)
    words = np.array([0, stopping.units - 1, stopping.units, 2**64 - 1], dtype=np.uint64)
    assert [True, True, False, False] == stopping.stops(words).tolist()
    assert 0 <= Fraction(tau) - 1 / (1 + stopping.odds) < Fraction(1, 2**64)


@pytest.mark.parametrize("tau", [0.5, 0.1, 1e-3])
@pytest.mark.parametrize("records", [1, 2, 10, 1000, 100_000])
def test_the_planned_rounds_are_enough_but_once_in_a_billion_billion(tau: float, records: int) -> None:
    assert binom.logcdf(records - 1, Stopping(tau).rounds(records), tau) < -18 * math.log(10)


def test_many_records_take_few_rounds_more_than_their_mean() -> None:
    assert Stopping(0.01).rounds(100_000) < 1.04 * 100_000 / 0.01


@pytest.mark.parametrize("tau", [0.0, 1.0, -0.1, 1e-13, math.nan])
def test_a_chance_that_never_or_always_stops_is_refused(tau: float) -> None:
    with pytest.raises(DeclarationError):
        Stopping(tau)


def test_with_a_known_size_one_row_costs_epsilon_and_what_one_trial_adds_over_tau() -> None:
    loss = guarantee(TEST, STOPPING, 2.0, KNOWN, 1.0)
    added = TEST.excess(1.0, 2.0, 1000) * STOPPING.odds
    assert 1.0 == loss.epsilon
    assert added / (1 + added) <= exact(loss.delta)
    assert float(added / (1 + added)) == pytest.approx(loss.delta, rel=1e-15)
    assert 0 == row_loss(TEST, STOPPING, 2.0, 1000, 1.0).removed


def test_more_rows_never_cost_more() -> None:
    deltas = [guarantee(TEST, STOPPING, 2.0, Unit("add-remove", at_least=n), 1.0).delta for n in (5, 50, 500, 5000)]
    assert deltas == sorted(deltas, reverse=True)
    assert guarantee(TEST, STOPPING, 2.0, Unit("add-remove"), 1.0).delta >= deltas[0]


def test_replacing_costs_twice_epsilon_and_no_more_delta() -> None:
    loss = guarantee(TEST, STOPPING, 2.0, Unit("replace", at_least=1001), 1.0)
    assert ApproxDP(2.0, guarantee(TEST, STOPPING, 2.0, KNOWN, 1.0).delta) == loss


def test_rows_of_one_person_add_up_as_a_chain_of_single_rows() -> None:
    one = guarantee(TEST, STOPPING, 2.0, KNOWN, 1.0)
    three = guarantee(TEST, STOPPING, 2.0, Unit("add-remove", person="p", max_rows=3, at_least=1000), 1.0)
    assert 3.0 == three.epsilon
    assert one.delta * (1 + math.e + math.e**2) == pytest.approx(three.delta, rel=1e-10)
    exchanged = guarantee(TEST, STOPPING, 2.0, Unit("replace", person="p", max_rows=3, at_least=1001), 1.0)
    assert ApproxDP(6.0, three.delta) == exchanged


def test_without_a_known_size_small_data_sets_must_hardly_ever_answer() -> None:
    """At ε = 0.1 sizes up to ten could be told apart by how often they answer."""
    test = optimal(0.1, Fraction(1e-9), 2.0, 0)
    loss = row_loss(test, STOPPING, 2.0, 0, 0.1)
    answering = STOPPING.odds * test.chance(9)
    assert answering / (1 + answering) == loss.removed
    assert loss.removed > loss.added


def test_an_epsilon_too_small_for_the_size_is_refused() -> None:
    eager = PrivacyTest((0, 2**62, 2**63))
    for unit in (Unit("add-remove"), Unit("add-remove", at_least=5), Unit("replace", at_least=5)):
        with pytest.raises(DeclarationError):
            guarantee(eager, STOPPING, 2.0, unit, 0.01)


@pytest.mark.parametrize(
    ("records", "epsilon", "half"), [(1, 1.0, 14), (10, 0.1, 165), (100, 0.0232, 819), (1000, 0.00726, 2973)]
)
def test_a_budget_shared_among_records_needs_the_known_counts(records: int, epsilon: float, half: int) -> None:
    """(1, 1e-6) in all, 100,000 rows, probabilities within a factor of two, one stop in a thousand."""
    unit = Unit("add-remove", at_least=100_000)
    plan = plan_records(1.0, 1e-6, records, unit=unit, gamma=2.0, plausible=plausible(100), taus=(1e-3,))
    assert epsilon == pytest.approx(plan.each.epsilon, rel=5e-3)
    assert half == plan.test.half
    assert composed({plan.each: records}, 1e-6) <= 1.0


@pytest.mark.parametrize("records", [1, 7, 300])
def test_records_use_up_the_budget_and_never_more(records: int) -> None:
    each = each_record(0.8, 1e-7, records)
    assert 0.8 * (1 - 1e-4) < composed({each: records}, 1e-7) <= 0.8


UNITS_OF_PRIVACY = [
    Unit("add-remove"),
    Unit("add-remove", at_least=40),
    Unit("add-remove", at_least=10_000),
    Unit("replace", at_least=10_000),
    Unit("add-remove", person="p", max_rows=3, at_least=10_000),
    Unit("replace", person="p", max_rows=2),
]


@pytest.mark.parametrize("unit", UNITS_OF_PRIVACY, ids=repr)
def test_every_plan_keeps_within_the_loss_of_each_record(unit: Unit) -> None:
    each = each_record(2.0, 1e-6, 5)
    plan = plan_records(2.0, 1e-6, 5, unit=unit, gamma=2.0, plausible=plausible(50, 500), taus=TAUS[:8])
    assert guarantee(plan.test, plan.stopping, 2.0, unit, plan.epsilon) == plan.each
    assert plan.each.epsilon <= each.epsilon
    assert plan.each.delta <= each.delta
    assert plan.each.delta > 0.99 * each.delta


def test_a_plan_takes_the_quickest_stopping_that_answers_nearly_as_much_as_any() -> None:
    guess = plausible(100, 400, 900)
    given = {"unit": Unit("add-remove", at_least=10_000), "gamma": 1.0, "plausible": guess}
    plan = plan_records(1.0, 1e-6, 50, **given)
    others = {tau: plan_records(1.0, 1e-6, 50, **given, taus=(tau,)).answered(guess) for tau in TAUS}
    assert others[plan.stopping.tau] >= 0.99 * max(others.values())
    assert all(share < 0.99 * max(others.values()) for tau, share in others.items() if tau > plan.stopping.tau)


def test_answers_and_nothing_are_what_stopping_makes_of_the_tests() -> None:
    plan = plan_records(1.0, 1e-6, 1, unit=KNOWN, gamma=2.0, plausible=plausible(19), taus=(1e-3,))
    passing = plan.test.rate(plausible(5, 19)).mean()
    assert passing == plan.passing(plausible(5, 19))
    assert 1e-3 / (1e-3 + 0.999 * passing) == pytest.approx(1 - plan.answered(plausible(5, 19)))


def test_a_budget_buys_as_many_records_as_can_be_answered() -> None:
    given = {"unit": Unit("add-remove", at_least=10_000), "gamma": 1.0, "plausible": plausible(300)}
    bought = records_bought(1.0, 1e-6, **given, share=0.5)
    assert plan_records(1.0, 1e-6, bought, **given).answered(plausible(300)) >= 0.5
    assert plan_records(1.0, 1e-6, 2 * bought, **given).answered(plausible(300)) < 0.5
    assert 4 == records_bought(1.0, 1e-6, **given, share=0.5, limit=4)
    few = {**given, "plausible": plausible(2)}
    assert 0 == records_bought(1.0, 1e-6, **few, share=0.5)


def test_a_budget_for_no_record_at_all_is_refused() -> None:
    with pytest.raises(DeclarationError):
        plan_records(1e-6, 1e-12, 1000, unit=Unit("add-remove"), gamma=2.0, plausible=plausible(10), taus=(0.5,))


@pytest.mark.parametrize("unit", UNITS_OF_PRIVACY, ids=repr)
def test_a_plan_is_found_again_from_what_its_records_cost(unit: Unit) -> None:
    plan = plan_records(2.0, 1e-6, 5, unit=unit, gamma=2.0, plausible=plausible(500), taus=TAUS[6:8])
    again = fitting_plan(plan.each, 5, unit, 2.0, plan.stopping.tau)
    assert again.each.delta <= plan.each.delta
    assert plan.test.half == pytest.approx(again.test.half, abs=1)
