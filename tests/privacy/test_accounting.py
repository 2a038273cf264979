"""Composition against exact oracles: enumerated products, closed forms, dp_accounting, and published figures."""

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln, log_ndtr, logsumexp

from reaedp.errors import DeclarationError
from reaedp.privacy.accounting import (
    advanced_composition,
    concentrated_epsilon,
    concentrated_rho,
    delta,
    epsilon,
    fits,
    gaussian_epsilon,
    gaussian_mu,
    optimal_composition,
    sequential_composition,
    simple_epsilon,
    unit_gaussian_variance,
)
from reaedp.privacy.budget import Budget
from reaedp.privacy.conversion import concentrated_log_delta
from reaedp.privacy.dominating import Response, Steps
from reaedp.privacy.loss import ZCDP, ApproxDP, GaussianDP, PureDP, UnitGaussian, exact
from reaedp.privacy.merging import merge
from reaedp.privacy.product import composed_epsilon

TEN_LOSSES = {
    **{PureDP(0.01 * i): 15_000 // i for i in range(1, 7)},
    GaussianDP(0.1): 10,
    UnitGaussian(30.0): 4,
    ZCDP(0.01): 3,
    ApproxDP(0.02, 1e-12): 64_000,
}
budgets = st.builds(Budget, st.floats(1e-3, 20.0), st.floats(1e-12, 0.1))


def binomial(eps, copies):
    """Losses and log-probabilities of so many randomised responses."""
    true = np.arange(copies + 1.0)
    ways = gammaln(copies + 1) - gammaln(true + 1) - gammaln(copies - true + 1)
    return (2 * true - copies) * eps, ways - true * math.log1p(math.exp(-eps)) - (copies - true) * math.log1p(
        math.exp(eps)
    )


def lattice(variance, copies):
    """Losses and log-probabilities of so many unit Gaussians, by direct convolution."""
    reach = math.ceil(12 * math.sqrt(variance)) + 2
    steps = np.arange(-reach, reach + 1)
    one = np.exp(-((steps - 1) ** 2) / (2 * variance))
    law = np.ones(1)
    for _ in range(copies):
        law = np.convolve(law, one / one.sum())
    return (2 * (np.arange(len(law)) - reach * copies) - copies) / (2 * variance), np.log(np.maximum(law, 1e-300))


def product(*laws):
    """Every combination of independent losses."""
    losses, logs = np.zeros(1), np.zeros(1)
    for more, more_logs in laws:
        losses, logs = np.add.outer(losses, more).ravel(), np.add.outer(logs, more_logs).ravel()
    return losses, logs


def hockey_stick(x):
    return np.log(-np.expm1(np.where(x < 0, x, -np.inf)), where=x < 0, out=np.full_like(x, -np.inf))


def gaussian_curve(mu):
    def curve(x):
        truth, lie = log_ndtr(mu / 2 - x / mu), x + log_ndtr(-mu / 2 - x / mu)
        return truth + np.log1p(-np.exp(np.minimum(lie - truth, -1e-16)))

    return curve


def is_least(ours, law, target, slack, curve=hockey_stick):
    """Whether the enumerated product has δ at this ε, and no longer at an ε lower by the slack."""
    losses, logs = law
    here, below = (logsumexp(logs + curve(eps - losses)) for eps in (ours, ours * (1 - slack)))
    return here <= math.log(target) + 1e-8 and (ours == 0 or below > math.log(target))


# Published figures and equal losses


@pytest.mark.parametrize(("copies", "figure"), [(1000, 19.3), (100, 4.8)])
def test_optimal_composition_gives_the_published_figures(copies, figure):
    assert figure == pytest.approx(optimal_composition(0.1, 1e-12, copies, 1e-6), abs=0.05)


def test_few_copies_are_best_composed_basically():
    assert 0.99 < optimal_composition(0.1, 1e-12, 10, 1e-6) <= 1.0
    assert simple_epsilon({ApproxDP(0.1, 1e-12): 10}, 1e-6) == 1


@pytest.mark.parametrize(("eps", "copies"), [(1e-4, 10**6), (0.00316, 10**5), (0.1, 100), (3.0, 40), (8.0, 3)])
@pytest.mark.parametrize("target", [1e-200, 1e-12, 1e-6, 1e-3, 0.3])
def test_equal_pure_losses_reach_the_exact_optimum(eps, copies, target):
    # 1e-6 leaves room for the declared slack (1e-8 in δ, 1e-9 in ε) and the search (1e-8).
    assert is_least(epsilon({PureDP(eps): copies}, target), binomial(eps, copies), target, 1e-6)


@pytest.mark.parametrize("each", [1e-9, 1e-4])
def test_equal_approximate_losses_reach_the_exact_optimum(each):
    failed = -math.expm1(50 * math.log1p(-each))
    assert is_least(optimal_composition(0.2, each, 50, 0.02), binomial(0.2, 50), (0.02 - failed) / (1 - failed), 1e-6)


def test_tiny_losses_in_great_number_come_near_the_gaussian_limit():
    # Σ ε² = 1; dp_accounting 0.6 gives 9.87 on its default grid.
    assert gaussian_epsilon(1.0, 1e-6) == pytest.approx(epsilon({PureDP(1e5**-0.5): 10**5}, 1e-6), rel=1e-3)


# Different losses


@pytest.mark.parametrize("target", [1e-30, 1e-9, 1e-6, 1e-2])
@pytest.mark.parametrize(
    ("first", "second"), [((0.1, 60), (0.03, 300)), ((1.0, 5), (0.01, 400)), ((5.0, 3), (0.7, 9)), ((2.0, 1), (0.5, 1))]
)
def test_two_groups_of_pure_losses_reach_the_enumerated_optimum(first, second, target):
    charged = {PureDP(eps): copies for eps, copies in (first, second)}
    assert is_least(epsilon(charged, target), product(binomial(*first), binomial(*second)), target, 1e-4)


@pytest.mark.parametrize("target", [1e-9, 1e-6, 1e-2])
@pytest.mark.parametrize(("variance", "copies"), [(0.3, 4), (1.0, 60), (3.9, 9), (4.0, 9), (25.0, 30), (2000.0, 6)])
def test_unit_gaussians_reach_the_convolved_optimum(variance, copies, target):
    # Merging on the line costs at most 2/1e4 of μ², 1e-4 of μ; ε grows no faster than μ², so 2e-4 is enough.
    ours = epsilon({UnitGaussian(variance): copies}, target)
    assert is_least(ours, lattice(variance, copies), target, 2e-4)


@pytest.mark.parametrize("copies", [1, 7, 60])
def test_transformed_laws_are_never_below_the_convolved_ones(copies):
    losses, masses = Steps(1.0, copies).atoms(0.0)
    expected_losses, logs = lattice(1.0, copies)
    expected = np.interp(losses, expected_losses, np.exp(logs), left=0.0, right=0.0)
    # Convolution of positive numbers is accurate to 60 · 2^-52; the allowance for transforms is far larger.
    assert np.all(masses >= expected * (1 - 1e-13))
    assert np.all(masses <= expected + 1e-12)


def test_a_little_more_noise_on_integers_can_be_less_private():
    # Losses live on a lattice that the variance stretches: no rounding of variances is safe.
    more, less = epsilon({UnitGaussian(0.5): 3}, 1e-6), epsilon({UnitGaussian(0.48): 3}, 1e-6)
    assert more > less
    assert is_least(more, lattice(0.5, 3), 1e-6, 1e-6)
    assert is_least(less, lattice(0.48, 3), 1e-6, 1e-6)


@pytest.mark.parametrize("target", [1e-9, 1e-6, 1e-2])
def test_a_mixture_of_kinds_reaches_the_enumerated_optimum(target):
    law = product(binomial(0.3, 20), lattice(1.5, 3))
    charged = {
        PureDP(0.3): 13,
        ApproxDP(0.3, target / 700): 7,
        UnitGaussian(1.5): 3,
        GaussianDP(0.3): 1,
        GaussianDP(0.4): 1,
    }
    failed = -math.expm1(7 * math.log1p(-target / 700))
    left = (target - failed) / (1 - failed)
    assert is_least(epsilon(charged, target), law, left, 1e-4, gaussian_curve(0.5))


def test_equal_and_scattered_gaussians_cost_the_same():
    scattered = {GaussianDP(math.sqrt(i)): 1 for i in range(1, 6)}
    for charged in (scattered, {GaussianDP(1.0): 15}, {GaussianDP(1.0): 6, GaussianDP(3.0): 1}):
        assert gaussian_epsilon(math.sqrt(15), 1e-6) == pytest.approx(epsilon(charged, 1e-6), rel=1e-12)


@pytest.mark.parametrize("rest", [{PureDP(0.1): 10}, {PureDP(1.0): 1}, {GaussianDP(0.5): 1}, {UnitGaussian(9.0): 3}])
def test_a_concentrated_loss_beside_others_costs_less_than_splitting_delta_and_more_than_a_gaussian(rest):
    together = epsilon({**rest, ZCDP(0.02): 1}, 1e-6)
    shares = np.linspace(0.02, 0.98, 25)
    split = min(epsilon(rest, 1e-6 * part) + concentrated_epsilon(0.02, 1e-6 * (1 - part)) for part in shares)
    assert epsilon({**rest, GaussianDP(0.2): 1}, 1e-6) <= together < split
    assert together <= simple_epsilon({**rest, ZCDP(0.02): 1}, 1e-6)


def test_a_concentrated_loss_beside_a_pure_one_is_the_enumerated_mixture_of_its_curve():
    losses, logs = binomial(1.0, 1)
    found = epsilon({PureDP(1.0): 1, ZCDP(0.01): 1}, 1e-6)
    curve = [delta({ZCDP(0.01): 1}, found - loss) for loss in losses]
    assert np.exp(logs) @ curve == pytest.approx(1e-6, rel=1e-6)


def test_the_concentrated_curve_continues_below_zero_as_its_mirror_image():
    x = np.array([0.01, 0.3, 2.0])
    above, below = (np.exp(concentrated_log_delta(0.1, sign * x)) for sign in (1, -1))
    assert below == pytest.approx(1 - np.exp(-x) + np.exp(-x) * above)
    assert np.all(below < 1)


@pytest.mark.parametrize("spread", [10.0, 1e5])
def test_a_thousand_different_losses_are_rounded_up_by_less_than_one_percent(spread):
    epsilons = 0.05 * np.exp(-np.random.default_rng(5).uniform(0, math.log(spread), 1000))
    ours = epsilon({PureDP(float(eps)): 1 for eps in epsilons}, 1e-6)
    each_alone = composed_epsilon([Response(float(eps), 1) for eps in epsilons], 0.0, 1e-6)
    assert each_alone < ours < 1.01 * each_alone


def test_a_thousand_different_unit_gaussians_are_merged_within_one_percent():
    variances = 200 * np.exp(np.random.default_rng(6).uniform(0, 2, 1000))
    ours = epsilon({UnitGaussian(float(variance)): 1 for variance in variances}, 1e-6)
    # On the line the same losses are a Gaussian but for at most 2/variance of μ² (see PROOFS.md).
    assert gaussian_epsilon(math.sqrt(np.sum(1 / (variances + 2))), 1e-6) < ours
    assert ours < 1.01 * gaussian_epsilon(math.sqrt(np.sum(1 / variances)), 1e-6)


def test_more_different_lattices_than_can_be_kept_are_charged_as_concentrated():
    variances = np.linspace(1.0, 3.0, 500)
    ours = epsilon({UnitGaussian(float(variance)): 1 for variance in variances}, 1e-6)
    # Sums of many lattices are close to the Gaussian of the same ρ, and no loss is worse than its ρ.
    assert gaussian_epsilon(math.sqrt(np.sum(1 / variances)), 1e-6) < ours
    assert ours <= concentrated_epsilon(float(np.sum(0.5 / variances)), 1e-6) * (1 + 1e-12)


# The decimals that people write


def test_ten_tenths_fit_exactly_into_one_and_eleven_do_not():
    budget = Budget(1.0, 1e-15)
    assert fits({PureDP(0.1): 10}, budget)
    assert not fits({PureDP(0.1): 11}, budget)
    assert epsilon({PureDP(0.1): 10}, 1e-15) <= 1.0


@given(st.integers(1, 9999), st.integers(1, 6), st.integers(1, 40))
def test_basic_composition_is_exact_in_decimals(digits, places, copies):
    each = Fraction(digits, 10**places)
    charged = {PureDP(float(each)): copies}
    assert each * copies >= simple_epsilon(charged, 1e-12)
    assert fits(charged, Budget(float(each * copies), 1e-12))


def test_failures_may_use_up_delta_exactly_and_no_more():
    assert Fraction(1) == simple_epsilon({ApproxDP(0.1, 1e-7): 10}, 1e-6)
    assert fits({ApproxDP(0.1, 1e-7): 10}, Budget(1.0, 1e-6))
    assert math.inf == epsilon({ApproxDP(0.1, 1e-7): 11}, 1e-6)


def test_independent_failures_overlap():
    # 1 - 0.9^10 = 0.651 < 0.7 < 10 · 0.1
    assert Fraction(1) >= simple_epsilon({ApproxDP(0.1, 0.1): 10}, 0.7)


def test_nothing_charged_costs_nothing():
    assert 0.0 == epsilon({}, 1e-6) == epsilon({PureDP(1.0): 0}, 1e-6) == delta({}, 0.0) == simple_epsilon({}, 1e-6)


def test_a_negative_count_is_refused():
    with pytest.raises(DeclarationError, match="whole number of times"):
        epsilon({PureDP(1.0): -1}, 1e-6)


@pytest.mark.parametrize("value", [-0.1, math.inf, math.nan])
def test_delta_asks_for_a_sensible_epsilon(value):
    with pytest.raises(DeclarationError, match="epsilon"):
        delta({PureDP(1.0): 1}, value)


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1e-12, 1e12, 1e150, 1e300])
@pytest.mark.parametrize("kind", [PureDP, ZCDP, GaussianDP, UnitGaussian])
def test_absurd_losses_give_an_answer_without_warnings(kind, size):
    charged = {kind(size): 7, PureDP(0.1): 3}
    assert 0 < epsilon(charged, 1e-6) <= math.inf
    assert 0 <= delta(charged, 0.5) <= 1


