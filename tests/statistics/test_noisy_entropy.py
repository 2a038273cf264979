import math

import numpy as np
import pytest

from reaedp import Gaussian, Integer, Laplace, Table, Threshold, entropy_from_counts
from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated, Mechanism
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.entropy import correction as corrections
from reaedp.statistics.entropy.correction import (
    GAUSSIAN_NEAR,
    GAUSSIAN_REST,
    Corrected,
    Correction,
    c_log_c,
    correction,
)
from reaedp.statistics.entropy.entropies import shannon_entropy
from reaedp.statistics.entropy.noisy_entropy import entropies_from_counts, renyi_from_counts, with_noisy_sum

ONE = Sensitivity(1, 1, 1)
SCALES = [0.2, 1.0, 5.0]
TABLES = {
    "even": np.full(20, 50),
    "falling": np.array([400, 200, 100, 50, 25, 12, 6, 3, 1, 1]),
    "sparse": np.array([900, 60, 20, 10, 5, 3, 1, 1] + [0] * 12),
    "bell": np.rint(300 * np.exp(-(np.linspace(0, 3, 24) ** 2))).astype(int),
}


def laplace(scale: float) -> Calibrated:
    return Calibrated(Laplace(1 / scale), ONE)


def law(noise: Calibrated) -> tuple[np.ndarray, np.ndarray]:
    """All noise of noticeable probability, and its probabilities."""
    gaussian = isinstance(noise.mechanism, Gaussian)
    reach = math.ceil((9 if gaussian else 60) * noise.scale) + 10
    x = np.arange(-reach, reach + 1)
    weights = np.exp(-(x**2) / (2 * noise.scale**2)) if gaussian else np.exp(-np.abs(x) / noise.scale)
    return x, weights / weights.sum()


@pytest.mark.parametrize("scale", SCALES)
def test_the_laplace_correction_is_exactly_unbiased_for_every_function(scale: float) -> None:
    rng, noise = np.random.default_rng(1), laplace(scale)
    weights, (x, probabilities) = correction(noise).weights, law(noise)
    for _ in range(20):
        values = rng.normal(size=len(x) + 10)  # any function on the integers from min(x) - 1 on
        start = x[0] - 1
        for count in range(8):
            corrected = sum(weights[step + 1] * values[count + x + step - start] for step in (-1, 0, 1))
            assert values[count - start] == pytest.approx(probabilities @ corrected, abs=1e-9)


