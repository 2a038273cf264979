import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaedp.errors import DeclarationError
from reaedp.rate import Rate, at_least, at_most, mean, share


def upper_tail(successes: int, trials: int, chance: float) -> float:
    """P(at least so many successes), by summing the binomial law."""
    terms = (math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(successes, trials + 1))
    return math.fsum(terms)


@settings(deadline=None)
@given(st.integers(1, 30), st.data(), st.sampled_from([0.9, 0.95, 0.99]))
def test_at_the_lower_end_so_many_successes_are_as_rare_as_was_asked(
    trials: int, data: st.DataObject, confidence: float
) -> None:
    successes = data.draw(st.integers(1, trials))
    low = at_least(successes, trials, confidence)
    assert 1 - confidence == pytest.approx(upper_tail(successes, trials, low), rel=1e-9)


@settings(deadline=None)
@given(st.integers(1, 30), st.data())
def test_the_upper_end_is_the_lower_end_of_the_failures(trials: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, trials))
    assert 1 - at_least(trials - successes, trials, 0.95) == at_most(successes, trials, 0.95)


def test_ranges_that_can_be_computed_by_hand() -> None:
    # Nothing in n trials: (1 - p)^n = 0.025 at the upper end.
    assert 1 - 0.025 ** (1 / 10) == pytest.approx(share(0, 10).high)
    assert (0.0, 0.0) == (share(0, 10).value, share(0, 10).low)
    assert (1.0, 1.0) == (share(10, 10).value, share(10, 10).high)
    # One trial in one: p = 0.05 at the one-sided lower end.
    assert 0.05 == pytest.approx(at_least(1, 1, 0.95))


@pytest.mark.parametrize("chance", [0.02, 0.3, 0.5, 0.97])
@pytest.mark.parametrize("trials", [1, 7, 40])
def test_the_range_of_a_share_contains_the_truth_at_least_as_often_as_it_says(trials: int, chance: float) -> None:
    ranges = [share(successes, trials, 0.9) for successes in range(trials + 1)]
    chances = [math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(trials + 1)]
    covered = math.fsum(p for p, rate in zip(chances, ranges, strict=True) if rate.low <= chance <= rate.high)
    assert 0.9 <= covered + 1e-12


def test_the_mean_has_students_range() -> None:
    # Mean 3, variance 2.5, so a standard error of √0.5; the 97.5 % point of t with 4 degrees of freedom is 2.776445.
    rate = mean([1.0, 2.0, 3.0, 4.0, 5.0])
    reach = 2.7764451052 * math.sqrt(0.5)
    assert (3.0, 0.95) == (rate.value, rate.confidence)
    assert (3 - reach, 3 + reach) == pytest.approx((rate.low, rate.high))
    assert "3.000 (1.037 to 4.963)" == str(rate)


def test_more_confidence_or_fewer_trials_make_a_range_wider() -> None:
    def width(rate: Rate) -> float:
        return rate.high - rate.low

    assert width(share(5, 10, 0.9)) < width(share(5, 10, 0.99))
    assert width(share(50, 100)) < width(share(5, 10))
    assert width(mean([0.0, 1.0, 2.0], 0.9)) < width(mean([0.0, 1.0, 2.0], 0.99))


def test_impossible_figures_are_refused() -> None:
    for successes, trials in ((-1, 3), (4, 3), (0, 0)):
        with pytest.raises(DeclarationError, match="between 0 and the number of trials"):
            share(successes, trials)
    with pytest.raises(DeclarationError, match="two or more runs"):
        mean([1.0])
    with pytest.raises(DeclarationError, match="low ≤ value ≤ high"):
        Rate(0.5, 0.6, 0.7, 0.95)
    with pytest.raises(DeclarationError, match="low ≤ value ≤ high"):
        Rate(0.5, 0.4, 0.6, 1.0)