# Closed forms and their inverses


@pytest.mark.parametrize("rho", [1e-6, 1e-2, 1.0, 100.0])
@pytest.mark.parametrize("target", [1e-12, 1e-6, 1e-2])
def test_concentrated_epsilon_agrees_with_dp_accounting(rho, target):
    from dp_accounting import ZCDpEvent
    from dp_accounting.rdp import RdpAccountant

    accountant = RdpAccountant(orders=list(1 + np.geomspace(1e-2, 1e5, 3000)))
    accountant.compose(ZCDpEvent(rho))
    theirs = accountant.get_epsilon(target)
    assert theirs * (1 - 1e-4) <= concentrated_epsilon(rho, target) <= theirs


@pytest.mark.parametrize("mu", [1e-7, 1e-3, 0.3, 1.0, 7.0, 1e4])
@pytest.mark.parametrize("target", [1e-100, 1e-12, 1e-6, 0.1])
def test_gaussian_epsilon_solves_the_analytic_curve(mu, target):
    from mpmath import erfc, exp, mp, mpf, sqrt

    mp.dps = 150
    found, mu_exact = mpf(gaussian_epsilon(mu, target)), mpf(mu)

    def curve(eps):
        a, b = mu_exact / 2 - eps / mu_exact, -mu_exact / 2 - eps / mu_exact
        return (erfc(-a / sqrt(mpf(2))) - exp(eps) * erfc(-b / sqrt(mpf(2)))) / 2

    assert curve(found) <= target
    assert found == 0 or curve(found * (1 - mpf(10) ** -5)) > target


