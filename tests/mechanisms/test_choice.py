"""Choices among many scores: exactly the law of the exponential mechanism."""

from collections.abc import Callable
from decimal import Decimal, localcontext
from itertools import pairwise

import numpy as np
import pytest

from reaedp.answer import Words
from reaedp.mechanisms import choice
from reaedp.mechanisms.choice import chosen, weighed
from reaedp.mechanisms.noise import SecretNoise

#: Scores, some of them equal, one far away; and scales that are no whole numbers.
SCORES = np.array([-3, 0, -7, -3, -1, 0, -7, -7, -500_000], dtype=np.int64)
SCALES = (0.3, 2.5, 1_000_000.5)


def script(*numbers: int) -> Callable[[int], Words]:
    """These words, one after the other; an error if more are asked for."""
    left = list(numbers)

    def words(count: int) -> Words:
        return np.array([left.pop(0) for _ in range(count)], dtype=np.uint64)

    return words


def shares(scores: np.ndarray, scale: float) -> dict[int, Decimal]:
    """By distance from the best score, nearest first, the probability of a place that is at most as far away."""
    distances = scores.max() - scores
    with localcontext(prec=150):
        found = {int(one): (-Decimal(int(one)) / Decimal(scale)).exp() for one in np.unique(distances)}
        weights = {one: weight * int((distances == one).sum()) for one, weight in found.items()}
        whole, until = sum(weights.values()), Decimal(0)
        for one, weight in weights.items():
            until += weight
            found[one] = until / whole
    return found


@pytest.mark.parametrize("scale", SCALES)
def test_as_many_words_lead_to_a_score_as_its_probability_says(scale: float) -> None:
    """The words before a bound lead to one score, those after it to the next; the one on it asks for another."""
    distances, found = SCORES.max() - SCORES, shares(SCORES, scale)
    known = list(found)
    for nearer, farther in pairwise(known):
        with localcontext(prec=150):
            bound = int(found[nearer] * 2**64)
        if bound >= 2**64 - 1:
            continue  # what is farther is rarer than a word can tell
        assert nearer == distances[chosen(SCORES, scale, script(bound - 1, 0, 0))]
        assert farther == distances[chosen(SCORES, scale, script(bound + 1, 0, 0))]
        with localcontext(prec=150):
            rest = int((found[nearer] * 2**64 - bound) * 2**64)
        assert nearer == distances[chosen(SCORES, scale, script(bound, rest - 1, 0, 0))]
        assert farther == distances[chosen(SCORES, scale, script(bound, rest + 1, 0, 0))]


@pytest.mark.parametrize("scale", SCALES)
def test_sums_of_weights_lie_between_their_bounds_which_are_close(scale: float) -> None:
    classes, counts = np.unique(SCORES.max() - SCORES, return_counts=True)
    sums = weighed(classes, counts, 5, scale, 192)
    with localcontext(prec=150):
        until = Decimal(0)
        for distance, count, (low, high) in zip(classes.tolist(), counts.tolist(), sums, strict=False):
            until += count * (-Decimal(distance) / Decimal(scale)).exp() * 2**192
            assert low <= until <= high
            assert high - low < 200
    assert 5 == sums[-1][1] - sums[-2][1]
    assert sums[-1][0] == sums[-2][0]


def test_equal_scores_are_equally_likely() -> None:
    """Two bits tell three places apart; the fourth number is passed over."""
    scores = np.array([-9, 0, 0, -9, 0], dtype=np.int64)
    for bits, place in ((0, 1), (1, 2), (2, 4)):
        assert place == chosen(scores, 1.0, script(0, bits << 62))
        assert place == chosen(scores, 1.0, script(0, 3 << 62, bits << 62))


def test_what_is_too_far_away_for_the_first_bits_is_looked_at_with_more() -> None:
    """The far score has a chance of e^-300; a number whose first 448 bits are ones leads to it."""
    scores = np.array([0, -300], dtype=np.int64)
    ones = [2**64 - 1] * 7
    assert 1 == chosen(scores, 1.0, script(*ones, *[0] * 3))


@pytest.mark.slow
def test_many_scores_are_chosen_among_by_the_exact_law() -> None:
    """Chi-squared statistics of 40 and 125 classes are above 110 and 230 in less than one of 10^7 runs."""
    draws, scores = 5_000, -(np.arange(5_000) % 40).astype(np.int64)
    found = np.array([SecretNoise().choose(scores, 15.0) for _ in range(draws)])
    weights = np.exp(-np.arange(40) / 15.0)
    expected = draws * weights / weights.sum()
    assert ((np.bincount(found % 40, minlength=40) - expected) ** 2 / expected).sum() < 110
    assert ((np.bincount(found // 40, minlength=125) - draws / 125) ** 2 / (draws / 125)).sum() < 230


def test_the_library_chooses_where_distances_leave_64_bits() -> None:
    ends = np.iinfo(np.int64)
    scores = np.full(choice.MANY, ends.min + 1, dtype=np.int64)
    assert choice.pays(scores)
    scores[7] = ends.max
    assert not choice.pays(scores)
    assert 7 == SecretNoise().choose(scores, 1.0)