@pytest.mark.parametrize("scale", SCALES)
def test_sums_of_corrected_counts_are_exactly_unbiased_and_know_their_variance(scale: float) -> None:
    noise = laplace(scale)
    x, probabilities = law(noise)
    for count in (0, 1, 2, 3, 10, 100):
        corrected = correction(noise).apply((count + x).astype(np.int64))
        mean = probabilities @ corrected.values
        assert c_log_c(np.array([float(count)]))[0] == pytest.approx(mean, abs=1e-8)
        variance = probabilities @ (corrected.values - mean) ** 2
        assert variance == pytest.approx(probabilities @ corrected.variance, rel=1e-8, abs=1e-8)
        covariance = probabilities @ ((corrected.values - mean) * x)
        assert covariance == pytest.approx(probabilities @ corrected.covariance, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("scale", SCALES)
def test_no_other_continuation_below_zero_has_a_smaller_variance(scale: float) -> None:
    rng, noise = np.random.default_rng(2), laplace(scale)
    undo, (x, probabilities) = correction(noise), law(noise)
    for _ in range(20):
        below = rng.normal(size=6) * rng.choice([0.01, 1, 10])

        def other(counts: np.ndarray, below: np.ndarray = below) -> np.ndarray:
            changed = np.where((counts < 0) & (counts >= -6), below[np.clip(-counts - 1, 0, 5)], 0.0)
            return c_log_c(np.maximum(counts, 0).astype(float)) + changed

        for count in (0, 1, 5):
            ours = undo.apply((count + x).astype(np.int64)).values
            theirs = sum(
                weight * other(count + x + int(step)) for step, weight in zip(undo.offsets, undo.weights, strict=True)
            )
            assert probabilities @ theirs == pytest.approx(probabilities @ ours, abs=1e-8)
            assert probabilities @ ours**2 <= probabilities @ theirs**2 + 1e-9


@pytest.mark.parametrize("scale", [0.2, 0.5, 1.0, 1.4, 1.7, 2.0, 2.5, 7.0, pytest.param(30.0, marks=pytest.mark.slow)])
def test_the_gaussian_correction_leaves_no_more_bias_than_it_says(scale: float) -> None:
    noise = Calibrated(Gaussian(1 / (2 * scale**2)), ONE)
    undo, (x, probabilities) = correction(noise), law(noise)
    counts = np.unique(np.rint(np.linspace(0, 12 * scale + 5, 40)).astype(int))
    means = np.array([probabilities @ undo.apply((count + x).astype(np.int64)).values for count in counts])
    bias = np.abs(means - c_log_c(counts.astype(float)))
    assert (GAUSSIAN_REST * scale, GAUSSIAN_NEAR * scale) == pytest.approx((undo.rest, undo.near))
    assert bias.max() <= undo.rest
    assert bias[counts >= undo.near].max() <= 1e-4 * scale
    uncorrected = probabilities @ c_log_c(np.maximum(x + 1, 0).astype(float))
    assert scale < 1 or uncorrected > 2 * bias.max()


def test_steps_of_several_counts_leave_no_more_bias(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that are a sixteenth of the scale or less, sixteen times as coarse as they ever are."""
    monkeypatch.setattr(corrections, "FINE", 16)
    corrections._law.cache_clear()
    noise = Calibrated(Gaussian(1 / (2 * 70.0**2)), ONE)
    undo, (x, probabilities) = correction(noise), law(noise)
    corrections._law.cache_clear()
    assert 4 == undo.offsets[1] - undo.offsets[0]
    counts = np.unique(np.rint(np.linspace(0, 900, 40)).astype(int))
    means = np.array([probabilities @ undo.apply((count + x).astype(np.int64)).values for count in counts])
    bias = np.abs(means - c_log_c(counts.astype(float)))
    assert bias.max() <= undo.rest
    assert bias[counts >= undo.near].max() <= 1e-4 * 70


@pytest.mark.parametrize("mechanism", [Gaussian(1e-14), Laplace(1e-7)], ids=str)
@pytest.mark.parametrize(
    "order", [1.0, pytest.param(0.5, marks=pytest.mark.slow), pytest.param(2.0, marks=pytest.mark.slow)]
)
def test_noise_of_any_scale_is_corrected_with_few_numbers(mechanism: Mechanism, order: float) -> None:
    """A plan may ask for noise of millions; what undoes it would have had hundreds of millions of weights."""
    noise = Calibrated(mechanism, ONE)
    assert len(correction(noise, order).offsets) < 100 * corrections.FINE
    found = renyi_from_counts(np.array([3, 4, 5]), noise, order, rows=None, at_least=12)
    low, high = found.interval(0.95)
    assert 0 <= low <= high <= math.log2(3)


@pytest.mark.parametrize(
    "mechanism", [Laplace(0.1), Laplace(1.0), Laplace(4.0), Gaussian(0.02), Gaussian(0.5)], ids=str
)
@pytest.mark.parametrize("known", ["nothing", "at_least", "rows"])
@pytest.mark.parametrize("name", TABLES)
def test_intervals_contain_the_entropy_as_often_as_they_say(name: str, known: str, mechanism: Mechanism) -> None:
    counts, noise = TABLES[name], Calibrated(mechanism, ONE)
    facts = {} if known == "nothing" else {known: int(counts.sum())}
    noisy = noise.apply(np.tile(counts, (4000, 1)), SeededNoise(np.random.default_rng(3)))
    low, high = entropies_from_counts(noisy, noise, **facts).interval(0.95)
    covered = np.mean((low <= shannon_entropy(counts)) & (shannon_entropy(counts) <= high))
    # A normal limit, right within two percent here; 0.91 is five standard deviations (0.004 each) below 0.93.
    assert covered > 0.91


@pytest.mark.parametrize(("total", "count"), [(9_000.0, 1_000.0), (100.0, 50.0)])
def test_the_curvature_of_log_n_less_f_over_n_is_taken_out(total: float, count: float) -> None:
    """By second differences: half of G_NN times the variance of N, and G_FN times the covariance."""
    covariance, variance, step = 40.0, 300.0, count / 1_000

    def estimate(f: float, n: float) -> float:
        return math.log2(n) - f / n

    bend = (estimate(total, count + step) - 2 * estimate(total, count) + estimate(total, count - step)) / step**2
    corners = [estimate(total + a, count + b) * a * b for a in (-step, step) for b in (-step, step)]
    cross = sum(corners) / (4 * step**4)
    bias = bend * variance / 2 + cross * covariance
    corrected = Corrected(np.array(total), np.array(0.0), np.array(covariance))
    found = with_noisy_sum(corrected, np.array(count), variance)[0]
    # Second differences over a thousandth of the count are right to a millionth.
    assert estimate(total, count) - bias == pytest.approx(float(found), abs=1e-4 * abs(bias))


@pytest.mark.parametrize("name", TABLES)
def test_the_unbiased_estimate_is_right_on_average_and_clipped_counts_are_not(name: str) -> None:
    counts, noise, repetitions = TABLES[name], laplace(3.0), 20_000
    noisy = noise.apply(np.tile(counts, (repetitions, 1)), SeededNoise(np.random.default_rng(4)))
    truth = shannon_entropy(counts)
    estimates = entropies_from_counts(noisy, noise)
    error = estimates.unbiased.std() / math.sqrt(repetitions)
    # Five standard errors of the mean; the noisy sum leaves an effect of the third order, below 0.001 bits here.
    assert abs(estimates.unbiased.mean() - truth) < 5 * error + 1e-3
    clipped = np.array([shannon_entropy(row) for row in np.maximum(noisy[:2000], 0)])
    if name == "sparse":
        assert clipped.mean() - truth > 0.05
        assert np.abs(estimates.value[:2000] - truth).mean() < 0.8 * np.abs(clipped - truth).mean()


def test_a_known_number_of_rows_makes_sparse_entropies_much_more_accurate() -> None:
    counts, noise = TABLES["sparse"], laplace(2.0)
    noisy = noise.apply(np.tile(counts, (4000, 1)), SeededNoise(np.random.default_rng(5)))
    truth, rows = shannon_entropy(counts), int(counts.sum())
    unknown, bounded, known = (
        np.abs(entropies_from_counts(noisy, noise, **facts).value - truth).mean()
        for facts in ({}, {"at_least": rows}, {"rows": rows})
    )
    # Measured 0.11, 0.08 and 0.04; the relative standard error of each is about one percent.
    assert known < 0.7 * bounded < 0.7 * 0.95 * unknown


def test_many_tables_at_once_are_the_same_as_one_by_one() -> None:
    noise = laplace(2.0)
    noisy = noise.apply(np.tile(TABLES["bell"], (2, 3, 1)), SeededNoise(np.random.default_rng(6)))
    together = entropies_from_counts(noisy, noise, at_least=100)
    for place in np.ndindex(2, 3):
        alone = entropies_from_counts(noisy[place], noise, at_least=100)
        for part in ("value", "unbiased", "standard_error", "rest"):
            assert getattr(alone, part) == pytest.approx(getattr(together, part)[place], rel=1e-12)


def test_large_counts_lose_nothing_to_rounding() -> None:
    counts, noise = np.array([10**12, 2 * 10**12, 5, 0]), laplace(4.0)
    noisy = noise.apply(np.tile(counts, (2000, 1)), SeededNoise(np.random.default_rng(7)))
    estimates = entropies_from_counts(noisy, noise)
    ratio = estimates.unbiased.std() / estimates.standard_error.mean()
    # 2,000 draws of a variable with kurtosis below 6 give their standard deviation within 2.5 % (one sigma).
    assert 0.87 < ratio < 1.13


def table(values: list[int]) -> Table:
    axis = Integer(
        name="x", lower=0, upper=len(values) - 1, provenance="public", null="drop", nan="drop", unparsable="drop"
    )
    return Table((axis,), np.array(values))


def test_the_estimate_lies_in_its_interval_and_within_what_is_possible() -> None:
    for values in ([0, 0, 0], [-5, -9, 2], [100, 100, 100], [10, -3, 1000]):
        for confidence in (0.01, 0.5, 0.95, 0.999):
            found = entropy_from_counts(table(values), laplace(3.0), confidence=confidence)
            assert 0 <= found.low <= found.value <= found.high <= math.log2(3)
            assert confidence == found.confidence
    assert 0 == entropy_from_counts(table([7]), laplace(3.0)).high


def test_only_counts_of_all_cells_with_additive_noise_give_an_entropy() -> None:
    with pytest.raises(DeclarationError, match="Laplace or Gaussian"):
        entropy_from_counts(table([1, 2]), Calibrated(Threshold(1.0, 1e-6), ONE))
    for confidence in (0.0, 1.0, math.nan):
        with pytest.raises(DeclarationError, match="between 0 and 1"):
            entropy_from_counts(table([1, 2]), laplace(1.0), confidence=confidence)


def test_a_wrong_correction_would_be_found() -> None:
    """Without its second difference the estimate is off by more than the test of unbiasedness allows."""
    noise = laplace(3.0)
    x, probabilities = law(noise)
    plain = Correction(np.array([0.0]), np.array([1.0]), noise_variance=0.0)
    assert abs(probabilities @ plain.apply((5 + x).astype(np.int64)).values - 5 * math.log2(5)) > 0.5