@given(budgets)
@settings(max_examples=60, deadline=None)
def test_calibrated_losses_fit_and_use_up_their_budget(budget):
    rho, mu = concentrated_rho(budget.epsilon, budget.delta), gaussian_mu(budget.epsilon, budget.delta)
    assert fits({ZCDP(rho): 1}, budget)
    assert fits({ZCDP(rho / 10): 10}, budget)
    assert fits({GaussianDP(mu): 1}, budget)
    assert not fits({ZCDP(rho * 1.0001): 1}, budget)
    assert not fits({GaussianDP(mu * 1.0001): 1}, budget)
    assert mu * mu / 2 > rho


@pytest.mark.parametrize("coordinates", [1, 2, 1000])
@pytest.mark.parametrize(("eps", "target"), [(0.01, 1e-9), (1.0, 1e-6), (8.0, 1e-3)])
def test_unit_gaussian_variance_is_the_least_that_fits(eps, target, coordinates):
    variance = unit_gaussian_variance(eps, target, coordinates)
    assert fits({UnitGaussian(variance): coordinates}, Budget(eps, target))
    assert not fits({UnitGaussian(variance / 1.001): coordinates}, Budget(eps, target))
    assert variance < coordinates / (2 * concentrated_rho(eps, target))


def test_the_published_theorems_are_as_published():
    assert (1.0, 1e-6) == sequential_composition([(0.1, 1e-7)] * 10)
    assert (0.0, 0.0) == sequential_composition([])
    expected = math.sqrt(2 * 1000 * math.log(1e6)) * 0.1 + 1000 * 0.1 * math.expm1(0.1)
    assert (pytest.approx(expected, rel=1e-12), 1.001e-6) == advanced_composition(0.1, 1e-12, 1000, 1e-6)


