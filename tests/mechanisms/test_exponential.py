"""Quantiles by the exponential mechanism: its exact law between all neighbours of tiny tables, and its sampler."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from reaedp import Exponential
from reaedp.answer import Ordered
from reaedp.mechanisms.exponential import FOR_ROWS, Step, descend, scores, spread, steps
from reaedp.mechanisms.noise import SecretNoise, SeededNoise
from reaedp.privacy.unit import Sensitivity, Unit
from reaedp.statistics.marginal import counting_sensitivity

HALF, TENTH = Fraction(1, 2), Fraction(1, 10)
RANKS = [(HALF,), (TENTH,), (Fraction(1, 4), Fraction(3, 4)), (TENTH, HALF, Fraction(9, 10))]
UNITS = [
    Unit("add-remove"),
    Unit("replace"),
    Unit("add-remove", person="p", max_rows=2),
    Unit("replace", person="p", max_rows=2),
]
EPSILON = 1.3
Law = dict[tuple[int, ...], float]


def law(counts: tuple[int, ...], at: tuple[Fraction, ...], sensitivity: Sensitivity) -> Law:
    """The chance of every output for one group, by enumeration; written from the definition alone."""
    mechanism, depth = Exponential(EPSILON), len(steps(at))

    def below(first: int, last: int, low: int, high: int, ends: tuple[Fraction, Fraction]) -> Law:
        if low >= high:
            return {(): 1.0}
        middle = (low + high) // 2
        share = (at[middle] - ends[0]) / (ends[1] - ends[0])
        rows, start = (counts[first:last], first) if first < last else ((0,), last - 1)
        step = next(step for level in steps(at) for step in level if step.place == middle)
        scale = mechanism.step_scale(sensitivity, step, depth)
        misses = []
        for place in range(len(rows)):
            before, until = sum(rows[:place]), sum(rows[: place + 1])
            wanted = share * sum(rows)
            misses.append(max(Fraction(0), before - wanted, wanted - until) * share.denominator)
        weights = [math.exp(-float(miss) / scale) for miss in misses]
        found: Law = Counter()
        for place, weight in enumerate(weights):
            chosen = start + place
            left = below(first, chosen + 1, low, middle, (ends[0], at[middle]))
            right = below(chosen + 1, last, middle + 1, high, (at[middle], ends[1]))
            for (one, p), (other, q) in itertools.product(left.items(), right.items()):
                found[(*one, chosen, *other)] += weight / sum(weights) * p * q
        return found

    return below(0, len(counts), 0, len(at), (Fraction(0), Fraction(1)))


def tables(cells: int, most: int) -> list[tuple[int, ...]]:
    return [table for table in itertools.product(range(most + 1), repeat=cells) if sum(table) <= most]


def neighbours(unit: Unit, cells: int, most: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All pairs of tables that differ in one unit's rows, of which there are up to `unit.rows`."""
    own = [rows for rows in tables(cells, unit.rows) if unit.change == "add-remove" or sum(rows) == unit.rows]
    for others in tables(cells, most):
        for before, after in itertools.combinations(own, 2):
            if unit.change == "replace" or not any(before):
                yield (
                    tuple(map(sum, zip(others, before, strict=True))),
                    tuple(map(sum, zip(others, after, strict=True))),
                )


def apart(first: Law, second: Law) -> float:
    assert first.keys() == second.keys()
    return max(abs(math.log(first[output] / second[output])) for output in first)


@pytest.mark.parametrize("at", RANKS, ids=str)
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: f"{unit.change}-{unit.rows}")
def test_no_neighbours_are_told_apart_by_more_than_epsilon(unit: Unit, at: tuple[Fraction, ...]) -> None:
    sensitivity = counting_sensitivity(unit)
    known = {}

    def of(table: tuple[int, ...]) -> Law:
        if table not in known:
            known[table] = law(table, at, sensitivity)
        return known[table]

    allowed = EPSILON * float(1 - FOR_ROWS)
    largest = max(apart(of(first), of(second)) for first, second in neighbours(unit, 3, 4 if len(at) < 3 else 3))
    assert largest <= allowed * (1 + 1e-12)
    # Noise on numbers of rows costs the rest.
    rows = sensitivity.l1 / Exponential(EPSILON).rows_scale(sensitivity)
    assert rows + allowed <= EPSILON * (1 + 1e-12)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: f"{unit.change}-{unit.rows}")
def test_groups_together_are_told_apart_by_no_more_than_epsilon(unit: Unit) -> None:
    """Rows may be of two groups, and go from one to the other."""
    sensitivity, at = counting_sensitivity(unit), (HALF,)
    known = {table: law(table, at, sensitivity) for table in tables(2, 6)}
    largest = 0.0
    for first, second in neighbours(unit, 4, 3):
        groups = zip((first[:2], first[2:]), (second[:2], second[2:]), strict=True)
        largest = max(largest, sum(apart(known[one], known[other]) for one, other in groups))
    assert largest <= EPSILON * float(1 - FOR_ROWS) * (1 + 1e-12)


