from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi, norm

from curve_support import answered, calibrated, under, wide
from reaedp import Unit
from reaedp.curves.bands import critical_value, path_length, quotients, scheffe_value
from reaedp.curves.bases import BASES
from reaedp.curves.mean_curve import MeanCurve
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise

TIMES = np.linspace(0.0, 1.0, 9)
RUNS = 600
#: A coverage of 95 % among 600 runs is estimated below this with probability under 10^-6 (4.9 standard errors).
LEAST = 0.95 - 4.9 * np.sqrt(0.95 * 0.05 / RUNS)


def test_the_length_of_a_great_circle_is_its_angle() -> None:
    angles = np.linspace(0.0, 2.0, 500)
    circle = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1) * np.exp(angles)[:, None]
    assert 2.0 <= path_length(circle) <= 2.03


def test_a_path_of_no_length_has_the_normal_quantile_and_a_long_one_the_scheffe_value() -> None:
    assert norm.isf(0.025) == pytest.approx(float(critical_value(np.array(0.0), 7, 0.05)))
    assert chi.isf(0.05, 7) == scheffe_value(7, 0.05) == float(critical_value(np.array(1e9), 7, 0.05))


@pytest.mark.parametrize("rho", [0.0, 1e-2, 1.0])
def test_the_bound_on_the_largest_deviation_holds_and_is_close(rho: float) -> None:
    eigenvalues = BASES["wiener"].eigenvalues(20)
    times = np.linspace(0.0, 1.0, 1_001)[1:]
    directions = BASES["wiener"].values(20, times) * eigenvalues / (eigenvalues + rho)
    units = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    rng = np.random.default_rng(12)
    largest = np.abs(rng.normal(size=(20_000, 20)) @ units.T).max(axis=1)
    bound = float(critical_value(path_length(directions), 20, 0.05))
    outside = np.mean(largest > bound)
    # 20000 runs: five standard errors of a chance of 5 % are 0.8 %. Upcrossings in pairs make the bound a little wide.
    assert 0.03 <= outside <= 0.058


CASES = [MeanCurve("x", "A2", 0.02), MeanCurve("x"), MeanCurve("x", "C", 0.02)]


def coverage(statistic: MeanCurve, unit: Unit) -> tuple[float, float]:
    """How often the smoothed mean of the clipped curves lies in its range at one time, and in the band at all."""
    rng = np.random.default_rng(13)
    contract = under(wide(9, rank=12, offset=3.0), unit)
    curves = 3.0 + np.sin(3 * TIMES) * rng.uniform(0.5, 1.5, size=(60, 1)) + rng.normal(size=(60, 9)) / 5
    noise, exact = calibrated(statistic, contract, 4.0), answered(statistic, contract, curves)
    truth = statistic.value(contract, exact)
    one, whole = [], []
    for _ in range(RUNS):
        value = statistic.value(contract, noise.apply(exact, SeededNoise(rng)))
        chosen = value.chosen_rho(noise) if statistic.rho is None else None
        target = truth.on(TIMES, noise, chosen)
        each, band = value.pointwise_band(TIMES, noise, 0.95), value.simultaneous_band(TIMES, noise, 0.95)
        one.append(each.low[5] <= target[5] <= each.high[5])
        whole.append(np.all((band.low <= target) & (target <= band.high)))
    return float(np.mean(one)), float(np.mean(whole))


@pytest.mark.slow
@pytest.mark.parametrize("statistic", CASES, ids=str)
def test_bands_cover_the_smoothed_mean_as_often_as_they_say(statistic: MeanCurve) -> None:
    assert min(coverage(statistic, Unit("add-remove", at_least=20))) >= LEAST


@pytest.mark.slow
@pytest.mark.parametrize("statistic", CASES[::2], ids=str)
@pytest.mark.parametrize("change", ["add-remove", "replace"])
def test_ranges_for_a_fixed_rho_are_not_wider_than_they_need_to_be(statistic: MeanCurve, change: Any) -> None:
    one, _ = coverage(statistic, Unit(change, at_least=20))
    assert LEAST <= one <= 0.95 + (0.95 - LEAST)


@given(st.floats(-5, 5), st.floats(0, 3), st.floats(-2, 9), st.floats(0, 3), st.floats(-20, 20))
def test_a_quotient_is_in_its_range_exactly_if_it_is_compatible(
    total: float, spread: float, number: float, number_spread: float, quotient: float
) -> None:
    (low,), (high,) = quotients(np.array([total]), np.array([spread]), number, number_spread)
    excess = abs(total - quotient * number) - np.hypot(spread, quotient * number_spread)
    if excess < -1e-6:
        assert low <= quotient <= high
    elif excess > 1e-6 and number**2 > number_spread**2 + 1e-3 and number > 0:
        assert not low < quotient < high


@pytest.mark.parametrize("total", [-4.0, 0.0, 0.3, 5.0])
@pytest.mark.parametrize(("spread", "number", "number_spread"), [(1.0, 8.0, 2.0), (0.1, 3.0, 2.9), (2.0, 5.0, 0.0)])
def test_the_ends_of_the_range_of_a_quotient_are_just_compatible(
    total: float, spread: float, number: float, number_spread: float
) -> None:
    (low,), (high,) = quotients(np.array([total]), np.array([spread]), number, number_spread)
    assert low < total / number < high
    for end in (low, high):
        assert np.hypot(spread, end * number_spread) == pytest.approx(abs(total - end * number), rel=1e-9)


def test_laplacian_noise_is_covered_coordinate_by_coordinate() -> None:
    rng = np.random.default_rng(14)
    contract = under(wide(9, rank=5), Unit("replace", at_least=200))
    statistic = MeanCurve("x", "A2", 0.1)
    noise = Calibrated(Laplace(1.0), statistic.sensitivity(contract))
    exact = answered(statistic, contract, np.tile(np.sin(TIMES), (200, 1)))
    truth = statistic.value(contract, exact).on(TIMES, noise)
    hits = []
    for _ in range(300):
        band = statistic.value(contract, noise.apply(exact, SeededNoise(rng))).simultaneous_band(TIMES, noise, 0.95)
        hits.append(np.all((band.low <= truth) & (truth <= band.high)))
    assert 0.95 - 4.9 * np.sqrt(0.95 * 0.05 / 300) <= np.mean(hits)
