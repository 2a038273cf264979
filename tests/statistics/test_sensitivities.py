import itertools
import math
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reaedp.errors import DeclarationError
from reaedp.privacy.unit import Change
from reaedp.statistics.entropy.entropies import (
    conditional_entropy,
    mutual_information,
    renyi_entropy,
    shannon_entropy,
    symmetric_uncertainty,
)
from reaedp.statistics.entropy.information_moves import information_lost
from reaedp.statistics.entropy.published import published_renyi_bound, published_renyi_constant, published_shannon_bound
from reaedp.statistics.entropy.sensitivities import (
    _along_a_path,
    conditional_entropy_sensitivity,
    mutual_information_sensitivity,
    renyi_sensitivity,
    renyi_sensitivity_bound,
    shannon_sensitivity,
)

ORDERS = (0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1, 1.01, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 5, 10, 100, math.inf)
CHANGES: tuple[Change, ...] = ("add-remove", "replace")
Histograms = NDArray[np.int64]
Entropies = NDArray[np.float64]

# The oracles compute entropies from their definitions, in doubles: for the orders above they are off by less than
# 2e-15 / |1 - order| < 2e-13. So a sensitivity within 1e-12 of an oracle is right, and not below it up to 2e-13.
EXACT = 1e-12


# Histograms and their neighbours


def partitions(n: int, parts: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    if parts == 0:
        yield from [()] if n == 0 else []
        return
    for first in range(min(n, n if largest is None else largest), -1, -1):
        if first * parts >= n:
            yield from ((first, *rest) for rest in partitions(n - first, parts - 1, first))


@cache
def histograms(n: int, m: int) -> Histograms:
    """All ways to put n records into m bins, up to the order of the bins."""
    return np.array(list(partitions(n, m)))


@cache
def tables(n: int, cells: int) -> Histograms:
    """All ways to put n records into cells that differ."""
    bars = itertools.combinations(range(n + cells - 1), cells - 1)
    return np.array([np.diff((-1, *places, n + cells - 1)) - 1 for places in bars])


def with_a_record_more(counts: Histograms) -> Histograms:
    return counts[:, None, :] + np.eye(counts.shape[1], dtype=np.int64)


def with_a_record_moved(counts: Histograms) -> Histograms:
    bins = np.eye(counts.shape[1], dtype=np.int64)
    moves = np.array([there - here for here, there in itertools.permutations(bins, 2)])
    return counts[:, None, :] + moves


def renyi(counts: Histograms, order: float) -> Entropies:
    shares = counts / counts.sum(axis=-1, keepdims=True)
    if order == 1:
        return -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=-1)
    if order == math.inf:
        return -np.log2(shares.max(axis=-1))
    powers = np.where(shares > 0, np.where(shares > 0, shares, 1) ** order, 0)
    return np.log2(powers.sum(axis=-1)) / (1 - order)


def largest_move(n: int, m: int, order: float) -> float:
    moved = with_a_record_moved(histograms(n, m))
    change = renyi(np.maximum(moved, 0), order) - renyi(histograms(n, m), order)[:, None]
    return float(np.abs(change[(moved >= 0).all(axis=-1)]).max())


def largest_arrival(n: int, m: int, order: float) -> float:
    change = renyi(with_a_record_more(histograms(n, m)), order) - renyi(histograms(n, m), order)[:, None]
    return float(np.abs(change).max())


@pytest.mark.parametrize("order", ORDERS)
def test_replacement_sensitivity_is_the_largest_move_of_all_histograms(order: float) -> None:
    for n, m in itertools.product(range(2, 13), range(2, 6)):
        assert largest_move(n, m, order) == pytest.approx(renyi_sensitivity(n, m, order, change="replace"), abs=EXACT)


def test_a_bound_of_one_row_counts_as_two_because_a_single_row_tells_nothing_of_larger_sizes() -> None:
    for order in ORDERS:
        assert 1.0 == pytest.approx(renyi_sensitivity(1, 5, order, change="replace"), abs=EXACT)
    assert 1.0 == pytest.approx(shannon_sensitivity(1, change="replace"), abs=EXACT)
    assert 1.0 == pytest.approx(mutual_information_sensitivity(1, 2, 2, change="replace"), abs=EXACT)
    assert 4 / 3 == pytest.approx(mutual_information_sensitivity(1, 3, 3, change="replace"), abs=EXACT)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("order", ORDERS)
