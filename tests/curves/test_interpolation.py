import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reaedp.contract.curve import TICKS
from reaedp.curves.lattice import interpolated

GRID = np.array([0, 1, TICKS // 3, TICKS // 2, TICKS - 1, TICKS])
POINTS = st.dictionaries(st.integers(0, TICKS), st.floats(-1e6, 1e6, width=32), max_size=5)


def brought(curves: list[dict[int, float]], grid: np.ndarray = GRID) -> np.ndarray:
    points = [(owner, tick, value) for owner, curve in enumerate(curves) for tick, value in curve.items()]
    owners, ticks, values = (np.array([point[part] for point in points]) for part in range(3))
    return interpolated(owners.astype(np.int64), ticks.astype(np.int64), values.astype(np.float64), len(curves), grid)


@given(st.lists(POINTS, min_size=1, max_size=6))
def test_each_curve_is_straight_between_its_points_and_constant_beyond(curves: list[dict[int, float]]) -> None:
    found = brought(curves)
    for column, curve in enumerate(curves):
        ticks = sorted(curve)
        expected = np.interp(GRID, ticks, [curve[tick] for tick in ticks]) if ticks else np.zeros(len(GRID))
        np.testing.assert_allclose(expected, found[:, column], rtol=1e-9, atol=1e-6)


@given(st.lists(POINTS, min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_a_curve_is_the_same_to_the_last_bit_whatever_company_it_has(curves: list[dict[int, float]], order) -> None:
    alone = [brought([curve])[:, 0].tobytes() for curve in curves]
    places = list(range(len(curves)))
    order.shuffle(places)
    together = brought([curves[place] for place in places])
    assert [alone[place] for place in places] == [together[:, column].tobytes() for column in range(len(curves))]


def test_two_values_at_one_time_make_a_step_that_does_not_depend_on_their_order() -> None:
    owners, ticks = np.zeros(4, dtype=np.int64), np.array([0, 8, 8, 16])
    grid = np.array([4, 8, 12])
    first = interpolated(owners, ticks, np.array([0.0, 1.0, 3.0, 3.0]), 1, grid)
    second = interpolated(owners, ticks, np.array([0.0, 3.0, 1.0, 3.0]), 1, grid)
    assert [0.5, 3.0, 3.0] == first[:, 0].tolist() == second[:, 0].tolist()
