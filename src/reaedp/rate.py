"""A figure from an experiment, with how sure it is: no bare numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reaedp.errors import DeclarationError, sentence
from reaedp.privacy.binomial import chance_of


@dataclass(frozen=True, slots=True)
class Rate:
    """An estimate and a range that contains the true value with at least this confidence."""

    value: float
    low: float
    high: float
    confidence: float

    def __post_init__(self) -> None:
        if not self.low <= self.value <= self.high or not 0 < self.confidence < 1:
            raise DeclarationError(
                sentence(
                    "A rate needs low ≤ value ≤ high and a confidence between 0 and 1",
                    given=(self.low, self.value, self.high, self.confidence),
                )
            )

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


def share(successes: int, trials: int, confidence: float = 0.95) -> Rate:
    """A share of independent trials with its exact two-sided range (Clopper and Pearson 1934)."""
    _check(successes, trials)
    side = (1 + confidence) / 2
    low, high = at_least(successes, trials, side), at_most(successes, trials, side)
    return Rate(successes / trials, low, high, confidence)


def at_least(successes: int, trials: int, confidence: float) -> float:
    """The probability that the true share exceeds with this confidence; one-sided and exact."""
    _check(successes, trials)
    return 0.0 if successes == 0 else chance_of(successes, trials, 1 - confidence)


def at_most(successes: int, trials: int, confidence: float) -> float:
    """The probability that the true share does not reach with this confidence; one-sided and exact."""
    return 1.0 - at_least(trials - successes, trials, confidence)


def mean(values: Sequence[float], confidence: float = 0.95) -> Rate:
    """The mean of two or more independent runs with Student's range."""
    from scipy.special import stdtrit

    count = len(values)
    if count < 2:
        raise DeclarationError(sentence("A confidence interval needs two or more runs", given=count))
    centre = math.fsum(values) / count
    spread = math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (count - 1) / count)
    reach = spread * float(stdtrit(count - 1, (1 + confidence) / 2))
    return Rate(centre, centre - reach, centre + reach, confidence)


def _check(successes: int, trials: int) -> None:
    if not 0 <= successes <= trials or trials < 1:
        raise DeclarationError(
            sentence("The number of successes must be between 0 and the number of trials", given=(successes, trials))
        )
