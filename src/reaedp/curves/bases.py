"""Orthonormal bases of functions on [0, 1], and how much each of their functions may be expected to matter."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

DEGREE = 3


@dataclass(frozen=True, slots=True)
class Basis:
    """`values(rank, times)` has a row for each time and a column for each function.

    `eigenvalues(rank)` are the variances of the coefficients of a typical curve; a basis without them is not smoothed,
    and a `plain` one only as far as the contract says.
    """

    values: Callable[[int, Reals], Reals]
    eigenvalues: Callable[[int], Reals] | None
    plain: bool


def _wiener(rank: int, times: Reals) -> Reals:
    """Functions that are zero at the start: the eigenfunctions of Brownian motion."""
    waves: Reals = np.sqrt(2.0) * np.sin(np.multiply.outer(times, _frequencies(rank)))
    return waves


def _wiener_eigenvalues(rank: int) -> Reals:
    return _frequencies(rank) ** -2


def _frequencies(rank: int) -> Reals:
    return (np.arange(1.0, rank + 1.0) - 0.5) * np.pi


def _fourier(rank: int, times: Reals) -> Reals:
    """One, then cosine and sine of each frequency."""
    angles = 2.0 * np.pi * np.multiply.outer(times, _waves(rank))
    phases = np.where(np.arange(1, rank) % 2, np.cos(angles), np.sin(angles))
    return np.column_stack([np.ones(len(times)), np.sqrt(2.0) * phases])


def _fourier_eigenvalues(rank: int) -> Reals:
    """1 for the constant, 1/(2πk)² for waves: a closed path with a root mean square slope of one in each of them."""
    eigenvalues: Reals = np.append(1.0, (2.0 * np.pi * _waves(rank)) ** -2.0)
    return eigenvalues


def _waves(rank: int) -> Reals:
    return np.floor(np.arange(2.0, rank + 1.0) / 2.0)


def _bspline(rank: int, times: Reals) -> Reals:
    """Cubic splines with evenly spaced knots, made orthonormal from left to right."""
    return np.linalg.solve(_bspline_triangle(rank), _bspline_design(rank, times).T).T.astype(np.float64)


def _bspline_design(rank: int, times: Reals) -> Reals:
    from scipy.interpolate import BSpline

    inner = np.linspace(0.0, 1.0, rank - DEGREE + 1)
    knots = np.concatenate([np.zeros(DEGREE), inner, np.ones(DEGREE)])
    design: Reals = BSpline.design_matrix(times, knots, DEGREE).toarray()
    return design


#: By rank; a function wrapped by functools.cache could not travel to the workers of a cluster.
_TRIANGLES: dict[int, Reals] = {}


def _bspline_triangle(rank: int) -> Reals:
    """The Cholesky factor of all inner products."""
    if rank not in _TRIANGLES:
        times, weights = quadrature(np.linspace(0.0, 1.0, rank - DEGREE + 1))
        design = _bspline_design(rank, times)
        _TRIANGLES[rank] = np.linalg.cholesky(design.T @ (weights[:, None] * design)).astype(np.float64)
    return _TRIANGLES[rank]


BASES = {
    "wiener": Basis(_wiener, _wiener_eigenvalues, plain=False),
    "fourier": Basis(_fourier, _fourier_eigenvalues, plain=True),
    "bspline": Basis(_bspline, None, plain=True),
}


def quadrature(breaks: Reals) -> tuple[Reals, Reals]:
    """Times and weights of Gauss's rule with eight points between any two neighbouring breaks."""
    points, weights = np.polynomial.legendre.leggauss(8)
    half = np.diff(breaks)[:, None] / 2.0
    return ((breaks[:-1, None] + half) + half * points).ravel(), (half * weights).ravel()


def projection(name: str, rank: int, grid: Reals) -> Reals:
    """The matrix from values on a grid to coefficients: one row for each coefficient, one column for each value.

    It integrates exactly, up to rounding, the curve that is straight between grid points and constant beyond them.
    """
    panels = np.linspace(0.0, 1.0, 16 * max(rank - DEGREE, 1) + 1)  # finer than any wave, and every knot is among them
    times, weights = quadrature(np.union1d(panels, grid))
    left = np.clip(np.searchsorted(grid, times, side="right") - 1, 0, len(grid) - 2)
    share = np.clip((times - grid[left]) / (grid[left + 1] - grid[left]), 0.0, 1.0)
    parts = weights[:, None] * BASES[name].values(rank, times)
    matrix = np.zeros((len(grid), rank))
    np.add.at(matrix, left, (1.0 - share)[:, None] * parts)
    np.add.at(matrix, left + 1, share[:, None] * parts)
    return matrix.T
