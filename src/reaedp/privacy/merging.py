"""What was charged, in as few parts as possible: equal losses, and losses that add up, become one.

Many different losses of one kind are first rounded up to fewer. PROOFS.md shows that no step lowers a loss.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from reaedp.errors import DeclarationError, sentence
from reaedp.privacy.conversion import (
    SLACK,
    concentrated_delta,
    concentrated_epsilon,
    gaussian_delta,
    gaussian_epsilon,
    rounded_down,
    rounded_up,
)
from reaedp.privacy.dominating import DominatingPair, Normal, Response, Steps
from reaedp.privacy.loss import SMALLEST, ZCDP, ApproxDP, GaussianDP, Loss, PureDP, UnitGaussian, exact
from reaedp.privacy.product import composed_delta, composed_epsilon

#: How often each elementary loss was charged.
Tally = Mapping[Loss, int]

#: More different losses of a kind than this are rounded up to fewer, or charged as concentrated.
DISTINCT = 400
#: More copies of one loss than this are charged as concentrated: their exact law would fill the memory.
MANY = 10**9
#: Lattice points per standard deviation at which a Gaussian is taken apart.
FINE = 1_000.0
#: What going between lattice and line costs, as variance in squared lattice steps.
LATTICE_COST = 2.0
#: Discrete Gaussians of at least this variance add up like Gaussians; below `ROUGH` their moments leave the doubles.
SMOOTH, ROUGH = 4.0, 1e-3
#: What each copy adds to ε, and to δ relatively, where laws on the lattice stand for laws on the line.
CARRY = 1e-16

#: The ρ of the concentrated loss that each kind implies; products, because powers of large floats raise.
_RHO: dict[type, Callable[[Any], float]] = {
    PureDP: lambda loss: loss.epsilon * math.tanh(loss.epsilon / 2),
    ApproxDP: lambda loss: loss.epsilon * math.tanh(loss.epsilon / 2),
    ZCDP: lambda loss: loss.rho,
    GaussianDP: lambda loss: loss.mu * loss.mu / 2,
    UnitGaussian: lambda loss: 0.5 / loss.variance,
}
#: The ε that holds but for failures of probability δ.
_EPSILON: dict[type, Callable[[Any], float]] = {
    PureDP: lambda loss: loss.epsilon,
    ApproxDP: lambda loss: loss.epsilon,
    ZCDP: lambda _: math.inf,
    GaussianDP: lambda _: math.inf,
    UnitGaussian: lambda _: math.inf,
}


def charged(tally: Tally) -> dict[Loss, int]:
    """Keep what was charged at least once; a negative count would give budget back."""
    negative = {loss: copies for loss, copies in tally.items() if copies < 0}
    if negative:
        raise DeclarationError(
            sentence("A privacy loss must be charged a whole number of times, 0 or more", given=negative)
        )
    return {loss: copies for loss, copies in tally.items() if copies}


def rough_epsilon(tally: Tally) -> float:
    """Add up the ε's in doubles, rounded down; infinite if some loss has none."""
    return _sum(_EPSILON[type(loss)](loss) * copies for loss, copies in tally.items()) * (1 - SLACK)


def basic_epsilon(tally: Tally) -> Fraction | float:
    """Add up the ε's as decimals; infinite if some loss has none."""
    if rough_epsilon(tally) == math.inf:
        return math.inf
    return sum((exact(_EPSILON[type(loss)](loss)) * copies for loss, copies in tally.items()), Fraction(0))


def total_rho(tally: Tally) -> float:
    """Add up the ρ's, rounded up; failures of approximate losses are apart."""
    total = _sum(_RHO[type(loss)](loss) * copies for loss, copies in tally.items()) * (1 + SLACK)
    return max(total, SMALLEST) if tally else 0.0


def _sum(numbers: Iterable[float]) -> float:
    try:
        return math.fsum(numbers)
    except OverflowError:
        return math.inf


def failure(tally: Tally) -> tuple[Fraction, float]:
    """Add up the δ's as decimals; and bound the probability that any of these independent failures happens."""
    failures = [(loss.delta, copies) for loss, copies in tally.items() if type(loss) is ApproxDP]
    total = sum((exact(delta) * copies for delta, copies in failures), Fraction(0))
    union = -math.expm1(math.fsum(math.log1p(-delta) * copies for delta, copies in failures))
    return total, min(rounded_up(total), union * (1 + SLACK))


def delta_left(tally: Tally, delta: float) -> float:
    """Give what failures leave of δ for the rest, rounded down; negative if they exceed it."""
    total, union = failure(tally)
    by_sum = rounded_down(exact(delta) - total)
    by_union = (delta - union) / (1 - union) * (1 - SLACK) if union < delta else -1.0
    left = max(by_sum, by_union)
    return 0.0 if 0 <= left < SMALLEST else left


