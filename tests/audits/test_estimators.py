"""Lower bounds hold as often as they say, and are tight at the run counts that they are advertised for."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from reaedp.audits.ceilings import largest_by_event, largest_by_guessing
from reaedp.audits.claim import Claim
from reaedp.audits.estimators import (
    ErrorLevels,
    Guess,
    Scores,
    _gaussian_epsilon,
    by_events,
    by_guessing,
    by_midpoint,
    chosen_events,
    chosen_guess,
    known_guess,
)
from reaedp.audits.loss_law import gaussian_law, laplace_law
from reaedp.privacy.conversion import gaussian_delta, gaussian_epsilon, gaussian_mu
from reaedp.privacy.loss import ApproxDP, GaussianDP, PureDP
from reaedp.privacy.permitted import permitted

LEVELS = ErrorLevels.of(0.95, 1)
STEPS = 1024  # as entropies have them, so that noise is nearly continuous


def laplace_scores(epsilon: float, runs: int, rng: np.random.Generator) -> Scores:
    """Likelihood ratios of noisy integers that one neighbour moves by STEPS."""
    second = int(rng.binomial(runs, 0.5))
    rate = -math.expm1(-epsilon / STEPS)
    worlds = []
    for size, centre in ((runs - second, 0), (second, STEPS)):
        first, other = rng.geometric(rate, (2, size))
        noisy = centre + first - other
        worlds.append((np.abs(noisy) - np.abs(noisy - STEPS)) * epsilon / STEPS)
    return Scores(*worlds)


def gaussian_scores(mu: float, runs: int, rng: np.random.Generator) -> Scores:
    second = int(rng.binomial(runs, 0.5))
    return Scores(mu * (rng.normal(0.0, 1.0, runs - second) - mu / 2), mu * (rng.normal(mu, 1.0, second) - mu / 2))


def fewest(repetitions: int, chance: float) -> int:
    """So few successes have a probability below 1e-6."""
    return int(binom.ppf(1e-6, repetitions, chance))


@pytest.mark.quick_every(2)
@pytest.mark.parametrize(
    ("epsilon", "runs"),
    [
        pytest.param(0.5, 18_200, marks=pytest.mark.slow),
        pytest.param(1.0, 6_340, marks=pytest.mark.slow),
        pytest.param(2.0, 3_430, marks=pytest.mark.slow),
        (4.0, 5_180),
    ],
)
def test_nine_tenths_of_epsilon_are_shown_in_nine_of_ten_audits_of_laplace_noise(epsilon: float, runs: int) -> None:
    rng, law = np.random.default_rng(1), laplace_law(np.array([STEPS]), STEPS / epsilon)
    guess = known_guess((law, law), law.losses, runs, LEVELS.estimate)
    claim = Claim.of(PureDP(epsilon))
    shown = [by_guessing(laplace_scores(epsilon, runs, rng), guess, claim, LEVELS).epsilon for _ in range(200)]
    assert sum(bound >= 0.9 * epsilon for bound in shown) >= fewest(200, 0.9)


@pytest.mark.parametrize(("epsilon", "runs"), [(0.5, 315_000), (1.0, 90_500), (2.0, 27_300), (4.0, 8_900)])
def test_nine_tenths_of_epsilon_are_shown_in_nine_of_ten_audits_of_gaussian_noise(epsilon: float, runs: int) -> None:
    """The number of right guesses is binomial, so that the power is a sum and nothing is sampled."""
    mu, claim = gaussian_mu(epsilon, 1e-5), Claim.of(GaussianDP(gaussian_mu(epsilon, 1e-5)), 1e-5)

    def shown(right: int) -> float:
        scores = Scores(np.repeat([-1.0, 1.0], [right, runs - right]), np.empty(0))
        return by_midpoint(scores, 0.0, claim, LEVELS).epsilon

    low, high = runs // 2, runs
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shown(middle) >= 0.9 * epsilon else (middle, high)
    accuracy = 0.5 * math.erfc(-mu / 2 / math.sqrt(2))
    assert binom.sf(high - 1, runs, accuracy) >= 0.9


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_bounds_for_pure_claims_exceed_the_truth_in_at_most_one_of_twenty_audits(epsilon: float) -> None:
    """Thresholds are chosen on runs that do not count; the worst scores are those of randomised response."""
    rng, claim = np.random.default_rng(2), Claim.of(PureDP(epsilon))
    truth = 1 / (1 + math.exp(-epsilon))
    alarms = 0
    for _ in range(500):
        practice, scores = (
            Scores(*(np.where(rng.random(500) < truth, side, -side) * 1.0 for side in (-1, 1))) for _ in range(2)
        )
        estimate = by_guessing(scores, chosen_guess(practice, LEVELS.estimate), claim, LEVELS)
        alarms += estimate.epsilon > epsilon
    # More than this has a probability below 1e-6 if the rate is at most one in twenty.
    assert alarms <= 500 - fewest(500, 0.95)


@pytest.mark.slow
def test_bounds_for_gaussian_shapes_exceed_the_truth_in_at_most_one_of_twenty_audits() -> None:
    rng, mu = np.random.default_rng(3), 0.5
    claim = Claim.of(GaussianDP(mu), 1e-5)
    truth = 0.5 * math.erfc(-mu / 2 / math.sqrt(2))
    # ε grows with the accuracy, so that the bound on one exceeds the truth whenever that on the other does.
    found = [
        by_midpoint(gaussian_scores(mu, 2_000, rng), 0.0, claim, LEVELS, lambda accuracy: accuracy) for _ in range(500)
    ]
    assert sum(estimate.epsilon > truth for estimate in found) <= 500 - fewest(500, 0.95)
    assert not any(estimate.violated for estimate in found[:20])


@pytest.mark.parametrize("audits", [100, pytest.param(500, marks=pytest.mark.slow)])
def test_bounds_for_events_exceed_the_truth_in_at_most_one_of_twenty_audits(audits: int) -> None:
    rng, mu, delta = np.random.default_rng(4), 1.0, 0.01
    truth = gaussian_epsilon(mu, delta)
    claim, alarms = Claim.of(ApproxDP(truth, delta)), 0
    for _ in range(audits):
        practice, scores = gaussian_scores(mu, 1_000, rng), gaussian_scores(mu, 1_000, rng)
        estimate = by_events(scores, chosen_events(practice, claim, LEVELS.estimate), claim, LEVELS)
        assert estimate.delta is not None
        alarms += estimate.epsilon > truth or estimate.delta > gaussian_delta(mu, truth)
    assert alarms <= audits - fewest(audits, 0.95)


def test_the_largest_ratio_over_all_thresholds_would_exceed_the_truth_nearly_always() -> None:
    """Why no bound is read off the runs on which its threshold was chosen."""
    rng, exceeded, claim = np.random.default_rng(5), 0, Claim.of(PureDP(1.0))
    for _ in range(100):
        worlds = [np.sort(centre + rng.laplace(0.0, 1.0, 1_000)) for centre in (0, 1)]
        thresholds = worlds[0]
        hits = [1 - np.searchsorted(world, thresholds) / 1_000 for world in worlds]
        exceeded += (hits[1] / hits[0]).max() > math.e
    assert exceeded >= 90
    honest = [
        by_guessing(laplace_scores(1.0, 2_000, rng), Guess(-1 + 1e-9, 1 - 1e-9), claim, LEVELS) for _ in range(100)
    ]
    assert sum(estimate.epsilon > 1.0 for estimate in honest) <= 100 - fewest(100, 0.95)


def test_a_claim_of_half_the_truth_is_violated_with_few_runs() -> None:
    """A factor of two: the chance that 3,000 runs do not show it is below 1e-6 at every ε here."""
    rng = np.random.default_rng(6)
    for epsilon in (0.5, 1.0, 2.0):
        law = laplace_law(np.array([STEPS]), STEPS / (2 * epsilon))
        guess = known_guess((law, law), law.losses, 3_000, LEVELS.violation)
        estimate = by_guessing(laplace_scores(2 * epsilon, 3_000, rng), guess, Claim.of(PureDP(epsilon)), LEVELS)
        assert estimate.violated
        assert estimate.epsilon > epsilon


def test_gaussian_noise_of_half_the_width_is_violated_without_assuming_its_shape() -> None:
    rng = np.random.default_rng(7)
    for claim in (Claim.of(GaussianDP(0.5), 1e-5), Claim.of(ApproxDP(0.1, 1e-5))):
        assert by_midpoint(gaussian_scores(1.0, 20_000, rng), 0.0, claim, LEVELS).violated


def test_runs_can_show_no_more_than_their_ceiling() -> None:
    for runs, expected in ((2_000, 6.5), (20_000, 8.8), (200_000, 11.1)):
        assert expected == pytest.approx(largest_by_guessing(runs, 0.95), abs=0.05)
    assert largest_by_event(1_000, 1_000, 0.0, 0.95) < largest_by_guessing(2_000, 0.95)
    scores = Scores(np.zeros(100), np.ones(100))
    estimate = by_guessing(scores, Guess(0.0, 1.0), Claim.of(PureDP(100.0)), LEVELS)
    assert estimate.shown == estimate.epsilon


def test_no_guess_shows_nothing() -> None:
    scores = Scores(np.zeros(10), np.zeros(10))
    estimate = by_guessing(scores, Guess(-math.inf, math.inf), Claim.of(PureDP(1.0)), LEVELS)
    assert (0.0, False, 0.0) == (estimate.epsilon, estimate.violated, estimate.shown)


@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
def test_an_accuracy_at_the_midpoint_is_that_of_one_mu_and_of_its_epsilon(mu: float) -> None:
    """A guess at the midpoint of N(0, 1) and N(μ, 1) is right with probability Φ(μ/2)."""
    from scipy.special import ndtr

    assert gaussian_epsilon(mu, 1e-6) == pytest.approx(_gaussian_epsilon(float(ndtr(mu / 2)), 1e-6), rel=1e-9)
    assert 0.0 == _gaussian_epsilon(0.5, 1e-6) == _gaussian_epsilon(0.4, 1e-6)


def test_several_pairs_share_the_error_probability() -> None:
    assert ErrorLevels.of(0.95, 5) == pytest.approx((0.01, 0.0002))


def test_a_claim_is_read_from_losses_prices_and_pairs() -> None:
    assert (1.5, 0.0) == (Claim.of((PureDP(1.0), PureDP(0.5))).epsilon, Claim.of((1.5, 0.0)).delta)
    assert Claim.of((1.0, 1e-6)) == Claim.of(ApproxDP(1.0, 1e-6))
    assert 1.0 == Claim.of((1.0, 1e-6)).epsilon
    assert gaussian_epsilon(0.5, 1e-6) == pytest.approx(Claim.of(GaussianDP(0.5), 1e-6).epsilon, rel=1e-6)
    with pytest.raises(Exception, match="delta must be between 0 and 1"):
        Claim.of(GaussianDP(0.5))


def test_a_claim_permits_what_its_epsilon_and_delta_permit() -> None:
    for epsilon, delta in ((1.0, 0.0), (0.5, 1e-3)):
        ours, theirs = Claim.of((epsilon, delta)).permitted, permitted(epsilon, delta)
        assert theirs.auc == pytest.approx(ours.auc, abs=1e-9)
        assert theirs.accuracy == pytest.approx(ours.accuracy, abs=1e-9)
        rates = np.array([0.0, 0.001, 0.01, 0.3, 0.9])
        assert np.allclose(theirs.true_positives(rates), ours.true_positives(rates), atol=1e-9)


def test_the_shape_of_coarse_noise_is_that_of_its_lattice() -> None:
    """At scale 1 the midpoint test is right more often than the normal law of the same μ says."""
    law = gaussian_law(np.array([1]), 1.0)
    assert (1 + law.delta(0.0)) / 2 > 0.5 * math.erfc(-0.5 / math.sqrt(2)) + 0.005
