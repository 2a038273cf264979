"""Groups that are shown above a threshold: what it costs, by enumeration of tiny cases, and what is refused."""

import math
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest

from reaedp import Budget, Contract, GroupThreshold, Integer, KeyedRates, KeyedSummary, Laplace, Request, Unit
from reaedp.answer import GroupedParts
from reaedp.errors import DeclarationError
from reaedp.mechanisms.group_threshold import sum_tail
from reaedp.mechanisms.noise import SecretNoise, SeededNoise
from reaedp.privacy.unit import Sensitivity
from sampling import follows

#: Steps that a row adds to the two parts of its group, and how far noise is followed.
ROW, FAR = 2, 60


def sensitivity(change: str, rows: int, row: int = ROW) -> Sensitivity:
    sides = 2 if change == "replace" else 1
    return Sensitivity(sides * rows * row, sides * (rows * row) ** 2, rows * row)


@cache
def noise_law(scale: float) -> np.ndarray:
    """Discrete Laplace noise from -FAR to FAR."""
    weights = np.exp(-np.abs(np.arange(-FAR, FAR + 1)) / scale)
    return weights / ((1 + math.exp(-1 / scale)) / (1 - math.exp(-1 / scale)))


@cache
def shown_law(parts: tuple[int, int], scale: float, threshold: int) -> tuple[np.ndarray, float]:
    """The chance of every pair of noisy parts that is shown, and that of none; a group without rows is never shown."""
    if parts == (0, 0):
        return np.zeros((FAR, FAR)), 1.0
    places = [np.arange(-FAR, FAR + 1) + part for part in parts]
    chances = np.outer(noise_law(scale), noise_law(scale))
    shown = np.add.outer(*places) >= threshold
    kept = np.zeros((2 * FAR + 30, 2 * FAR + 30))
    rows, columns = np.nonzero(shown)
    kept[places[0][rows] + FAR, places[1][columns] + FAR] = chances[rows, columns]
    return kept, float(1 - kept.sum())


@cache
def losses(first: tuple[int, int], second: tuple[int, int], scale: float, threshold: int) -> dict[float, float]:
    """How likely each loss is of one group under the first of two data sets; infinite where the other cannot be."""
    found: dict[float, float] = defaultdict(float)
    (one, none), (other, nothing) = (shown_law(parts, scale, threshold) for parts in (first, second))
    found[round(math.log(none / nothing), 9)] += none
    if first == (0, 0):
        return found
    if second == (0, 0):
        found[math.inf] += float(one.sum())
        return found
    both = (one > 0) & (other > 0)
    ratio = np.round(np.log(one[both] / other[both]), 9)
    for loss in np.unique(ratio):
        found[float(loss)] += float(one[both][ratio == loss].sum())
    return found


def delta_of(first: Any, second: Any, epsilon: float, scale: float, threshold: int) -> float:
    """Of independent groups together: the chance of losses above ε, less what the other world has of them."""
    total: dict[float, float] = {0.0: 1.0}
    for one, other in zip(first, second, strict=True):
        if one != other:
            added: dict[float, float] = defaultdict(float)
            for (loss, chance), (more, again) in product(total.items(), losses(one, other, scale, threshold).items()):
                added[round(loss + more, 9)] += chance * again
            total = added
    return sum(chance * -math.expm1(min(epsilon - loss, 0.0)) for loss, chance in total.items())


