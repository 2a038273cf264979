import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reaedp.errors import DeclarationError
from reaedp.statistics.entropy.entropies import (
    conditional_entropy,
    mutual_information,
    renyi_entropy,
    shannon_entropy,
    symmetric_uncertainty,
)

ORDERS = (0, 0.1, 0.5, 0.9, 1, 1.1, 2, 3, 10, 100, math.inf)
some_counts = st.lists(st.integers(0, 1000), min_size=1, max_size=8).filter(any)
some_tables = st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3), min_size=2, max_size=4)


def by_definition(counts: list[int], order: float) -> float:
    shares = [count / sum(counts) for count in counts if count]
    if order == 1:
        return -sum(share * math.log2(share) for share in shares)
    if order == math.inf:
        return -math.log2(max(shares))
    return math.log2(sum(share**order for share in shares)) / (1 - order)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("order", ORDERS)
@given(counts=some_counts)
def test_renyi_entropy_is_its_definition(order: float, counts: list[int]) -> None:
    # A sum of up to 8 shares is off by less than 10^-15 and the definition divides by 1 - order, at least 0.1.
    assert by_definition(counts, order) == pytest.approx(renyi_entropy(counts, order), abs=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_equal_counts_have_the_entropy_of_their_number_at_every_order(order: float) -> None:
    assert 3.0 == pytest.approx(renyi_entropy(np.full((2, 4), 17.0), order), abs=1e-14)


@pytest.mark.parametrize("order", ORDERS)
def test_a_constant_and_an_empty_array_have_no_entropy(order: float) -> None:
    assert 0.0 == renyi_entropy([5, 0, 0], order)
    assert 0.0 == renyi_entropy([0, 0], order)
    assert 0.0 == renyi_entropy([], order)


@given(counts=some_counts)
def test_orders_next_to_one_agree_with_shannon(counts: list[int]) -> None:
    # The slope of the entropy in the order is half the variance of ln p, below (ln 8000)^2 / 2 / ln 2 < 60 bits.
    for order in (1 - 1e-13, 1 - 1e-9, 1 + 1e-9, 1 + 1e-13):
        assert shannon_entropy(counts) == pytest.approx(renyi_entropy(counts, order), abs=60 * abs(order - 1) + 1e-12)


def test_huge_orders_approach_the_min_entropy() -> None:
    counts = [10**15, 10**15 - 1, 3, 0.001]
    assert renyi_entropy(counts, math.inf) == pytest.approx(renyi_entropy(counts, 1e300), abs=1e-14)


@given(counts=some_counts, low=st.floats(0, 50), high=st.floats(0, 50))
def test_entropy_falls_with_the_order(counts: list[int], low: float, high: float) -> None:
    low, high = sorted((low, high))
    assert renyi_entropy(counts, high) <= renyi_entropy(counts, low) + 1e-12


@given(counts=some_counts, scale=st.floats(1e-6, 1e6), order=st.floats(0, 20))
def test_entropy_depends_on_shares_only(counts: list[int], scale: float, order: float) -> None:
    scaled = renyi_entropy(np.array(counts)[::-1] * scale, order)
    assert renyi_entropy(counts, order) == pytest.approx(scaled, abs=1e-11)


@given(table=some_tables)
def test_the_chain_rule_ties_the_entropies_of_a_table_together(table: list[list[int]]) -> None:
    joint = np.array(table)
    x, y, both = shannon_entropy(joint.sum(axis=1)), shannon_entropy(joint.sum(axis=0)), shannon_entropy(joint)
    assert both == pytest.approx(x + conditional_entropy(joint), abs=1e-12)
    assert x + y - both == pytest.approx(mutual_information(joint), abs=1e-12)
    assert mutual_information(joint) == pytest.approx(mutual_information(joint.T), abs=1e-12)


def test_independence_has_no_information_and_a_copy_has_all() -> None:
    independent, copy = np.outer([1, 2, 3], [4, 5]), np.diag([3, 3, 0, 3, 3])
    assert 0.0 == pytest.approx(mutual_information(independent), abs=1e-15)
    assert 2.0 == pytest.approx(mutual_information(copy), abs=1e-15)
    assert 0.0 == conditional_entropy(copy)
    assert 0.0 == pytest.approx(symmetric_uncertainty(independent), abs=1e-15)
    assert 1.0 == pytest.approx(symmetric_uncertainty(copy), abs=1e-15)


@given(table=some_tables)
def test_symmetric_uncertainty_is_a_share(table: list[list[int]]) -> None:
    assert 0 <= symmetric_uncertainty(table) <= 1


def test_an_empty_table_has_no_entropy() -> None:
    for entropy in (conditional_entropy, mutual_information, symmetric_uncertainty):
        assert 0.0 == entropy(np.zeros((2, 3)))


def test_conditional_entropy_asks_for_y_given_the_first_axis() -> None:
    joint = [[1, 1], [0, 2]]
    assert 0.5 == pytest.approx(conditional_entropy(joint), abs=1e-15)
    assert 3 / 4 * shannon_entropy([1, 2]) == pytest.approx(conditional_entropy(np.transpose(joint)), abs=1e-15)


def test_a_bit_is_ln_2_nats() -> None:
    joint = [[4, 1], [2, 3]]
    for entropy in (shannon_entropy, conditional_entropy, mutual_information):
        assert entropy(joint) * math.log(2) == pytest.approx(entropy(joint, base="nats"), abs=1e-15)


@pytest.mark.parametrize("counts", [[1, -17], [math.nan], [math.inf]])
def test_impossible_counts_are_refused_without_being_shown(counts: list[float]) -> None:
    with pytest.raises(DeclarationError, match="Clip noisy counts") as caught:
        shannon_entropy(counts)
    assert "17" not in str(caught.value)


@pytest.mark.parametrize("order", [-0.5, math.nan])
def test_negative_orders_are_refused(order: float) -> None:
    with pytest.raises(DeclarationError, match="at least 0"):
        renyi_entropy([1, 2], order)


def test_a_joint_table_has_two_axes() -> None:
    with pytest.raises(DeclarationError, match="two axes"):
        mutual_information([1, 2])
