"""Laws that the composition of every kind of loss obeys."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from reaedp.privacy.accounting import delta, epsilon, fits, simple_epsilon, tally
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import ZCDP, ApproxDP, GaussianDP, PureDP, UnitGaussian

#: Each kind, small and large, with a slightly worse loss of its kind.
LOSSES = [
    (PureDP(0.05), PureDP(0.055)),
    (PureDP(2.0), PureDP(2.1)),
    (ApproxDP(0.2, 1e-9), ApproxDP(0.21, 1e-9)),
    (ApproxDP(0.2, 1e-9), ApproxDP(0.2, 2e-9)),
    (ZCDP(0.02), ZCDP(0.022)),
    (ZCDP(3.0), ZCDP(3.1)),
    (GaussianDP(0.3), GaussianDP(0.31)),
    (UnitGaussian(0.5), UnitGaussian(0.4)),  # not 0.48: see the tests of accounting
    (UnitGaussian(4.0), UnitGaussian(3.9)),
    (UnitGaussian(300.0), UnitGaussian(290.0)),
]
KINDS = [loss for loss, _ in LOSSES]
#: Searches stop within 1e-8, grids are finer than 1e-5; beyond that no law may bend.
BENT = 1 + 1e-5

every_loss = pytest.mark.parametrize("loss", KINDS, ids=repr)
every_copies = pytest.mark.parametrize("copies", [1, 3, 40])
BESIDE = {PureDP(0.1): 4, GaussianDP(0.2): 1}


def test_every_kind_is_here():
    assert {PureDP, ApproxDP, ZCDP, GaussianDP, UnitGaussian} == {type(loss) for loss in KINDS}


@every_loss
@every_copies
def test_charges_one_by_one_and_at_once_are_the_same(loss, copies):
    one_by_one = tally([(loss,)] * copies)
    assert Counter({loss: copies}) == one_by_one
    assert epsilon({loss: copies}, 1e-6) == epsilon(one_by_one, 1e-6)


@every_loss
def test_the_order_of_charges_does_not_matter_to_the_last_digit(loss):
    charged = list({**BESIDE, PureDP(0.03): 7, UnitGaussian(1.5): 2, UnitGaussian(7.0): 2, loss: 3}.items())
    assert epsilon(dict(charged), 1e-6) == epsilon(dict(reversed(charged)), 1e-6)


@pytest.mark.quick_every(5)
@every_loss
@pytest.mark.parametrize("copies", [1, 2, 5])
@pytest.mark.parametrize("target", [1e-7, 1e-2])
def test_the_library_that_composes_one_event_at_a_time_is_no_tighter_by_one_percent(loss, copies, target):
    assert epsilon({loss: copies}, target) <= 1.01 * library_epsilon(loss, copies, target)


def library_epsilon(loss, copies, target):
    from dp_accounting import ZCDpEvent
    from dp_accounting.pld import privacy_loss_distribution as pld
    from dp_accounting.pld.common import DifferentialPrivacyParameters
    from dp_accounting.rdp import RdpAccountant

    if type(loss) is ZCDP:
        accountant = RdpAccountant(orders=list(1 + np.geomspace(1e-2, 1e4, 500)))
        for _ in range(copies):
            accountant.compose(ZCDpEvent(loss.rho))
        return accountant.get_epsilon(target)
    step = {"value_discretization_interval": 1e-4}
    one = {
        PureDP: lambda: pld.from_privacy_parameters(DifferentialPrivacyParameters(loss.epsilon, 0), **step),
        ApproxDP: lambda: pld.from_privacy_parameters(DifferentialPrivacyParameters(loss.epsilon, loss.delta), **step),
        GaussianDP: lambda: pld.from_gaussian_mechanism(1 / loss.mu, **step),
        UnitGaussian: lambda: pld.from_discrete_gaussian_mechanism(math.sqrt(loss.variance), 1, **step),
    }[type(loss)]()
    total = one
    for _ in range(copies - 1):
        total = total.compose(one)
    return total.get_epsilon_for_delta(target)


def one_law(loss):
    """The probabilities of one loss under both neighbours, outcome by outcome; failures first."""
    if type(loss) is UnitGaussian:
        steps = np.arange(-12, 14)
        weight = np.exp(-(np.arange(-60, 61) ** 2) / (2 * loss.variance)).sum()
        return [np.exp(-((steps - centre) ** 2) / (2 * loss.variance)) / weight for centre in (1, 0)]
    truth, failure = 1 / (1 + math.exp(-loss.epsilon)), getattr(loss, "delta", 0.0)
    law = np.array([failure, (1 - failure) * truth, (1 - failure) * (1 - truth), 0.0])
    return [law, law[::-1]]


@pytest.mark.parametrize("loss", [PureDP(0.4), PureDP(3.0), ApproxDP(0.4, 1e-3), UnitGaussian(0.5)], ids=repr)
@pytest.mark.parametrize("copies", [1, 2, 3, 4])
@pytest.mark.parametrize("target", [0.005, 0.05, 0.3])
def test_no_explicit_product_of_laws_is_less_private(loss, copies, target):
    found = epsilon({loss: copies}, target)
    one, other = one_law(loss)
    first, second = one, other
    for _ in range(copies - 1):
        first, second = np.multiply.outer(first, one).ravel(), np.multiply.outer(second, other).ravel()
    reached = np.maximum(first - math.exp(found) * second, 0).sum()
    assert reached <= target
    assert reached <= delta({loss: copies}, found) * (1 + 1e-12)


@pytest.mark.parametrize("copies", [5, 6])
def test_no_explicit_product_of_many_different_laws_is_less_private(copies):
    losses = list(itertools.islice(itertools.cycle([PureDP(0.4), ApproxDP(0.3, 1e-3), PureDP(1.1)]), copies))
    first, second = np.ones(1), np.ones(1)
    for one, other in map(one_law, losses):
        first, second = np.multiply.outer(first, one).ravel(), np.multiply.outer(second, other).ravel()
    reached = np.maximum(first - math.exp(epsilon(Counter(losses), 0.01)) * second, 0).sum()
    assert 0.01 * (1 - 1e-4) < reached <= 0.01


@every_loss
@every_copies
def test_more_delta_never_costs_more(loss, copies):
    costs = [epsilon({loss: copies}, target) for target in (1e-7, 1e-6, 1e-3, 0.1)]
    assert costs == sorted(costs, reverse=True)


@every_loss
@pytest.mark.parametrize("beside", [{}, BESIDE])
def test_more_copies_never_cost_less(loss, beside):
    costs = [epsilon({**beside, loss: copies}, 1e-6) for copies in (1, 2, 3, 9, 10, 100)]
    assert costs == sorted(costs)


@pytest.mark.quick_every(5)
@pytest.mark.parametrize(("loss", "worse"), LOSSES, ids=repr)
@every_copies
@pytest.mark.parametrize("beside", [{}, BESIDE])
def test_a_worse_loss_never_costs_less(loss, worse, copies, beside):
    assert epsilon({**beside, loss: copies}, 1e-6) <= epsilon({**beside, worse: copies}, 1e-6)
    assert delta({**beside, loss: copies}, 0.7) <= delta({**beside, worse: copies}, 0.7) * BENT


@every_loss
def test_a_charge_beside_others_never_lowers_their_cost(loss):
    assert epsilon(BESIDE, 1e-6) <= epsilon({**BESIDE, loss: 1}, 1e-6) * BENT
    assert epsilon({loss: 1}, 1e-6) <= epsilon({**BESIDE, loss: 1}, 1e-6) * BENT


@every_loss
@every_copies
def test_the_tight_bound_is_at_most_the_simple_one(loss, copies):
    assert epsilon({loss: copies}, 1e-6) <= simple_epsilon({loss: copies}, 1e-6)


@pytest.mark.parametrize("loss", [loss for loss in KINDS if hasattr(loss, "epsilon")], ids=repr)
@every_copies
def test_composition_costs_at_most_the_sum(loss, copies):
    assert epsilon({loss: copies}, 1e-6) <= loss.epsilon * copies * (1 + 1e-15)


@every_loss
@every_copies
def test_charges_together_cost_at_most_their_sum(loss, copies):
    apart = epsilon({loss: copies}, 1e-6) + epsilon(BESIDE, 1e-6)
    assert epsilon({**BESIDE, loss: copies}, 2e-6) <= apart


@pytest.mark.quick_every(5)
@every_loss
@every_copies
@pytest.mark.parametrize("beside", [{}, BESIDE])
@pytest.mark.parametrize("target", [1e-7, 1e-3])
def test_epsilon_and_delta_are_inverse(loss, copies, beside, target):
    charged = {**beside, loss: copies}
    found = epsilon(charged, target)
    assert delta(charged, found) <= target * BENT
    assert epsilon(charged, delta(charged, found)) <= found * BENT if found else True


@every_loss
@every_copies
def test_what_is_charged_fits_into_its_own_cost_and_into_no_less(loss, copies):
    cost = epsilon({loss: copies}, 1e-6)
    assert fits({loss: copies}, Budget(cost, 1e-6))
    assert not fits({loss: copies}, Budget(cost / BENT, 1e-6))
