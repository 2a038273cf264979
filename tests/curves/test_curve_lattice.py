import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from curve_support import wide
from reaedp.contract.curve import MOST_COEFFICIENTS
from reaedp.curves.lattice import LARGEST_VALUE, RADIUS, VALUE_STEPS, WEIGHT_STEPS, CurveLattice, shortened

ANY_DOUBLE = st.floats(allow_nan=True, allow_infinity=True)


def points(lattice: CurveLattice, curves: Any) -> np.ndarray:
    return lattice.wide(np.array(curves, dtype=np.float64).T.copy()).T


def test_a_curve_within_the_clip_is_its_coefficients_to_a_millionth() -> None:
    lattice = CurveLattice.of(wide(50, rank=8))
    t = np.linspace(0.0, 1.0, 50)
    found = points(lattice, [0.3 * t])[0] / RADIUS
    frequencies = (np.arange(8) + 0.5) * np.pi
    # ∫ t √2 sin(ωt) dt = √2 sin(ω)/ω², as cos(ω) = 0.
    expected = 0.3 * np.sqrt(2) * np.sin(frequencies) / frequencies**2
    np.testing.assert_allclose(expected, found, atol=2e-6)


@settings(max_examples=200)
@given(arrays(np.float64, (5, 7), elements=ANY_DOUBLE), st.sampled_from(["interpolate", "zero", "drop"]))
def test_no_curve_is_longer_than_the_radius_and_none_warns(values: np.ndarray, missing: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = points(CurveLattice.of(wide(7, missing=missing, clip=0.3)), values)
    lengths = [sum(int(number) ** 2 for number in point) for point in found.tolist()]
    assert all(length <= RADIUS**2 for length in lengths)
    with np.errstate(over="ignore"):
        complete = np.isfinite(values * (VALUE_STEPS / 0.3)).all(axis=1).sum()
    assert (complete if missing == "drop" else 5) == len(found)


@given(arrays(np.int64, (MOST_COEFFICIENTS, 3), elements=st.integers(-(2**27), 2**27)))
def test_shortened_vectors_keep_their_direction_and_never_exceed_the_radius(vectors: np.ndarray) -> None:
    before = vectors.copy()
    after = shortened(vectors)
    for old, new in zip(before.T.tolist(), after.T.tolist(), strict=True):
        length = sum(number * number for number in new)
        assert RADIUS**2 >= length
        if sum(number * number for number in old) <= RADIUS**2:
            assert old == new
        else:  # each of 256 coordinates loses less than one
            assert (RADIUS - 16) ** 2 <= length


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1_000])
def test_vectors_on_the_edge_of_the_radius_are_not_pushed_over_it_by_rounding(size: int) -> None:
    rng = np.random.default_rng(size)
    directions = rng.normal(size=(size, 2_000))
    vectors = np.rint(directions / np.linalg.norm(directions, axis=0) * RADIUS * rng.choice([1, 1.0000001, 64], 2_000))
    lengths = (shortened(vectors.astype(np.int64)).astype(object) ** 2).sum(axis=0)
    assert RADIUS**2 >= max(lengths)


def test_sums_of_products_are_exact_whatever_the_library_does() -> None:
    rng = np.random.default_rng(5)
    lattice = CurveLattice.of(wide(300, rank=20))
    worst = np.sign(lattice.weights[3]) * LARGEST_VALUE
    curves = np.stack([worst, np.rint(rng.uniform(-LARGEST_VALUE, LARGEST_VALUE, 300))])
    found = lattice.weights @ curves.T
    exact = [
        [sum(int(w) * int(v) for w, v in zip(row, curve, strict=True)) for curve in curves] for row in lattice.weights
    ]
    assert exact == found.astype(object).tolist()
    assert max(abs(Fraction(number)) for row in exact for number in row) < 2**53
    assert WEIGHT_STEPS * 0.5 < np.abs(lattice.weights).sum(axis=1).max() <= WEIGHT_STEPS * 1.01


@pytest.mark.parametrize("missing", ["interpolate", "zero", "drop"])
def test_a_curve_has_the_same_point_alone_in_company_and_in_any_place(missing: Any) -> None:
    rng = np.random.default_rng(8)
    lattice = CurveLattice.of(wide(37, rank=9, missing=missing, offset=0.1))
    curves = rng.normal(size=(301, 37))
    curves[rng.random(curves.shape) < 0.02] = np.nan
    alone = sorted(tuple(point) for curve in curves for point in points(lattice, [curve]).tolist())
    together = sorted(map(tuple, points(lattice, curves[rng.permutation(301)]).tolist()))
    assert alone == together


def test_missing_points_follow_the_declared_rule() -> None:
    whole, holed = [0.0, 0.2, 0.4, 0.6], [0.0, np.nan, 0.4, np.inf]
    filled = points(CurveLattice.of(wide(4)), [[0.0, 0.2, 0.4, 0.4]])
    assert filled.tolist() == points(CurveLattice.of(wide(4)), [holed]).tolist()
    zero = CurveLattice.of(wide(4, missing="zero"))
    assert points(zero, [[0.0, 0.0, 0.4, 0.0]]).tolist() == points(zero, [holed]).tolist()
    drop = CurveLattice.of(wide(4, missing="drop"))
    assert points(drop, [whole]).tolist() == points(drop, [whole, holed]).tolist()
    assert [[0] * 6] == points(CurveLattice.of(wide(4)), [[np.nan] * 4]).tolist()


def test_a_missing_point_stands_on_the_offset_where_the_rule_is_zero() -> None:
    lattice = CurveLattice.of(wide(3, missing="zero", offset=(5.0, 6.0, 7.0)))
    assert [[0] * 6] == points(lattice, [[5.0, np.nan, 7.0]]).tolist()


def test_long_curves_on_the_grid_are_wide_curves() -> None:
    rng = np.random.default_rng(2)
    curve = wide(11, offset=tuple(rng.normal(size=11).tolist()))
    values = rng.normal(size=(4, 11)) / 3
    lattice = CurveLattice.of(curve)
    order = rng.permutation(44)
    owners, times = np.repeat(np.arange(4), 11), np.tile(np.array(curve.at), 4)
    found = lattice.long(owners[order], times[order], values.ravel()[order], 4)
    assert points(lattice, values).T.tolist() == found.tolist()


def test_times_outside_the_interval_and_times_that_are_none_are_not_used() -> None:
    lattice = CurveLattice.of(wide(5))
    times, values = (
        np.array([0.2, 0.8, 1.5, -3.0, np.nan, np.inf, 1e308]),
        np.array([0.1, 0.4, 9.0, 9.0, 9.0, 9.0, 9.0]),
    )
    owners = np.zeros(7, dtype=np.int64)
    expected = lattice.long(owners[:2], times[:2], values[:2], 1)
    assert expected.tolist() == lattice.long(owners, times, values, 1).tolist()


def test_a_long_curve_with_a_bad_point_or_without_any_is_dropped_if_declared() -> None:
    lattice = CurveLattice.of(wide(5, missing="drop"))
    owners = np.array([0, 0, 1, 1, 2])
    times, values = np.array([0.1, 0.5, 0.1, 0.5, 7.0]), np.array([1.0, 2.0, 1.0, np.nan, 1.0])
    assert 1 == lattice.long(owners, times, values, 4).shape[1]
    assert 4 == CurveLattice.of(wide(5)).long(owners, times, values, 4).shape[1]
