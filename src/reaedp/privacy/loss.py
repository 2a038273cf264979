"""What a release costs: frozen descriptions that know nothing of how they are composed.

A price is a tuple of elementary losses; the release behaves, against an attacker, no worse than one
independent mechanism of each kind. `accounting` turns prices into ε at δ.
"""

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from reaedp.errors import DeclarationError, sentence

#: Below this a double loses precision (subnormal) or vanishes from sums; no mechanism can honour it.
SMALLEST = 1e-300
#: A whole number above this is no double at all.
LARGEST = sys.float_info.max


def exact(number: float) -> Fraction:
    """The decimal number that a person wrote: 0.1 is one tenth, not the double nearest to it."""
    return _read(float(number))


@lru_cache(maxsize=4096)
def _read(number: float) -> Fraction:
    return Fraction(repr(number))


def positive(name: str, value: object, *, below: float = math.inf) -> float:
    """Accept a positive, finite, normal number below a limit, or say what must hold."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not SMALLEST <= value <= LARGEST
        or value >= below
    ):
        limit = "" if below == math.inf else f" and below {below:g}"
        raise DeclarationError(sentence(f"{name} must be a finite number of at least {SMALLEST:g}{limit}", given=value))
    return float(value)


class Positive:
    """All its numbers are positive, and δ is below one."""

    __slots__: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.__slots__:
            positive(name, getattr(self, name), below=1 if name == "delta" else math.inf)


@dataclass(frozen=True, slots=True)
class PureDP(Positive):
    """ε-differential privacy; dominated by randomised response that tells the truth with odds e^ε."""

    epsilon: float


@dataclass(frozen=True, slots=True)
class ApproxDP(Positive):
    """(ε, δ)-differential privacy.

    Dominated by randomised response that tells the truth with odds e^ε, and with probability δ tells it for certain.
    """

    epsilon: float
    delta: float


@dataclass(frozen=True, slots=True)
class ZCDP(Positive):
    """ρ-zero-concentrated differential privacy (Bun and Steinke 2016)."""

    rho: float


@dataclass(frozen=True, slots=True)
class GaussianDP(Positive):
    """μ-Gaussian differential privacy: as hard to tell apart as N(0, 1) and N(μ, 1) (Dong, Roth, Su 2022)."""

    mu: float


@dataclass(frozen=True, slots=True)
class UnitGaussian(Positive):
    """One integer moved by at most one, hidden by discrete Gaussian noise of this variance parameter.

    Tighter than the concentrated loss 1/(2 variance) that it implies (Canonne, Kamath, Steinke 2020).
    """

    variance: float


Loss = PureDP | ApproxDP | ZCDP | GaussianDP | UnitGaussian
Price = tuple[Loss, ...]
