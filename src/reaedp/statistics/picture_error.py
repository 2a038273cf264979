"""How good a released picture will be, before any pixel is seen."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reaedp.contract import Picture
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated


@dataclass(frozen=True, slots=True)
class ExpectedQuality:
    """What noise alone lets expect, before any pixel is seen; a picture cut to its range is at least as good."""

    psnr: float
    mae: float


def expected_quality(noise: Calibrated, picture: Picture) -> ExpectedQuality:
    """From public facts alone: the mean absolute error, and the ratio that belongs to the mean squared error.

    The ratio is convex in the squared error, so its own mean is not lower; over many pixels they agree.
    """
    squared = _SQUARED_ERRORS[type(noise.mechanism)](noise)
    return ExpectedQuality(psnr=10 * math.log10(picture.reach**2 / squared), mae=noise.mean_error)


def _of_laplace(noise: Calibrated) -> float:
    """Variance 1 / (cosh(1/scale) - 1), written by the mean error 1 / sinh(1/scale), which does not cancel."""
    mean = noise.mean_error
    return mean * (mean + math.hypot(mean, 1.0))


def _of_gaussian(noise: Calibrated) -> float:
    """The variance is at most scale², and equal to it in all digits from a scale of two on."""
    return noise.scale**2


_SQUARED_ERRORS: dict[type[Any], Callable[[Calibrated], float]] = {Laplace: _of_laplace, Gaussian: _of_gaussian}
