"""Draws by inversion follow their laws to the last bit: every comparison is held against exact arithmetic."""

import math
from collections.abc import Callable, Iterator
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaedp.answer import Words
from reaedp.mechanisms.inversion import SURVIVAL, _table, drawn, pays, resolved

SCALES = [0.1, 0.7, 2.0, 12.5, 1 / 3]
FAMILIES = sorted(SURVIVAL)
#: Enough digits for sums of some thousand terms to be right to 2^-400.
DIGITS, FINE = Context(prec=160), 2**500


@cache
def survivals(family: str, scale: float) -> list[Fraction]:
    """P(|X| > k) for k = 0, 1, …, summed term by term."""
    weights = [_weight(family, scale, k) for k in range(40 + int(400 * scale if family == "laplace" else 30 * scale))]
    tails = list(accumulate(reversed(weights[1:])))[::-1]
    return [Fraction(2 * tail, weights[0] + 2 * tails[0]) for tail in tails]


def survival(family: str, scale: float, size: int) -> Fraction:
    return survivals(family, scale)[size]


def _weight(family: str, scale: float, size: int) -> int:
    exact = Fraction(scale)
    power = Fraction(size) / exact if family == "laplace" else Fraction(size) ** 2 / (2 * exact**2)
    return int(Fraction(DIGITS.exp(DIGITS.divide(Decimal(-power.numerator), Decimal(power.denominator)))) * FINE)


def upto(family: str, scale: float, bits: int, count: int) -> Iterator[tuple[int, tuple[int, int]]]:
    return zip(range(count), SURVIVAL[family](Fraction(scale), bits), strict=False)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("bits", [12, 30, 192])
def test_probabilities_lie_between_their_bounds_which_are_close(family: str, scale: float, bits: int) -> None:
    for size, (low, high) in upto(family, scale, bits, 40):
        truth = survival(family, scale, size) * 2**bits
        assert low <= truth <= high
        assert high - low <= 40_000  # of 2^192 units


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("scale", SCALES)
def test_as_many_words_lead_to_a_size_as_its_probability_says(family: str, scale: float) -> None:
    """All but the words that a table holds are decided by it; so these counts are the law, to within one word."""
    table = [int(word) for word in _table(family, scale)][::-1]
    assert [int(survival(family, scale, size) * 2**64) for size in range(len(table))] == table
    assert 0 == table[-1] < table[-2] if len(table) > 1 else table == [0]


def counted(*following: int) -> tuple[Callable[[int], Words], list[int]]:
    """Words that are known beforehand, and how many were asked for."""
    left, asked = list(following), []

    def words(count: int) -> Words:
        asked.append(count)
        return np.array([left.pop(0) for _ in range(count)], dtype=np.uint64)

    return words, asked


@pytest.mark.parametrize("family", FAMILIES)
def test_a_word_beside_a_bound_decides_and_one_on_it_asks_for_more(family: str) -> None:
    table = _table(family, 2.0)
    for place in (len(table) // 2, 3 * len(table) // 4, len(table) - 1):
        bound, size = int(table[place]), len(table) - place
        for word, expected in ((bound - 1, size), (bound + 1, size - 1)):
            words, asked = counted(word, 0)
            assert expected == drawn(family, 2.0, 1, words)[0]
            assert [1, 1] == asked  # the word, and one with the signs
        rest = int((survival(family, 2.0, size - 1) * 2**64) % 1 * 2**64)
        for more, expected in ((rest - 1, size), (rest + 1, size - 1)):
            words, asked = counted(bound, more, 0)
            assert expected == drawn(family, 2.0, 1, words)[0]
            assert [1, 1, 1] == asked


@pytest.mark.parametrize("family", FAMILIES)
def test_sizes_beyond_the_table_are_drawn_as_rarely_as_they_should_be(family: str) -> None:
    for more in (0, 1, 2**40, 2**63):
        words, _ = counted(0, more, 2**63, 0)
        number = Fraction(more << 64 | 2**63, 2**192)
        expected = next(k for k, bound in enumerate(survivals(family, 2.0)) if number >= bound)
        assert expected == drawn(family, 2.0, 1, words)[0]
        assert expected >= len(_table(family, 2.0)) - 1


@given(
    family=st.sampled_from(FAMILIES),
    scale=st.floats(0.2, 6.0),
    size=st.integers(0, 30),
    bits=st.integers(1, 3),
    shift=st.integers(-2, 2),
)
@settings(max_examples=60)
def test_more_bits_decide_as_exact_comparison_does(family: str, scale: float, size: int, bits: int, shift: int) -> None:
    """Numbers as near to a bound as so many words can be."""
    unit = 64 * bits
    value = min(max(int(survival(family, scale, size) * 2**unit) + shift, 0), 2**unit - 1)
    parts = [value >> (unit - 64 * (place + 1)) & (2**64 - 1) for place in range(bits)]
    words, _ = counted(*parts[1:], 2**63, 2**63)
    number = Fraction(value << 128 | 2**63 << 64 | 2**63, 2 ** (unit + 128))
    expected = next(k for k, bound in enumerate(survivals(family, scale)) if number >= bound)
    assert expected == resolved(family, scale, parts[0], words)


def test_each_value_has_a_sign_of_its_own() -> None:
    words, _ = counted(*[2**60] * 128, 0x00FF, 0)
    signs = np.sign(drawn("laplace", 50.0, 128, words))
    assert 8 == (signs < 0).sum()
    assert 120 == (signs > 0).sum()


@pytest.mark.parametrize("family", FAMILIES)
def test_long_answers_are_drawn_in_steps(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reaedp.mechanisms.inversion._AT_ONCE", 10)
    chance = np.random.default_rng(1)
    values = drawn(family, 3.0, 25, lambda count: chance.integers(0, 2**64, count, dtype=np.uint64))
    assert (25,) == values.shape
    assert len(set(values[:10]) | set(values[10:20])) > 3


@pytest.mark.parametrize("family", FAMILIES)
def test_the_library_draws_where_a_table_would_be_long_beside_the_answer(family: str) -> None:
    assert [True, True, True] == [pays(family, 1.0, 1), pays(family, 1.0, 10_000), pays(family, 100.0, 20_000)]
    assert [False, False, False] == [pays(family, 100.0, 100), pays(family, 1e6, 10_000), pays(family, math.inf, 1)]
    assert not pays(family, 0.0, 10_000)  # no noise at all


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("scale", [0.01, 1e-6, 1e-300])
def test_noise_that_is_hardly_ever_any_is_zero(family: str, scale: float) -> None:
    chance = np.random.default_rng(1)
    values = drawn(family, scale, 1_000, lambda count: chance.integers(0, 2**64, count, dtype=np.uint64))
    assert not values.any()  # at 0.01 a value differs from zero with a probability below 2^-140
