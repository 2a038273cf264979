"""Closed forms: one loss to ε at δ and back, and the composition theorems of the literature.

Every ε and δ is rounded up and every ρ and μ down, so that nothing promised here is too good. The
logarithms of moments, E[e^{tL}] for the privacy loss L, are Rényi divergences of order 1 + t times t.
"""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from reaedp.privacy.loss import SMALLEST, exact, positive
from reaedp.privacy.normal import mills

Array = NDArray[np.float64]

#: Far above the rounding errors of the few dozen float operations behind any number here.
SLACK = 1e-13
#: What calibration leaves free, so that its result fits although sums of it are rounded up again.
HEADROOM = 1e-11
#: Most secants before a bisection.
SECANTS = 20


def rounded_up(number: Fraction) -> float:
    """Give the least double that, read as the decimal a person would write, is not below the number."""
    try:
        nearest = float(number)
    except OverflowError:
        return math.inf
    return nearest if exact(nearest) >= number else math.nextafter(nearest, math.inf)


def rounded_down(number: Fraction) -> float:
    """Give the largest double that is not above the number, however it is read."""
    nearest = float(number)
    while max(Fraction(nearest), exact(nearest)) > number:
        nearest = math.nextafter(nearest, -math.inf)
    return nearest


def bisect(holds: Callable[[float], bool], good: float, bad: float, precision: float = 1e-13) -> float:
    """Walk from a good towards a bad point; the last that was seen to hold."""
    while abs(bad - good) > precision * max(abs(good), abs(bad)):
        middle = (good + bad) / 2
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return good


def steep_bisect(
    holds: Callable[[float], bool], height: Callable[[float], float], good: float, bad: float, precision: float
) -> float:
    """What `bisect` finds, in a third of its steps where `height` rises from below zero at a good point to above it.

    Secants find where it crosses zero, so that bisection need not look beside it. What it then finds was seen to hold.
    """
    surely, hardly = _crossing(height, good, bad, precision)
    inward = math.copysign(1.0, good - bad)

    def known(place: float) -> bool:
        return (place - surely) * inward >= 0 or ((place - hardly) * inward > 0 and holds(place))

    found = bisect(known, good, bad, precision)
    return found if found == good or holds(found) else bisect(holds, good, bad, precision)


def _crossing(height: Callable[[float], float], good: float, bad: float, precision: float) -> tuple[float, float]:
    """Give a point at or below zero and one above it, next to each other if all goes well.

    Secants by the Illinois rule: the height of an end that stays is halved.
    """
    below, above = height(good), height(bad)
    place, last, stayed = good, math.inf, 0
    for _ in range(SECANTS):
        if not below < 0 < above or abs(place - last) <= precision / 4 * abs(place):
            break
        last, place = place, good - below * (good - bad) / (below - above)
        found = height(place)
        if found <= 0:
            good, below, above, stayed = place, found, above / (2 if stayed > 0 else 1), 1
        else:
            bad, above, below, stayed = place, found, below / (2 if stayed < 0 else 1), -1
    for beside in (place * (1 - precision / 2), place * (1 + precision / 2)):
        if min(good, bad) < beside < max(good, bad):
            good, bad = (beside, bad) if height(beside) <= 0 else (good, beside)
    return good, bad


def markov_exponent(order: Array) -> Array:
    """Give the logarithm of the largest (1 - e^{-y}) e^{-ty} over y > 0, which turns moments into δ.

    Canonne, Kamath, Steinke (arXiv 2004.00010, proposition 12).
    """
    exponent: Array = -order * np.log1p(1 / order) - np.log1p(order)
    return exponent


def concentrated_order(rho: float, delta: float) -> float:
    """Give the best order t for ρ-zCDP at δ: it solves ρt² + ln(1 + t) = ln(1/δ).

    Every order is valid, and ε is flat around the best: Newton's steps need neither a certificate nor the last digits.
    """
    surprise = -math.log(delta)
    order = min(math.sqrt(surprise / rho), math.expm1(min(surprise, 700.0)))
    for _ in range(100):
        step = (rho * order * order + math.log1p(order) - surprise) / (2 * rho * order + 1 / (1 + order))
        order = order - step if step < order else order / 2
        if abs(step) <= 1e-10 * order:
            break
    return order


def concentrated_epsilon(rho: float, delta: float) -> float:
    """Give the least ε at δ that ρ-zCDP implies through the moment of one order, rounded up."""
    surprise = -math.log(positive("delta", delta, below=1))
    if rho == math.inf:
        return math.inf
    order = concentrated_order(positive("rho", rho), delta)
    cost, gain = rho * (1 + order) + (surprise - math.log1p(order)) / order, math.log1p(1 / order)
    return max(0.0, cost - gain + SLACK * (cost + gain))


