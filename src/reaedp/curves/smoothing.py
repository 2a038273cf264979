"""How much of each coefficient to keep, given its noise: the filter λ/(λ + ρ), and three ways to choose ρ.

λ are the variances of the coefficients of a typical curve. A large ρ keeps little noise and bends the curve towards
zero. Privacy does not depend on ρ.
"""

from typing import Literal

import numpy as np

from reaedp.curves.bases import Reals

#: The covariance of the noise: of isotropic noise after the filter, or that of the typical curve itself.
Covariance = Literal["A2", "C"]

#: Amounts that are compared with each other: twenty for each power of ten.
CANDIDATES = np.logspace(-12.0, 8.0, 401)


def smoother(eigenvalues: Reals, rho: float | Reals) -> Reals:
    """The share λ/(λ + ρ) of each coefficient that is kept."""
    return eigenvalues / (eigenvalues + rho)


def coupled_gain(eigenvalues: Reals, rho: float) -> Reals:
    """√λ/(λ + ρ): the length of the smoothed functions where noise has the covariance of the typical curve."""
    return np.sqrt(eigenvalues) / (eigenvalues + rho)


def public_rho(covariance: Covariance, deviation: float, smoothness: float) -> float:
    """The ρ with the least bound on the error, if the mean's root mean square slope is at most `smoothness`.

    `deviation` is that of isotropic noise on the coefficients of the mean. For "C" the error² is at most
    ρB²/4 + d²/(8ρ), for "A2" about ρB²/4 + d²/(4√ρ).
    """
    ratio = deviation / smoothness
    return ratio / np.sqrt(2.0) if covariance == "C" else float((ratio**2 / 2.0) ** (2.0 / 3.0))


def likely_rho(coefficients: Reals, deviation: float, eigenvalues: Reals, clip: float) -> float:
    """The ρ under which noisy coefficients are most likely, each having variance θλ + deviation² with ρ = deviation²/θ.

    The mean is not longer than `clip`, so θ is not taken larger than clip²/Σλ.
    """
    least = deviation**2 * eigenvalues.sum() / clip**2
    candidates = np.maximum(CANDIDATES, least)
    relative = eigenvalues / candidates[:, None] + 1.0
    unlikely = np.log(relative) + (coefficients / deviation) ** 2 / relative
    return float(candidates[np.argmin(unlikely.sum(axis=1))])