def test_addition_sensitivity_is_the_largest_arrival_at_all_histograms_of_n_or_more_records(order: float) -> None:
    # 25 records in at most 5 bins are past the last maximum: the decrease is below ln(1 + W) / (order - 1), which
    # only falls with the size, and the maxima for n = 12 and m = 5 lie at sizes up to 15.
    for m in range(2, 6):
        arrivals = {size: largest_arrival(size, m, order) for size in range(1, 26)}
        for n in range(1, 13):
            expected = max(arrivals[size] for size in range(n, 26))
            actual = renyi_sensitivity(n, m, order, change="add-remove")
            assert expected == pytest.approx(actual, abs=EXACT)


@pytest.mark.parametrize("change", CHANGES)
def test_shannon_sensitivity_is_the_renyi_sensitivity_of_order_one_for_all_domains(change: Change) -> None:
    for n, m in itertools.product(range(1, 13), range(2, 6)):
        assert shannon_sensitivity(n, change=change) == renyi_sensitivity(n, m, 1, change=change)


def binary_entropy(share: float) -> float:
    return shannon_entropy([share, 1 - share])


@pytest.mark.parametrize("n", [2, 3, 50, 10**5])
def test_shannon_sensitivity_is_the_entropy_of_one_record_among_all(n: int) -> None:
    assert binary_entropy(1 / n) == pytest.approx(shannon_sensitivity(n, change="replace"), abs=EXACT)
    assert binary_entropy(1 / (n + 1)) == pytest.approx(shannon_sensitivity(n, change="add-remove"), abs=EXACT)


# Larger histograms


