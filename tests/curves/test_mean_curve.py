import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curve_support import answered, calibrated, long, under, wide
from reaedp import Unit
from reaedp.contract import Contract, Curve
from reaedp.curves.bases import BASES
from reaedp.curves.lattice import RADIUS
from reaedp.curves.mean_curve import MeanCurve, share_of_a_person
from reaedp.curves.prediction import expected_error, ruled_mean_curve
from reaedp.curves.smoothing import smoother
from reaedp.errors import DeclarationError
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.plan.request import Request

POINTS = 15
STATISTICS = [MeanCurve("x"), MeanCurve("x", "C", 1e-3), MeanCurve("x", "C", 0.5)]
UNITS = [Unit(change, "who", rows) for change in ("add-remove", "replace") for rows in (1, 3)]


def moved(statistic: MeanCurve, contract: Contract, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.abs(answered(statistic, contract, first) - answered(statistic, contract, second)).astype(object)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda s: s.title)
@pytest.mark.parametrize("unit", UNITS, ids=lambda u: f"{u.change}-{u.max_rows}")
@pytest.mark.parametrize("missing", ["interpolate", "drop"])
def test_no_neighbour_is_farther_than_the_sensitivity(statistic: MeanCurve, unit: Unit, missing: Any) -> None:
    rng = np.random.default_rng(3)
    curve = wide(POINTS, missing=missing)
    contract = under(curve, unit)
    bound = statistic.sensitivity(contract)
    waves = 5 * BASES["wiener"].values(6, np.array(curve.at)).T

    def person() -> np.ndarray:
        """One to `max_rows` curves: rough ones of any size with holes, or the same wave several times."""
        rows = rng.integers(1, unit.rows + 1)
        if rng.random() < 0.5:
            return waves[[rng.integers(6)] * rows] * rng.choice([-1, 1])
        curves = rng.normal(size=(rows, POINTS)) * rng.choice([0.1, 1, 1e300])
        return np.where(rng.random(curves.shape) < 0.05, np.nan, curves)

    for _ in range(50):
        others = np.concatenate([person(), person()])
        before = others if unit.change == "add-remove" else np.concatenate([others, person()])
        distance = moved(statistic, contract, before, np.concatenate([person(), others]))
        assert bound.l2_squared >= (distance**2).sum()
        assert bound.l1 >= distance.sum()
        assert bound.linf >= distance.max()


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda s: s.title)
@pytest.mark.parametrize("unit", UNITS, ids=lambda u: f"{u.change}-{u.max_rows}")
def test_the_sensitivity_is_attained_by_opposite_waves(statistic: MeanCurve, unit: Unit) -> None:
    curve = wide(400)
    contract = under(curve, unit)
    reached = 0
    for wave in 9 * BASES["wiener"].values(6, np.array(curve.at)).T:
        before = [wave] if unit.change == "add-remove" else [wave] + [-wave] * unit.rows
        distance = moved(statistic, contract, np.array(before), np.array([wave] * (unit.rows + 1)))
        reached = max(reached, (distance**2).sum())
    # Straight pieces of the grid turn the vector by less than a thousandth, which costs less than 10^-6 of its length.
    bound = statistic.sensitivity(contract).l2_squared
    assert (1 - 1e-4) * bound <= reached <= bound


@given(
    st.lists(st.integers(-(2**60), 2**60), min_size=6, max_size=6), st.lists(st.integers(-9, 9), min_size=6, max_size=6)
)
def test_sums_that_are_scaled_and_rounded_down_move_no_farther_than_they_did(sums: Any, moves: Any) -> None:
    contract = under(wide(POINTS), Unit("replace"))

    class Sums:
        def __init__(self, numbers: Any) -> None:
            self.contract, self.numbers = contract, numbers

        def curve_sums(self, _name: str) -> tuple[np.ndarray, int]:
            return np.array(self.numbers), 1

    statistic: Any = MeanCurve("x", "C", 0.1)
    others = [number + move for number, move in zip(sums, moves, strict=True)]
    distance = np.abs(statistic.answer(Sums(others)) - statistic.answer(Sums(sums)))
    assert np.all(distance[:-1] <= np.abs(moves))


def test_a_finer_grid_leaves_sensitivity_and_price_as_they_are() -> None:
    facts = set()
    for points in (20, 100, 5_000):
        contract = under(wide(points), Unit("replace", at_least=50))
        request = Request("mean", MeanCurve("x"), calibrated(MeanCurve("x"), contract).mechanism)
        facts.add((MeanCurve("x").sensitivity(contract), request.charge(contract).price))
    assert 1 == len(facts)


