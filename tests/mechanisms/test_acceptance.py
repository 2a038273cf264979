import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaedp.errors import DeclarationError
from reaedp.mechanisms.acceptance import UNITS, PrivacyTest, at_most_growth, optimal
from reaedp.mechanisms.published_acceptance import PublishedTest, best_published

tests = st.lists(st.integers(0, UNITS - 1), max_size=12).map(lambda chances: PrivacyTest((0, *sorted(chances))))
epsilons = st.floats(0.01, 3.0)
gammas = st.sampled_from([1.0, 1.3, 2.0, 7.5])


def exponential(epsilon: float) -> Fraction:
    """e to the decimal number that was written, to fifty digits."""
    with localcontext() as context:
        context.prec = 50
        return Fraction(Decimal(repr(epsilon)).exp())


def excess_by_brute_force(test: PrivacyTest, growth: Fraction, gamma: float, smallest: int) -> Fraction:
    """All counts far beyond certainty, and many weights of the plausible seeds between the extremes."""
    largest = Fraction(0)
    for count in range(test.certain + 20):
        for share in range(5):
            each = 1 / Fraction(gamma) + share * (Fraction(gamma) - 1 / Fraction(gamma)) / 4
            others = count * each
            passes = test.chance(count + 1) * (others + 1) - growth * test.chance(count) * others
            largest = max(largest, passes / (max(count, smallest) + 1))
    return largest


@settings(deadline=None, max_examples=40)
@given(tests, epsilons, gammas, st.integers(0, 30))
def test_the_excess_is_the_largest_over_all_counts_rounded_up(
    test: PrivacyTest, epsilon: float, gamma: float, smallest: int
) -> None:
    true = excess_by_brute_force(test, exponential(epsilon), gamma, smallest)
    computed = test.excess(epsilon, gamma, smallest)
    assert true <= computed
    assert computed == excess_by_brute_force(test, at_most_growth(epsilon), gamma, smallest)


@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 1.0, 2.3, 50.0, 499.0])
def test_the_growth_is_never_above_the_exponential_and_close_to_it(epsilon: float) -> None:
    assert exponential(epsilon) * (1 - Fraction(1, 10**12)) < at_most_growth(epsilon) <= exponential(epsilon)


@settings(deadline=None)
@given(st.floats(0.05, 3.0), st.integers(5, 40), gammas, st.integers(0, 50))
def test_the_optimal_test_keeps_its_excess_and_two_units_more_anywhere_would_break_it(
    epsilon: float, bits: int, gamma: float, smallest: int
) -> None:
    allowed = Fraction(1, 2**bits * (smallest + 1))
    test = optimal(epsilon, allowed, gamma, smallest)
    assert allowed * (1 - Fraction(1, 2**20)) < test.excess(epsilon, gamma, smallest) <= allowed
    for count in {1, 2, test.certain // 2, test.certain - 1} & set(range(1, test.certain)):
        # The count before decides how much may pass. Two quotients were rounded down, each by less than a unit.
        growth, here, more = at_most_growth(epsilon), test.chance(count - 1), test.chance(count) + Fraction(2, UNITS)
        ends = [(count - 1) / Fraction(gamma), (count - 1) * Fraction(gamma)]
        worst = max(more * (others + 1) - growth * here * others for others in ends)
        assert worst / (max(count - 1, smallest) + 1) > allowed


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0])
def test_with_equal_seeds_the_optimal_test_has_a_closed_form(epsilon: float) -> None:
    eta = 1e-5
    test = optimal(epsilon, Fraction(eta) / 1001, 1.0, 1000)
    counts = np.arange(1, test.certain + 5)
    closed = np.minimum(1, eta / counts * np.expm1(np.minimum(epsilon * counts, 500)) / np.expm1(epsilon))
    assert np.allclose(closed, test.rate(counts), rtol=1e-9)


def test_a_word_passes_exactly_if_it_is_below_the_chance() -> None:
    test = PrivacyTest((0, 5, 2**63))
    counts = np.array([0, 0, 1, 1, 2, 2, 3, 9])
    words = np.array([0, 2**64 - 1, 4, 5, 2**63 - 1, 2**63, 2**64 - 1, 2**64 - 1], dtype=np.uint64)
    assert [False, False, True, False, True, False, True, True] == test.passes(counts, words).tolist()
    assert [Fraction(0), Fraction(5, UNITS), Fraction(1, 2), Fraction(1)] == [test.chance(c) for c in range(4)]
    assert (3, 2) == (test.certain, test.half)
    assert [0.0, 5 * 2.0**-64, 0.5, 1.0] == test.rate(np.arange(4)).tolist()


