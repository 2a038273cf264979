import math

import numpy as np
import pytest

from reaedp import Gaussian, Laplace
from reaedp.mechanisms.mechanism import Calibrated, Mechanism
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.entropy.correction import Corrected, correction, correction_of_sums, law
from reaedp.statistics.entropy.entropies import mutual_information, renyi_entropies, renyi_entropy, shannon_entropy
from reaedp.statistics.entropy.noisy_entropy import entropies_from_counts, renyi_from_counts
from reaedp.statistics.entropy.noisy_information import information_of
from reaedp.statistics.entropy.noisy_renyi import NormEstimates, PowerEstimates, _with_noisy_sum

ONE = Sensitivity(1, 1, 1)
ORDERS = [0.0, 0.25, 0.5, 0.9, 1.5, 2.0, 3.0, 5.0]
TABLES = {
    "even": np.full(20, 50),
    "falling": np.array([400, 200, 100, 50, 25, 12, 6, 3, 1, 1]),
    "sparse": np.array([900, 60, 20, 10, 5, 3, 1, 1] + [0] * 12),
    "bell": np.rint(300 * np.exp(-(np.linspace(0, 3, 24) ** 2))).astype(int),
}
JOINTS = {
    "independent": np.outer([10, 20, 30, 5], [8, 2, 1, 4, 6]),
    "diagonal": np.diag([100, 300, 50, 20, 5]),
    "mixed": 20 + 100 * np.eye(6, 8, dtype=int),
    "sparse": 20 * (np.arange(120).reshape(10, 12) % 7 == 0),
}
MECHANISMS = [Laplace(0.1), Laplace(1.0), Laplace(4.0), Gaussian(0.02), Gaussian(0.5)]


def noisy_tables(mechanism: Mechanism, counts: np.ndarray, number: int, seed: int) -> np.ndarray:
    noise = SeededNoise(np.random.default_rng(seed))
    found: np.ndarray = Calibrated(mechanism, ONE).apply(np.tile(counts.ravel(), (number, 1)), noise)
    return found


@pytest.mark.parametrize("order", [*ORDERS, 1.0, 17.0, math.inf])
def test_many_entropies_at_once_are_the_same_as_one_by_one(order: float) -> None:
    for counts in TABLES.values():
        expected = [renyi_entropy(counts * factor, order) for factor in (1, 3)]
        assert expected == pytest.approx(renyi_entropies(np.array([counts, 3.0 * counts]), order).tolist(), abs=1e-9)


@pytest.mark.parametrize("scale", [0.3, 2.0, 10.0])
@pytest.mark.parametrize("order", ORDERS)
def test_corrected_powers_are_exactly_unbiased_and_know_their_variance(order: float, scale: float) -> None:
    noise = Calibrated(Laplace(1 / scale), ONE)
    whole = law(noise)
    x = np.arange(-whole.reach, whole.reach + 1)
    for count in (0, 1, 2, 30):
        found = correction(noise, order).apply(count + x)
        mean, truth = whole.probabilities @ found.values, float(count > 0) * float(max(count, 1)) ** order
        size = max(1.0, float(np.abs(found.values).max()))
        # Forty scales leave out a part of e^-40, times the largest power; the rest is rounding.
        assert truth == pytest.approx(mean, abs=1e-12 * size)
        deviations = found.values - mean
        assert whole.probabilities @ deviations**2 == pytest.approx(
            whole.probabilities @ found.variance, abs=1e-11 * size**2
        )
        assert whole.probabilities @ (deviations * x) == pytest.approx(
            whole.probabilities @ found.covariance, abs=1e-11 * size * scale
        )


@pytest.mark.parametrize("order", [0.0, 0.5, 2.0])
def test_no_other_continuation_below_zero_estimates_a_power_with_a_smaller_variance(order: float) -> None:
    rng, noise = np.random.default_rng(2), Calibrated(Laplace(0.4), ONE)
    undo, whole = correction(noise, order), law(noise)
    x = np.arange(-whole.reach, whole.reach + 1)
    for _ in range(20):
        below = rng.normal(size=6) * rng.choice([0.01, 1, 10])

        def other(counts: np.ndarray, below: np.ndarray = below) -> np.ndarray:
            changed = np.where((counts < 0) & (counts >= -6), below[np.clip(-counts - 1, 0, 5)], 0.0)
            return undo.f(counts.astype(float)) + changed

        for count in (0, 1, 5):
            ours = undo.apply(count + x).values
            theirs = sum(
                weight * other(count + x + int(step)) for step, weight in zip(undo.offsets, undo.weights, strict=True)
            )
            assert whole.probabilities @ theirs == pytest.approx(whole.probabilities @ ours, abs=1e-6)
            assert whole.probabilities @ ours**2 <= whole.probabilities @ theirs**2 * (1 + 1e-9)