def test_the_loss_of_covariance_a2_does_not_depend_on_rho_and_its_noise_on_coefficients_is_two_clips_over_n() -> None:
    contract = under(wide(20, clip=0.7), Unit("replace", at_least=50))
    for rho in (1e-6, 1e-3, 10.0):
        assert 4 * RADIUS**2 == MeanCurve("x", rho=rho).sensitivity(contract).l2_squared


def test_replacing_one_curve_moves_no_count_and_the_count_is_nearly_exact() -> None:
    contract = under(wide(5), Unit("replace"))
    assert not share_of_a_person(contract, contract.curves[0]).number_varies
    # κ = 3.73 at (1, 10⁻⁵), twice the radius, over 64 radii.
    assert pytest.approx(3.7306 / 32, rel=1e-3) == calibrated(MeanCurve("x"), contract).scale / MeanCurve("x").weight(
        contract
    )


@pytest.mark.parametrize(("rank", "unit"), [(6, Unit("add-remove")), (200, Unit("add-remove", "who", 2))])
def test_the_weight_of_the_count_is_nearly_the_best_one(rank: int, unit: Unit) -> None:
    contract = under(wide(5, rank=rank), unit)

    def error(weight: float) -> float:
        """Of a mean as long as the clip: squared noise of the coefficients and of the count, in radii."""
        return (1 + weight**2) * (rank + 1 / weight**2)

    best = min(error(weight) for weight in np.linspace(0.01, 3, 1_000))
    assert 1.05 * best >= error(MeanCurve("x").weight(contract) / RADIUS)
    # A mean over a known number under replacement would have the noise of two radii on every coefficient.
    assert 4 * rank >= best


def test_a_count_that_varies_under_replacement_costs_nothing() -> None:
    for missing, rows in (("drop", 1), ("interpolate", 3)):
        contract = under(wide(5, missing=missing), Unit("replace", "who", rows))
        sensitivity, weight = MeanCurve("x").sensitivity(contract), MeanCurve("x").weight(contract)
        assert 4 * rows**2 * RADIUS**2 == sensitivity.l2_squared
        assert (1 + weight**2 / RADIUS**2) * rows**2 == pytest.approx(4 * rows**2, rel=1e-5)


def test_without_noise_the_mean_is_the_mean() -> None:
    rng = np.random.default_rng(4)
    curve = wide(200, rank=30, clip=5.0, interval=(-1.0, 3.0), at=tuple(np.linspace(-1, 3, 200).tolist()), offset=2.0)
    values = 2.0 + np.cumsum(rng.normal(size=(40, 200)), axis=1) / 14
    contract = under(curve, Unit("add-remove"))
    statistic = MeanCurve("x")
    value = statistic.value(contract, answered(statistic, contract, values))
    noise = calibrated(statistic, contract)
    assert 40.0 == value.number
    plain = value.on(np.array(curve.at), noise, rho=1e-12)
    error = np.sqrt(np.mean((plain - values.mean(axis=0)) ** 2))
    # Thirty coefficients of a path of length about one miss the sum of λ beyond them: 1/(30π²) of its variance.
    assert 2 * np.sqrt(1 / (30 * np.pi**2) / 40) >= error
    smooth = MeanCurve("x", "C", 0.05)
    coupled = smooth.value(contract, answered(smooth, contract, values))
    np.testing.assert_allclose(
        value.coefficients(noise, rho=0.05), coupled.coefficients(calibrated(smooth, contract)), atol=1e-5
    )


def test_covariance_a2_is_never_noisier_than_c() -> None:
    contract = under(wide(20, rank=40), Unit("replace", at_least=50))
    mechanism = calibrated(MeanCurve("x"), contract).mechanism
    for rho in np.logspace(-8, 3, 23):
        ours = expected_error(contract, MeanCurve("x", "A2", rho), mechanism)
        theirs = expected_error(contract, MeanCurve("x", "C", rho), mechanism)
        # The gains of covariance C are rounded to 2^-30.
        assert ours.curve <= theirs.curve * (1 + 1e-6)
        assert ours.worst_time <= theirs.worst_time * (1 + 1e-6)


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("statistic", [MeanCurve("x", "A2", 0.01), MeanCurve("x", "C", 0.01)], ids=lambda s: s.title)
def test_the_expected_error_is_what_simulated_noise_has(statistic: MeanCurve) -> None:
    contract = under(wide(20, rank=10, clip=3.0), Unit("replace", at_least=50))
    noise = calibrated(statistic, contract)
    exact = answered(statistic, contract, np.zeros((50, 20)))
    rng = np.random.default_rng(6)
    values = [statistic.value(contract, noise.apply(exact, SeededNoise(rng))) for _ in range(4_000)]
    squares = np.array([(value.coefficients(noise) ** 2).sum() for value in values])
    # 4000 sums of squares with fewer than four effective terms: a standard error below 2 %; 5 of them.
    expected = expected_error(contract, statistic, noise.mechanism)
    assert pytest.approx(expected.curve**2, rel=0.1) == squares.mean()
    counts = np.array([value.count / value.weight for value in values]) - 50
    # The variance of a normal sample of 4000 is known to 2.3 %.
    assert pytest.approx(expected.number**2, rel=0.12) == np.mean(counts**2)