def test_a_row_whose_place_in_its_cell_is_drawn_costs_no_more() -> None:
    """The law of two cells of two places each is the mean over all ways in which rows may lie."""
    sensitivity, at = counting_sensitivity(Unit("add-remove")), (Fraction(1, 4), Fraction(3, 4))

    def drawn(cells: tuple[int, int]) -> Law:
        mean: Law = Counter()
        ways = list(itertools.product((0, 1), repeat=sum(cells)))
        for way in ways:
            places = Counter(2 * (row >= cells[0]) + side for row, side in enumerate(way))
            for output, chance in law(tuple(places[place] for place in range(4)), at, sensitivity).items():
                mean[output] += chance / len(ways)
        return mean

    largest = max(apart(drawn((a, b)), drawn((a + 1, b))) for a, b in tables(2, 3))
    assert largest <= EPSILON * float(1 - FOR_ROWS)


def test_the_chosen_places_follow_the_exact_law() -> None:
    counts, at = (3, 0, 1, 2), (Fraction(1, 4), HALF)
    sensitivity = counting_sensitivity(Unit("add-remove"))
    expected = law(counts, at, sensitivity)
    answer = Ordered(np.array([counts]), np.ones(4, dtype=np.int64), at)
    for noise, runs in ((SecretNoise(), 300), (SeededNoise(np.random.default_rng(1)), 3_000)):
        found = Counter(
            tuple(Exponential(EPSILON).apply(answer, sensitivity, noise).places[0].tolist()) for _ in range(runs)
        )
        assert set(found) <= set(expected)
        often = [output for output, chance in expected.items() if chance * runs >= 5]
        rest = runs * (1 - sum(expected[output] for output in often))
        pairs = [(found[output], runs * expected[output]) for output in often]
        pairs.append((runs - sum(seen for seen, _ in pairs), rest))
        statistic = sum((seen - wanted) ** 2 / wanted for seen, wanted in pairs if wanted > 0)
        # A false alarm has a chance of 1e-7 in each of two.
        assert statistic <= chi2.isf(1e-7, len(pairs) - 1) + 20  # classes of few draws have longer tails


@given(
    counts=st.lists(st.integers(0, 50), min_size=1, max_size=12),
    ranks=st.lists(st.integers(1, 99), min_size=1, max_size=9, unique=True),
)
@settings(deadline=None, max_examples=100)
def test_the_best_places_hold_their_ranks_and_never_fall(counts: list[int], ranks: list[int]) -> None:
    table, at = np.array(counts), tuple(Fraction(rank, 100) for rank in sorted(ranks))
    chosen = descend(table, at, lambda rows, step, _: int(np.argmax(scores(rows, step.share))))
    assert sorted(chosen) == chosen
    assert all(0 <= place < len(counts) for place in chosen)
    middle = steps(at)[0][0]
    until = np.cumsum(table)
    place, wanted = chosen[middle.place], at[middle.place] * int(until[-1])
    assert until[place] - table[place] <= wanted <= until[place]


@given(
    counts=st.lists(st.integers(0, 9), min_size=1, max_size=8),
    ranks=st.lists(st.integers(1, 99), min_size=1, max_size=9, unique=True),
    choices=st.lists(st.integers(0, 7), min_size=9, max_size=9),
)
@settings(deadline=None, max_examples=60)
def test_no_row_is_looked_at_twice_on_a_level(counts: list[int], ranks: list[int], choices: list[int]) -> None:
    at = tuple(Fraction(rank, 100) for rank in sorted(ranks))
    seen: Counter[int] = Counter()
    level = {step.place: number for number, steps_of_it in enumerate(steps(at)) for step in steps_of_it}

    def choose(rows: np.ndarray, step: Step, _: int) -> int:
        seen[level[step.place]] += int(rows.sum())
        return choices[step.place] % len(rows)

    assert sorted(descend(np.array(counts), at, choose)) == descend(np.array(counts), at, choose)
    assert max(seen.values()) <= 2 * sum(counts)  # it descended twice


def test_every_row_is_spread_over_the_places_of_its_own_cell() -> None:
    counts, parts = np.array([0, 70_000, 3, 20_000]), np.array([4, 8, 1, 4])
    found = spread(counts, parts, SecretNoise().words)
    starts = np.cumsum(parts) - parts
    assert counts.tolist() == np.add.reduceat(found, starts).tolist()
    # Each place of a cell has mean 8,750 or 5,000 and deviation below 90: six of them, with twelve places, below 1e-7.
    assert np.abs(found[4:12] - 8_750).max() < 6 * 90
    assert np.abs(found[13:] - 5_000).max() < 6 * 90
