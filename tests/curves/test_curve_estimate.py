import numpy as np
import pytest

from curve_support import answered, calibrated, under, wide
from reaedp import Unit
from reaedp.curves.lattice import RADIUS
from reaedp.curves.mean_curve import MeanCurve
from reaedp.mechanisms.noise import SeededNoise

TIMES = np.linspace(0.0, 1.0, 30)


def test_the_number_of_curves_is_not_taken_below_what_is_public() -> None:
    contract = under(wide(4), Unit("add-remove", at_least=40))
    statistic = MeanCurve("x")
    noisy = np.append(np.full(6, 40 * RADIUS), 3 * statistic.weight(contract))
    assert 40.0 == statistic.value(contract, noisy).number
    np.testing.assert_array_equal(np.ones(6), statistic.value(contract, noisy).noisy_coefficients)
    dropping = under(wide(4, missing="drop"), Unit("add-remove", at_least=40))
    assert 3.0 == statistic.value(dropping, noisy).number


def test_a_negative_number_of_curves_is_one() -> None:
    contract = under(wide(4), Unit("add-remove"))
    value = MeanCurve("x").value(contract, np.full(7, -(2**40)))
    assert 1.0 == value.number
    noise = calibrated(MeanCurve("x"), contract)
    for rho in (None, 0.1):
        for band in (value.simultaneous_band(TIMES, noise, 0.95, rho), value.pointwise_band(TIMES, noise, 0.95, rho)):
            mean = value.on(TIMES, noise, rho)
            assert np.all(np.isfinite(band.low) & np.isfinite(band.high))
            assert np.all((band.low <= mean) & (mean <= band.high))


@pytest.mark.parametrize("basis", ["fourier", "bspline"])
def test_plain_bases_are_smoothed_only_as_far_as_declared(basis: str) -> None:
    contract = under(wide(30, basis=basis), Unit("replace", at_least=50))
    statistic = MeanCurve("x")
    noise = calibrated(statistic, contract)
    exact = answered(statistic, contract, np.tile(np.cos(6 * TIMES), (50, 1)))
    value = statistic.value(contract, noise.apply(exact, SeededNoise(np.random.default_rng(1))))
    np.testing.assert_array_equal(value.noisy_coefficients, value.coefficients(noise))
    assert {"time", "mean"} <= set(statistic.frame(value, noise))
    if basis == "fourier":
        declared = under(wide(30, basis=basis, rho=0.1), Unit("replace", at_least=50))
        smoothed = statistic.value(declared, np.append(value.sums, value.count))
        assert np.all(np.abs(smoothed.coefficients(noise)) < np.abs(value.coefficients(noise)))


def test_every_basis_gives_back_a_curve_of_its_own() -> None:
    curves = {
        "wiener": np.sin(2.5 * np.pi * TIMES),
        "fourier": 0.2 + np.cos(2 * np.pi * TIMES),
        "bspline": 1 - TIMES + TIMES**3,
    }
    for basis, curve in curves.items():
        contract = under(wide(30, basis=basis, rank=8, clip=3.0), Unit("replace", at_least=50))
        value = MeanCurve("x").value(contract, answered(MeanCurve("x"), contract, np.tile(curve, (50, 1))))
        found = value.on(TIMES, calibrated(MeanCurve("x"), contract), rho=1e-13)
        # Thirty straight pieces of a wave differ from it by about (2.5π/29)²/12, and the basis rounds their corners.
        np.testing.assert_allclose(curve, found, atol=0.02)


def test_the_public_smoothness_decides_rho_before_the_noisy_coefficients_do() -> None:
    plain, ruled = wide(30), wide(30, smoothness=2.0)
    unit = Unit("replace", at_least=50)
    noise = calibrated(MeanCurve("x"), under(plain, unit))
    noisy = np.append(np.arange(6) * RADIUS, MeanCurve("x").weight(under(plain, unit)) * 50)
    assert MeanCurve("x").value(under(plain, unit), noisy).decided_rho(noise) is None
    # d = 2κ/50 with κ = 3.7306; ρ = (d²/(2·4))^(2/3).
    expected = ((2 * 3.7306 / 50) ** 2 / 8) ** (2 / 3)
    assert pytest.approx(expected, rel=1e-3) == MeanCurve("x").value(under(ruled, unit), noisy).decided_rho(noise)


def test_the_frame_lies_on_the_declared_times_with_the_offset_added_back() -> None:
    curve = wide(30, offset=tuple((10 * TIMES).tolist()), interval=(2.0, 4.0), at=tuple((2 + 2 * TIMES).tolist()))
    contract = under(curve, Unit("replace", at_least=50))
    statistic = MeanCurve("x")
    value = statistic.value(contract, answered(statistic, contract, np.tile(10 * TIMES, (50, 1))))
    found = statistic.frame(value, calibrated(statistic, contract))
    assert list(curve.at) == found["time"].tolist()
    np.testing.assert_allclose(10 * TIMES, found["mean"], atol=1e-9)
    for low, high in (("low_95", "high_95"), ("all_low_95", "all_high_95")):
        assert np.all(found[low] <= found["mean"])
        assert np.all(found["mean"] <= found[high])
    assert np.all(found["all_high_95"] >= found["high_95"])
