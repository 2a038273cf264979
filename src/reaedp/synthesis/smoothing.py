"""Smoothing: neighbouring cells of an ordered column are alike unless the difference stands out from the noise."""

import numpy as np

from reaedp.synthesis.merging import Floats

#: Differences between neighbouring runs of 1, 2 and 4 cells are looked at.
LEVELS = 3
#: A difference below so many standard deviations of its noise is taken for noise.
DISTINCT = 2.5


def smoothed(noisy: Floats, scale: float) -> Floats:
    """The mean over all alignments of runs of Haar's wavelet estimate (Coifman and Donoho 1995); sums are kept."""
    runs = 1 << LEVELS
    length = -(-(len(noisy) + runs) // runs) * runs
    aligned = np.zeros((runs, length))
    for shift in range(runs):
        aligned[shift, shift : shift + len(noisy)] = noisy
    smooth = _without_small_differences(aligned, scale, LEVELS)
    total: Floats = sum((smooth[shift, shift : shift + len(noisy)] for shift in range(runs)), np.zeros(len(noisy)))
    return total / runs


def _without_small_differences(values: Floats, scale: float, levels: int) -> Floats:
    """Sums and differences of pairs, orthonormal so that noise keeps its scale; large differences are put back."""
    if levels == 0:
        return values
    even, odd = values[:, ::2], values[:, 1::2]
    difference = (even - odd) / np.sqrt(2)
    difference[np.abs(difference) < DISTINCT * scale] = 0.0
    sums = _without_small_differences((even + odd) / np.sqrt(2), scale, levels - 1)
    restored = np.empty_like(values)
    restored[:, ::2], restored[:, 1::2] = (sums + difference) / np.sqrt(2), (sums - difference) / np.sqrt(2)
    return restored