@pytest.mark.parametrize(("n", "m", "order"), [(2000, 7, 3), (3000, 30, 10), (1500, 3, 2.5), (900, 900, 1.5)])
def test_the_search_agrees_with_a_walk_through_all_pairs_of_bins(n: int, m: int, order: float) -> None:
    x, b = np.meshgrid(np.arange(1.0, n), np.arange(1.0, -(-n // (m - 1)) + 1))
    rest = np.maximum(n - x - b, 0)
    lower, more = rest // (m - 2), rest % (m - 2)
    powers = x**order + b**order + more * (lower + 1) ** order + (m - 2 - more) * lower**order
    step = (x + 1) ** order - x**order - b**order + (b - 1) ** order
    expected = np.log2(1 + np.where((x + b <= n) & (x >= b), step / powers, 0).max()) / (order - 1)
    assert expected == pytest.approx(renyi_sensitivity(n, m, order, change="replace"), abs=EXACT)


@pytest.mark.parametrize(
    ("n", "m", "order"), [(2000, 7, 3), (3000, 30, 10), (20, 10**6, 5), (30, 500, 50), (90, 40, 9)]
)
def test_the_search_agrees_with_a_walk_through_all_sizes(n: int, m: int, order: float) -> None:
    expected = 0.0
    for size in range(n, n + 500):
        x = np.arange(1.0, size + 1)
        lower, more = (size - x) // (m - 1), (size - x) % (m - 1)
        powers = x**order + more * (lower + 1) ** order + (m - 1 - more) * lower**order
        largest = np.log2(1 + (((x + 1) ** order - x**order) / powers).max())
        expected = max(expected, (largest - order * math.log2(1 + 1 / size)) / (order - 1))
    assert expected == pytest.approx(renyi_sensitivity(n, m, order, change="add-remove"), abs=EXACT)


@pytest.mark.quick_every(5)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("order", [1.001, 1.2, 2, 2.5, 4, 30, 1000])
@pytest.mark.parametrize(("n", "m"), [(10**3, 10**3), (10**4, 3), (30_000, 30), (10**5, 10**4)])
def test_the_quick_bound_is_not_below_and_at_most_two_percent_above(
    n: int, m: int, order: float, change: Change
) -> None:
    exact = renyi_sensitivity(n, m, order, change=change)
    assert exact <= renyi_sensitivity_bound(n, m, order, change=change) <= 1.02 * exact


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("n", "m", "order"), [(10**7, 10**4, 2), (10**7, 10**4, 100), (10**9, 100, 100)])
def test_the_quick_bound_follows_the_thorough_one_to_large_sizes(n: int, m: int, order: float, change: Change) -> None:
    thorough = renyi_sensitivity(n, m, order, change=change)
    assert thorough <= renyi_sensitivity_bound(n, m, order, change=change) <= 1.02 * thorough
    # One bin with a share of about (m / order)^(1 / order) / m of the records is already nearly that bad.
    assert 0.5 * m ** (1 - 1 / order) < thorough * n < 2 * m


def test_domains_may_be_larger_than_any_machine_number() -> None:
    for order in (0.5, 1, 2, math.inf):
        for change in CHANGES:
            assert 0 < renyi_sensitivity(50, 10**400, order, change=change) <= 1 + EXACT
    assert renyi_sensitivity(50, 50, 2, change="replace") == renyi_sensitivity(50, 10**400, 2, change="replace")
    assert 0 < mutual_information_sensitivity(50, 10**400, 10**400, change="add-remove") < 1


@pytest.mark.parametrize("change", CHANGES)
def test_orders_next_to_one_agree_with_shannon(change: Change) -> None:
    for n in (2, 50, 10**6):
        expected = shannon_sensitivity(n, change=change)
        for order in (1 - 1e-9, 1 + 1e-9, 1 - 2**-53, 1 + 2**-52):
            # The slope in the order is below (ln n)^2 / ln 2 < 300 times the change itself, and one bit at n = 2.
            assert expected == pytest.approx(renyi_sensitivity(n, 7, order, change=change), rel=300e-9, abs=EXACT)


# Rounding


def decimal_log2(value: Fraction) -> Decimal:
    return (Decimal(value.numerator) / Decimal(value.denominator)).ln() / Decimal(2).ln()


@pytest.mark.parametrize("order", [2, 3, 10, 40])
@pytest.mark.parametrize(("n", "m"), [(2, 2), (5, 5), (16, 13), (40, 3), (40, 7), (60, 60)])
def test_renyi_sensitivities_are_never_below_the_real_number(n: int, m: int, order: int) -> None:
    largest = Fraction(0)
    for x, b in itertools.product(range(1, n), range(1, n)):
        if b <= x <= n - b and (m > 2 or x + b == n):
            lower, more = divmod(n - x - b, max(m - 2, 1))
            powers = x**order + b**order + more * (lower + 1) ** order + (m - 2 - more) * lower**order
            step = (x + 1) ** order - x**order - b**order + (b - 1) ** order
            largest = max(largest, Fraction(step, powers))
    with localcontext(prec=50):
        exact = decimal_log2(1 + largest) / (order - 1)
        assert exact <= Decimal(renyi_sensitivity(n, m, order, change="replace")) <= exact + Decimal(EXACT)


@pytest.mark.parametrize("order", [2, 3, 10, 40])
@pytest.mark.parametrize(("n", "m"), [(2, 2), (5, 5), (16, 13), (40, 3), (40, 7), (20, 60)])
def test_renyi_sensitivities_of_arrivals_are_never_below_the_real_number(n: int, m: int, order: int) -> None:
    with localcontext(prec=50):
        exact = -decimal_log2(Fraction(n**order + 1, (n + 1) ** order)) / (order - 1)
        for size in range(n, n + 60):
            largest = Fraction(0)
            for x in range(1, size + 1):
                lower, more = divmod(size - x, m - 1)
                powers = x**order + more * (lower + 1) ** order + (m - 1 - more) * lower**order
                largest = max(largest, Fraction((x + 1) ** order - x**order, powers))
            loss = decimal_log2((1 + largest) * Fraction(size, size + 1) ** order) / (order - 1)
            exact = max(exact, loss)
        assert exact <= Decimal(renyi_sensitivity(n, m, order, change="add-remove")) <= exact + Decimal(EXACT)


@given(n=st.integers(2, 2**40))
def test_shannon_sensitivities_are_never_below_the_real_number(n: int) -> None:
    with localcontext(prec=60):
        exact = decimal_log2(Fraction(n)) - (n - 1) * decimal_log2(Fraction(n - 1)) / n
        actual = Decimal(shannon_sensitivity(n, change="replace"))
        assert exact <= actual <= exact * (1 + Decimal(EXACT))
        assert actual == Decimal(shannon_sensitivity(n - 1, change="add-remove"))


@given(n=st.integers(3, 2**40))
def test_information_sensitivities_are_never_below_the_real_number(n: int) -> None:
    with localcontext(prec=60):
        weight = lambda count: count * decimal_log2(Fraction(count)) if count else Decimal(0)  # noqa: E731
        exact = (weight(n // 2 + 1) - weight(n // 2) + weight((n + 1) // 2) - weight((n - 1) // 2)) / n
        actual = Decimal(mutual_information_sensitivity(n, 9, 9, change="replace"))
        assert exact <= actual <= exact * (1 + Decimal(EXACT))


# Joint tables


def conditional(joint: Histograms, shape: tuple[int, int]) -> Entropies:
    return weights(joint, shape, 0, 1) - weights(joint, shape, 0)


def information(joint: Histograms, shape: tuple[int, int]) -> Entropies:
    return weights(joint, shape, 0) + weights(joint, shape, 1) - weights(joint, shape, 0, 1)


def weights(joint: Histograms, shape: tuple[int, int], *axes: int) -> Entropies:
    """The entropy of the named variables."""
    cells = joint.reshape(*joint.shape[:-1], *shape)
    other = tuple(axis - 2 for axis in (0, 1) if axis not in axes)
    return renyi(cells.sum(axis=other).reshape(*joint.shape[:-1], -1), 1)


def largest_changes(before: Histograms, after: Histograms, shape: tuple[int, int]) -> tuple[float, float]:
    """The largest change of conditional entropy and of mutual information."""
    possible = (after >= 0).all(axis=-1)
    return tuple(
        float(np.abs(entropy(np.maximum(after, 0), shape) - entropy(before, shape)[:, None])[possible].max())
        for entropy in (conditional, information)
    )


SHAPES = [(2, 2, 9), (2, 3, 7), (3, 2, 7), (3, 3, 7), (2, 5, 5), (4, 4, 3)]


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(("r", "s", "largest_n"), SHAPES)
def test_replacement_sensitivity_is_the_largest_move_of_all_tables(r: int, s: int, largest_n: int) -> None:
    for n in range(min(r, s, 3), largest_n + 1):
        joint = tables(n, r * s)
        expected = largest_changes(joint, with_a_record_moved(joint), (r, s))
        actual = (
            conditional_entropy_sensitivity(n, change="replace"),
            mutual_information_sensitivity(n, r, s, change="replace"),
        )
        assert expected == pytest.approx(actual, abs=EXACT)


@pytest.mark.parametrize(("r", "s", "largest_n"), SHAPES)
def test_addition_sensitivity_is_the_largest_arrival_at_all_tables(r: int, s: int, largest_n: int) -> None:
    for n in range(1, largest_n + 1):
        joint = tables(n, r * s)
        expected = largest_changes(joint, with_a_record_more(joint), (r, s))
        actual = (
            conditional_entropy_sensitivity(n, change="add-remove"),
            mutual_information_sensitivity(n, r, s, change="add-remove"),
        )
        assert expected == pytest.approx(actual, abs=EXACT)


@pytest.mark.parametrize(("r", "s", "largest_n"), [*SHAPES, (4, 4, 4)])
def test_information_lost_bounds_all_tables_and_is_attained_by_large_domains(r: int, s: int, largest_n: int) -> None:
    for n in range(2, largest_n + 1):
        joint, more = tables(n, r * s), with_a_record_more(tables(n, r * s))
        largest_loss = (information(joint, (r, s))[:, None] - information(more, (r, s))).max()
        bound = information_lost(n, min(r, s)) / math.log(2)
        assert largest_loss <= bound + EXACT
        if n <= min(r, s):
            assert largest_loss == pytest.approx(bound, abs=EXACT)


def worst_losses(n: int, values: int) -> list[float]:
    """What is lost when a record fills the empty cell of a row and a column with equally many; others are matched."""
    losses = []
    for in_row in range(1, n // 2 + 1):
        others = np.bincount(np.arange(n - 2 * in_row) % (values - 2), minlength=values - 2)
        joint = np.diag([0, 0, *others])
        joint[0, 1] = joint[1, 0] = in_row
        before = mutual_information(joint)
        joint[0, 0] += 1
        losses.append(before - mutual_information(joint))
    return losses


# Where domains have n values only a table whose row and column differ by one record could be worse: the loss is flat
# there. In smaller domains the bound spreads the other records over one value more than the table can.
@pytest.mark.parametrize(("n", "values", "gap"), [(64, 64, 1e-4), (201, 201, 1e-4), (400, 80, 1e-2), (400, 40, 2e-2)])
def test_arrivals_at_large_tables_destroy_as_much_information_as_claimed(n: int, values: int, gap: float) -> None:
    actual = information_lost(n, values) / math.log(2)
    assert (1 - gap) * actual < max(worst_losses(n, values)) <= actual + EXACT
    if values > 40:
        assert shannon_sensitivity(n, change="add-remove") < actual
        assert actual == pytest.approx(mutual_information_sensitivity(n, values, values, change="add-remove"))


def test_small_domains_lose_less_information_than_they_gain() -> None:
    for values, n in itertools.product((2, 3, 5, 10), (1, 10, 1000, 10**6, 10**9)):
        actual = mutual_information_sensitivity(n, values, 10**6, change="add-remove")
        assert shannon_sensitivity(n, change="add-remove") == actual


def test_losses_of_information_fall_with_the_size_from_eight_on_and_are_small_before() -> None:
    for values in (2, 3, 7, 30, 10**9):
        losses = [information_lost(n, values) / math.log(2) for n in range(1, 500)]
        assert losses[7:] == sorted(losses[7:], reverse=True)
        assert all(losses[n - 1] < shannon_sensitivity(n, change="add-remove") for n in range(1, 9))


def test_constants_carry_no_information() -> None:
    for change in CHANGES:
        assert 0.0 == mutual_information_sensitivity(10, 1, 5, change=change)
        assert 0.0 == renyi_sensitivity(10, 1, 2, change=change)


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
def test_one_row_can_move_symmetric_uncertainty_from_one_to_zero(n: int) -> None:
    assert 1.0 == pytest.approx(symmetric_uncertainty([[n - 1, 0], [0, 1]]), abs=EXACT)
    assert 0.0 == pytest.approx(symmetric_uncertainty([[n - 1, 1], [0, 0]]), abs=EXACT)
    assert 0.0 == symmetric_uncertainty([[n - 1, 0], [0, 0]])


# People with several rows


def reach(base: Histograms, most: int, order: float) -> list[tuple[Entropies, Entropies]]:
    """The least and the largest entropy of each base after adding 0, 1, …, `most` rows."""
    additions = [tables(rows, base.shape[1]) for rows in range(most + 1)]
    entropies = [renyi(base[:, None, :] + addition, order) for addition in additions]
    return [(reached.min(axis=1), reached.max(axis=1)) for reached in entropies]


def largest_by_people(n: int, m: int, order: float, most: int, change: Change) -> float:
    """Two data sets share some rows and add one person's each; under add-remove one of the persons has no rows."""
    largest = 0.0
    for shared in range(max(n - most, 1), n + 4):
        reached = reach(histograms(shared, m), most, order)
        for one, other in itertools.product(range(most + 1), repeat=2):
            if shared + min(one, other) >= n and (change == "replace" or one == 0):
                differences = [reached[one][1] - reached[other][0], reached[other][1] - reached[one][0]]
                largest = max(largest, float(np.max(differences)))
    return largest


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("order", [0, 0.3, 0.9, 1])
def test_people_move_entropies_up_to_order_one_exactly_as_claimed(order: float, change: Change) -> None:
    for n, most in itertools.product((1, 2, 3, 5, 7), (2, 3)):
        expected = largest_by_people(n, 4, order, most, change)
        assert expected == pytest.approx(renyi_sensitivity(n, 4, order, change=change, max_rows=most), abs=EXACT)
        if order == 1:
            assert expected == pytest.approx(shannon_sensitivity(n, change=change, max_rows=most), abs=EXACT)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("order", [0.5, 1, 1.5, 2, 5, math.inf])
@pytest.mark.parametrize("m", [2, 3])
def test_people_move_no_entropy_further_than_claimed(m: int, order: float, change: Change) -> None:
    for n, most in itertools.product((1, 2, 4, 6), (2, 3)):
        actual = renyi_sensitivity(n, m, order, change=change, max_rows=most)
        assert largest_by_people(n, m, order, most, change) <= actual + EXACT
        assert actual <= math.log2(m) + EXACT


@pytest.mark.parametrize("change", CHANGES)
def test_people_move_tables_no_further_than_claimed(change: Change) -> None:
    r, s, most = 2, 3, 2
    for n, shared in [(2, 1), (3, 1), (3, 2), (4, 2), (4, 3), (4, 4)]:
        bases = tables(shared, r * s)[:, None, :]
        ends = {rows: bases + tables(rows, r * s) for rows in range(most + 1)}
        limits = (
            (conditional, conditional_entropy_sensitivity(n, change=change, max_rows=most)),
            (information, mutual_information_sensitivity(n, r, s, change=change, max_rows=most)),
        )
        for (one, other), (entropy, limit) in itertools.product(itertools.product(ends, ends), limits):
            if shared + min(one, other) >= n and (change == "replace" or one == 0):
                first, second = entropy(ends[one], (r, s)), entropy(ends[other], (r, s))
                assert np.abs(first[:, :, None] - second[:, None, :]).max() <= limit + EXACT


def test_every_step_between_two_people_costs_as_much_as_the_dearer_kind_of_step() -> None:
    """Of our entropies replacing a row is dearer than adding one; the rule holds for bounds where it is not."""

    def cost(change: Change, most: int, *, replaced: float, added: float) -> float:
        # Bounds at 4 rows and beyond; at fewer nobody may ask.
        known = {"replaced": {7: replaced}, "added": {4: added}}
        return _along_a_path(
            4, change, most, replaced=known["replaced"].__getitem__, added=known["added"].__getitem__, falls_from=7
        )

    assert 15.0 == cost("replace", 3, replaced=1.0, added=5.0)
    assert 15.0 == cost("replace", 3, replaced=5.0, added=1.0)
    # One row for one row: nothing is added.
    assert 1.0 == cost("replace", 1, replaced=1.0, added=5.0)
    assert 3.0 == cost("add-remove", 3, replaced=5.0, added=1.0)


# Any size


@settings(deadline=None, max_examples=60)
@given(
    counts=st.lists(st.integers(0, 60), min_size=2, max_size=12).filter(any),
    order=st.sampled_from(ORDERS),
    data=st.data(),
)
def test_no_move_and_no_arrival_exceeds_the_sensitivity(counts: list[int], order: float, data: st.DataObject) -> None:
    here = data.draw(st.sampled_from([i for i, count in enumerate(counts) if count]))
    there = data.draw(st.integers(0, len(counts) - 1))
    before, after = np.array(counts), np.array(counts)
    after[there] += 1
    arrival = abs(renyi_entropy(after, order) - renyi_entropy(before, order))
    assert arrival <= renyi_sensitivity(sum(counts), len(counts), order, change="add-remove") + EXACT
    after[here] -= 1
    move = abs(renyi_entropy(after, order) - renyi_entropy(before, order))
    assert move <= renyi_sensitivity(sum(counts), len(counts), order, change="replace") + EXACT


@settings(deadline=None)
@given(table=st.lists(st.lists(st.integers(0, 20), min_size=4, max_size=4), min_size=3, max_size=5), data=st.data())
def test_no_row_moves_a_table_further_than_the_sensitivity(table: list[list[int]], data: st.DataObject) -> None:
    before = np.array(table)
    n, (r, s) = int(before.sum()) + 1, before.shape
    cells = [data.draw(st.tuples(st.integers(0, r - 1), st.integers(0, s - 1))) for _ in range(2)]
    one, other = before.copy(), before.copy()
    one[cells[0]] += 1
    other[cells[1]] += 1
    for entropy, limit in (
        (conditional_entropy, conditional_entropy_sensitivity(n, change="replace")),
        (mutual_information, mutual_information_sensitivity(n, r, s, change="replace")),
    ):
        assert abs(entropy(one) - entropy(other)) <= limit + EXACT
    if n > 1:
        limit = mutual_information_sensitivity(n - 1, r, s, change="add-remove")
        assert abs(mutual_information(one) - mutual_information(before)) <= limit + EXACT


@settings(deadline=None, max_examples=60)
@given(
    n=st.integers(1, 3000),
    more=st.integers(1, 200),
    m=st.integers(2, 400),
    order=st.sampled_from(ORDERS),
    max_rows=st.integers(1, 5),
)
def test_a_larger_public_size_never_raises_the_sensitivity(
    n: int, more: int, m: int, order: float, max_rows: int
) -> None:
    sizes = (n, n + more)
    small, large = (renyi_sensitivity(size, m, order, change="add-remove", max_rows=max_rows) for size in sizes)
    assert large <= small * (1 + EXACT)
    small, large = (
        mutual_information_sensitivity(size, m, m, change="add-remove", max_rows=max_rows) for size in sizes
    )
    assert large <= small
    small, large = (renyi_sensitivity(size, m, order, change="replace", max_rows=max_rows) for size in sizes)
    assert large <= small * (1 + EXACT)


def test_the_worst_size_may_be_larger_than_the_least_size() -> None:
    # With 10 bins the min-entropy of 3 spread records falls by 0.585 bits, that of 10 by 0.863.
    actual = renyi_sensitivity(3, 10, math.inf, change="add-remove")
    assert 1 - math.log2(1.1) == pytest.approx(actual, abs=EXACT)


# As published


@pytest.mark.parametrize(
    ("order", "before", "after"),
    [
        (0.25, [2, 0], [1, 1]),
        (0.5, [4, 0], [3, 1]),
        (2, [4] + 12 * [1], [5, 0] + 11 * [1]),
        (3, [2] + 5 * [1], [3, 0] + 4 * [1]),
        (10, [1, 1, 1, 1], [2, 0, 1, 1]),
    ],
)
def test_the_published_renyi_bound_is_false(order: float, before: list[int], after: list[int]) -> None:
    n, m = sum(before), len(before)
    change = abs(renyi_entropy(after, order) - renyi_entropy(before, order))
    assert change > published_renyi_bound(n, order)
    assert change == pytest.approx(renyi_sensitivity(n, m, order, change="replace"), abs=EXACT)


def test_the_published_renyi_constant_grows_without_limit_at_one_and_falls_beyond() -> None:
    orders = (1.0001, 1.01, 1.1, 2, 10, 1000)
    constants = [published_renyi_constant(order) for order in orders]
    assert constants == sorted(constants, reverse=True)
    assert published_renyi_constant(0.9999) > 10_000 < constants[0]


@given(n=st.integers(1, 2**40))
def test_the_published_shannon_bound_holds_and_is_about_twice_too_large(n: int) -> None:
    exact, published = shannon_sensitivity(n, change="replace"), published_shannon_bound(n)
    assert exact < published
    if n >= 50:
        assert 2.0 < published / exact < 2.1


# What must be public


def test_an_unknown_size_is_refused_with_three_ways_out() -> None:
    with pytest.raises(DeclarationError) as caught:
        shannon_sensitivity(None, change="add-remove")
    for way_out in ("at_least", "'replace'", "histogram"):
        assert way_out in str(caught.value)


@pytest.mark.parametrize("n", [None, 0, -1, 2.5, True, 2**41])
def test_impossible_sizes_are_refused(n: int) -> None:
    for change in CHANGES:
        with pytest.raises(DeclarationError):
            conditional_entropy_sensitivity(n, change=change)


def test_impossible_arguments_are_refused() -> None:
    with pytest.raises(DeclarationError, match="Did you mean 'replace'"):
        shannon_sensitivity(5, change="replaced")  # type: ignore[arg-type]
    with pytest.raises(DeclarationError, match="max_rows"):
        shannon_sensitivity(5, change="replace", max_rows=0)
    with pytest.raises(DeclarationError, match="m must be"):
        renyi_sensitivity(5, 0, 2, change="replace")
    with pytest.raises(DeclarationError, match="s must be"):
        mutual_information_sensitivity(5, 3, 0, change="replace")
    for order in (-1, math.nan, 10**7):
        with pytest.raises(DeclarationError, match="order must be"):
            renyi_sensitivity(5, 3, order, change="replace")
