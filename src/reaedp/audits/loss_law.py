"""The law of the privacy loss between two neighbours: its hockey-stick curve has no sampling error.

The loss of an output is ln(P/Q), P being its probability on one neighbour and Q on the other.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reaedp.privacy.conversion import bisect, gaussian_delta, gaussian_epsilon

Floats = NDArray[np.float64]

#: Losses nearer than this are the same: sums in another order differ in the last digits.
_SAME = 12
#: Noise beyond so many deviations has a probability below 1e-32.
_DEVIATIONS = 12
#: Above this scale the integers are so dense that the normal law serves; below, sums over integers are exact.
DENSE = 500.0
#: A move of more steps than this is counted in longer ones.
MOST_STEPS = 1_000
#: A move that is shorter than the longest by this factor is hardly seen beside it, and does not decide what a step is.
UNSEEN = 1_000


class TradeOff(Protocol):
    """How well an output tells one neighbour from the other, one way round."""

    def delta(self, epsilon: float) -> float:
        """The least δ at which (ε, δ) holds on this pair."""

    def epsilon(self, delta: float) -> float:
        """The least ε at which (ε, δ) holds on this pair."""

    def above(self, threshold: float) -> float:
        """The probability under P of a loss of at least this."""

    def below(self, threshold: float) -> float:
        """The probability under P of a loss of at most this."""


@dataclass(frozen=True, slots=True, eq=False)
class LossLaw:
    """Losses in increasing order, and their probabilities under P; a loss may be infinite."""

    losses: Floats
    masses: Floats

    def delta(self, epsilon: float) -> float:
        """Σ P (1 - e^(ε - loss)) over losses above ε."""
        larger = self.losses > epsilon
        return float(self.masses[larger] @ -np.expm1(epsilon - self.losses[larger]))

    def epsilon(self, delta: float) -> float:
        """Infinite if more than δ of the mass has an infinite loss; the largest loss at δ = 0; else by bisection."""
        if self.above(math.inf) > delta:
            return math.inf
        finite = self.losses[np.isfinite(self.losses) & (self.masses > 0)]
        largest = float(finite.max(initial=0.0))
        if delta == 0:
            return largest
        return 0.0 if self.delta(0.0) <= delta else bisect(lambda e: self.delta(e) <= delta, largest, 0.0, 1e-12)

    def above(self, threshold: float) -> float:
        """The probability of a loss of at least this."""
        return float(self.masses[self.losses >= threshold].sum())

    def below(self, threshold: float) -> float:
        """The probability of a loss of at most this."""
        return float(self.masses[self.losses <= threshold].sum())


@dataclass(frozen=True, slots=True)
class NormalLaw:
    """The loss between N(0, 1) and N(μ, 1), which is itself normal."""

    mu: float

    def delta(self, epsilon: float) -> float:
        """δ at a given ε for μ-GDP."""
        return gaussian_delta(self.mu, epsilon)

    def epsilon(self, delta: float) -> float:
        """ε at a given δ for μ-GDP."""
        return gaussian_epsilon(self.mu, delta) if delta > 0 else math.inf

    def above(self, threshold: float) -> float:
        """The loss has mean μ²/2 and deviation μ under P."""
        return self.below(self.mu**2 - threshold)

    def below(self, threshold: float) -> float:
        """The probability under P of a loss of at most this, where the loss is normal."""
        return math.erfc((self.mu / 2 - threshold / self.mu) / math.sqrt(2)) / 2


def between(p: Floats, q: Floats) -> LossLaw:
    """Two laws on the same finite set of outputs, enumerated."""
    possible = p > 0
    with np.errstate(divide="ignore"):
        losses = np.log(p[possible]) - np.log(q[possible])
    return _merged(losses, p[possible])


def independent(laws: Iterable[LossLaw]) -> LossLaw:
    """Several outputs with independent noise: losses add up."""
    return reduce(_product, laws, LossLaw(np.zeros(1), np.ones(1)))


def mixed(laws: Iterable[LossLaw]) -> LossLaw:
    """Several cases of one output; masses are those of the cases."""
    parts = list(laws)
    return _merged(np.concatenate([law.losses for law in parts]), np.concatenate([law.masses for law in parts]))


def laplace_law(moves: NDArray[np.int64], scale: float) -> LossLaw:
    """Integers moved by this much each, under discrete Laplace noise: losses are steps of 2 / scale.

    On a fine lattice, moves are counted in longer steps, and rounded down: no loss comes out larger than it is.
    """
    moves, scale = _coarser(np.abs(moves), scale)
    masses: Floats = reduce(np.convolve, (_laplace_masses(int(move), scale) for move in np.abs(moves)), np.ones(1))
    total = len(masses) - 1
    return LossLaw((2.0 * np.arange(total + 1.0) - total) / scale, masses)


def _coarser(moves: NDArray[np.int64], scale: float) -> tuple[NDArray[np.int64], float]:
    """The same moves and scale in steps of which the least move that matters has at most `MOST_STEPS`."""
    matters = moves[moves > moves.max(initial=0) // UNSEEN]
    least = int(matters.min(initial=np.iinfo(np.int64).max)) if matters.size else 1
    if least <= MOST_STEPS:
        return moves, scale
    return moves * MOST_STEPS // least, scale * MOST_STEPS / least


def _laplace_masses(move: int, scale: float) -> Floats:
    """Pr[x ≤ 0], Pr[x = 1], …, Pr[x = move - 1], Pr[x ≥ move] for noise around `move`."""
    q = math.exp(-1.0 / scale)
    if move == 0:
        return np.ones(1)
    near = (1 - q) / (1 + q) * q ** (move - np.arange(1.0, move))
    return np.concatenate([[q**move / (1 + q)], near, [1 / (1 + q)]])


def gaussian_law(moves: NDArray[np.int64], scale: float) -> TradeOff:
    """Integers moved by this much each, under discrete Gaussian noise.

    If all move equally far the loss is linear in the sum of the noises, which is summed exactly on the integers. Else,
    and where integers are dense, it is the normal law, which the lattice's step does not change visibly.
    """
    steps = np.abs(moves[moves != 0]).astype(np.float64)
    if not steps.size:
        return LossLaw(np.zeros(1), np.ones(1))
    if scale > DENSE or np.any(steps != steps[0]):
        return NormalLaw(float(np.sqrt((steps**2).sum())) / scale)
    reach = math.ceil(_DEVIATIONS * scale) + 1
    one = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * scale**2))
    masses = reduce(np.convolve, [one / one.sum()] * steps.size)
    total = np.arange(len(masses)) - len(masses) // 2
    return LossLaw(steps[0] * (2.0 * total + steps.size * steps[0]) / (2 * scale**2), masses)


def threshold_law(before: int, after: int, scale: float, threshold: int) -> LossLaw:
    """The count of one key, absent if it was not there or its noisy count is below the threshold."""
    top = max(before, after, threshold)
    return between(_shown(after, top, scale, threshold), _shown(before, top, scale, threshold))


def _shown(count: int, top: int, scale: float, threshold: int) -> Floats:
    """Probabilities of being absent, of each noisy count from the threshold to `top`, and of more."""
    places = np.arange(threshold, top + 1)
    if count == 0:
        return np.concatenate([[1.0], np.zeros(len(places) + 1)])
    q = math.exp(-1.0 / scale)
    ends = laplace_tail(np.array([count - threshold + 1, top + 1 - count]), scale)
    return np.concatenate([ends[:1], (1 - q) / (1 + q) * q ** np.abs(places - count), ends[1:]])


def laplace_tail(places: NDArray[np.int64], scale: float) -> Floats:
    """Pr[x ≥ place] of discrete Laplace noise: q^place / (1 + q) from zero on, and one less the mirrored tail below."""
    q = math.exp(-1.0 / scale)
    far = np.abs(places)
    tails: Floats = np.where(places > 0, q**far / (1 + q), 1 - q ** (far + 1.0) / (1 + q))
    return tails


def _product(first: LossLaw, second: LossLaw) -> LossLaw:
    losses, masses = np.add.outer(first.losses, second.losses), np.multiply.outer(first.masses, second.masses)
    return _merged(losses.ravel(), masses.ravel())


def _merged(losses: Floats, masses: Floats) -> LossLaw:
    found, places = np.unique(np.round(losses, _SAME), return_inverse=True)
    return LossLaw(found, np.bincount(places.ravel(), masses, len(found)).astype(np.float64))