@given(st.floats(1e-4, 2.0), st.floats(1e-12, 1e-8), st.integers(1, 10**5), st.floats(1e-9, 1e-2))
@settings(max_examples=100, deadline=None)
def test_the_simple_bound_is_never_looser_than_basic_or_advanced_composition(eps, each, copies, slack):
    advanced, total = advanced_composition(eps, each, copies, slack)
    charged = {ApproxDP(eps, each): copies}
    assert simple_epsilon(charged, total) <= min(Fraction(advanced), exact(eps) * copies)


# Budgets


@pytest.mark.parametrize(("moves", "parts_hit"), [("add", 1), ("replace", 2)])
def test_disjoint_parts_cost_their_maximum_unless_a_replaced_row_moves_between_them(moves, parts_hit):
    # Each part answers whether it holds a row, through one randomised response of its own.
    truth = 1 / (1 + math.exp(-0.5))
    chance = {True: truth, False: 1 - truth}
    before, after = ((False, False), (True, False)) if moves == "add" else ((True, False), (False, True))
    answers = [(one, two) for one in (True, False) for two in (True, False)]
    ratios = [
        math.log(math.prod(chance[a == b] for a, b in zip(answer, after, strict=True)))
        - math.log(math.prod(chance[a == b] for a, b in zip(answer, before, strict=True)))
        for answer in answers
    ]
    assert 0.5 * parts_hit == pytest.approx(max(ratios))


