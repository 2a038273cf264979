"""The figures against brute force, and their ranges against what they promise to contain."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import binom

from reaedp.attacks.attack import Attack
from reaedp.attacks.roc import FEW, accuracy, auc, figures, judged, roc
from reaedp.attacks.trials import Trials, coins
from reaedp.errors import DeclarationError
from reaedp.privacy.permitted import permitted
from reaedp.rate import Rate


def gaussian_trials(rounds: int, shift: float, rng: np.random.Generator) -> Trials:
    member = coins(rounds, rng)
    return Trials(member, rng.standard_normal(rounds) + shift * member)


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=30))
def test_the_area_is_the_share_of_pairs_in_the_right_order(rounds: list[tuple[bool, int]]) -> None:
    trials = Trials(np.array([m for m, _ in rounds]), np.array([float(s) for _, s in rounds]))
    pairs = [(a, b) for m, a in rounds if m for n, b in rounds if not n]
    right = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs)
    assert (right / len(pairs) if pairs else 0.5) == pytest.approx(auc(trials).value)


def test_the_range_of_the_area_is_where_hoeffdings_bound_leaves_it() -> None:
    rng = np.random.default_rng(1)
    rate = auc(gaussian_trials(1_000, 1.0, rng), 0.95)
    assert rate.low < rate.value < rate.high
    always = auc(Trials(np.arange(100) % 2 == 0, np.arange(100) % 2 * -1.0), 0.95)
    # Nothing overlaps: 50 pairs, so that low^50 = 0.025.
    assert (1.0, 1.0) == (always.value, always.high)
    assert 0.025 ** (1 / 50) == pytest.approx(always.low)
    # Of 20 and 80 only 20 can be paired one to one.
    uneven = np.arange(100) < 20
    assert 0.025 ** (1 / 20) == pytest.approx(auc(Trials(uneven, uneven * 1.0), 0.95).low)


def failures(shift: float, rounds: int, repeats: int) -> dict[str, int]:
    """How often each range misses its true value, for scores N(0, 1) against N(shift, 1)."""
    rng = np.random.default_rng(2)
    true_accuracy, true_area = float(ndtr(shift / 2)), float(ndtr(shift / math.sqrt(2)))
    missed = dict.fromkeys(("auc", "accuracy", *map(str, FEW)), 0)
    for _ in range(repeats):
        found = roc(gaussian_trials(rounds, shift, rng), rng, threshold=shift / 2, confidence=0.9)
        missed["auc"] += not found.auc.low <= true_area <= found.auc.high
        missed["accuracy"] += not found.accuracy.low <= true_accuracy <= found.accuracy.high
        for few, rate in zip(FEW, found.true_positives, strict=True):
            top = permitted_gaussian(shift, few)
            missed[str(few)] += not rate.low <= top <= rate.high
    return missed


def permitted_gaussian(mu: float, rate: float) -> float:
    from scipy.special import ndtri

    return float(ndtr(ndtri(rate) + mu))


def test_every_range_misses_the_truth_no_more_often_than_it_says() -> None:
    repeats = 300
    # At most 10 % may miss; this many misses of 300 have a chance below 1e-7 then.
    most = int(binom.isf(1e-7, repeats, 0.1))
    missed = failures(1.0, 400, repeats)
    assert max(missed.values()) <= most, missed


def test_a_threshold_that_was_looked_for_is_judged_on_other_rounds() -> None:
    # Scores that say nothing: the best threshold of 60 rounds looks better than chance, the verdict must not.
    rng = np.random.default_rng(3)
    repeats = 400
    above = sum(roc(gaussian_trials(60, 0.0, rng), rng).accuracy.value > 0.5 for _ in range(repeats))
    # With 30 rounds judged, more than half right has a chance of 0.428; the tail of the binomial is below 1e-7.
    assert above <= binom.isf(1e-7, repeats, 0.43)


def test_ties_on_the_threshold_are_guessed_by_a_coin() -> None:
    rng = np.random.default_rng(4)
    trials = Trials(coins(10_000, rng), np.zeros(10_000))
    # A fair share of 10,000 is within 5.4 standard deviations of 0.005 but for 1e-7.
    assert accuracy(trials, 0.0, 0.95, rng).value == pytest.approx(0.5, abs=0.027)


def test_tied_scores_are_tested_at_random_so_that_small_rates_can_be_asked_for() -> None:
    # Two scores only; a test at FPR 1 % accuses a random part of those with the larger one.
    rng = np.random.default_rng(5)
    member = coins(200_000, rng)
    truth = rng.random(200_000) < 0.8
    found = roc(Trials(member, np.where(truth == member, 1.0, 0.0)), rng, threshold=0.5, confidence=1 - 1e-7)
    # Members have the larger score four times as often.
    assert found.true_positives[0].low <= 0.04 <= found.true_positives[0].high
    assert found.true_positives[0].value == pytest.approx(0.04, abs=0.01)


def test_the_advantage_is_the_difference_of_the_two_chances() -> None:
    rng = np.random.default_rng(6)
    trials = gaussian_trials(100_000, 1.0, rng)
    found = roc(trials, rng, threshold=0.5)
    suspected = trials.score > 0.5
    difference = suspected[trials.member].mean() - suspected[~trials.member].mean()
    # They differ only by how far the coins are from half and half: 6 standard deviations are 0.01.
    assert difference == pytest.approx(found.advantage.value, abs=0.01)


def test_the_control_knows_nothing_of_the_new_coins() -> None:
    rng = np.random.default_rng(7)
    trials = gaussian_trials(100_000, 3.0, rng)
    control = auc(trials.without_target(rng), 1 - 1e-7)
    assert control.low <= 0.5 <= control.high


def test_figures_stand_beside_control_blind_guess_and_ceiling() -> None:
    rng = np.random.default_rng(8)
    found = judged("demo", gaussian_trials(1_000, 1.0, rng), permitted(1.0), rng)
    names = ["AUC", "accuracy", "advantage", "TPR at FPR 1 %", "TPR at FPR 0.1 %"]
    assert names == [attack.figure for attack in found]
    assert [0.5, 0.5, 0.0, 0.01, 0.001] == [attack.baseline for attack in found]
    ceiling = 1 / (1 + math.exp(-1))
    expected = [ceiling, ceiling, 2 * ceiling - 1, math.e * 0.01, math.e * 0.001]
    np.testing.assert_allclose(expected, [attack.permitted for attack in found], rtol=1e-12)
    main = roc(gaussian_trials(200, 1.0, rng), rng)
    assert 5 == len(figures("demo", main, main, permitted(1.0)))


def test_a_game_of_a_few_rounds_is_refused() -> None:
    rng = np.random.default_rng(9)
    with pytest.raises(DeclarationError, match="100 or more rounds; given 99"):
        judged("demo", gaussian_trials(99, 1.0, rng), permitted(1.0), rng)
    with pytest.raises(DeclarationError, match="one truth and one score"):
        Trials(coins(3, rng), np.zeros(4))


def attack(main: Rate, control: Rate) -> Attack:
    return Attack("demo", "secrets guessed", main, control, 0.1, 1.0)


def test_the_risk_is_what_members_lose_of_an_outsiders_safety() -> None:
    risk = attack(Rate(0.7, 0.6, 0.8, 0.95), Rate(0.4, 0.3, 0.5, 0.95)).risk
    assert (0.5, 0.2, 5 / 7) == pytest.approx((risk.value, risk.low, risk.high))
    assert pytest.approx(0.9) == risk.confidence


def test_there_is_no_risk_where_outsiders_have_no_safety() -> None:
    certain = Rate(1.0, 0.9, 1.0, 0.95)
    risk = attack(certain, certain).risk
    assert (0.0, -math.inf, 1.0) == (risk.value, risk.low, risk.high)


def test_attacks_are_computed_from_the_truth_and_say_so() -> None:
    assert not Attack.disclosable
