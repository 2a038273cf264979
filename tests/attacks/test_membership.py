"""Attacks on noisy vectors: the likelihood ratio reaches the ceiling, nobody exceeds it, all fade as ε does."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom

from reaedp.attacks.attack import Attack
from reaedp.attacks.membership import (
    entropy_and_total,
    gaussian_evidence,
    known_curves,
    known_others,
    known_sample,
    laplace_evidence,
)
from reaedp.attacks.pair import TwoAnswers, counts, with_and_without
from reaedp.errors import DeclarationError
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.threshold import Threshold
from reaedp.privacy.unit import Sensitivity

ONE_CELL = Sensitivity(l1=1, l2_squared=1, linf=1)
TWO_CELLS = Sensitivity(l1=2, l2_squared=2, linf=1)
BINS = 30
BASE = np.full(BINS, 33)
FIRST, SECOND = np.eye(2, BINS, dtype=np.int64)
ADDED, REPLACED = TwoAnswers(BASE + FIRST, BASE), TwoAnswers(BASE + FIRST, BASE + SECOND)
ROUNDS = 20_000
#: A share of 20,000 rounds is farther than this from its chance once in 10 million times (Hoeffding).
REACH = math.sqrt(math.log(2e7) / (2 * ROUNDS))


def by_figure(attacks: tuple[Attack, ...]) -> dict[str, Attack]:
    return {attack.figure: attack for attack in attacks}


LAWS = {"laplace": lambda x, s: np.exp(-np.abs(x) / s), "gaussian": lambda x, s: np.exp(-(x**2) / (2 * s**2))}


@pytest.mark.parametrize(("law", "evidence"), [("laplace", laplace_evidence), ("gaussian", gaussian_evidence)])
def test_evidence_is_the_logarithm_of_the_ratio_of_probabilities(law: str, evidence: object) -> None:
    reach = np.arange(-60, 61)
    weights = LAWS[law](reach.astype(float), 1.7)
    chances = dict(zip(reach.tolist(), (weights / weights.sum()).tolist(), strict=True))
    pair = TwoAnswers(np.array([3, 5, 1]), np.array([3, 4, 2]))
    for released in product(range(-2, 8, 3), repeat=3):
        ratio = math.prod(
            chances[z - p] / chances[z - a] for z, p, a in zip(released, pair.present, pair.absent, strict=True)
        )
        assert math.log(ratio) == pytest.approx(float(evidence(np.array(released), pair, 1.7)), abs=1e-9)


def test_only_moved_coordinates_count() -> None:
    moved = REPLACED.moved
    assert ([34, 33], [33, 34]) == (moved.present.tolist(), moved.absent.tolist())


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_likelihood_ratio_is_as_right_as_discrete_laplace_noise_can_be_undone(epsilon: float) -> None:
    rng = np.random.default_rng(1)
    added = by_figure(known_others([(ADDED, Calibrated(Laplace(epsilon), ONE_CELL))], ROUNDS, rng))
    replaced = by_figure(known_others([(REPLACED, Calibrated(Laplace(epsilon), TWO_CELLS))], ROUNDS, rng))
    # One cell moved by one: noise of scale 1/ε is on the right side with odds e^ε. Two cells: each with odds e^(ε/2);
    # where they disagree a coin decides, which leaves the odds at e^(ε/2).
    assert 1 / (1 + math.exp(-epsilon)) == pytest.approx(added["accuracy"].main.value, abs=REACH)
    assert 1 / (1 + math.exp(-epsilon / 2)) == pytest.approx(replaced["accuracy"].main.value, abs=REACH)
    # Both are all that the price permits.
    assert 1 / (1 + math.exp(-epsilon)) == pytest.approx(added["accuracy"].permitted, abs=1e-8)
    assert 1 / (1 + math.exp(-epsilon / 2)) == pytest.approx(replaced["accuracy"].permitted, abs=1e-8)
    for attack in (*added.values(), *replaced.values()):
        # The ranges are at 95 %; doubling their distance leaves no room for chance but 1e-7 in these 30 figures.
        assert attack.main.low - (attack.main.value - attack.main.low) * 2 <= attack.permitted
        assert attack.permitted <= attack.main.high + (attack.main.high - attack.main.value) * 2 + 1e-9


def test_the_likelihood_ratio_is_as_right_as_discrete_gaussian_noise_can_be_undone() -> None:
    rng = np.random.default_rng(2)
    noise = Calibrated(Gaussian(0.5), ONE_CELL)
    reach = np.arange(-40, 41)
    none = 1 / np.exp(-(reach**2) / (2 * noise.scale**2)).sum()
    found = by_figure(known_others([(ADDED, noise)], ROUNDS, rng))
    # Suspect at one above the middle: the two chances differ by that of no noise at all.
    assert (1 + none) / 2 == pytest.approx(found["accuracy"].main.value, abs=REACH)
    assert (1 + none) / 2 == pytest.approx(found["accuracy"].permitted, abs=1e-6)
    assert found["AUC"].permitted == pytest.approx(found["AUC"].main.value, abs=0.03)


@pytest.mark.parametrize("mu", [0.2, 1.0, 3.0])
def test_curves_are_told_apart_as_two_normal_laws_are(mu: float) -> None:
    rng = np.random.default_rng(3)
    direction = 1.0 / np.arange(1, 11)
    scale = np.linspace(1, 2, 10)
    scale *= float(np.linalg.norm(direction / scale)) / mu
    found = by_figure(known_curves(TwoAnswers(direction, np.zeros(10)), scale, ROUNDS, rng))
    assert float(ndtr(mu / 2)) == pytest.approx(found["accuracy"].main.value, abs=REACH)
    assert float(ndtr(mu / 2)) == pytest.approx(found["accuracy"].permitted)
    # Hoeffding's bound for the area, with as many pairs as the rarer kind has rounds.
    assert float(ndtr(mu / math.sqrt(2))) == pytest.approx(found["AUC"].main.value, abs=1.5 * REACH)


def test_entropy_and_total_miss_most_of_what_is_there() -> None:
    rng = np.random.default_rng(4)
    noise = Calibrated(Laplace(1.0), ONE_CELL)
    found = by_figure(entropy_and_total(ADDED, noise, ROUNDS, rng))["accuracy"]
    # The total moves by 1 under a deviation of √(30 · 1.84) = 7.4: Φ(1/14.9) = 0.527; the entropy adds little.
    assert 0.527 - REACH < found.main.value < 0.56 + REACH
    assert 0.731 == pytest.approx(found.permitted, abs=1e-3)


def test_a_sample_of_others_is_worth_less_than_all_of_them() -> None:
    rng = np.random.default_rng(5)
    shares = np.full(BINS, 1 / BINS)
    sure = {"rows": 30, "sample": 3_000_000, "rounds": ROUNDS, "rng": rng}
    noise = Calibrated(Laplace(8.0), ONE_CELL)
    # A cell with one other expected, noise next to none: more than 1 is suspect. Poisson: (Pr[≤ 1] + Pr[≥ 1]) / 2.
    low, high = float(binom.cdf(1, 30, 1 / 30)), float(binom.sf(0, 30, 1 / 30))
    found = by_figure(known_sample(shares, 0, noise, **sure))["accuracy"]
    assert (low + high) / 2 == pytest.approx(found.main.value, abs=REACH + 0.002)
    assert found.main.high < found.permitted


@pytest.mark.parametrize("sensitivity", [ONE_CELL, TWO_CELLS])
def test_all_fade_with_epsilon_and_the_controls_were_never_there(sensitivity: Sensitivity) -> None:
    rng = np.random.default_rng(6)
    noise = Calibrated(Laplace(0.01), sensitivity)
    pair = ADDED if sensitivity is ONE_CELL else REPLACED
    shares = np.full(BINS, 1 / BINS)
    games = [
        known_others([(pair, noise)], ROUNDS, rng),
        entropy_and_total(pair, noise, ROUNDS, rng),
        known_sample(shares, 0, noise, rows=1_000, sample=1_000, rounds=ROUNDS, rng=rng),
    ]
    for attack in (by_figure(game)["accuracy"] for game in games):
        assert 0.5 == pytest.approx(attack.main.value, abs=0.0025 + REACH)
        # The control has half the rounds.
        assert 0.5 == pytest.approx(attack.control.value, abs=1.5 * REACH)


def test_tables_of_counts_differ_by_the_target_alone() -> None:
    codes = np.array([[0, 1, 2], [1, 1, 0], [0, 0, 2]])
    assert [0, 0, 2, 1, 0, 0] == counts(codes, (2, 2, 3), [0, 2]).tolist()
    pairs = with_and_without(codes, 1, (2, 2, 3), [[0], [1, 2]])
    assert [[2, 1], [0, 0, 1, 1, 0, 1]] == [pair.present.tolist() for pair in pairs]
    assert [[2, 0], [0, 0, 1, 0, 0, 1]] == [pair.absent.tolist() for pair in pairs]


def test_several_tables_together_are_as_telling_as_their_prices_permit() -> None:
    rng = np.random.default_rng(7)
    codes = rng.integers(3, size=(100, 2))
    noise = Calibrated(Laplace(0.5), ONE_CELL)
    pairs = with_and_without(codes, 0, (3, 3), [[0], [1]])
    found = by_figure(known_others([(pair, noise) for pair in pairs], ROUNDS, rng))["accuracy"]
    # Two honest coins with odds e^0.5, as for a replaced row.
    assert 1 / (1 + math.exp(-0.5)) == pytest.approx(found.main.value, abs=REACH)
    assert 1 / (1 + math.exp(-0.5)) == pytest.approx(found.permitted, abs=1e-8)


def test_noise_without_a_known_ratio_is_refused() -> None:
    noise = Calibrated(Threshold(1.0, 1e-6), ONE_CELL)
    with pytest.raises(DeclarationError, match="Unknown kind of additive noise"):
        known_others([(ADDED, noise)], 1_000, np.random.default_rng(8))
