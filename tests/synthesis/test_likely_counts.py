"""Noisy counts read by all others of their table: beside the best that anybody could do, and beside the noise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaedp.synthesis.likely_counts import likely


def test_likely_counts_are_far_closer_than_noisy_ones_where_most_cells_are_empty() -> None:
    """A thousand cells in which 20 rows are expected; one in eight has 160, the others none; the noise is 30."""
    rng = np.random.default_rng(19)
    exact = np.where(rng.random((250, 4)) < 1 / 8, 160.0, 0.0)
    noisy, expected = exact + rng.normal(0, 30, exact.shape), np.full(exact.shape, 20.0)
    found = likely(noisy, expected, 30.0)
    off = [np.abs(each - exact).mean() for each in (found, noisy, expected)]
    assert off[0] < off[1] / 4
    assert off[0] < off[2] / 4
    assert np.array_equal(likely(noisy, np.full(exact.shape, 0.1), 30.0), np.full(exact.shape, 0.1))


def test_likely_counts_are_as_close_as_those_of_somebody_who_knows_how_often_each_occurs() -> None:
    """Of 20,000 cells in which ten rows are expected, a tenth have 60 rows and the others 4; the noise is 12."""
    rng = np.random.default_rng(26)
    exact = np.where(rng.random((2_000, 10)) < 0.1, 60.0, 4.0)
    noisy = exact + rng.normal(0, 12, exact.shape)
    many, few = (share * np.exp(-(((noisy - rows) / 12) ** 2) / 2) for share, rows in ((0.1, 60), (0.9, 4)))
    best = (60 * many + 4 * few) / (many + few)
    off = [((each - exact) ** 2).mean() for each in (likely(noisy, np.full(exact.shape, 10.0), 12.0), best)]
    assert off[0] < 1.2 * off[1]


def test_counts_far_above_their_noise_speak_for_themselves() -> None:
    noisy = np.array([[20_011.0, 130.0], [0.0, -3.0]])
    found = likely(noisy, np.full((2, 2), 100.0), 10.0)
    assert np.array_equal(found[0], noisy[0])
    assert (found[1] < 5).all()


@pytest.mark.parametrize("count", [0.0, -1e-3, -1e6, -1e300])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_law_is_left_whatever_the_counts_are(count: float, scale: float) -> None:
    """Else a table without rows would end a release after its charge."""
    assert (likely(np.full((4, 3), count), np.full((4, 3), 1 / 12), scale) > 0).all()


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**20), st.floats(0.01, 1e6), st.floats(1e-9, 1e6))
def test_likely_counts_are_never_negative(seed: int, scale: float, most: float) -> None:
    rng = np.random.default_rng(seed)
    expected = most * rng.random((7, 5))
    found = likely(rng.normal(0, 10 ** rng.uniform(-3, 9), (7, 5)), expected, scale)
    assert np.isfinite(found).all()
    assert (found >= 0).all()
