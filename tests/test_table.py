import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reaedp import Integer, Table
from reaedp.errors import DeclarationError
from reaedp.table import KeyCounts


def axis(name: str, size: int) -> Integer:
    return Integer(name=name, lower=0, upper=size - 1, provenance="public", null="drop", nan="drop", unparsable="drop")


AXES = (axis("a", 2), axis("b", 3), axis("c", 4))
TABLE = Table(AXES, np.arange(24).reshape(2, 3, 4))


@given(st.permutations(["a", "b", "c"]), st.integers(1, 3))
def test_projection_sums_over_the_other_axes_in_the_order_asked_for(order: list[str], count: int) -> None:
    names = order[:count]
    expected = np.einsum(f"abc->{''.join(names)}", TABLE.values)
    projected = TABLE.project(*names)
    assert expected.tolist() == projected.values.tolist()
    assert tuple(names) == projected.names


def test_projecting_twice_is_projecting_once() -> None:
    assert TABLE.project("a", "c").project("c").values.tolist() == TABLE.project("c").values.tolist()


def test_shares_add_up_to_one_overall_or_in_each_given_cell() -> None:
    assert TABLE.normalise().total == pytest.approx(1.0)
    given_b = TABLE.normalise("b")
    assert given_b.project("b").values == pytest.approx(np.ones(3))


def test_the_shares_of_an_empty_cell_are_uniform() -> None:
    empty = Table(AXES[:1], np.zeros(2))
    assert [0.5, 0.5] == empty.normalise().values.tolist()


def test_values_are_read_only_and_independent_of_their_origin() -> None:
    values = np.zeros(2)
    table = Table(AXES[:1], values)
    values[0] = 5
    assert 0 == table.values[0]
    with pytest.raises(ValueError, match="read-only"):
        table.values[0] = 1


def test_an_unknown_axis_is_an_error() -> None:
    with pytest.raises(DeclarationError, match="Known: a, b, c"):
        TABLE.project("d")
    with pytest.raises(ValueError, match="shape"):
        Table(AXES, np.zeros((2, 3)))


def test_keys_are_sorted_and_expand_to_the_dense_table() -> None:
    keys = np.array([[1, 2], [0, 1], [1, 0]], dtype=np.int32)
    counts = KeyCounts(AXES[:2], keys, np.array([7, 8, 9]))
    assert [[0, 1], [1, 0], [1, 2]] == counts.keys.tolist()
    assert [[0, 8, 0], [9, 0, 7]] == counts.dense().values.tolist()