@pytest.mark.parametrize("order", [0.25, 0.5, 1.5, 2.0, 3.5])
@pytest.mark.parametrize("scale", [0.5, 2.0, 9.0])
def test_the_series_for_powers_leaves_no_more_bias_than_it_says(order: float, scale: float) -> None:
    noise = Calibrated(Gaussian(1 / (2 * scale**2)), ONE)
    undo, whole = correction(noise, order), law(noise)
    x = np.arange(-whole.reach, whole.reach + 1)
    counts = np.unique(np.rint(np.linspace(0, undo.near, 25)).astype(int))
    means = np.array([whole.probabilities @ undo.apply(count + x).values for count in counts])
    bias = np.abs(means - np.where(counts > 0, counts.astype(float) ** order, 0.0))
    assert bias.max() <= undo.rest * (1 + 1e-6) + 1e-9
    # The rest is that of a count near zero: the noise's own size to this power, or a part of one.
    assert undo.rest < max(1.0, scale**order)


@pytest.mark.parametrize("mechanism", [Laplace(1.0), Gaussian(0.1)], ids=str)
@pytest.mark.parametrize("terms", [2, 7, 30])
def test_sums_of_noisy_counts_are_corrected_for_the_noise_of_all_of_them(terms: int, mechanism: Mechanism) -> None:
    noise, number = Calibrated(mechanism, ONE), 20_000
    undo = correction_of_sums(noise, terms)
    assert terms * correction(noise).noise_variance == pytest.approx(undo.noise_variance, rel=1e-3)
    for count in (0, 5, 200):
        drawn = noisy_tables(mechanism, np.zeros(terms, dtype=int), number, seed=5).sum(axis=1) + count
        found = undo.apply(drawn)
        error = found.values.std() / math.sqrt(number)
        # Five and a half standard errors: 4e-8 each of 18.
        assert abs(found.values.mean() - (count * math.log2(count) if count else 0)) < undo.rest + 5.5 * error


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=str)
@pytest.mark.parametrize("name", TABLES)
def test_intervals_of_every_order_contain_the_entropy_as_often_as_they_say(name: str, mechanism: Mechanism) -> None:
    counts = TABLES[name]
    noisy = noisy_tables(mechanism, counts, 1_000, seed=3)
    for facts in ({}, {"at_least": int(counts.sum())}, {"rows": int(counts.sum())}):
        for order in (*ORDERS, 8.0, math.inf):
            truth = renyi_entropy(counts, order)
            low, high = renyi_from_counts(noisy, Calibrated(mechanism, ONE), order, **facts).interval(0.95)
            covered = np.mean((low <= truth + 1e-9) & (truth <= high + 1e-9))
            # A normal limit, right within three percent here; 0.87 is six standard deviations (0.0085) below 0.92.
            assert covered > 0.87, (facts, order)


def test_the_corrected_entropy_is_right_on_average_and_that_of_clipped_counts_is_not() -> None:
    counts, noise = TABLES["sparse"], Calibrated(Laplace(1 / 3), ONE)
    noisy = noisy_tables(noise.mechanism, counts, 4_000, seed=4)
    for order in (0.9, 1.5, 2.0, 3.0):
        truth, found = renyi_entropy(counts, order), renyi_from_counts(noisy, noise, order)
        assert isinstance(found, PowerEstimates)
        error = found.unbiased.std() / math.sqrt(len(noisy))
        clipped = renyi_entropies(np.maximum(noisy, 0).astype(float), order)
        # Six standard errors; a logarithm bends the mean by half of the squared relative error.
        assert abs(found.unbiased.mean() - truth) < 6 * error + 0.01
        assert clipped.mean() - truth > 2 * abs(found.unbiased.mean() - truth)