def test_noise_can_be_laplacian() -> None:
    contract = under(wide(20), Unit("add-remove", at_least=1_000))
    statistic = MeanCurve("x")
    noise = Calibrated(Laplace(1.0), statistic.sensitivity(contract))
    exact = answered(statistic, contract, np.zeros((1_000, 20)))
    value = statistic.value(contract, noise.apply(exact, SeededNoise(np.random.default_rng(1))))
    found = statistic.frame(value, noise)
    assert {"time", "mean", "low_95", "high_95", "all_low_95", "all_high_95"} == set(found)
    # The seed is fixed, and a band of 95 % holds for it.
    assert np.all(found["all_low_95"] <= 0)
    assert np.all(found["all_high_95"] >= 0)


def test_a_mean_curve_can_be_requested() -> None:
    contract = under(wide(20), Unit("add-remove", at_least=50))
    statistic = MeanCurve("x")
    charge = Request("mean", statistic, calibrated(statistic, contract).mechanism).charge(contract)
    assert "mean curve of x" == charge.statistic
    assert 7 == statistic.cells(contract)
    assert 1.0 / RADIUS == statistic.step(contract)
    assert () == statistic.columns


@pytest.mark.parametrize(
    ("statistic", "curve", "word"),
    [
        (MeanCurve("y"), wide(4), "Unknown curve 'y'"),
        (MeanCurve("x", "C"), wide(4), "rho must be given"),
        (MeanCurve("x", "C", 0.1), wide(4, basis="bspline"), "bspline, which is not smoothed"),
        (MeanCurve("x", "A2", 0.1), wide(4, basis="bspline"), "bspline, which is not smoothed"),
        (MeanCurve("x"), long(), "unit.person must be declared"),
    ],
)
def test_what_cannot_be_answered_is_refused(statistic: MeanCurve, curve: Curve, word: str) -> None:
    with pytest.raises(DeclarationError, match=word):
        statistic.check(under(curve, Unit("add-remove")))


@pytest.mark.parametrize("arguments", [("x", "B"), ("x", "C", 0.0), ("x", "A2", math.nan)])
def test_a_mean_curve_takes_a_known_covariance_and_a_positive_rho(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(DeclarationError):
        MeanCurve(*arguments)


def test_the_declared_rho_serves_both_covariances() -> None:
    contract = under(wide(20, rho=0.25), Unit("replace", at_least=50))
    MeanCurve("x", "C").check(contract)
    value = MeanCurve("x").value(contract, np.arange(1, 8) * RADIUS)
    noise = calibrated(MeanCurve("x"), contract)
    expected = smoother(BASES["wiener"].eigenvalues(6), 0.25) * value.noisy_coefficients
    np.testing.assert_array_equal(expected, value.coefficients(noise))


def test_the_public_rule_is_that_of_the_proof() -> None:
    # κ = 3.7306 at (1, 10⁻⁵): ρ = √2 κτ/(nB) for C and (2κ²τ²/(n²B²))^(2/3) for A².
    contract = under(wide(20, smoothness=2.0, clip=1.5), Unit("replace", at_least=50))
    ratio = 3.7306 * 1.5 / (50 * 2.0)
    assert (
        pytest.approx(math.sqrt(2) * ratio, rel=1e-3)
        == ruled_mean_curve(contract, "x", "C", epsilon=1.0, delta=1e-5).rho
    )
    found = ruled_mean_curve(contract, "x", "A2", epsilon=1.0, delta=1e-5).rho
    assert pytest.approx((2 * ratio**2) ** (2 / 3), rel=1e-3) == found


def test_the_public_rule_and_the_expected_error_need_their_facts() -> None:
    for curve, unit in (
        (wide(20), Unit("replace", at_least=50)),
        (wide(20, smoothness=1.0), Unit("replace")),
        (wide(20, smoothness=1.0, missing="drop"), Unit("replace", at_least=50)),
    ):
        with pytest.raises(DeclarationError):
            ruled_mean_curve(under(curve, unit), "x", "A2", epsilon=1.0, delta=1e-5)


def test_a_person_who_is_the_curve_brings_one_curve_however_many_rows_are_allowed() -> None:
    contract = under(long(), Unit("replace", "who", 30))
    assert (1, False) == share_of_a_person(contract, contract.curves[0])
    other = under(long(id="visit"), Unit("replace", "who", 30))
    assert (30, True) == share_of_a_person(other, other.curves[0])
