"""The binomial law beside SciPy's."""

import math

import pytest
from scipy.special import bdtr, bdtrc, betaincinv

from reaedp.privacy.binomial import chance_of, quantile, tail

TRIALS = [1, 2, 7, 100, 3_001, 50_000, 1_000_000]


def _numbers(trials: int) -> list[int]:
    return sorted({1, max(1, trials // 100), max(1, trials // 3), max(1, trials // 2), max(1, trials - 1), trials})


@pytest.mark.parametrize("trials", TRIALS)
def test_tails_are_those_of_scipy(trials: int) -> None:
    for least in _numbers(trials):
        spread = math.sqrt(trials) / trials
        for chance in (least / trials - 4 * spread, least / trials, least / trials + spread, 0.3, 1e-4):
            if 0 < chance < 1:
                expected = float(bdtrc(least - 1, trials, chance))
                assert expected == pytest.approx(tail(least, trials, chance), rel=1e-8, abs=1e-300)


def test_tails_end_where_they_must() -> None:
    assert (1.0, 0.0, 0.0, 1.0) == (tail(0, 5, 0.0), tail(1, 5, 0.0), tail(6, 5, 1.0), tail(5, 5, 1.0))


@pytest.mark.parametrize("trials", TRIALS)
@pytest.mark.parametrize("probability", [0.5, 0.025, 5e-4, 1e-9, 1 - 1e-6])
def test_chances_are_those_of_scipy(trials: int, probability: float) -> None:
    for successes in _numbers(trials):
        expected = float(betaincinv(successes, trials - successes + 1, probability))
        assert expected == pytest.approx(chance_of(successes, trials, probability), rel=1e-9)


@pytest.mark.parametrize("trials", [1, 9, 400, 50_000])
@pytest.mark.parametrize("chance", [0.0, 1e-5, 0.2, 0.5, 0.97, 1.0])
@pytest.mark.parametrize("share", [0.025, 0.975])
def test_a_quantile_is_the_least_number_that_is_enough(trials: int, chance: float, share: float) -> None:
    found = quantile(share, trials, chance)
    assert chance == 1.0 or bdtr(found, trials, chance) >= share
    assert found == 0 or chance == 1.0 or bdtr(found - 1, trials, chance) < share
    assert trials == found or chance < 1.0
