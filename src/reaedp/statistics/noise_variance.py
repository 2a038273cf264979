"""The mean squared error of one released number, whatever the noise."""

import math
from collections.abc import Callable

import numpy as np

from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.by_kind import ByKind, by_noise

#: Chances of larger errors at which a tail is looked at: eight for each halving, down to one in 2⁴⁰.
OUTSIDE = 2.0 ** (-np.arange(321) / 8)


def noise_variance(noise: Calibrated) -> float:
    """Of noise with mean zero the variance, in squared steps of the lattice; or a little more."""
    return _VARIANCES.of(noise.mechanism)(noise)


def _of_laplace(noise: Calibrated) -> float:
    """Variance 1 / (cosh(1/scale) - 1), written by the mean error 1 / sinh(1/scale), which does not cancel."""
    mean = noise.mean_error
    return mean * (mean + math.hypot(mean, 1.0))


def _of_gaussian(noise: Calibrated) -> float:
    """The variance is at most scale², and equal to it in all digits from a scale of two on."""
    return noise.scale**2


def _by_quantiles(noise: Calibrated) -> float:
    """The mean of the squared quantiles of the error, each taken for all that are smaller than it and not yet seen."""
    reached = np.array([noise.error_quantile(1.0 - outside) for outside in OUTSIDE[1:]], dtype=np.float64)
    return float(reached**2 @ -np.diff(OUTSIDE))


_VARIANCES: ByKind[Callable[[Calibrated], float]] = by_noise(
    "the variance of its noise", {Laplace: _of_laplace, Gaussian: _of_gaussian}, otherwise=_by_quantiles
)
