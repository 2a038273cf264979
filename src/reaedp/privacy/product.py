"""Independent pairs beside one concentrated loss: δ at any ε, ε at any δ.

Several pairs meet on a grid of losses by Fourier transform, all tilted alike. PROOFS.md shows why each
step is an upper bound.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reaedp.privacy.conversion import Array, concentrated_log_delta, markov_exponent, steep_bisect
from reaedp.privacy.dominating import TAIL, DominatingPair, noise
from reaedp.privacy.loss import SMALLEST

#: Points of the loss grid, about 1,700 to a standard deviation; fewer where each one costs more.
POINTS, POINTS_BESIDE_CONCENTRATED = 2**15, 2**13
#: What rounding in sums and searches can hide, relative to ε and to δ.
EPSILON_SLACK, DELTA_SLACK = 1e-9, 1e-8
#: Where the search for ε stops.
PRECISION = 1e-8


@dataclass(frozen=True, slots=True)
class Product:
    """Independent pairs together with one ρ-concentrated loss, after tilting; gives δ at any ε."""

    tilt: float
    log_moment: float
    losses: Array
    masses: Array
    error: float
    rho: float

    def delta(self, epsilon: float) -> float:
        """Bound Σ P(L) δ(ε - L), where δ(·) is the curve of the concentrated loss, or 1 - e^x if there is none."""
        losses, masses = self.losses, self.masses
        if self.rho:
            log_profile = concentrated_log_delta(self.rho, epsilon - losses)
        else:
            losses, masses = losses[losses > epsilon], masses[losses > epsilon]
            log_profile = np.log(-np.expm1(epsilon - losses))
        concentrated = self.rho * self.tilt * (1 + self.tilt)
        missed = self.error * _exp(self.log_moment + concentrated - self.tilt * epsilon)
        untilted = _exp(self.log_moment - self.tilt * losses + log_profile)
        return float(np.sum(masses * untilted) + missed) * (1 + DELTA_SLACK)


def _exp(exponent: Array | float) -> Array:
    """Saturate instead of overflow: where that happens `missed` is far above 1 already."""
    value: Array = np.exp(np.minimum(exponent, 700.0))
    return value


def compose(pairs: Sequence[DominatingPair], rho: float, tilt: float, points: int | None = None) -> Product:
    """Multiply pairs: a single one keeps its exact atoms, several meet on a grid, of this many points if given."""
    log_moment = math.fsum(float(pair.log_moment(np.array(tilt))) for pair in pairs)
    if len(pairs) == 1:
        return Product(tilt, log_moment, *pairs[0].atoms(tilt), 4 * math.exp(-TAIL), rho)
    low, high = _window(pairs, tilt, log_moment)
    points = points or (POINTS_BESIDE_CONCENTRATED if rho else POINTS)
    step = (high - low) / (points - len(pairs) - 2)
    spectrum = np.ones(points // 2 + 1, dtype=complex)
    for pair in pairs:
        spectrum *= np.fft.rfft(_on_grid(*pair.atoms(tilt), step, tilt, points))
    first = math.floor(low / step)
    masses = np.maximum(np.roll(np.fft.irfft(spectrum, points), -(first % points)), 0.0)
    growth = _exp(len(pairs) * tilt * (1 + tilt) * step * step / 8)  # of tilted mass on the grid, see PROOFS.md
    error = float(4 * (len(pairs) + 1) * math.exp(-TAIL) * growth) + points * noise(spectrum, len(pairs))
    return Product(tilt, log_moment, (first + np.arange(float(points))) * step, masses, error, rho)


def _window(pairs: Sequence[DominatingPair], tilt: float, log_moment: float) -> tuple[float, float]:
    """Give where all but 2e^-TAIL of the tilted total lies, by Chernoff's bound."""
    shifts = np.geomspace(1e-2, 1e4, 160) / math.sqrt(sum(pair.deviation**2 for pair in pairs))
    above = sum((pair.log_moment(tilt + shifts) for pair in pairs), TAIL - log_moment)
    below = sum((pair.log_moment(tilt - shifts) for pair in pairs), TAIL - log_moment)
    return -float(np.min(below / shifts)), float(np.min(above / shifts))


def _on_grid(losses: Array, masses: Array, step: float, tilt: float, points: int) -> Array:
    """Split each atom between its two neighbours so that neither P nor Q loses mass: finer, so never more private."""
    cell = np.floor(losses / step)
    part = np.clip(losses / step - cell, 0.0, 1.0)
    upper = np.expm1(-part * step) / math.expm1(-step)
    place = cell.astype(np.int64) % points
    kept = masses * (1 - upper) * np.exp(-tilt * part * step)
    moved = masses * upper * np.exp(tilt * (1 - part) * step)
    places = np.concatenate([place, (place + 1) % points])
    return np.bincount(places, np.concatenate([kept, moved]), points).astype(np.float64)


def composed_epsilon(pairs: Sequence[DominatingPair], rho: float, delta: float) -> float:
    """Give the least ε at δ, tilted to where this δ is decided."""
    tilts, exponents = markov_bounds(pairs, rho)
    bounds = (exponents - math.log(delta)) / tilts
    markov = float(bounds.min())
    product = compose(pairs, rho, float(tilts[np.argmin(bounds)]))
    if markov <= 0 or product.delta(0.0) <= delta:
        return 0.0

    def excess(epsilon: float) -> float:
        return math.log(max(product.delta(epsilon), SMALLEST) / delta)

    return steep_bisect(lambda epsilon: product.delta(epsilon) <= delta, excess, markov, 0.0, PRECISION) * (
        1 + EPSILON_SLACK
    )


def composed_delta(pairs: Sequence[DominatingPair], rho: float, epsilon: float) -> float:
    """Give the least δ at ε, tilted to this ε."""
    tilts, exponents = markov_bounds(pairs, rho)
    lowered = epsilon / (1 + EPSILON_SLACK)
    return compose(pairs, rho, float(tilts[np.argmin(exponents - tilts * lowered)])).delta(lowered)


def markov_bounds(pairs: Sequence[DominatingPair], rho: float) -> tuple[Array, Array]:
    """Give candidate tilts t, and exponents x such that δ ≤ e^{x - tε} for every ε."""
    scale = math.sqrt(sum(pair.deviation**2 for pair in pairs) + 2 * rho)
    tilts = np.geomspace(1e-4, 1e4, 240) / scale
    moment = sum((pair.log_moment(tilts) for pair in pairs), rho * tilts * (1 + tilts))
    return tilts, moment + markov_exponent(tilts)
