"""Rounds that are shared among processes."""

import numpy as np
import pytest

from reaedp.attacks.rounds import cores, played


def numbers(present: bool, rng: np.random.Generator) -> np.ndarray:
    return np.concatenate([[present], rng.random(3)])


def fails(present: bool, rng: np.random.Generator) -> np.ndarray:
    raise ValueError("a round failed")


MEMBER = np.arange(20) % 3 == 0


@pytest.mark.slow
def test_the_number_of_processes_changes_no_figure() -> None:
    told: list[tuple[int, int]] = []
    found = [
        played(numbers, MEMBER, np.random.default_rng(1), workers=workers, progress=lambda *count: told.append(count))
        for workers in (1, 2)
    ]
    assert np.array_equal(*found)
    assert np.array_equal(MEMBER, found[0][:, 0])
    assert 60 == len(np.unique(found[0][:, 1:]))
    assert [(done, 20) for done in range(1, 21)] * 2 == told


@pytest.mark.parametrize("workers", [1, 2])
def test_a_round_that_fails_ends_the_game(workers: int) -> None:
    with pytest.raises(ValueError, match="a round failed"):
        played(fails, MEMBER, np.random.default_rng(1), workers=workers, progress=print)


def test_there_is_a_core_to_run_on() -> None:
    assert 1 <= cores()