@lru_cache(maxsize=4096)
def concentrated_rho(epsilon: float, delta: float) -> float:
    """Give the largest ρ whose ε at δ is at most this, rounded down."""
    surprise = -math.log(positive("delta", delta, below=1))
    root = positive("epsilon", epsilon) / (math.sqrt(surprise + epsilon) + math.sqrt(surprise))
    low = high = root * root / 2  # half of what ρ + 2 √(ρ ln(1/δ)) = ε gives: always enough
    while concentrated_epsilon(high, delta) <= epsilon:
        low, high = high, 2 * high
    return bisect(lambda rho: concentrated_epsilon(rho, delta) <= epsilon, low, high) * (1 - HEADROOM)


def concentrated_log_delta(rho: float, epsilon: Array) -> Array:
    """Bound ln δ at every real ε for ρ-zCDP; a negative ε follows from its mirror image.

    Any order t is valid, so that Newton's steps towards the best one need no certificate. They climb
    from below, because the equation ρ(1 + 2t) + ln(t / (1 + t)) = |ε| is increasing and concave in t.
    """
    distance = np.abs(epsilon)
    # Two starts below the root: ln(1 + 1/t) ≥ 1/(1 + t) makes the equation quadratic; small t makes it a logarithm.
    quadratic = (distance + rho + np.sqrt((distance + rho) ** 2 + 8 * rho)) / (4 * rho) - 1
    logarithm = np.exp(np.clip(distance - rho, -600.0, -math.log(2 * rho)) - 1)
    order = np.maximum(quadratic, logarithm)
    for _ in range(6):
        excess = rho * (1 + 2 * order) - np.log1p(1 / order) - distance
        order = order - np.minimum(excess, 0.0) / (2 * rho + 1 / order / (1 + order))
    positive_side = np.minimum(order * ((1 + order) * rho - distance) + markov_exponent(order), 0.0)
    # H(e^ε) = 1 - e^ε + e^ε H(e^-ε) with the roles of the neighbours exchanged.
    mirrored = np.maximum(np.exp(positive_side - distance) - np.expm1(-distance), SMALLEST)
    return np.where(epsilon >= 0, positive_side, np.log(mirrored))


def concentrated_delta(rho: float, epsilon: float) -> float:
    """Give the least δ at ε that ρ-zCDP implies through the moment of one order, rounded up."""
    return min(1.0, math.exp(concentrated_log_delta(rho, np.array(epsilon))) * (1 + SLACK))


def _gaussian_tail(mu: float, x: float) -> float:
    """Bound δ of N(μ, 1) against N(0, 1) at ε = μ(μ/2 + x); written with Mills' ratio, nothing cancels for long."""
    density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    if x < -1:
        return math.erfc(x / math.sqrt(2)) / 2 * (1 + SLACK) - density * mills(x + mu) * (1 - SLACK)
    here = mills(x)
    difference = here * (1 + SLACK) - mills(x + mu)
    tangent = mu * (1 - x * here + SLACK)  # Mills' ratio is convex: its chord is less steep
    return density * min(difference, tangent) * (1 + SLACK)


def gaussian_delta(mu: float, epsilon: float) -> float:
    """Give δ of μ-GDP at ε (Balle and Wang 2018, theorem 8), rounded up."""
    return min(1.0, _gaussian_tail(positive("mu", mu), epsilon / mu - mu / 2))


def gaussian_epsilon(mu: float, delta: float) -> float:
    """Give the least ε of μ-GDP at δ, rounded up."""
    positive("delta", delta, below=1)
    least = -positive("mu", mu) / 2
    if _gaussian_tail(mu, least) <= delta:
        return 0.0
    x = bisect(lambda x: _gaussian_tail(mu, x) <= delta, 40.0, least)  # at 40 the density is 0.0
    return mu * (mu / 2 + x) * (1 + SLACK)


@lru_cache(maxsize=4096)
def gaussian_mu(epsilon: float, delta: float) -> float:
    """Give the largest μ whose ε at δ is at most this, rounded down."""
    low = high = math.sqrt(2 * concentrated_rho(epsilon, delta))  # μ-GDP is μ²/2-zCDP
    while gaussian_delta(high, epsilon) <= delta:
        low, high = high, 1.5 * high
    return bisect(lambda mu: gaussian_delta(mu, epsilon) <= delta, low, high) * (1 - HEADROOM)


def sequential_composition(losses: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Compose basically: the ε's add up and the δ's add up, exactly."""
    pairs = [(exact(epsilon), exact(delta)) for epsilon, delta in losses]
    total = [rounded_up(sum(column, Fraction(0))) for column in zip(*pairs, strict=True)] or [0.0, 0.0]
    return total[0], total[1]


def advanced_composition(epsilon: float, delta: float, k: int, delta_prime: float) -> tuple[float, float]:
    """Compose k-fold by the advanced theorem as published (Dwork, Rothblum, Vadhan 2010, theorem III.3)."""
    deviation = math.sqrt(2 * k * -math.log(delta_prime)) * epsilon
    drift = k * epsilon * math.expm1(epsilon)
    return (deviation + drift) * (1 + SLACK), rounded_up(k * exact(delta) + exact(delta_prime))
