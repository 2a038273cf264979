"""The privacy test as published: a threshold after two-sided geometric noise."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.errors import DeclarationError, sentence
from reaedp.mechanisms.acceptance import UNITS, PrivacyTest, refuse_long_tables
from reaedp.privacy.loss import positive

#: Closer to certainty than this a double is one.
_CERTAIN = 54 * math.log(2)


@dataclass(frozen=True, slots=True)
class PublishedTest:
    """At least k plausible seeds after noise of the law q^|x| (1 - q)/(1 + q), q = e^-ε0.

    t, from 1 to k, is in no test: the published ε and δ depend on it.
    """

    k: int
    t: int
    epsilon0: float

    def __post_init__(self) -> None:
        if type(self.k) is not int or type(self.t) is not int or not 1 <= self.t <= self.k:
            raise DeclarationError(sentence("t and k must be whole numbers with 1 ≤ t ≤ k", given=(self.t, self.k)))
        positive("epsilon0", self.epsilon0)

    def epsilon(self, gamma: float) -> float:
        """ε of one trial."""
        return self.epsilon0 + math.log1p(gamma / self.t)

    def delta(self) -> float:
        """δ as published, for a loop until a candidate passes; false (see tests/broken.py)."""
        return math.exp(-self.epsilon0 * (self.k - self.t))

    def rate(self, counts: Integers) -> NDArray[np.float64]:
        """Pr[count + noise ≥ k]; without seeds nothing passes."""
        missing = self.k - counts
        tails = np.exp(-self.epsilon0 * np.where(missing > 0, missing, 1 - missing)) / (1 + math.exp(-self.epsilon0))
        return np.where(counts == 0, 0.0, np.where(missing > 0, tails, 1 - tails))

    def table(self) -> PrivacyTest:
        """The probabilities to pass for every count, rounded to the lattice."""
        counts = self.k + math.ceil(_CERTAIN / self.epsilon0)
        refuse_long_tables(counts)
        passing = np.maximum.accumulate(self.rate(np.arange(counts)))
        chances = (int(math.ldexp(value, 64)) for value in passing.tolist())
        return PrivacyTest(tuple(chance for chance in chances if chance < UNITS))


def best_published(epsilon: float, eta: float, gamma: float) -> PublishedTest:
    """The least k, and its t and ε0, with ε = ε0 + ln(1 + γ/t) and η = q^(k-t)/(1+q) · max_i (i/t) q^(i-1).

    η is the excess of one trial times the number of seeds.
    """
    least = math.floor(gamma / math.expm1(epsilon)) + 1
    best = PublishedTest(2**40, 1, epsilon)
    t = least
    while t <= best.k:  # k is at least t
        epsilon0 = epsilon - math.log1p(gamma / t)
        if epsilon0 > 0:
            q = math.exp(-epsilon0)
            i = min(t, max(1, round(1 / epsilon0)))  # the largest i q^(i-1) is at a neighbour of 1/ε0
            near = [j for j in (i - 1, i, i + 1) if 1 <= j <= t]
            peak = max(math.log(j / t) - epsilon0 * (j - 1) for j in near)
            k = t + max(0, math.ceil((peak - math.log(eta) - math.log1p(q)) / epsilon0))
            best = PublishedTest(k, t, epsilon0) if k < best.k else best
        t += 1
    return best