@pytest.mark.parametrize("chances", [(), (1,), (0, 5, 4), (0, UNITS), (-1, 0)])
def test_chances_that_are_no_test_are_refused(chances: tuple[int, ...]) -> None:
    with pytest.raises(DeclarationError):
        PrivacyTest(chances)


def test_a_test_that_would_never_let_anything_pass_is_refused() -> None:
    with pytest.raises(DeclarationError):
        optimal(0.1, Fraction(1, 2**70), 2.0, 0)


def test_a_test_that_asks_for_millions_of_plausible_seeds_is_refused() -> None:
    with pytest.raises(DeclarationError):
        PublishedTest(10**7, 1, 0.1).table()


def test_a_table_of_a_hundred_thousand_counts_keeps_its_promise() -> None:
    test = optimal(2e-4, Fraction(1, 10**12), 2.0, 1000)
    assert test.certain > 100_000
    assert test.excess(2e-4, 2.0, 1000) <= Fraction(1, 10**12)


@settings(deadline=None)
@given(st.integers(1, 60), st.floats(0.05, 2.0))
def test_the_published_table_is_the_tail_of_two_sided_geometric_noise(k: int, epsilon0: float) -> None:
    q, test = math.exp(-epsilon0), PublishedTest(k, 1, epsilon0).table()
    noise = np.arange(-4000, 4001)
    law = (1 - q) / (1 + q) * np.exp(-epsilon0 * np.abs(noise))
    for count in {1, k - 1, k, k + 1, k + 9} - {0}:
        assert law[noise >= k - count].sum() == pytest.approx(float(test.chance(count)), abs=1e-12)
    assert 0 == test.chance(0)


@pytest.mark.parametrize(("k", "t", "epsilon0", "gamma"), [(23, 5, 0.664, 2.0), (50, 10, 1.0, 4.0), (30, 30, 0.2, 1.0)])
def test_the_excess_of_the_published_test_has_the_known_form(k: int, t: int, epsilon0: float, gamma: float) -> None:
    published = PublishedTest(k, t, epsilon0)
    q, n = math.exp(-epsilon0), 1000
    known = q ** (k - t) / (1 + q) * max(i / t * q ** (i - 1) for i in range(1, t + 1)) / (n + 1)
    # The lattice is 2^-64 wide and counts up to γ k units of it.
    assert known == pytest.approx(float(published.table().excess(published.epsilon(gamma), gamma, n)), rel=1e-6)


@pytest.mark.parametrize(
    ("epsilon", "delta", "rows", "expected"),
    [(1.0, 1e-6, 1000, (23, 5, 19)), (0.1, 1e-9, 100_000, (249, 77, 209))],
)
def test_the_best_published_and_the_optimal_test_ask_for_the_known_counts(
    epsilon: float, delta: float, rows: int, expected: tuple[int, int, int]
) -> None:
    """Chance to stop one in a thousand, probabilities within a factor of two."""
    excess = Fraction(delta) / (1 - Fraction(delta)) * Fraction(1, 999)
    published = best_published(epsilon, float(excess * (rows + 1)), 2.0)
    assert expected == (published.k, published.t, optimal(epsilon, excess, 2.0, rows).half)
    assert epsilon == pytest.approx(published.epsilon(2.0))
    assert published.table().excess(epsilon, 2.0, rows) <= excess * (1 + Fraction(1, 10**9))
    laxer = PublishedTest(published.k - 1, published.t, published.epsilon0)
    assert laxer.table().excess(epsilon, 2.0, rows) > excess


@pytest.mark.parametrize(("k", "t", "epsilon0"), [(5, 6, 1.0), (5, 0, 1.0), (5, 1, 0.0), (5.0, 1, 1.0)])
def test_published_parameters_that_mean_nothing_are_refused(k: int, t: int, epsilon0: float) -> None:
    with pytest.raises(DeclarationError):
        PublishedTest(k, t, epsilon0)
