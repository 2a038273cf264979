"""How near a released picture is to the true one, in the measures that are usual for pictures."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.attacks.attack import CustodianOnly
from reaedp.errors import DeclarationError, sentence
from reaedp.statistics.images.pixels import image_library

#: The side of the square in which structural similarity compares two pictures, and the least that has a variance.
WINDOW, SMALLEST_WINDOW = 7, 3


@dataclass(frozen=True, slots=True)
class PictureQuality(CustodianOnly):
    """Peak signal-to-noise ratio in decibels, mean absolute error and structural similarity (Wang et al. 2004).

    Equal pictures have an infinite ratio, no error and similarity one. A picture with a side under three pixels has no
    structure to compare. All is computed on true pixels without noise: for the custodian's eyes only.
    """

    psnr: float
    mae: float
    ssim: float | None


def picture_quality(original: NDArray[Any], released: NDArray[Any], data_range: float) -> PictureQuality:
    """Compare two arrays of one shape, (height, width) or (height, width, channels); `data_range` is upper - lower."""
    if original.shape != released.shape or original.ndim not in (2, 3) or not original.size:
        raise DeclarationError(
            sentence(
                "Both pictures must have the same shape, with two or three axes", given=(original.shape, released.shape)
            )
        )
    # Differences of unsigned numbers would wrap around.
    true, noisy = original.astype(np.float64), released.astype(np.float64)
    metrics = image_library("skimage.metrics")
    with np.errstate(divide="ignore"):  # equal pictures
        psnr = float(metrics.peak_signal_noise_ratio(true, noisy, data_range=data_range))
    return PictureQuality(psnr, float(np.abs(true - noisy).mean()), _similarity(metrics, true, noisy, data_range))


def _similarity(metrics: Any, true: NDArray[Any], noisy: NDArray[Any], data_range: float) -> float | None:
    """In windows of the usual side, or of the largest odd one that fits."""
    side = min(true.shape[:2])
    window = min(WINDOW, side - 1 + side % 2)
    if window < SMALLEST_WINDOW:
        return None
    channel_axis = 2 if true.ndim == 3 else None
    return float(
        metrics.structural_similarity(true, noisy, win_size=window, data_range=data_range, channel_axis=channel_axis)
    )
