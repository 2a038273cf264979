"""Tails follow the shape that noisy counts show, and empty cells far away stay empty."""

import numpy as np
import pytest
from numpy.typing import NDArray

from reaedp import Number
from reaedp.synthesis.coarsening import coarsen, estimated_shares
from reaedp.synthesis.tail_shape import shaped_end
from reaedp.synthesis.tails import occupied, tapered

LAWS = {
    "normal": np.exp(-((np.arange(400) - 50.0) ** 2) / 200),
    "exponential": np.exp(-np.arange(400) / 15),
    "heavy": (1 + np.arange(400) / 10) ** -3.5,
}
COLUMN = Number(name="x", lower=0, upper=400, bins=400, provenance="public", null="drop", nan="drop", unparsable="drop")


@pytest.mark.parametrize("name", LAWS)
def test_high_quantiles_are_near_the_truth(name: str) -> None:
    """40,000 rows, noise of 15 in each of 400 cells; without tails the .999 quantile is off by ten deviations."""
    rng, law = np.random.default_rng(1), LAWS[name] / LAWS[name].sum()
    places, edges = np.arange(400), np.cumsum(law)
    deviation = np.sqrt(law @ places**2 - (law @ places) ** 2)
    off = []
    for _ in range(10):
        shares = coarsen(COLUMN, 40_000 * law + rng.normal(0, 15, 400), 15.0, 60, 0.01).shares
        off.append([np.searchsorted(np.cumsum(shares), rank) - np.searchsorted(edges, rank) for rank in (0.99, 0.999)])
    errors = np.abs(off).mean(axis=0) / deviation
    assert errors[0] < 0.6
    assert errors[1] < 2.5


def test_no_rows_are_found_where_noise_is_alone() -> None:
    """Of 50 tables without rows hardly any shows an occupied cell, and far from rows none has a thousandth of them."""
    rng = np.random.default_rng(2)
    assert sum(occupied(rng.normal(0, 15, 400), 15.0).any() for _ in range(50)) <= 12
    truth = np.where(np.arange(400) < 40, 1_000.0, 0.0)
    noisy = truth + rng.normal(0, 15, 400)
    shares = coarsen(COLUMN, noisy, 15.0, 60, 0.01).shares
    assert shares[60:].sum() < 1e-3


def test_a_far_spike_is_kept_and_the_gap_before_it_stays_empty() -> None:
    rng = np.random.default_rng(3)
    truth = np.where(np.arange(400) < 40, 1_000.0, 0.0)
    truth[399] = 300.0
    shares = coarsen(COLUMN, truth + rng.normal(0, 15, 400), 15.0, 60, 0.01).shares
    assert 300 / 40_300 == pytest.approx(shares[399], rel=0.3)
    assert shares[60:390].sum() < 2e-3


def test_a_tail_falls_from_the_cell_beside_it_and_keeps_its_noisy_number() -> None:
    full = np.arange(20) < 5
    noisy = np.where(full, 100.0, 0.0)
    noisy[5:9] = [60.0, 30.0, 15.0, 7.0]
    tail = tapered(noisy.copy(), noisy, 5.0, full)
    assert (tail[:5] == 100.0).all()
    assert 112.0 == pytest.approx(tail[5:].sum())
    assert (np.diff(tail[5:]) < 0).all()
    assert (tapered(noisy, np.where(full, noisy, 0.0), 5.0, full)[5:] == 0.0).all()


def quantile_errors(values: NDArray[np.float64], low: float, high: float, share: float) -> float:
    """How far the quantile is off over some draws of the noise, in deviations of the values."""
    edges = np.linspace(low, high, 401)
    counts = np.histogram(np.clip(values, low, high), edges)[0].astype(np.float64)
    off = []
    for seed in range(12):
        noisy = counts + np.rint(np.random.default_rng(seed).normal(0, 15, 400))
        shares = estimated_shares(noisy, 15.0, smooth=400, regular=400, along=400)
        true, found = (edges[1:][np.searchsorted(np.cumsum(law), share)] for law in (counts / counts.sum(), shares))
        off.append((found - true) / values.std())
    return float(np.sqrt(np.mean(np.square(off))))


def test_the_shape_of_a_tail_is_learned_whether_it_is_light_or_heavy() -> None:
    rng = np.random.default_rng(8)
    assert quantile_errors(rng.normal(size=40_000), -10, 10, 0.99) < 0.15
    assert quantile_errors(rng.normal(size=40_000), -10, 10, 0.999) < 0.5
    assert quantile_errors(rng.exponential(size=40_000), 0, 25, 0.99) < 0.5
    assert quantile_errors(rng.pareto(2.5, 40_000), 0, 60, 0.99) < 0.7
    # The other end of the same column.
    assert quantile_errors(-rng.exponential(size=40_000), -25, 0, 0.01) < 0.5


def test_rows_that_stand_out_in_a_tail_are_not_taken_for_its_shape() -> None:
    rng = np.random.default_rng(8)
    counts = np.histogram(rng.exponential(size=40_000), np.linspace(0, 25, 401))[0].astype(np.float64)
    counts[200:203] += 300.0
    counts[-1] += 500.0  # values from beyond the bounds
    noisy = counts + np.rint(rng.normal(0, 15, 400))
    shares = estimated_shares(noisy, 15.0, smooth=400, regular=400, along=400)
    assert 900 / 41_400 == pytest.approx(shares[199:204].sum(), rel=0.2)
    assert 500 / 41_400 == pytest.approx(shares[-1], rel=0.15)


def test_a_law_that_does_not_fit_is_not_used() -> None:
    noise = np.rint(np.random.default_rng(1).normal(0, 5, 100))
    steps = np.repeat([900.0, 30.0, 90.0, 0.0], 25) + noise
    assert shaped_end(steps, 5.0) is None
    falling = 900 * np.exp(-np.arange(100) / 8) + noise
    found = shaped_end(falling, 5.0)
    assert found is not None
    assert np.all(np.diff(found) <= 0)
    assert np.all((found >= 0) & (found < 25))
