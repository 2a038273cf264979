from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaedp.mechanisms.noise import SeededNoise
from reaedp.synthesis.seeds import Seeds
from reaedp.table import KeyCounts
from test_model import axis

SIZES = (2, 3, 4)


def seeds_of(rows: np.ndarray, sizes: tuple[int, ...]) -> Seeds:
    keys, counts = np.unique(rows, axis=0, return_counts=True)
    axes = tuple(axis(f"c{place}", size) for place, size in enumerate(sizes))
    return Seeds(KeyCounts(axes, keys.reshape(-1, len(sizes)).astype(np.int32), counts.astype(np.int64)))


def shared(rows: np.ndarray, record: np.ndarray, length: int) -> int:
    """How many rows share the first cells with a record: the oracle."""
    return int((rows[:, :length] == record[:length]).all(axis=1).sum())


some_rows = st.lists(st.tuples(*(st.integers(0, size - 1) for size in SIZES)), max_size=30).map(
    lambda rows: np.array(rows, dtype=np.int32).reshape(-1, len(SIZES))
)


@settings(deadline=None)
@given(some_rows)
def test_counts_by_look_up_are_those_of_a_scan(rows: np.ndarray) -> None:
    seeds = seeds_of(rows, SIZES)
    records = np.indices(SIZES).reshape(3, -1).T.astype(np.int32)
    expected = [[shared(rows, record, length) for length in range(4)] for record in records]
    assert expected == seeds.sharing(records, 3).tolist()
    assert len(rows) == seeds.size


@settings(deadline=None)
@given(some_rows.filter(len))
def test_a_drawn_seed_knows_how_many_are_like_it(rows: np.ndarray) -> None:
    seeds = seeds_of(rows, SIZES)
    places = seeds.draw(50, SeededNoise(np.random.default_rng(0)))
    records = seeds.cells(places, 3)
    for length in range(4):
        expected = [shared(rows, record, length) for record in records]
        assert expected == seeds.alike(places, length).tolist()
    assert min(seeds.alike(places, 3)) >= 1


@dataclass
class ScriptedNoise:
    """Gives away prepared words, one after another."""

    script: list[int]
    asked: list[int] = field(default_factory=list)

    def words(self, count: int) -> np.ndarray:
        self.asked.append(count)
        taken, self.script = self.script[:count], self.script[count:]
        return np.array(taken, dtype=np.uint64)


def test_every_record_has_equally_many_words_and_the_rest_is_drawn_again() -> None:
    """2^64 = 7 q + 2: the last two words would favour two of seven records."""
    rows = np.array([[0, 0, 0]] * 3 + [[1, 2, 3]] * 4, dtype=np.int32)
    noise = ScriptedNoise([0, 2, 3, 6, 2**64 - 3, 2**64 - 2, 2**64 - 1, 2**64 - 1, 5, 4])
    assert [0, 0, 1, 1, 1, 1, 1] == seeds_of(rows, SIZES).draw(7, noise).tolist()  # type: ignore[arg-type]
    assert [7, 2, 1] == noise.asked


def test_no_word_is_refused_when_the_number_of_records_divides_them() -> None:
    rows = np.array([[0, 0, 0], [1, 0, 0]], dtype=np.int32)
    noise = ScriptedNoise([2**64 - 1, 2**64 - 2])
    assert [1, 0] == seeds_of(rows, SIZES).draw(2, noise).tolist()  # type: ignore[arg-type]


def test_draws_are_uniform_over_records_and_not_thirty_percent_off() -> None:
    rows = np.repeat(np.indices(SIZES).reshape(3, -1).T.astype(np.int32), np.arange(24) + 5, axis=0)
    places = seeds_of(rows, SIZES).draw(100_000, SeededNoise(np.random.default_rng(1)))
    counts, law = np.bincount(places, minlength=24), (np.arange(24) + 5) / len(rows)
    wrong = law * np.where(np.arange(24) == 20, 1.3, 1)
    first, second = (((counts - 1e5 * p) ** 2 / (1e5 * p)).sum() for p in (law, wrong / wrong.sum()))
    # A chi-square law of 23 degrees exceeds 76 with a probability of 2e-7.
    assert first < 76 < second


def test_without_records_every_count_is_zero() -> None:
    seeds = seeds_of(np.empty((0, 3), dtype=np.int32), SIZES)
    places = seeds.draw(5, SeededNoise(np.random.default_rng(0)))
    assert [[0, 0, 0]] * 5 == seeds.cells(places, 3).tolist()
    assert [0] * 5 == seeds.alike(places, 2).tolist()
    assert [[0, 0, 0, 0]] * 5 == seeds.sharing(seeds.cells(places, 3), 3).tolist()


def test_keys_that_nobody_has_are_never_drawn() -> None:
    keys = KeyCounts((axis("a", 4),), np.arange(4, dtype=np.int32)[:, None], np.array([0, 2, 0, 1]))
    seeds = Seeds(keys)
    drawn = seeds.cells(seeds.draw(1000, SeededNoise(np.random.default_rng(2))), 1)
    assert {1, 3} == set(drawn.ravel().tolist())
    assert {2, 1} == set(seeds.alike(seeds.draw(1000, SeededNoise(np.random.default_rng(2))), 1).tolist())


@pytest.mark.parametrize("columns", [30])
def test_domains_larger_than_any_integer_are_counted_too(columns: int) -> None:
    rng = np.random.default_rng(3)
    rows = np.concatenate([np.zeros((40, columns - 3), dtype=np.int32), rng.integers(0, 2, (40, 3))], axis=1)
    seeds = seeds_of(rows.astype(np.int32), (100_000,) * columns)
    expected = [[shared(rows, record, length) for length in range(columns + 1)] for record in rows[:5]]
    assert expected == seeds.sharing(rows[:5].astype(np.int32), columns).tolist()


def test_the_private_rows_do_not_show_in_its_text() -> None:
    assert "keys" not in repr(seeds_of(np.array([[1, 2, 3]]), SIZES))
