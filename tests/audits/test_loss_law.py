"""Exact laws of the privacy loss against sums over all outputs."""

import itertools
import math

import numpy as np
import pytest

from reaedp.answer import Keyed, Routed
from reaedp.audits.keyed_channel import KeyedChannel
from reaedp.audits.loss_law import LossLaw, NormalLaw, between, gaussian_law, laplace_law, threshold_law
from reaedp.audits.routed_channel import RoutedChannel
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.mechanisms.threshold import Threshold
from reaedp.mechanisms.two_stage import TwoStage
from reaedp.privacy.unit import Sensitivity

REACH = 60
X = np.arange(-REACH, REACH + 1)


def laplace(centre: int, scale: float) -> np.ndarray:
    weights = np.exp(-np.abs(X - centre) / scale)
    return weights / (1 / math.tanh(1 / (2 * scale)))  # the sum of q^|x| over all integers


def gaussian(centre: int, scale: float) -> np.ndarray:
    weights = np.exp(-((X - centre) ** 2) / (2 * scale**2))
    return weights / weights.sum()


def hockey_stick(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


def product(law: object, moves: list[int], scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Both laws of independent noisy integers, written out."""
    p, q = np.ones(1), np.ones(1)
    for move in moves:
        p = np.multiply.outer(p, law(move, scale)).ravel()  # type: ignore[operator]
        q = np.multiply.outer(q, law(0, scale)).ravel()  # type: ignore[operator]
    return p, q


@pytest.mark.parametrize("moves", [[1], [3], [1, -1], [2, 3], [4, 0, 1]], ids=str)
@pytest.mark.parametrize("scale", [0.5, 1.0, 2.5])
def test_laplace_and_gaussian_laws_are_those_of_all_outputs(moves: list[int], scale: float) -> None:
    p, q = product(laplace, [m for m in moves if m], scale)
    r, s = product(gaussian, [m for m in moves if m], scale)
    equal = len({abs(m) for m in moves if m}) == 1
    for epsilon in (0.0, 0.3, 1.0, 2.7):
        # What lies beyond the written window is below e^-20.
        assert hockey_stick(p, q, epsilon) == pytest.approx(
            laplace_law(np.array(moves), scale).delta(epsilon), abs=1e-8
        )
        if equal:
            assert hockey_stick(r, s, epsilon) == pytest.approx(
                gaussian_law(np.array(moves), scale).delta(epsilon), abs=1e-12
            )


def test_a_histogram_with_noise_for_one_cell_has_the_known_curve_under_replacement() -> None:
    law = laplace_law(np.array([1, -1]), 1.0)
    assert 2.0 == pytest.approx(law.epsilon(0.0))
    for epsilon in (0.5, 1.0, 1.5):
        expected = (1 - math.exp(epsilon - 2)) / (1 + math.exp(-1)) ** 2
        assert expected == pytest.approx(law.delta(epsilon), rel=1e-12)
    assert 0.338 == pytest.approx(law.delta(1.0), abs=5e-4)


def test_epsilon_is_the_inverse_of_delta() -> None:
    for law in (laplace_law(np.array([5, 2]), 3.0), gaussian_law(np.array([1, 1]), 1.3), NormalLaw(0.7)):
        for delta in (1e-6, 1e-3, 0.05):
            assert delta == pytest.approx(law.delta(law.epsilon(delta)), rel=1e-6)


def test_dense_integers_and_the_normal_law_agree() -> None:
    on_integers, normal = gaussian_law(np.array([120]), 400.0), NormalLaw(0.3)
    assert isinstance(on_integers, LossLaw)
    for epsilon in (0.0, 0.1, 0.5):
        assert normal.delta(epsilon) == pytest.approx(on_integers.delta(epsilon), rel=1e-4)
        assert normal.above(epsilon) == pytest.approx(on_integers.above(epsilon), abs=1e-3)
        assert normal.below(-epsilon) == pytest.approx(on_integers.below(-epsilon), abs=1e-3)


def shown(count: int, scale: float, threshold: int) -> np.ndarray:
    """Absent, then every noisy count from the threshold on."""
    law = laplace(count, scale) if count else np.zeros(len(X))
    visible = np.where(X >= threshold, law, 0.0)
    return np.append(visible, 1 - visible.sum())


@pytest.mark.parametrize(("before", "after"), [(0, 1), (1, 0), (3, 4), (9, 7), (0, 3)])
def test_the_law_of_a_key_is_that_of_all_outputs(before: int, after: int) -> None:
    p, q = shown(after, 1.5, 6), shown(before, 1.5, 6)
    law = threshold_law(before, after, 1.5, 6)
    for epsilon in (0.0, 0.4, 1.0):
        assert hockey_stick(p, q, epsilon) == pytest.approx(law.delta(epsilon), abs=1e-12)


def test_several_keys_of_ones_own_cost_what_the_threshold_promises() -> None:
    sensitivity = Sensitivity(l1=3, l2_squared=9, linf=3)
    noise = Calibrated(Threshold(1.0, 1e-4), sensitivity)
    absent, three = Keyed(np.empty((0, 1)), np.empty(0, dtype=np.int64)), np.array([[1], [2], [3]])
    for keys, counts in ((three, [1, 1, 1]), (three[:1], [3])):
        owner = Keyed(keys, np.array(counts))
        channel = KeyedChannel.of(noise, SeededNoise(np.random.default_rng(1)), absent, owner, 10)
        forward, backward = channel.laws()  # type: ignore[misc]
        assert 0.5e-4 < forward.delta(1.0) <= 1e-4
        assert 0.0 == backward.delta(1.0)


def test_the_law_of_two_stages_is_that_of_all_outputs() -> None:
    noise = Calibrated(TwoStage(1.5, 0.5, 2), Sensitivity(l1=4, l2_squared=6, linf=2))
    before, after = (
        Routed(np.array([look]), np.array([number]), np.array(counts))
        for look, number, counts in ((1, 4, [2, 1]), (2, 6, [3, 1]))
    )
    channel = RoutedChannel.of(noise, SeededNoise(np.random.default_rng(1)), before, after, 10)
    mechanism, sensitivity = TwoStage(1.5, 0.5, 2), noise.sensitivity
    scales = [part(sensitivity).scale for part in (mechanism.look, mechanism.number, mechanism.counts)]
    forward, backward = channel.laws()  # type: ignore[misc]
    for (one, other), law in zip(itertools.permutations((after, before)), (forward, backward), strict=True):
        looks = [laplace(int(world.look[0]), scales[0]) for world in (one, other)]
        seconds = [
            np.concatenate(
                [
                    np.multiply.outer(look[X < 2], laplace(int(world.number[0]), scales[1])).ravel(),  # type: ignore[index]
                    np.multiply.outer(look[X >= 2], laplace(int(world.counts[0]), scales[2])).ravel(),  # type: ignore[index]
                ]
            )
            for look, world in zip(looks, (one, other), strict=True)
        ]
        for epsilon in (0.0, 0.5, 1.2):
            assert hockey_stick(*seconds, epsilon) == pytest.approx(law.delta(epsilon), abs=1e-8)
        assert law.epsilon(0.0) <= 1.5 + 1e-12


def test_enumerated_laws_may_have_outputs_that_only_one_neighbour_has() -> None:
    law = between(np.array([0.1, 0.9, 0.0]), np.array([0.0, 0.9, 0.1]))
    assert 0.1 == pytest.approx(law.delta(5.0))
    assert math.inf == law.epsilon(0.05)
    assert 0.0 == law.epsilon(0.2)


def test_a_tiny_move_beside_a_long_one_on_a_fine_lattice_is_rounded_away() -> None:
    """In steps of the tiny one, the law would have millions of terms."""
    law = laplace_law(np.array([2**26, 3]), 2.0**26)
    assert len(law.losses) <= 1_001
    assert 0.999 <= law.epsilon(0.0) <= 1.0
