"""Bands that cover the truth: the mean of the curves as they are."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from curve_support import answered, calibrated, under, wide
from reaedp import Unit
from reaedp.curves.lattice import RADIUS, CurveLattice, cut_off
from reaedp.curves.mean_curve import MeanCurve
from reaedp.curves.prediction import expected_bands
from reaedp.curves.space import CurveSpace
from reaedp.curves.truth import MeansOfSlope, TrueMean
from reaedp.errors import DeclarationError
from reaedp.mechanisms.noise import SeededNoise

POINTS = 21
TIMES = np.linspace(0.0, 1.0, POINTS)
TRUTH = MeanCurve("x", bands="truth")
COUPLED = MeanCurve("x", "C", 0.05, "truth")
UNITS = [Unit(change, "who", rows, at_least=40) for change in ("add-remove", "replace") for rows in (1, 3)]


def declared(**changes: Any) -> Any:
    return wide(POINTS, **({"rank": 8, "smoothness": 4.0, "lower": -3.0, "upper": 5.0, "offset": 0.5} | changes))


def slope(values: np.ndarray) -> float:
    return float(np.sqrt((np.diff(values) ** 2 / np.diff(TIMES)).sum()))


@pytest.mark.parametrize("basis", ["wiener", "fourier", "bspline"])
def test_constants_come_out_right_and_no_mean_of_the_declared_slope_is_missed_by_more_than_its_bias(basis: Any) -> None:
    curve = declared(basis=basis)
    means = MeansOfSlope(curve)
    recovery, projection = means.recovery(TIMES, np.full(8, 0.1)), CurveSpace(curve).projection
    assert np.allclose(recovery.weights @ (projection @ np.full(POINTS, 7.0)), 7.0)
    rng = np.random.default_rng(1)
    for _ in range(200):
        mean = np.cumsum(rng.normal(size=POINTS)) + rng.normal() * 50
        mean *= 4.0 / slope(mean)
        assert np.all(np.abs(recovery.weights @ (projection @ mean) - mean) <= recovery.bias * (1 + 1e-4))


def test_the_bias_is_attained_by_the_mean_that_rises_where_the_weights_are_most_wrong() -> None:
    means = MeansOfSlope(declared())
    recovery = means.recovery(TIMES, np.full(8, 0.1))
    for place in (0, 7, 20):
        left = (TIMES[1:] <= TIMES[place]) - recovery.weights[place] @ means.responses
        rises = left * means.lengths
        worst = np.append(0.0, np.cumsum(rises))
        worst *= 4.0 / slope(worst)
        missed = worst[place] - recovery.weights[place] @ (means.space.projection @ worst)
        assert recovery.bias[place] == pytest.approx(missed, rel=1e-4)  # times are whole ticks


def test_no_other_weights_that_keep_constants_have_less_noise_and_bias() -> None:
    means, deviations = MeansOfSlope(declared()), np.linspace(0.2, 0.4, 8)
    recovery = means.recovery(TIMES, deviations)
    rng = np.random.default_rng(2)

    def total(weights: np.ndarray, place: int) -> float:
        left = (TIMES[1:] <= TIMES[place]) - weights @ means.responses
        return float(((weights * deviations) ** 2).sum() + 16.0 * (left**2 * means.lengths).sum())

    for place in range(POINTS):
        for _ in range(20):
            step = rng.normal(size=8) / 50
            step -= means.constant * (step @ means.constant) / (means.constant @ means.constant)
            assert total(recovery.weights[place], place) <= total(recovery.weights[place] + step, place)


def test_what_was_cut_off_is_never_counted_too_low_nor_above_its_bound() -> None:
    rng = np.random.default_rng(3)
    curve = declared()
    most = CurveLattice.of(curve).most_cut
    assert most is not None
    points = (rng.normal(size=(8, 500)) * RADIUS * rng.choice([0.1, 1.0, 30.0], 500)).astype(np.int64)
    lengths = np.sqrt((points.astype(object) ** 2).sum(axis=0).astype(float))
    shares = np.maximum(1.0 - RADIUS / lengths, 0.0)
    counted = cut_off(points, most)
    assert np.all(counted >= np.minimum(shares * RADIUS, most))
    assert np.all(counted <= np.minimum(shares * RADIUS + 1.0, most))
    assert np.all((counted == 0) == (lengths <= RADIUS))
    assert most == np.ceil(RADIUS * (1 - 1.0 / 4.5))  # values up to 4.5 from the offset, a clip of 1


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("statistic", [TRUTH, COUPLED], ids=["A2", "C"])
@pytest.mark.parametrize("unit", UNITS, ids=lambda u: f"{u.change}-{u.max_rows}")
def test_no_neighbour_moves_the_count_of_clipped_curves_farther_than_is_paid_for(
    statistic: MeanCurve, unit: Unit
) -> None:
    contract = under(declared(), unit)
    bound, paid = statistic.sensitivity(contract), statistic.clipped_weight(contract) * unit.rows
    rng, wave = np.random.default_rng(4), 0.5 + 90.0 * np.sin(TIMES * np.pi / 2)

    def person() -> np.ndarray:
        return np.array([rng.choice([wave, 1.0 - wave, 0 * wave + 0.5, rng.normal(size=POINTS) * 9])] * unit.rows)

    reached = 0
    for _ in range(30):
        others = np.concatenate([person(), person()])
        before = others if unit.change == "add-remove" else np.concatenate([others, person()])
        pair = [answered(statistic, contract, values) for values in (before, np.concatenate([others, person()]))]
        distance = np.abs(pair[1] - pair[0]).astype(object)
        assert bound.l2_squared >= (distance**2).sum()
        assert bound.l1 >= distance.sum()
        assert bound.linf >= distance.max()
        reached = max(reached, distance[-1])
    assert paid - 1 <= reached <= paid


def test_without_bands_for_the_truth_nothing_is_paid_for_clipped_curves() -> None:
    contract = under(declared(), Unit("replace", at_least=40))
    assert 9 == MeanCurve("x").cells(contract)
    assert 10 == TRUTH.cells(contract)
    assert MeanCurve("x").sensitivity(contract).l2_squared < TRUTH.sensitivity(contract).l2_squared
    roomy = under(declared(clip=4.5), Unit("replace", at_least=40))
    assert 9 == TRUTH.cells(roomy)
    assert MeanCurve("x").sensitivity(roomy) == TRUTH.sensitivity(roomy)


def noise_free(clipped_share: float, statistic: MeanCurve = TRUTH, **changes: Any) -> tuple[Any, np.ndarray, Any]:
    """Two hundred curves, some of them far too long; the exact answer as a value; and the true mean."""
    contract = under(declared(**changes), Unit("replace", at_least=200))
    rng = np.random.default_rng(5)
    curves = 0.5 + np.sin(3 * TIMES) * rng.uniform(0.2, 0.8, size=(200, 1)) + rng.normal(size=(200, POINTS)) / 20
    curves[: int(200 * clipped_share)] += 2.5
    value = statistic.value(contract, answered(statistic, contract, curves))
    return value, curves.mean(axis=0), calibrated(statistic, contract, 50.0)


@pytest.mark.parametrize("statistic", [TRUTH, COUPLED, replace(TRUTH, rho=0.1)], ids=["A2", "C", "rho"])
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_the_band_holds_the_true_mean_though_a_third_of_the_curves_were_clipped(
    statistic: MeanCurve, share: float
) -> None:
    value, truth, noise = noise_free(share, statistic)
    band = value.pointwise_band(TIMES, noise, 0.95)
    assert np.all((band.low <= truth) & (truth <= band.high))
    if share:
        assert np.abs(value.on(TIMES, noise) - truth).max() > 0.3  # the clip took this much of the estimate itself
        forgotten = TrueMean(**{name: getattr(value, name) for name in FACTS}, clipped=None, cut_step=0.0)
        assert not np.all(truth <= forgotten.pointwise_band(TIMES, noise, 0.95).high)


FACTS = ("curve", "sums", "steps", "count", "weight", "fewest", "rho", "smoothed")


def test_a_mean_that_does_not_start_at_the_offset_is_covered_where_the_basis_is_zero() -> None:
    value, truth, noise = noise_free(0.0, offset=-1.0, clip=4.0)
    band = value.pointwise_band(TIMES, noise, 0.95)
    assert 0.5 == pytest.approx(truth[0], abs=0.1)
    assert band.low[0] <= truth[0] <= band.high[0]
    assert value.on(TIMES, noise)[0] == pytest.approx(truth[0], abs=0.5)


@pytest.mark.slow
def test_bands_hold_the_true_mean_about_as_often_as_they_say_where_only_noise_matters() -> None:
    """Smooth, unclipped, many coefficients: what is left beside the noise is small, so that coverage is near 95 %."""
    contract = under(declared(rank=21, clip=4.5, smoothness=200.0), Unit("replace", at_least=100))
    curves = np.tile(1.0 + np.sin(2 * TIMES), (100, 1))
    noise, exact = calibrated(TRUTH, contract, 4.0), answered(TRUTH, contract, curves)
    rng, one, whole = np.random.default_rng(6), [], []
    for _ in range(200):
        value = TRUTH.value(contract, noise.apply(exact, SeededNoise(rng)))
        each, band = value.pointwise_band(TIMES, noise, 0.95), value.simultaneous_band(TIMES, noise, 0.95)
        one.append(each.low[9] <= curves[0, 9] <= each.high[9])
        whole.append(np.all((band.low <= curves[0]) & (curves[0] <= band.high)))
    # Below 0.95 by more than 4.9 standard errors of 200 runs once in a million times.
    least = 0.95 - 4.9 * np.sqrt(0.95 * 0.05 / 200)
    assert least <= min(np.mean(one), np.mean(whole))
    assert np.mean(one) < 1.0


def test_the_plan_tells_noise_and_bias_apart() -> None:
    rough, smooth = (under(declared(smoothness=s), Unit("replace", at_least=500)) for s in (8.0, 0.5))
    mechanism = calibrated(TRUTH, rough, 1.0).mechanism
    first, second = (expected_bands(contract, TRUTH, mechanism) for contract in (rough, smooth))
    assert second.bias < first.bias
    assert 0 < first.each < first.clipping
    roomy = expected_bands(under(declared(clip=4.5), Unit("replace", at_least=500)), TRUTH, mechanism)
    assert (0.0, 0.0) == (roomy.clipping, roomy.each)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"smoothness": None}, "Declare curves.x.smoothness"),
        ({"lower": None, "upper": None}, "Declare curves.x.lower, curves.x.upper"),
        ({"lower": -1e6}, "within 64 clips of the offset"),
    ],
)
def test_what_the_bounds_of_the_bias_need_is_asked_for(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(DeclarationError, match=said):
        TRUTH.check(under(declared(**changes), Unit("replace")))


def test_bands_of_another_name_are_refused() -> None:
    with pytest.raises(DeclarationError, match="bands must be noise or truth"):
        MeanCurve("x", bands="bias")  # type: ignore[arg-type]