def placed(rows: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Three groups, of which the first has rows of others, with up to so many rows of one unit, all ways."""
    ways = list(product(range(3), ((ROW, 0), (0, ROW), (1, 1))))
    for number in range(rows + 1):
        for chosen in combinations_with_replacement(ways, number):
            groups = [[7, 3], [0, 0], [0, 0]]
            for group, (lower, upper) in chosen:
                groups[group][0] += lower
                groups[group][1] += upper
            yield tuple((lower, upper) for lower, upper in groups)


@pytest.mark.parametrize(("change", "rows"), [("add-remove", 1), ("add-remove", 2), ("replace", 1), ("replace", 2)])
@pytest.mark.parametrize("epsilon", [1.0, 3.0])
def test_no_neighbours_of_a_tiny_table_cost_more_than_is_charged(change: str, rows: int, epsilon: float) -> None:
    """Every way in which one unit's rows can lie, in groups of its own and of others; losses in closed form."""
    moved, charged = sensitivity(change, rows), 0.01
    mechanism = GroupThreshold(epsilon, charged, parts=2, row=ROW, rows=rows)
    mechanism.price(moved)
    scale, threshold = mechanism.scale(moved), mechanism.threshold(moved)
    worlds = list(placed(rows))
    before = worlds if change == "replace" else worlds[:1]
    worst = max(
        delta_of(one, other, epsilon, scale, threshold)
        for first, second in product(before, worlds)
        for one, other in ((first, second), (second, first))
    )
    assert worst <= charged * (1 + 1e-6)
    assert worst > charged / 50  # the threshold is not far from the least one


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("parts", [1, 3, 6])
@pytest.mark.parametrize("epsilon", [1.0, 8.0])
def test_a_new_group_is_shown_with_probability_at_most_delta(parts: int, rows: int, epsilon: float) -> None:
    """Every way in which a unit's rows can form new groups, by the exact law of the sum of so many noises.

    Of three rows three groups are worst where noise is wide, and one group where it is narrow.
    """
    row, moved = 8, sensitivity("add-remove", rows, 8)
    mechanism = GroupThreshold(epsilon, 1e-3, parts=parts, row=row, rows=rows)
    scale, threshold = mechanism.scale(moved), mechanism.threshold(moved)
    one = np.exp(-np.abs(np.arange(-1200, 1201)) / scale)
    law = one / one.sum()
    for _ in range(parts - 1):
        law = np.convolve(law, one / one.sum())
    tail = np.cumsum(law[::-1])[::-1]
    centre = len(law) // 2

    def worst(least: int) -> float:
        ways = {1: [(1,)], 3: [(3,), (2, 1), (1, 1, 1)]}[rows]
        return max(sum(tail[centre + least - row * part] for part in way) for way in ways)

    assert worst(threshold) <= mechanism.delta
    assert worst(threshold - 2 * parts - 2) > mechanism.delta


def test_the_tail_of_a_sum_of_noises_is_that_of_formulas_for_few() -> None:
    for t in (0.0, 0.5, 3.0, 9.0, 30.0):
        assert sum_tail(t, 1) == pytest.approx(math.exp(-t) / 2, rel=1e-12)
        assert sum_tail(t, 2) == pytest.approx(math.exp(-t) * (t + 2) / 4, rel=1e-12)
    assert 0.5 == pytest.approx(sum_tail(0.0, 7))


def test_all_parts_have_noise_at_l1_over_epsilon_and_their_sum_decides() -> None:
    moved, groups = sensitivity("add-remove", 1, 4), 3_000
    mechanism = GroupThreshold(0.5, 1e-6, parts=2, row=4, rows=1)
    keys, high = np.arange(groups).reshape(-1, 1), np.full((groups, 2), 10**6)
    shown = mechanism.apply(GroupedParts(keys, high), moved, SecretNoise())
    assert groups == len(shown.keys)
    assert follows((shown.parts - 10**6).ravel(), "laplace", 4 / 0.5)
    least = mechanism.threshold(moved)
    at = np.tile([0, least], (groups, 1))
    shown = mechanism.apply(GroupedParts(keys, at), moved, SeededNoise(np.random.default_rng(2)))
    # Half of them, within seven standard deviations.
    assert abs(len(shown.keys) - groups / 2) < 7 * math.sqrt(groups / 4)
    assert shown.parts.sum(axis=1).min() >= least


AGE, ZIP = (Integer(name=name, lower=0, upper=9, provenance="public") for name in ("age", "zip"))


def contract(unit: Unit) -> Contract:
    return Contract(dataset="d", unit=unit, budget=Budget(9, 1e-3), ledger="unused", columns=(AGE, ZIP))


def test_a_threshold_that_was_made_for_another_statistic_is_refused() -> None:
    statistic, terms = KeyedSummary("age", "zip"), contract(Unit("replace", person="p", max_rows=3))
    good = Request("r", statistic, GroupThreshold(epsilon=1.0, delta=1e-6)).settled(terms)
    assert isinstance(good.mechanism, GroupThreshold)
    assert 3 == good.mechanism.rows
    assert (len(statistic.parts(terms)[0].names),) == (good.mechanism.parts,)
    good.charge(terms)
    for wrong in ({"parts": 1}, {"row": 1}, {"rows": 1}):
        facts = statistic.shape(terms) | wrong
        with pytest.raises(DeclarationError, match="made for another"):
            Request("r", statistic, GroupThreshold(1.0, 1e-6, **facts)).charge(terms)
    with pytest.raises(DeclarationError, match="'vector'"):
        Request("r", statistic, Laplace(1.0)).charge(terms)


def test_a_delta_that_would_betray_absence_and_one_group_of_all_rows_are_refused() -> None:
    with pytest.raises(DeclarationError, match="delta must be at most"):
        GroupThreshold(0.01, 0.1, parts=2, row=ROW, rows=1).price(sensitivity("add-remove", 1))
    for make in (lambda: KeyedSummary("age", ()), lambda: KeyedRates("age", (), at_least=3)):
        with pytest.raises(DeclarationError, match="by must name"):
            make()
    for wrong in ({"parts": 0}, {"row": True}, {"rows": 1.5}):
        with pytest.raises(DeclarationError, match="whole number"):
            GroupThreshold(1.0, 1e-6, **({"parts": 2, "row": 2, "rows": 1} | wrong))  # type: ignore[arg-type]