@dataclass(frozen=True, slots=True)
class MergedLosses:
    """Independent losses, merged by kind: dominating `pairs`, one Gaussian loss μ and one concentrated loss ρ.

    `copies` says how many losses went into them, each of which may carry a rounding of its own.
    """

    pairs: tuple[DominatingPair, ...]
    mu: float
    rho: float
    copies: int

    def epsilon(self, delta: float) -> float:
        """Give the least ε at δ, in closed form where only one kind is left."""
        carried = CARRY * self.copies
        left = delta / (1 + carried)
        return self._by_kind(gaussian_epsilon, concentrated_epsilon, composed_epsilon, left) + carried

    def delta(self, epsilon: float) -> float:
        """Give the least δ at ε, in closed form where only one kind is left."""
        carried = CARRY * self.copies
        left = max(0.0, epsilon - carried)
        return self._by_kind(gaussian_delta, concentrated_delta, composed_delta, left) * (1 + carried)

    def _by_kind(
        self,
        gaussian: Callable[[float, float], float],
        concentrated: Callable[[float, float], float],
        composed: Callable[[tuple[DominatingPair, ...], float, float], float],
        at: float,
    ) -> float:
        """Ask the closed form of the only kind that is left, or compose all of them."""
        if not self.pairs and not self.rho:
            return gaussian(self.mu, at)
        if not self.pairs and not self.mu:
            return concentrated(self.rho, at)
        return composed(self._all_pairs(), self.rho, at)

    def log_moment(self, order: float) -> float:
        """Give the logarithm of E[e^{order L}] for everything together, rounded up."""
        pairs = math.fsum(float(pair.log_moment(np.array(order))) for pair in self.pairs)
        return (pairs + order * (1 + order) * (self.mu * self.mu / 2 + self.rho)) * (1 + SLACK) + CARRY * self.copies

    def _all_pairs(self) -> tuple[DominatingPair, ...]:
        """Put the Gaussian on a lattice beside the others."""
        return (*self.pairs, Normal(self.mu / math.sqrt(1 - LATTICE_COST / FINE**2), FINE)) if self.mu else self.pairs


def merge(tally: Tally) -> MergedLosses:
    """Sort losses by kind, and let each kind merge in its own way."""
    kinds: dict[type, dict[Any, int]] = {kind: {} for kind in _RHO}
    for loss, copies in tally.items():
        kinds[type(loss)][loss] = copies
    answers, crowds = responses(pure_parts({**kinds[PureDP], **kinds[ApproxDP]}))
    units, squared_mu, rough = _units(kinds[UnitGaussian])
    squared_mu += math.fsum(loss.mu * loss.mu * copies for loss, copies in kinds[GaussianDP].items())
    rho = total_rho({**kinds[ZCDP], **crowds, **rough})
    return MergedLosses((*answers, *units), math.sqrt(squared_mu) * (1 + SLACK), rho, sum(tally.values()))


def pure_parts(tally: Tally) -> Counter[float]:
    """Count each ε of the pure and approximate losses; failures of the latter are apart."""
    counts: Counter[float] = Counter()
    for loss, copies in tally.items():
        if isinstance(loss, PureDP | ApproxDP):
            counts[loss.epsilon] += copies
    return counts


def responses(counts: Mapping[float, int]) -> tuple[list[DominatingPair], dict[Loss, int]]:
    """Let equal ε's become one binomial pair, in order of ε, and leave crowds to be concentrated."""
    counts = _fewer(counts) if len(counts) > DISTINCT else counts
    pairs: list[DominatingPair] = [
        Response(epsilon, copies) for epsilon, copies in sorted(counts.items()) if copies <= MANY
    ]
    return pairs, {PureDP(epsilon): copies for epsilon, copies in counts.items() if copies > MANY}


def _fewer(counts: Mapping[float, int]) -> Counter[float]:
    """Round each ε up to the largest in its class; classes are finest where most of Σ ε² lies.

    Raising x = ln ε by r(x) where W(x) of the sum lies costs ∫ W r; with ∫ dx/r classes, r ∝ 1/√W is best.
    """
    epsilons = np.sort(np.fromiter(counts, float))
    copies = np.array([counts[float(epsilon)] for epsilon in epsilons])
    place = np.log(epsilons / epsilons[0])
    cell = np.floor(place / place[-1] * 4095).astype(int)
    level = np.cumsum(np.sqrt(np.bincount(cell, copies * (epsilons / epsilons[-1]) ** 2, 4096)))
    last = np.flatnonzero(np.diff(np.ceil(DISTINCT * level / level[-1])[cell], append=np.inf))
    sums = np.diff(np.cumsum(copies)[last], prepend=0)
    return Counter(dict(zip(epsilons[last].tolist(), sums.tolist(), strict=True)))


def _units(units: Mapping[UnitGaussian, int]) -> tuple[list[DominatingPair], float, dict[Loss, int]]:
    """Turn smooth noise into a Gaussian on its lattice, and on the line where the lattice is fine enough."""
    enough = 1e4 if len(units) <= DISTINCT else 1e2
    pairs: list[DominatingPair] = []
    squared_mu, rough = 0.0, dict[Loss, int]()
    for unit, copies in sorted(units.items(), key=lambda item: item[0].variance):
        total = unit.variance * copies
        if unit.variance >= SMOOTH and total >= enough:
            squared_mu += copies / unit.variance / (1 - LATTICE_COST / total)
        elif unit.variance < ROUGH or copies > MANY or len(pairs) >= DISTINCT:
            rough[unit] = copies
        elif unit.variance >= SMOOTH:
            pairs.append(Normal(math.sqrt(copies / unit.variance), math.sqrt(total)))
        else:
            pairs.append(Steps(unit.variance, copies))
    return pairs, squared_mu, rough
