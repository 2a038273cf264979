import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from scipy.stats import binom

from reaedp import Gaussian, Integer, Laplace, Table
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.histogram import estimate, intervals, onto_simplex, proportions, simultaneous_intervals

AXIS = Integer(name="x", lower=0, upper=26, provenance="public")
vectors = arrays(np.float64, st.integers(1, 12), elements=st.floats(-50, 50))


@given(vectors, st.floats(0, 500))
def test_the_projection_lies_on_the_simplex_and_no_point_of_it_is_nearer(values: np.ndarray, total: float) -> None:
    projected = onto_simplex(values, total)
    assert np.all(projected >= 0)
    assert total == pytest.approx(projected.sum(), abs=1e-9 * max(1.0, total))
    # The projection p is characterised by (v - p)·(q - p) ≤ 0 for all corners q of the simplex.
    corners = np.eye(len(values)) * total
    assert np.all((corners - projected) @ (values - projected) <= 1e-6 * max(1.0, total) * 600)


def test_the_projection_agrees_with_a_general_optimiser() -> None:
    values = np.array([4.0, -3.0, 0.5, 9.0, -1.0])
    found = minimize(
        lambda x: np.sum((x - values) ** 2),
        np.full(5, 2.0),
        bounds=[(0, None)] * 5,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 10},
    )
    assert found.x == pytest.approx(onto_simplex(values, 10.0), abs=1e-4)


def noisy(values: np.ndarray) -> Table:
    return Table((AXIS,), np.resize(values, AXIS.size))


def test_an_estimate_has_no_negative_numbers_and_the_asked_total() -> None:
    table = noisy(np.array([-5, 3, 100, -2]))
    own = estimate(table)
    assert np.all(own.values >= 0)
    assert table.total == pytest.approx(own.total)
    assert estimate(table, 1_000).total == pytest.approx(1_000)
    assert proportions(table).total == pytest.approx(1.0)
    assert 0 == estimate(noisy(np.array([-5]))).total


def test_the_estimate_is_closer_to_the_truth_than_cutting_negative_numbers_off() -> None:
    rng = np.random.default_rng(11)
    truth = np.where(np.arange(AXIS.size) < 4, 500, 0)
    ours = theirs = 0.0
    for _ in range(200):
        table = noisy(SeededNoise(rng).laplace(truth, 10.0))
        ours += np.abs(estimate(table, float(truth.sum())).values - truth).sum()
        theirs += np.abs(np.maximum(table.values, 0) - truth).sum()
    assert ours < theirs


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("mechanism", [Laplace(0.2), Gaussian(0.05)], ids=str)
def test_intervals_cover_as_often_as_they_say(mechanism: Laplace | Gaussian) -> None:
    rng = np.random.default_rng(3)
    noise = Calibrated(mechanism, Sensitivity(1, 1, 1))
    truth = rng.integers(0, 40, AXIS.size)
    runs, single, joint = 2_000, 0, 0
    for _ in range(runs):
        table = Table((AXIS,), noise.apply(truth, SeededNoise(rng)))
        one, all_cells = intervals(table, noise, 0.9), simultaneous_intervals(table, noise, 0.9)
        single += int(np.sum((one.low.values <= truth) & (truth <= one.high.values)))
        joint += bool(np.all((all_cells.low.values <= truth) & (truth <= all_cells.high.values)))
    # Below the 1e-9 quantile of a binomial with the promised rate the promise is broken. The exact rates are at
    # most 0.93 here (the lattice rounds up), so that intervals that were one step too wide would be seen as well.
    assert binom.ppf(1e-9, runs * AXIS.size, 0.9) <= single <= binom.ppf(1 - 1e-9, runs * AXIS.size, 0.93)
    assert binom.ppf(1e-9, runs, 0.9) <= joint <= binom.ppf(1 - 1e-9, runs, 0.93)
