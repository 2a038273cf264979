"""The nearest-reference game as it should be played, and what goes wrong if the answer is among the references."""

import math

import numpy as np
import pytest

from reaedp.attacks.linkage import nearest_reference
from reaedp.attacks.pair import TwoAnswers
from reaedp.attacks.roc import accuracy
from reaedp.attacks.trials import Trials, coins
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.permitted import permitted
from reaedp.privacy.unit import Sensitivity

ONE_CELL = Sensitivity(l1=1, l2_squared=1, linf=1)
BASE = np.full(30, 33)
PAIR = TwoAnswers(BASE + np.eye(1, 30, dtype=np.int64)[0], BASE)
ROUNDS = 20_000
#: A share of 20,000 rounds is farther than this from its chance once in 10 million times (Hoeffding).
REACH = math.sqrt(math.log(2e7) / (2 * ROUNDS))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_fresh_references_never_beat_what_epsilon_permits(epsilon: float) -> None:
    found = nearest_reference(PAIR, Calibrated(Laplace(epsilon), ONE_CELL), ROUNDS, np.random.default_rng(1))[1]
    assert found.main.value <= permitted(epsilon).accuracy + REACH
    assert found.permitted == pytest.approx(permitted(epsilon).accuracy, abs=1e-8)
    assert 0.5 == pytest.approx(found.control.value, abs=1.5 * REACH)


def test_the_nearest_reference_is_found_when_noise_is_small_and_not_when_it_is_large() -> None:
    rng = np.random.default_rng(2)
    certain = nearest_reference(PAIR, Calibrated(Laplace(20.0), ONE_CELL), ROUNDS, rng)[1]
    blind = nearest_reference(PAIR, Calibrated(Laplace(0.01), ONE_CELL), ROUNDS, rng)[1]
    # Any noise at all on 3 · 30 numbers has a chance below 90 · 2 e^-20.
    assert certain.main.value > 1 - 1e-3
    assert 0.5 == pytest.approx(blind.main.value, abs=REACH + 0.0025)


def test_a_release_that_is_its_own_reference_is_always_recognised_so_that_this_game_shows_nothing() -> None:
    rng = np.random.default_rng(3)
    noise, member = Calibrated(Laplace(0.01), ONE_CELL), coins(ROUNDS, rng)
    everyone = np.ones(ROUNDS, dtype=np.bool_)
    present, absent = (noise.apply(PAIR.either(which), SeededNoise(rng)) for which in (everyone, ~everyone))
    observed = np.where(member[:, None], present, absent)
    score = ((observed - absent) ** 2 - (observed - present) ** 2).sum(axis=1).astype(float)
    assert 1.0 == accuracy(Trials(member, score), 0.0, 0.95, rng).value
    assert permitted(0.01).accuracy < 0.503
