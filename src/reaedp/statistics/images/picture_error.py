"""How good a released picture will be, before any pixel is seen."""

import math
from dataclasses import dataclass

from reaedp.contract import Picture
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.statistics.noise_variance import noise_variance


@dataclass(frozen=True, slots=True)
class ExpectedQuality:
    """What noise alone lets expect, before any pixel is seen; a picture cut to its range is at least as good."""

    psnr: float
    mae: float


def expected_quality(noise: Calibrated, picture: Picture) -> ExpectedQuality:
    """From public facts alone: the mean absolute error, and the ratio that belongs to the mean squared error.

    The ratio is convex in the squared error, so its own mean is not lower; over many pixels they agree.
    """
    return ExpectedQuality(psnr=10 * math.log10(picture.reach**2 / noise_variance(noise)), mae=noise.mean_error)
