"""Samplers must accept their own scale and reject one that is 30 % off."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import chisquare

from reaedp.mechanisms.noise import SecretNoise, SeededNoise

DRAWS = 30_000
FALSE_ALARM = 1e-8

Sampler = Callable[[np.ndarray, float], np.ndarray]
SOURCES = {"secret": SecretNoise(), "seeded": SeededNoise(np.random.default_rng(7))}


def laplace_law(scale: float) -> Callable[[np.ndarray], np.ndarray]:
    ratio = math.exp(-1 / scale)
    return lambda k: (1 - ratio) / (1 + ratio) * ratio ** np.abs(k)


def gaussian_law(scale: float) -> Callable[[np.ndarray], np.ndarray]:
    far = np.arange(-math.ceil(40 * scale), math.ceil(40 * scale) + 1)
    total = np.exp(-(far**2) / (2 * scale**2)).sum()
    return lambda k: np.exp(-(k.astype(float) ** 2) / (2 * scale**2)) / total


LAWS = {"laplace": laplace_law, "gaussian": gaussian_law}


def p_value(drawn: np.ndarray, law: Callable[[np.ndarray], np.ndarray]) -> float:
    """Chi-square over single values, the tails pooled so that every class expects at least 20 draws."""
    reach = max(k for k in range(100_000) if DRAWS * law(np.array([k]))[0] >= 20)
    values = np.arange(-reach, reach + 1)
    observed = np.array([np.sum(drawn == value) for value in values])
    expected = DRAWS * law(values)
    rest = DRAWS - expected.sum()
    if rest > 1:
        observed, expected = np.append(observed, DRAWS - observed.sum()), np.append(expected, rest)
    return float(chisquare(observed, expected * observed.sum() / expected.sum()).pvalue)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("family", LAWS)
@pytest.mark.parametrize("scale", [0.6, 2.0, 12.5])
def test_samplers_accept_their_scale_and_reject_thirty_percent_more_or_less(
    source: str, family: str, scale: float
) -> None:
    drawn = getattr(SOURCES[source], family)(np.zeros(DRAWS, dtype=np.int64), scale)
    assert drawn.dtype == np.int64
    assert p_value(drawn, LAWS[family](scale)) > FALSE_ALARM
    # The χ² of a 30 % error at 30,000 draws exceeds 500 for every law here: rejection is certain.
    assert p_value(drawn, LAWS[family](1.3 * scale)) < FALSE_ALARM
    assert p_value(drawn, LAWS[family](0.7 * scale)) < FALSE_ALARM


@pytest.mark.parametrize("family", LAWS)
def test_cells_that_are_sampled_on_different_threads_are_independent(family: str) -> None:
    noise = getattr(SecretNoise(), family)(np.zeros(DRAWS, dtype=np.int64), 5.0)
    first, second = noise[: DRAWS // 2], noise[DRAWS // 2 :]
    # Under independence the correlation is about normal with sd 1/sqrt(15,000) = 0.0082; 0.05 is six of them.
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.05
    assert not np.array_equal(first, second)


def test_secret_noise_does_not_repeat_and_seeded_noise_does() -> None:
    zeros = np.zeros(64, dtype=np.int64)
    secret = SecretNoise()
    # Two equal vectors of 64 draws at scale 10 have a probability below 2^-200.
    assert not np.array_equal(secret.laplace(zeros, 10.0), secret.laplace(zeros, 10.0))
    again = [SeededNoise(np.random.default_rng(3)).gaussian(zeros, 10.0) for _ in range(2)]
    assert np.array_equal(*again)
    assert (False, True) == (secret.seeded, SeededNoise.seeded)


def test_noise_is_added_to_the_exact_numbers_in_their_order_and_shape() -> None:
    exact = np.arange(10_000, dtype=np.int64).reshape(100, 100) * 1_000_000
    noisy = SecretNoise().laplace(exact, 1.0)
    # |noise| > 100 at scale 1 has probability e^-100.
    assert np.all(np.abs(noisy - exact) <= 100)
    assert SecretNoise().gaussian(np.zeros(0, dtype=np.int64), 1.0).shape == (0,)


def test_sums_beyond_the_64_bit_range_stay_at_its_end() -> None:
    top = np.full(2_000, np.iinfo(np.int64).max)
    assert np.all(SecretNoise().laplace(top, 1e6) > 0)
