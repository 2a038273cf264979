"""Functions of the normal law beside SciPy's, and where that is known to err, beside what defines them."""

import math

import numpy as np
from scipy.special import erfcx as known_erfcx
from scipy.special import ndtr, ndtri

from reaedp.privacy.normal import erfcx, log_quantiles, mills, probabilities, quantile, quantiles

#: Rounding that both sides may have; what relies on these functions allows 1e-13 and, of quantiles, 1e-12.
CLOSE = 2e-14


def test_tails_over_densities_are_those_of_scipy() -> None:
    points = np.concatenate([np.linspace(-5, 60, 4001), np.geomspace(60, 1e8, 200)])
    ours = np.array([erfcx(float(x)) for x in points])
    np.testing.assert_allclose(ours, known_erfcx(points), rtol=CLOSE)
    assert math.inf == erfcx(-27.0)


def test_a_tail_over_its_density_meets_the_library_s_own_tail() -> None:
    for x in np.linspace(-8, 8, 161).tolist():
        density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        np.testing.assert_allclose(mills(x) * density, math.erfc(x / math.sqrt(2)) / 2, rtol=1e-13)


def test_quantiles_and_probabilities_are_those_of_scipy() -> None:
    chances = np.concatenate([10.0 ** -np.linspace(0.001, 300, 6001), np.linspace(0.001, 0.999, 999)])
    np.testing.assert_allclose(quantiles(chances), ndtri(chances), rtol=CLOSE, atol=1e-15)
    np.testing.assert_allclose(quantiles(1 - chances[:300]), ndtri(1 - chances[:300]), rtol=CLOSE, atol=1e-15)
    assert [-math.inf, 0.0, math.inf] == [quantile(chance) for chance in (0.0, 0.5, 1.0)]
    points = np.linspace(-37, 9, 1001)
    np.testing.assert_allclose(probabilities(points), ndtr(points), rtol=1e-12)


def test_quantiles_of_logarithms_lead_back_to_them() -> None:
    logarithms = -np.concatenate([np.linspace(0.7, 5_000, 3001), np.geomspace(5_001, 1e10, 200)])
    found = log_quantiles(logarithms)
    assert (np.diff(found) < 0).all()
    back = [-x * x / 2 + math.log(mills(-x) / math.sqrt(2 * math.pi)) for x in found.tolist()]
    # The derivative of ln Φ is about |x|: a relative error of x is that times x² of the logarithm.
    np.testing.assert_allclose(back, logarithms, rtol=2e-14)