# What is loaded, which is what takes time; benchmarks/accounting.py measures it


def test_ten_losses_in_a_hundred_thousand_copies_are_composed():
    assert sum(TEN_LOSSES.values()) > 10**5
    assert 0 < epsilon(TEN_LOSSES, 1e-6) <= simple_epsilon(TEN_LOSSES, 1e-6)


def test_importing_and_composing_loads_no_heavy_library():
    script = (
        "import sys; from reaedp.privacy.accounting import epsilon, simple_epsilon; from reaedp.privacy.loss import *;"
        "simple_epsilon({GaussianDP(1.0): 3}, 1e-6);"
        "epsilon({PureDP(0.1): 90, UnitGaussian(9.0): 2, ZCDP(0.1): 1}, 1e-6);"
        "print(sorted({'scipy', 'dp_accounting', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "[]\n" == done.stdout


def test_a_remembered_bound_is_that_of_its_losses_copies_and_delta() -> None:
    few = {PureDP(0.1): 3, GaussianDP(0.2): 1}
    asked = [(few, 1e-6), (few, 1e-9), (few | {PureDP(0.1): 4}, 1e-6), ({PureDP(0.2): 3, GaussianDP(0.2): 1}, 1e-6)]
    first = [epsilon(losses, delta) for losses, delta in asked]
    assert 4 == len(set(first))
    assert [merge(losses).epsilon(delta) for losses, delta in asked] == first
    assert first == [epsilon(dict(reversed(losses.items())), delta) for losses, delta in asked]
