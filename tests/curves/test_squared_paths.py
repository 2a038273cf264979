"""Fifty squared Brownian paths: a case whose errors are known from an independent simulation on a grid of 80 steps."""

import numpy as np
import pytest

from curve_support import calibrated, under, wide
from reaedp import Unit
from reaedp.curves.bases import BASES
from reaedp.curves.lattice import RADIUS, CurveLattice
from reaedp.curves.mean_curve import MeanCurve
from reaedp.curves.prediction import expected_error
from reaedp.curves.smoothing import smoother
from reaedp.curves.space import CurveSpace

PATHS, STEPS, SETS = 50, 80, 400
TIMES = tuple((np.arange(1, STEPS + 1) / STEPS).tolist())
CURVE = wide(STEPS, at=TIMES, rank=STEPS, clip=1.0)
CONTRACT = under(CURVE, Unit("replace", at_least=PATHS))
LAMBDA = BASES["wiener"].eigenvalues(STEPS)


@pytest.fixture(scope="module")
def means() -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of the means of 400 data sets, of the curves as they are and of the clipped ones."""
    rng = np.random.default_rng(21)
    paths = np.cumsum(rng.normal(size=(SETS * PATHS, STEPS)), axis=1) ** 2 / STEPS
    clipped = CurveLattice.of(CURVE).wide(paths.T.copy()).T / RADIUS
    whole = paths @ CurveSpace(CURVE).projection.T
    return whole.reshape(SETS, PATHS, -1).mean(axis=1), clipped.reshape(SETS, PATHS, -1).mean(axis=1)


def bias(means: tuple[np.ndarray, np.ndarray], rho: float) -> float:
    mean, clipped = means
    return float(np.sqrt(((smoother(LAMBDA, rho) * clipped - mean) ** 2).sum(axis=1).mean()))


def noise(covariance: str, rho: float) -> float:
    mechanism = calibrated(MeanCurve("x"), CONTRACT, 1.0).mechanism
    return expected_error(CONTRACT, MeanCurve("x", covariance, rho), mechanism).curve  # type: ignore[arg-type]


# The bias of a data set varies by about a quarter, so that of 400 of them is known to 1.3 %; the known numbers have
# three digits and a similar error of their own. Five of both are 7 % of the bias.
@pytest.mark.parametrize(("rho", "known"), [(1e-6, 0.177), (1e-3, 0.179), (1e-1, 0.263)])
def test_bias_is_as_known(means: tuple[np.ndarray, np.ndarray], rho: float, known: float) -> None:
    assert known == pytest.approx(bias(means, rho), rel=0.07)


@pytest.mark.parametrize(
    ("covariance", "rho", "known"),
    [("C", 1e-3, 1.70), ("C", 1e-1, 0.303), ("A2", 1e-6, 1.33), ("A2", 1e-3, 0.460), ("A2", 1e-1, 0.291)],
)
def test_errors_are_as_known(means: tuple[np.ndarray, np.ndarray], covariance: str, rho: float, known: float) -> None:
    assert known == pytest.approx(np.hypot(bias(means, rho), noise(covariance, rho)), rel=0.05)


def test_covariance_c_without_smoothing_has_as_much_noise_as_its_last_coefficient_allows() -> None:
    """The smallest eigenvalue of a grid of 80 steps is 1/(4·80²), as large as that of 51 exact coefficients."""
    grid_gain = np.sqrt(1 / (4 * STEPS**2)) / (1 / (4 * STEPS**2) + 1e-6)
    assert 16.7 == pytest.approx(2 * 3.7306 / PATHS * grid_gain * np.sqrt(0.5), rel=0.03)
    # With J exact coefficients it is √λ/(λ + ρ) at the last of them.
    exact_gain = np.sqrt(LAMBDA[-1]) / (LAMBDA[-1] + 1e-6)
    assert noise("C", 1e-6) == pytest.approx(2 * 3.7306 / PATHS * exact_gain * np.sqrt(LAMBDA.sum()), rel=1e-4)
    assert 20 < noise("C", 1e-6) < 52.8


@pytest.mark.parametrize("covariance", ["A2", "C"])
def test_the_error_falls_and_rises_again_with_rho(means: tuple[np.ndarray, np.ndarray], covariance: str) -> None:
    errors = [np.hypot(bias(means, rho), noise(covariance, rho)) for rho in np.logspace(-6, 1, 15)]
    best = int(np.argmin(errors))
    assert 0 < best < 14
    assert np.all(np.diff(errors[: best + 1]) < 0)
    assert np.all(np.diff(errors[best:]) > 0)


def test_a2_is_nowhere_worse_than_c_and_its_best_is_better(means: tuple[np.ndarray, np.ndarray]) -> None:
    amounts = np.logspace(-6, 1, 29)
    ours, theirs = (
        np.array([np.hypot(bias(means, rho), noise(covariance, rho)) for rho in amounts]) for covariance in ("A2", "C")
    )
    assert np.all(ours <= theirs * (1 + 1e-6))
    # Known: 0.273 at ρ = 0.03 against 0.303 at ρ = 0.1.
    assert 0.273 == pytest.approx(ours.min(), rel=0.05)
    assert 0.303 == pytest.approx(theirs.min(), rel=0.05)
