"""How far noise can move a curve, at one time or anywhere: bounds that hold for every curve.

A curve's noise at time t is the product of a direction v(t) with independent integers. For Gaussian noise of
deviation σ the standardised noise has unit variance at every t; the chance that it leaves ±c anywhere on a path of
directions is at most 2(1 - Φ(c)) + L exp(-c²/2)/π, with L the path's length on the sphere (see PROOFS.md).
"""

from collections.abc import Callable

import numpy as np

from reaedp.curves.bases import Reals
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.normal import probabilities

#: Lengths of paths are measured along chords between many points, and enlarged for what chords cut off.
CHORDS_CUT_OFF = 1.01


def path_length(directions: Reals) -> Reals:
    """Length of paths on the sphere; the first axis runs along each path, the last holds the coordinates."""
    sizes = np.linalg.norm(directions, axis=-1, keepdims=True)
    units = directions / np.where(sizes == 0.0, 1.0, sizes)
    chords = np.linalg.norm(np.diff(units, axis=0), axis=-1)
    angles = 2.0 * np.arcsin(np.minimum(chords / 2.0, 1.0))
    return np.asarray(angles.sum(axis=0) * CHORDS_CUT_OFF)


def critical_value(lengths: Reals, coordinates: int, outside: float) -> Reals:
    """The least c for which a path of this length is left with at most this chance; never above Scheffé's."""
    low, high = np.zeros(np.shape(lengths)), np.full(np.shape(lengths), scheffe_value(coordinates, outside))
    for _ in range(60):
        middle = (low + high) / 2.0
        chance = 2.0 * probabilities(-middle) + lengths / np.pi * np.exp(-(middle**2) / 2.0)
        low, high = np.where(chance > outside, middle, low), np.where(chance > outside, high, middle)
    return high


def scheffe_value(coordinates: int, outside: float) -> float:
    """The length that this many standard normal numbers exceed with this chance: it bounds all directions at once."""
    from scipy.stats import chi

    return float(chi.isf(outside, coordinates))


def half_widths(noise: Calibrated, directions: Reals, critical: Callable[[], Reals | float], outside: float) -> Reals:
    """How far noise moves the products with these directions (rows), with at most this chance of any going further.

    `critical` is asked for Gaussian noise. Other noise is bounded coordinate by coordinate, whatever the direction.
    """
    if isinstance(noise.mechanism, Gaussian):
        return np.asarray(critical() * noise.scale * np.linalg.norm(directions, axis=-1))
    return np.asarray(noise.error_quantile(1.0 - outside, directions.shape[-1]) * np.abs(directions).sum(axis=-1))


def quotients(total: Reals, spread: Reals, number: float, number_spread: float) -> tuple[Reals, Reals]:
    """All m with |total - m·number| ≤ √(spread² + m²·number_spread²): an interval, or everything (Fieller 1954)."""
    gap = number**2 - number_spread**2
    if number <= 0.0 or gap <= 0.0:
        return np.full(total.shape, -np.inf), np.full(total.shape, np.inf)
    root = np.sqrt((number_spread * total) ** 2 + gap * spread**2)
    return (total * number - root) / gap, (total * number + root) / gap
