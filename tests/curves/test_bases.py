import numpy as np
import pytest
from scipy.integrate import quad

from reaedp.curves.bases import BASES, projection, quadrature

NAMES = sorted(BASES)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rank", [4, 5, 21, pytest.param(256, marks=pytest.mark.slow)])
def test_every_basis_is_orthonormal(name: str, rank: int) -> None:
    times, weights = quadrature(np.linspace(0.0, 1.0, 16 * max(rank - 3, 1) + 1))
    values = BASES[name].values(rank, times)
    # Eight points of Gauss's rule on panels far shorter than a wave: errors are those of rounding.
    np.testing.assert_allclose(np.eye(rank), values.T @ (weights[:, None] * values), atol=1e-10)


def test_wiener_functions_are_eigenfunctions_of_the_covariance_of_brownian_motion() -> None:
    eigenvalues = BASES["wiener"].eigenvalues(3)
    for t in (0.2, 0.7, 1.0):
        for place, eigenvalue in enumerate(eigenvalues):
            value, _ = quad(
                lambda s, t=t, place=place: min(s, t) * BASES["wiener"].values(3, np.array([s]))[0, place],
                0,
                1,
                points=[t],
            )
            assert value == pytest.approx(eigenvalue * BASES["wiener"].values(3, np.array([t]))[0, place], abs=1e-9)


def test_waves_have_slopes_of_one_over_their_eigenvalues() -> None:
    times, weights = quadrature(np.linspace(0.0, 1.0, 201))
    for name in ("wiener", "fourier"):
        eigenvalues, step = BASES[name].eigenvalues(9), 1e-6
        slopes = (BASES[name].values(9, times + step) - BASES[name].values(9, times - step)) / (2 * step)
        found = weights @ slopes**2
        start = 1 if name == "fourier" else 0  # the constant has no slope
        np.testing.assert_allclose(1 / eigenvalues[start:], found[start:], rtol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_the_projection_integrates_straight_pieces_and_constant_ends(name: str) -> None:
    rng = np.random.default_rng(1)
    grid = np.sort(rng.uniform(0.1, 0.9, 7))
    values = rng.normal(size=7)
    found = projection(name, 6, grid) @ values
    # Simpson's rule on 2^16 panels, whose error is far below 1e-8 for six smooth functions and seven kinks.
    times = np.union1d(np.linspace(0.0, 1.0, 2**16 + 1), grid)
    middles = (times[1:] + times[:-1]) / 2
    curve = [np.interp(t, grid, values)[:, None] * BASES[name].values(6, t) for t in (times, middles)]
    expected = (np.diff(times)[:, None] / 6 * (curve[0][:-1] + 4 * curve[1] + curve[0][1:])).sum(axis=0)
    np.testing.assert_allclose(expected, found, atol=1e-8)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("points", [2, 20, 5_000])
def test_the_sizes_of_the_weights_of_a_coefficient_add_up_to_at_most_one(name: str, points: int) -> None:
    for rank in (4, 40):
        sizes = np.abs(projection(name, rank, np.linspace(0.0, 1.0, points))).sum(axis=1)
        assert 1.0 + 1e-9 >= sizes.max()


def test_coefficients_of_a_finer_grid_converge_to_the_integrals() -> None:
    expected = np.array(
        [quad(lambda t, j=j: t**2 * np.sqrt(2) * np.sin((j - 0.5) * np.pi * t), 0, 1)[0] for j in (1, 2, 3)]
    )
    errors = []
    for points in (20, 200):
        grid = np.linspace(0.0, 1.0, points)
        errors.append(np.abs(projection("wiener", 3, grid) @ grid**2 - expected).max())
    # Straight pieces are wrong by the square of their width: a hundredth for ten times the points.
    assert errors[0] / 50 > errors[1]
