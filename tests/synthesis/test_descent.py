"""The search for the least value, beside SciPy's on functions of the kind that fits have."""

import numpy as np
import pytest
from scipy.optimize import minimize

from reaedp.synthesis.descent import MEMORY, Function, least


def _even(size: int, seed: int) -> Function:
    """The function of a fit: the logarithm of a sum of products, observed shares, and a pull to zero."""
    rng = np.random.default_rng(seed)
    design = rng.integers(0, 2, size=(200, size)).astype(float)
    shares = design.T @ rng.dirichlet(np.ones(200))
    pulls = rng.uniform(0.001, 0.1, size)

    def function(x: np.ndarray) -> tuple[float, np.ndarray]:
        heights = design @ x
        top = heights.max()
        weights = np.exp(heights - top)
        value = top + np.log(weights.sum()) - x @ shares + x @ (pulls * x) / 2
        return 1000 * float(value), 1000 * (design.T @ (weights / weights.sum()) - shares + pulls * x)

    return function


def _bowl(size: int, seed: int) -> Function:
    """A bowl that is a thousand times as steep in one direction as in another."""
    rng = np.random.default_rng(seed)
    turned = np.linalg.qr(rng.normal(size=(size, size)))[0]
    steep = turned @ np.diag(np.geomspace(1, 1000, size)) @ turned.T
    return lambda x: (float((x - 1) @ steep @ (x - 1)), 2 * steep @ (x - 1))


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    ("function", "size"), [(_even(30, 1), 30), (_even(80, 2), 80), (_bowl(20, 3), 20)], ids=["even", "larger", "bowl"]
)
@pytest.mark.parametrize("iterations", [1, 4, 10, 30, 1000])
def test_as_many_steps_come_as_far_as_those_of_scipy(function: Function, size: int, iterations: int) -> None:
    start, options = np.full(size, 3.0), {"maxiter": iterations, "maxls": 10, "maxcor": MEMORY}
    theirs = minimize(function, start, jac=True, method="L-BFGS-B", options=options).fun
    ours = function(least(function, start, iterations))[0]
    assert theirs == pytest.approx(ours, rel=1e-6, abs=1e-6)


def test_every_point_on_the_way_is_lower_and_nothing_is_drawn() -> None:
    function, values = _even(30, 4), []
    for iterations in range(12):
        found = least(function, np.full(30, 3.0), iterations)
        np.testing.assert_array_equal(found, least(function, np.full(30, 3.0), iterations))
        values.append(function(found)[0])
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == len(values)


def test_a_first_step_that_goes_much_too_far_is_shortened() -> None:
    def steep(x: np.ndarray) -> tuple[float, np.ndarray]:
        return float(np.cosh(40 * x).sum()), 40 * np.sinh(40 * x)

    assert least(steep, np.array([0.5, -0.7]), 100) == pytest.approx([0.0, 0.0], abs=1e-5)


def test_a_function_that_is_least_at_the_start_is_left_alone() -> None:
    np.testing.assert_array_equal(np.ones(3), least(_bowl(3, 1), np.ones(3), 10))
