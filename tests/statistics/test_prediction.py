import math

import numpy as np
import pytest

from reaedp import Gaussian, Laplace
from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated, Mechanism
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.entropy.entropies import shannon_entropy
from reaedp.statistics.entropy.noisy_entropy import entropies_from_counts
from reaedp.statistics.entropy.prediction import LEVELS, MOST_CELLS, _draws, examples, histogram_errors, worst_error

ONE = Sensitivity(1, 1, 1)


@pytest.mark.parametrize(("rows", "cells"), [(601, 30), (10_000, 2), (50, 200), (10**9, 30)])
def test_examples_have_all_rows_and_spread_over_all_entropies(rows: int, cells: int) -> None:
    counts, entropies = examples(rows, cells)
    assert (LEVELS, cells) == counts.shape
    assert counts.min() >= 0
    assert np.all(rows == counts.sum(axis=1))
    assert [shannon_entropy(table) for table in counts] == pytest.approx(entropies.tolist(), abs=1e-9)
    assert np.all(np.diff(entropies) >= -1e-9)
    # Whole rows keep entropies from being spread exactly; the ends are reached within two steps of the spread.
    step = math.log2(min(rows, cells)) / LEVELS
    assert entropies[0] < 2 * step
    assert entropies[-1] > math.log2(min(rows, cells)) - 2 * step - (0.5 if rows < cells else 0)


@pytest.mark.parametrize("mechanism", [Laplace(0.2), Laplace(1.0), Gaussian(0.1)], ids=str)
def test_fixed_draws_have_the_moments_of_the_noise_and_are_nearly_independent(mechanism: Mechanism) -> None:
    noise = Calibrated(mechanism, ONE)
    draws = _draws(noise, 30)
    assert np.array_equal(draws, _draws(noise, 30))
    assert np.abs(draws).mean() == pytest.approx(noise.mean_error, rel=0.03)
    assert 0 == pytest.approx(draws.mean(), abs=0.02 * noise.scale)
    correlations = np.corrcoef(draws.T) - np.eye(30)
    # 435 pairs of 255 independent draws: 4.5 / √255 is exceeded by chance with probability 0.003; the draws are fixed.
    assert np.abs(correlations).max() < 4.5 / math.sqrt(len(draws))


@pytest.mark.parametrize("mechanism", [Laplace(0.1), Laplace(1.0), Gaussian(0.05)], ids=str)
def test_predictions_agree_with_what_fresh_noise_does(mechanism: Mechanism) -> None:
    noise, rows, cells, repetitions = Calibrated(mechanism, ONE), 2000, 30, 2000
    predicted = histogram_errors(noise, rows, cells).mean(axis=1)
    rng = SeededNoise(np.random.default_rng(1))
    counts, entropies = examples(rows, cells)
    for level in range(0, LEVELS, 5):
        noisy = noise.apply(np.tile(counts[level], (repetitions, 1)), rng)
        errors = np.abs(entropies_from_counts(noisy, noise, at_least=rows).value - entropies[level])
        # 255 draws give a mean error within 5 % (one sigma), so that 25 % is five.
        assert errors.mean() == pytest.approx(predicted[level], rel=0.25)


def test_predictions_repeat_themselves() -> None:
    """A choice that is made by them is a public fact only if everybody finds the same."""
    noise = Calibrated(Laplace(0.3), ONE)
    assert np.array_equal(_draws(noise, 20), _draws(noise, 20))
    assert np.array_equal(histogram_errors(noise, 500, 20), histogram_errors(noise, 500, 20))


def test_more_privacy_more_cells_and_fewer_rows_mean_larger_errors() -> None:
    def error(epsilon: float, rows: int, cells: int) -> float:
        return worst_error(Calibrated(Laplace(epsilon), ONE), rows, cells, 0.95)

    base = error(1.0, 2000, 30)
    assert error(0.5, 2000, 30) > base
    assert error(1.0, 1000, 30) > base
    assert error(1.0, 2000, 60) > base
    assert 0 == error(1.0, 2000, 1)


def test_what_cannot_be_predicted_is_refused() -> None:
    noise = Calibrated(Laplace(1.0), ONE)
    with pytest.raises(DeclarationError, match="at most"):
        histogram_errors(noise, 100, MOST_CELLS + 1)
    with pytest.raises(DeclarationError, match="confidence"):
        worst_error(noise, 100, 10, 0.999)
