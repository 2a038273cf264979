"""Distances between records against a plain double loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaedp.attacks import space as space_module
from reaedp.attacks.space import Space
from reaedp.contract import Category, Number

AXES = (
    Number(name="age", lower=0, upper=10, bins=5, provenance="public"),
    Category(name="sex", levels=("f", "m"), provenance="public"),
)


def distance(left: list[int], right: list[int]) -> float:
    """Bins a quarter apart, the cells after the fifth far from all; sexes and their troubles just different."""
    (a, s), (b, t) = left, right
    age = 0.0 if a == b else abs(a - b) / 4 if max(a, b) < 5 else 1.0
    return age + (s != t)


RECORD = st.tuples(st.integers(0, AXES[0].size - 1), st.integers(0, AXES[1].size - 1))


@settings(max_examples=50, deadline=None)
@given(st.lists(RECORD, min_size=1, max_size=8), st.lists(RECORD, min_size=1, max_size=8), st.integers(1, 3))
def test_the_nearest_are_those_of_a_double_loop(
    targets: list[tuple[int, int]], records: list[tuple[int, int]], count: int
) -> None:
    rows, near = Space.of(AXES).nearest(np.array(targets), np.array(records), count)
    for target, found, distances in zip(targets, rows, near, strict=True):
        every = sorted(distance(list(target), list(record)) for record in records)
        assert every[:count] == pytest.approx(distances.tolist())
        assert [distance(list(target), list(records[row])) for row in found] == pytest.approx(distances.tolist())


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    space = Space.unordered((9, 9, 9))
    left, right = rng.integers(9, size=(50, 3)), rng.integers(9, size=(40, 3))
    whole = space.nearest(left, right, 3)[1]
    monkeypatch.setattr(space_module, "_BLOCK", 200)
    np.testing.assert_array_equal(whole, space.nearest(left, right, 3)[1])


def test_a_space_of_some_columns_measures_only_those() -> None:
    space = Space.unordered((3, 4, 5)).on([2, 0])
    assert (5, 3) == space.sizes
    assert 1.0 == space.nearest(np.array([[4, 1]]), np.array([[4, 2]]), 1)[1][0, 0]
