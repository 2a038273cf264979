"""Samplers must accept their own scale and reject one that is 30 % off."""

import json
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from reaedp.mechanisms.inversion import pays
from reaedp.mechanisms.noise import SecretNoise, SeededNoise, fresh_generator
from sampling import FALSE_ALARM, LAWS, p_value

DRAWS = 30_000
TESTS = Path(__file__).resolve().parents[1]

SOURCES = {"secret": SecretNoise(), "seeded": SeededNoise(np.random.default_rng(7))}


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("family", LAWS)
@pytest.mark.parametrize("scale", [0.6, 2.0, 12.5])
@pytest.mark.parametrize("by", ["library", "inversion"])
def test_samplers_accept_their_scale_and_reject_thirty_percent_more_or_less(
    source: str, family: str, scale: float, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reaedp.mechanisms.noise.pays", lambda *_: by == "inversion")
    zeros = np.zeros(1_000, dtype=np.int64)
    drawn = np.concatenate([getattr(SOURCES[source], family)(zeros, scale) for _ in range(DRAWS // 1_000)])
    assert drawn.dtype == np.int64
    assert p_value(drawn, LAWS[family](scale)) > FALSE_ALARM
    # The χ² of a 30 % error at 30,000 draws exceeds 500 for every law here: rejection is certain.
    assert p_value(drawn, LAWS[family](1.3 * scale)) < FALSE_ALARM
    assert p_value(drawn, LAWS[family](0.7 * scale)) < FALSE_ALARM


@pytest.mark.parametrize("family", LAWS)
def test_cells_that_are_sampled_on_different_threads_are_independent(
    family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1}, raising=False)  # two threads, also on one core
    noise = getattr(SecretNoise(), family)(np.zeros(DRAWS, dtype=np.int64), 5_000.0)
    assert not pays(family, 5_000.0, DRAWS)
    first, second = noise[: DRAWS // 2], noise[DRAWS // 2 :]
    # Under independence the correlation is about normal with sd 1/sqrt(15,000) = 0.0082; 0.05 is six of them.
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.05
    assert not np.array_equal(first, second)


ZEROS = np.zeros(64, dtype=np.int64)
#: 64 draws or more of each thing that a secret source gives. Two independent runs of them are equal with a probability
#: below 2^-64: no value of noise of scale 10 has more than 5 %, and a choice among 64 equal scores is one of 64.
SECRETS: dict[str, Callable[[SecretNoise], bytes]] = {
    "laplace": lambda noise: noise.laplace(ZEROS, 10.0).tobytes(),
    "gaussian": lambda noise: noise.gaussian(ZEROS, 10.0).tobytes(),
    "choose": lambda noise: bytes(noise.choose(ZEROS, 1.0) for _ in range(64)),
    "words": lambda noise: noise.words(64).tobytes(),
    "generator": lambda noise: noise.generator().bytes(64),
    "fresh generator": lambda _: fresh_generator().bytes(64),
}


@pytest.mark.parametrize("kind", SECRETS)
def test_secret_noise_never_repeats_in_one_source_nor_in_another(kind: str) -> None:
    first, second = SecretNoise(), SecretNoise()
    drawn = [SECRETS[kind](noise) for noise in (first, first, second, second)]
    assert 4 == len(set(drawn))


@pytest.mark.slow
def test_secret_noise_never_repeats_in_another_process() -> None:
    """A seed that is fixed in the code, or drawn once when it is imported, gives each process the same noise."""
    code = (
        "import sys, hashlib; sys.path[:0] = sys.argv[1:]; from test_noise import SECRETS, SecretNoise;"
        "print([hashlib.sha256(draw(SecretNoise())).hexdigest() for draw in SECRETS.values()])"
    )
    places = [str(place) for place in (TESTS, TESTS / "mechanisms")]
    done = [
        subprocess.run([sys.executable, "-c", code, *places], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    here = [sha256(draw(SecretNoise())).hexdigest() for draw in SECRETS.values()]
    drawn = [*json.loads(done[0].replace("'", '"')), *json.loads(done[1].replace("'", '"')), *here]
    assert 3 * len(SECRETS) == len(set(drawn))


def test_secret_words_are_fresh_within_one_answer_and_all_their_bits_are_fair() -> None:
    words = SecretNoise().words(4_096)
    assert 4_096 == len(np.unique(words))  # two of 4,096 words of 64 bits are equal with a probability below 2^-40
    ones = np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1).sum(axis=0, dtype=np.int64)
    # Each of 64 bits is one 2,048 ± 32 times; 7 standard deviations have a probability below 3e-12 each.
    assert np.all(np.abs(ones - 2_048) < 7 * 32)


def test_seeded_noise_repeats_and_says_so() -> None:
    again = [SeededNoise(np.random.default_rng(3)).gaussian(ZEROS, 10.0) for _ in range(2)]
    assert np.array_equal(*again)
    assert (False, True) == (SecretNoise.seeded, SeededNoise.seeded)


def test_noise_is_added_to_the_exact_numbers_in_their_order_and_shape() -> None:
    exact = np.arange(10_000, dtype=np.int64).reshape(100, 100) * 1_000_000
    noisy = SecretNoise().laplace(exact, 1.0)
    # |noise| > 100 at scale 1 has probability e^-100.
    assert np.all(np.abs(noisy - exact) <= 100)
    assert SecretNoise().gaussian(np.zeros(0, dtype=np.int64), 1.0).shape == (0,)


def test_sums_beyond_the_64_bit_range_stay_at_its_end() -> None:
    top = np.full(2_000, np.iinfo(np.int64).max)
    assert np.all(SecretNoise().laplace(top, 1e6) > 0)
    many = np.full(10_000, np.iinfo(np.int64).max)
    up, down = SecretNoise().laplace(many, 5.0), SecretNoise().laplace(-many, 5.0)
    assert up.min() > 0 > down.max()
    assert up.max() == many[0]
    assert down.min() == np.iinfo(np.int64).min
