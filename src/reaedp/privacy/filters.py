"""Privacy filters: sums of what was charged that keep a budget although each price is chosen after looking.

A history is within the budget if it satisfies at least one of several filters, each of which alone guarantees its
share of δ. The shares are fixed with the first plan, before anything was answered. PROOFS.md has the proofs.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from reaedp.privacy.conversion import (
    SLACK,
    bisect,
    concentrated_epsilon,
    concentrated_rho,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_mu,
    rounded_down,
    rounded_up,
)
from reaedp.privacy.covering import least_cover, pure_cover, unit_cover
from reaedp.privacy.loss import SMALLEST, ApproxDP, GaussianDP, PureDP, UnitGaussian, exact
from reaedp.privacy.merging import Tally, failure, pure_parts, total_rho

#: Squares of μ, and ρ, are whole numbers of this, rounded up: sums of them are exact.
GRAIN = 2**128
#: Shares of δ: for failures, for concentrated losses, and for each of some mixtures of a sum and a Gaussian.
FAILURES, CONCENTRATED, MIXTURE = Fraction(50, 1000), Fraction(15, 1000), Fraction(5, 1000)
#: How much of ε those mixtures leave to sums of pure losses.
MIXTURES = tuple(Fraction(part, 8) for part in range(1, 8))
#: If the first plan has pure losses, this share is for a mixture with just their sum.
FIRST = Fraction(35, 100)
#: And failures, of thresholds that are often bought after pure losses, have this share.
FAILURES_AFTER_PURE = Fraction(15, 100)
#: The part of the largest μ² that is never spent, so that small pure losses cost little more than they must;
#: a larger part if the first plan has some.
RESERVE, RESERVE_FOR_PURE = 1 / 400, 1 / 25
#: Far more than rounding adds to the least that pure losses can add to μ².
LEAST_SLACK = 1e-6
#: Larger budgets have only the sum of pure losses; larger exponents overflow.
LARGEST, EXPONENT = 1e6, 700.0


@dataclass(frozen=True, slots=True)
class LossSums:
    """What charges add up to: ε of pure losses, δ, squares of μ without and with the pure ones, and ρ.

    None stands for more than any budget.
    """

    pure: Fraction = Fraction(0)
    failures: Fraction = Fraction(0)
    smooth: int | None = 0
    covered: int | None = 0
    rho: int | None = 0

    def __post_init__(self) -> None:
        for number in (self.pure, self.failures, self.smooth, self.covered, self.rho):
            if number is not None and number < 0:
                raise ValueError("these sums do not belong to any list of privacy losses")

    def plus(self, other: "LossSums", times: int = 1) -> "LossSums":
        """Give the sums after this many more charges of one kind."""
        return LossSums(
            self.pure + other.pure * times,
            self.failures + other.failures * times,
            _add(self.smooth, other.smooth, times),
            _add(self.covered, other.covered, times),
            _add(self.rho, other.rho, times),
        )


#: What nothing adds up to.
ZERO = LossSums()


def sums_of(tally: Tally, reserve: float) -> LossSums:
    """Give what losses that are bought together add to the sums, above a reserve of μ²."""
    return _sums(tally, lambda pure: pure_cover(pure, reserve))


def least_sums_of(tally: Tally) -> LossSums:
    """Give the same sums without the search for what pure losses add to μ², which is here less than it can be."""
    return _sums(tally, lambda pure: least_cover(pure) * (1 - LEAST_SLACK))


def _sums(tally: Tally, cover: Callable[[Mapping[float, int]], float]) -> LossSums:
    pure = pure_parts(tally)
    others = [_square(loss, copies) for loss, copies in tally.items() if not isinstance(loss, PureDP | ApproxDP)]
    smooth = math.fsum(others)
    return LossSums(
        pure=sum((exact(epsilon) * copies for epsilon, copies in pure.items()), Fraction(0)),
        failures=failure(tally)[0],
        smooth=_grains(smooth) if others else 0,
        covered=_grains((smooth + cover(pure)) * (1 + SLACK)),
        rho=_grains(total_rho(tally)),
    )


@dataclass(frozen=True, slots=True)
class Filters:
    """What each sum may reach; `mixtures` are pairs of a sum of pure losses and a sum of squares of μ."""

    epsilon: Fraction
    delta: Fraction
    first: Fraction
    mixtures: tuple[tuple[Fraction, int], ...]
    covered: int
    rho: int
    reserve: float

    @property
    def most_failures(self) -> Fraction:
        """The sum of all δ after the first plan."""
        return self.delta * _failures(self.first)

    def admit(self, sums: LossSums) -> bool:
        """Say whether sums satisfy at least one filter."""
        if sums.failures > self.most_failures:
            return False
        return (
            any(sums.pure <= pure and _within(sums.smooth, smooth) for pure, smooth in self.mixtures)
            or _within(sums.covered, self.covered)
            or _within(sums.rho, self.rho)
        )

    def certified(self, sums: LossSums) -> Fraction | float:
        """Give the least ε for which some filter would admit these sums at the same δ; infinite if none would."""
        if sums.failures > self.most_failures:
            return math.inf
        if sums.pure == 0 and not (sums.smooth or sums.covered or sums.rho):
            return Fraction(0)
        found = list(self._epsilons(sums))
        least = min(found, key=float, default=math.inf)
        # What is admitted is within the budget, although numerical bounds may differ in the last digits.
        return min(least, self.epsilon) if self.admit(sums) else least

    def _epsilons(self, sums: LossSums) -> Iterator[Fraction | float]:
        share = _shares(self.first, self.delta)
        if sums.smooth == 0:
            yield sums.pure
        if sums.covered is not None and share.gaussian:
            yield gaussian_epsilon(math.sqrt(sums.covered / GRAIN + self.reserve) * (1 + SLACK), share.gaussian)
        if sums.rho is not None and share.concentrated:
            yield concentrated_epsilon(max(sums.rho / GRAIN * (1 + SLACK), SMALLEST), share.concentrated)
        if sums.smooth and share.first and sums.pure <= self.first:
            yield _mixed_epsilon(self.first, sums.smooth, share.first)
        if sums.smooth and share.mixture:
            smooth = exact(gaussian_epsilon(math.sqrt(sums.smooth / GRAIN) * (1 + SLACK), share.mixture))
            yield min(max(sums.pure / part, smooth / (1 - part)) for part in MIXTURES)


@lru_cache(maxsize=64)
def filters(epsilon: Fraction, delta: Fraction, first: Fraction) -> Filters:
    """Give the filters of a budget, where the first plan has pure losses of this sum."""
    share = _shares(first, delta)
    room = rounded_down(epsilon)
    room = room if SMALLEST <= room <= LARGEST else 0.0
    gaussian = gaussian_mu(room, share.gaussian) ** 2 if room and share.gaussian else 0.0
    reserve = gaussian * (RESERVE_FOR_PURE if first else RESERVE)
    mixtures = [(epsilon, 0)]
    if room and share.mixture:
        mixtures += [(part * epsilon, _gaussian_square((1 - part) * epsilon, share.mixture)) for part in MIXTURES]
    if room and share.first and first < epsilon:
        mixtures += [(first, _mixed_square(room, first, share.first))]
    return Filters(
        epsilon=epsilon,
        delta=delta,
        first=first,
        mixtures=tuple(mixtures),
        covered=_floor(gaussian - reserve),
        rho=_floor(concentrated_rho(room, share.concentrated)) if room and share.concentrated else 0,
        reserve=reserve,
    )


@dataclass(frozen=True, slots=True)
class _Shares:
    """What each filter has of δ, rounded down; 0 for less than any mechanism can honour."""

    mixture: float
    first: float
    concentrated: float
    gaussian: float


def _shares(first: Fraction, delta: Fraction) -> _Shares:
    own = FIRST if first else Fraction(0)
    gaussian = 1 - _failures(first) - CONCENTRATED - MIXTURE * len(MIXTURES) - own
    shares = (rounded_down(share * delta) for share in (MIXTURE, own, CONCENTRATED, gaussian))
    return _Shares(*(share if share >= SMALLEST else 0.0 for share in shares))


def _failures(first: Fraction) -> Fraction:
    return FAILURES_AFTER_PURE if first else FAILURES


def _mixed_delta(pure: float, mu: float, epsilon: float) -> float:
    """Give δ at ε of a pure loss of at most ε beside a Gaussian one, rounded up."""
    lie = 1 / (1 + math.exp(pure)) if pure < EXPONENT else 0.0
    sides = (1 - lie) * gaussian_delta(mu, max(0.0, epsilon - pure)) + lie * gaussian_delta(mu, epsilon + pure)
    return sides * (1 + SLACK)


def _mixed_square(epsilon: float, pure: Fraction, delta: float) -> int:
    """Give the largest μ² that is (ε, δ)-private beside pure losses of this sum, in grains, rounded down."""
    sum_up = rounded_up(pure)
    most = bisect(lambda mu: _mixed_delta(sum_up, mu, epsilon) <= delta, SMALLEST, 2 * gaussian_mu(epsilon, delta))
    return _floor(most * most) if most > SMALLEST else 0


def _mixed_epsilon(pure: Fraction, smooth: int, delta: float) -> float:
    """Give the least ε, from the sum of some pure losses on, of squares of μ beside them."""
    mu, low = math.sqrt(smooth / GRAIN) * (1 + SLACK), rounded_up(pure)
    high = next((high for power in range(60) if _mixed_delta(low, mu, high := 2.0**power * (low + mu)) <= delta), 0.0)
    return (
        bisect(lambda epsilon: _mixed_delta(low, mu, epsilon) <= delta, high, low) * (1 + SLACK) if high else math.inf
    )


def _gaussian_square(epsilon: Fraction, delta: float) -> int:
    """Give the largest μ² that is (ε, δ)-private by itself, in grains, rounded down."""
    room = rounded_down(epsilon)
    return _floor(gaussian_mu(room, delta) ** 2) if room >= SMALLEST else 0


def _square(loss: object, copies: int) -> float:
    """Give the square of the least μ of this many losses of a kind other than pure."""
    if isinstance(loss, GaussianDP):
        return loss.mu * loss.mu * copies * (1 + SLACK)
    return unit_cover(loss, copies) if isinstance(loss, UnitGaussian) else math.inf


def _grains(number: float) -> int | None:
    """Round the number of some loss up to whole grains: one at least, although doubles may have lost it."""
    return max(1, math.ceil(Fraction(number) * GRAIN)) if number < math.inf else None


def _floor(number: float) -> int:
    return math.floor(Fraction(number * (1 - SLACK)) * GRAIN)


def _add(first: int | None, second: int | None, times: int) -> int | None:
    return None if first is None or (second is None and times) else first + (second or 0) * times


def _within(number: int | None, limit: int) -> bool:
    return number is not None and number <= limit
