import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaedp import Integer, Table
from reaedp.errors import DeclarationError
from reaedp.paper.histogram_rows import independent_rows, multinomial_rows


def axis(name: str, size: int) -> Integer:
    return Integer(name=name, lower=0, upper=size - 1, provenance="public", null="drop", nan="drop", unparsable="drop")


def table(names: str, counts: Any) -> Table:
    values = np.array(counts)
    return Table(tuple(axis(name, size) for name, size in zip(names, values.shape, strict=True)), values)


def tally(rows: np.ndarray, *sizes: int) -> np.ndarray:
    counts = np.zeros(sizes, dtype=int)
    np.add.at(counts, tuple(rows.T), 1)
    return counts


def test_rows_follow_the_counts_with_negative_ones_cut_at_zero() -> None:
    draws = 60_000
    rows = multinomial_rows(table("ab", [[3, -5, 1], [0, 2, -1]]), draws, np.random.default_rng(1))
    shares = np.array([[3, 0, 1], [0, 2, 0]]) / 6
    assert (draws, 2) == rows.shape
    assert np.int32 == rows.dtype
    # Six binomial counts; 5.5 deviations are passed with probability 4e-8 each.
    allowed = 5.5 * np.sqrt(draws * shares * (1 - shares))
    assert (np.abs(tally(rows, 2, 3) - draws * shares) <= allowed).all()


def test_the_order_of_rows_says_nothing() -> None:
    rows = multinomial_rows(table("ab", [[1, 1], [1, 1]]), 40_000, np.random.default_rng(2))[:, 0].astype(float)
    # Neighbouring rows are independent: their correlation has deviation 1/200, and 5.2 of them have probability 2e-7.
    assert abs(np.corrcoef(rows[1:], rows[:-1])[0, 1]) < 5.2 / 200


@pytest.mark.parametrize("empty", [[0, 0, 0, 0], [-3, -1, 0, -7]])
def test_nothing_left_means_that_every_cell_is_as_likely(empty: list[int]) -> None:
    draws = 40_000
    counts = tally(multinomial_rows(table("a", empty), draws, np.random.default_rng(3)), 4)
    # Each count has variance draws × 3/16; 5.5 deviations have probability 4e-8.
    assert counts.tolist() == pytest.approx([draws / 4] * 4, abs=5.5 * math.sqrt(draws * 3 / 16))


def test_independent_histograms_keep_their_shares_and_lose_every_dependence() -> None:
    draws = 60_000
    first, second = table("a", [1, 3]), table("b", [2, 2, 0])
    rows = independent_rows([first, second], draws, np.random.default_rng(4))
    shares = np.outer([1 / 4, 3 / 4], [1 / 2, 1 / 2, 0])
    allowed = 5.5 * np.sqrt(draws * shares * (1 - shares))
    assert (np.abs(tally(rows, 2, 3) - draws * shares) <= allowed).all()


def test_independent_histograms_may_have_several_columns_each() -> None:
    dependent = table("ab", [[1, 0], [0, 1]])
    rows = independent_rows([dependent, table("c", [0, 1])], 100, np.random.default_rng(5))
    assert (100, 3) == rows.shape
    assert (rows[:, 0] == rows[:, 1]).all()
    assert {1} == set(rows[:, 2].tolist())


@settings(deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=6), st.integers(0, 50), st.integers(0, 100))
def test_only_cells_with_counts_are_drawn_and_all_rows_asked_for(counts: list[int], rows: int, seed: int) -> None:
    drawn = multinomial_rows(table("a", counts), rows, np.random.default_rng(seed))
    allowed = {cell for cell, count in enumerate(counts) if count > 0} or set(range(len(counts)))
    assert (rows, 1) == drawn.shape
    assert set(drawn.ravel().tolist()) <= allowed


def test_impossible_requests_are_refused() -> None:
    rng = np.random.default_rng(6)
    for rows in (-1, 1.5, True):
        with pytest.raises(DeclarationError, match="rows must be a whole number"):
            multinomial_rows(table("a", [1, 1]), rows, rng)  # type: ignore[arg-type]
    for tables in ([], [table("a", [1, 1]), table("a", [1, 1])]):
        with pytest.raises(DeclarationError, match="different columns"):
            independent_rows(tables, 1, rng)
