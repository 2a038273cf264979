import numpy as np
import pytest

from reaedp.statistics.entropy.branch_and_bound import Flags, Integers, Numbers, upper_maximum


def hill(x: Integers, y: Integers) -> Numbers:
    return 10.0 + x * (40 - x) - (y - 7.0) ** 2


def hill_bound(boxes: Integers) -> Numbers:
    """At least the hill on a box: x(40 - x) with each factor at its largest, y as near to 7 as the box allows."""
    x_low, x_high, y_low, y_high = boxes
    return 10.0 + x_high * (40 - x_low) - (np.clip(7.0, y_low, y_high) - 7.0) ** 2


def wider_in_x(boxes: Integers) -> Flags:
    return boxes[1] - boxes[0] >= boxes[3] - boxes[2]


@pytest.mark.parametrize(("x_end", "y_start"), [(1000, 1), (1000, 9), (13, 1), (1, 1)])
def test_the_search_finds_the_maximum(x_end: int, y_start: int) -> None:
    x, y = np.meshgrid(np.arange(1, x_end + 1), np.arange(y_start, 51))
    box = np.array([[1], [x_end], [y_start], [50]])
    assert hill(x, y).max() == upper_maximum(hill_bound, wider_in_x, box, at_least=-1e9, effort=10**6)


@pytest.mark.parametrize("effort", [0, 3, 10, 30, 100])
def test_a_search_cut_short_ends_above_the_maximum(effort: int) -> None:
    box = np.array([[1], [1000], [1], [50]])
    exact = upper_maximum(hill_bound, wider_in_x, box, at_least=0.0, effort=10**6)
    cut_short = upper_maximum(hill_bound, wider_in_x, box, at_least=0.0, effort=effort)
    assert exact < cut_short <= hill_bound(box)


def test_the_floor_is_returned_when_nothing_exceeds_it() -> None:
    box = np.array([[1], [1000], [1], [50]])
    assert 1e6 == upper_maximum(hill_bound, wider_in_x, box, at_least=1e6, effort=10**6)
