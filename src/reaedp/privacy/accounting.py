"""Losses become ε at δ: the composition of losses that are fixed together, rounded against us.

Cheap bounds come first. The tight one merges losses in closed form as far as that goes and composes the
rest through dominating pairs.
"""

import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from reaedp.errors import DeclarationError, sentence
from reaedp.privacy.budget import Budget
from reaedp.privacy.conversion import (
    SLACK,
    advanced_composition,
    bisect,
    concentrated_delta,
    concentrated_epsilon,
    concentrated_rho,
    gaussian_epsilon,
    gaussian_mu,
    rounded_up,
    sequential_composition,
)
from reaedp.privacy.loss import ApproxDP, Loss, Price, PureDP, UnitGaussian, exact, positive
from reaedp.privacy.merging import (
    Tally,
    basic_epsilon,
    charged,
    delta_left,
    failure,
    merge,
    rough_epsilon,
    total_rho,
)
from reaedp.privacy.product import EPSILON_SLACK

__all__ = [
    "Tally",
    "advanced_composition",
    "concentrated_epsilon",
    "concentrated_rho",
    "delta",
    "epsilon",
    "fits",
    "gaussian_epsilon",
    "gaussian_mu",
    "optimal_composition",
    "sequential_composition",
    "simple_epsilon",
    "tally",
    "unit_gaussian_variance",
]

#: Nobody's budget is so small or so large; beyond, in ρ or in ε, the cheap bound is the answer.
SMALLEST_RHO, LARGEST = 1e-18, 1e9
#: The bound of so many different losses is remembered.
FEW = 32


def tally(prices: Iterable[Price]) -> Counter[Loss]:
    """Count each elementary loss in some prices."""
    return Counter(loss for price in prices for loss in price)


def simple_epsilon(tally: Tally, delta: float) -> Fraction | float:
    """Give the better of basic composition, exact in decimals, and concentrated composition."""
    tally = charged(tally)
    left = delta_left(tally, positive("delta", delta, below=1))
    concentrated = concentrated_epsilon(total_rho(tally), left) if left > 0 and tally else math.inf
    # Decimals are slow; they are needed only where basic composition can win.
    return concentrated if left < 0 or rough_epsilon(tally) > concentrated else min(basic_epsilon(tally), concentrated)


def epsilon(tally: Tally, delta: float) -> float:
    """Give the least ε that we can prove at this δ for everything charged; infinite if δ is too small for any."""
    simple = simple_epsilon(tally, delta)
    bound = rounded_up(simple) if isinstance(simple, Fraction) else simple
    tally = charged(tally)
    left = delta_left(tally, delta)
    sensible = SMALLEST_RHO < total_rho(tally) < LARGEST
    return min(bound, _merged_epsilon(tally, left)) if left > 0 and bound and sensible else bound


def _merged_epsilon(tally: Tally, delta: float) -> float:
    """The tight bound; forecasts ask for the same few losses again and again."""
    return _known_epsilon(frozenset(tally.items()), delta) if len(tally) <= FEW else merge(tally).epsilon(delta)


@lru_cache(maxsize=4096)
def _known_epsilon(losses: frozenset[tuple[Loss, int]], delta: float) -> float:
    return merge(dict(losses)).epsilon(delta)


_least_epsilon = epsilon  # where a parameter hides the name


def delta(tally: Tally, epsilon: float) -> float:
    """Give the least δ that we can prove at this ε for everything charged."""
    if not 0 <= epsilon < math.inf:
        raise DeclarationError(sentence("epsilon must be a finite number of at least 0", given=epsilon))
    tally = charged(tally)
    failed = failure(tally)[1]
    if basic_epsilon(tally) <= exact(epsilon):
        return failed
    rest = _rest_delta(tally, min(epsilon, LARGEST))
    return min(1.0, (failed + (1 - failed) * rest) * (1 + SLACK))


def _rest_delta(tally: Tally, epsilon: float) -> float:
    rho = total_rho(tally)
    if rho >= LARGEST:
        return 1.0
    simple = concentrated_delta(rho, epsilon)
    return min(simple, merge(tally).delta(epsilon)) if rho > SMALLEST_RHO else simple


def fits(tally: Tally, budget: Budget) -> bool:
    """Say whether losses that are fixed together are within a budget, both read as the decimals that were written."""
    simple = simple_epsilon(tally, budget.delta)
    return simple <= exact(budget.epsilon) or epsilon(tally, budget.delta) <= budget.epsilon


def optimal_composition(epsilon: float, delta_each: float, k: int, delta: float) -> float:
    """Give the least ε of k equal (ε, δ) losses at δ: the exact optimum (Kairouz, Oh, Viswanath 2015), rounded up."""
    return _least_epsilon({ApproxDP(epsilon, delta_each) if delta_each else PureDP(epsilon): k}, delta)


def unit_gaussian_variance(epsilon: float, delta: float, coordinates: int) -> float:
    """Find the smallest variance, within 0.1 %, at which this many unit Gaussian losses fit into (ε, δ)."""
    budget = Budget(epsilon, delta)

    def enough(variance: float) -> bool:
        return fits({UnitGaussian(variance): coordinates}, budget)

    good = coordinates / (2 * concentrated_rho(epsilon, delta)) * (1 + EPSILON_SLACK)
    bad = good / 2
    while enough(bad):
        good, bad = bad, bad / 2
    # The last digits of the caller's own roundings are covered too.
    return bisect(enough, good, bad, 5e-4) * (1 + EPSILON_SLACK)