@pytest.mark.parametrize("order", [0.5, 2.0, 4.0])
def test_the_curvature_of_s_over_a_power_of_n_is_taken_out(order: float) -> None:
    """By second differences: half of G_NN times the variance of N, and G_SN times the covariance."""
    total, count, covariance, variance, step = 5_000.0, 1_000.0, 40.0, 300.0, 1.0

    def ratio(s: float, n: float) -> float:
        return s / n**order

    bend = (ratio(total, count + step) - 2 * ratio(total, count) + ratio(total, count - step)) / step**2
    cross = sum(ratio(total + a, count + b) * a * b for a in (-step, step) for b in (-step, step)) / (4 * step**4)
    bias = (bend * variance / 2 + cross * covariance) * count**order
    corrected = Corrected(np.array(total), np.array(0.0), np.array(covariance))
    found = _with_noisy_sum(corrected, np.array(count), variance, order)[0]
    # The difference loses four of sixteen digits to the total, and the step a millionth of the second difference.
    assert total - bias == pytest.approx(float(found), abs=1e-4 * abs(bias))


def test_noise_moves_a_norm_by_no_more_than_its_own() -> None:
    for mechanism in (Laplace(0.3), Gaussian(0.1)):
        for name, counts in TABLES.items():
            noisy = noisy_tables(mechanism, counts, 500, seed=6)
            for order in (6.0, 20.0, math.inf):
                found = renyi_from_counts(noisy, Calibrated(mechanism, ONE), order, rows=int(counts.sum()))
                assert isinstance(found, NormEstimates)
                low, high = found.interval(0.99)
                truth = renyi_entropy(counts, order)
                # The bound holds with 99 % or more: 25 failures of 500 would have a probability below 1e-9.
                assert np.mean((low <= truth) & (truth <= high)) > 0.95, name


def test_orders_meet_shannons_entropy_at_one_and_bounds_at_their_ends() -> None:
    noise, noisy = Calibrated(Laplace(0.5), ONE), noisy_tables(Laplace(0.5), TABLES["bell"], 50, seed=7)
    shannon = entropies_from_counts(noisy, noise)
    near = renyi_from_counts(noisy, noise, 1.0001)
    assert shannon.value == pytest.approx(near.value, abs=2e-3)
    assert shannon.value.tolist() == renyi_from_counts(noisy, noise, 1 + 1e-7).value.tolist()
    for order in (*ORDERS, 9.0, math.inf):
        found = renyi_from_counts(np.vstack([noisy, np.full_like(noisy[:1], -9)]), noise, order)
        low, high = found.interval(0.9)
        assert (low >= 0).all()
        assert (high <= math.log2(noisy.shape[-1]) + 1e-12).all()
        assert ((low <= found.value) & (found.value <= high)).all()


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    "mechanism",
    [
        pytest.param(mechanism, marks=() if extreme else pytest.mark.slow)
        for mechanism, extreme in zip(MECHANISMS, (True, False, True, True, False), strict=True)
    ],
    ids=str,
)
@pytest.mark.parametrize("name", JOINTS)
def test_intervals_contain_the_mutual_information_as_often_as_they_say(name: str, mechanism: Mechanism) -> None:
    joint, noise = JOINTS[name], Calibrated(mechanism, ONE)
    truth = mutual_information(joint)
    for facts in ({}, {"rows": int(joint.sum())}):
        covered = 0
        for table in noisy_tables(mechanism, joint, 100, seed=8):
            low, high = information_of(table.reshape(joint.shape), noise, **facts).interval(0.95)
            covered += low <= truth + 1e-12 and truth <= high + 1e-12
        # Measured .93 to 1 in 300 runs each; 78 of 100 at .93 are six standard deviations (2.6) away.
        assert covered > 78, facts


def test_the_corrected_information_is_right_on_average_and_that_of_clipped_counts_is_not() -> None:
    joint, noise = JOINTS["diagonal"], Calibrated(Laplace(1.0), ONE)
    tables = noisy_tables(noise.mechanism, joint, 600, seed=9).reshape(600, *joint.shape)
    truth = mutual_information(joint)
    found = np.array([information_of(table, noise).unbiased for table in tables])
    clipped = np.array([mutual_information(np.maximum(table, 0)) for table in tables])
    error = found.std() / math.sqrt(len(found))
    # Six standard errors; what the series leaves is below 0.01 bits here.
    assert abs(found.mean() - truth) < 6 * error + 0.01
    assert clipped.mean() < truth - 0.05
    assert shannon_entropy(joint) == pytest.approx(truth)  # each value of one column belongs to one of the other
