"""Whether a charge fits into what is left, and what is left, from the whole tally of a scope."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

from reaedp.privacy.accounting import Tally, epsilon, simple_epsilon
from reaedp.privacy.budget import Budget
from reaedp.privacy.conversion import rounded_up
from reaedp.privacy.loss import SMALLEST, Loss, Pure, exact


@dataclass(frozen=True, slots=True)
class Proof:
    """A price fits: all but `pure` of it, and all that came before, is together (ε, δ)-differentially private.

    `pure` is the sum of the whole price, or zero.
    """

    epsilon: float
    delta: float
    pure: Fraction = Fraction(0)


def prove(tally: Tally, price: Tally, budget: Budget) -> Proof | None:
    """Give the first proof, from cheap to dear, that a price fits on top of a tally; None when there is none."""
    return next(_proofs(tally, price, budget), None)


def tight_epsilon(tally: Tally, delta: float) -> float:
    """Give the tightest ε for a tally, computed once for the proof, the refusal and the display that ask for it."""
    return _computed(frozenset(tally.items()), delta) if tally else 0.0


def left(tally: Tally, budget: Budget) -> Fraction:
    """One more pure loss of this ε fits, by basic composition with all that was spent at the budget's δ."""
    tight = tight_epsilon(tally, budget.delta)
    spent = [exact(tight)] if math.isfinite(tight) else [exact(budget.epsilon)]
    # The sum of pure losses is exact where `tight` was rounded up.
    spent += [pure_sum(tally)] if _all_pure(tally) else []
    return max(Fraction(0), exact(budget.epsilon) - min(spent))


def together(*tallies: Tally) -> Counter[Loss]:
    """Give the losses of several tallies as one."""
    total: Counter[Loss] = Counter()
    for tally in tallies:
        total.update(tally)
    return total


def pure_sum(tally: Tally) -> Fraction:
    """Give the exact sum of the pure losses in a tally."""
    return sum((exact(loss.epsilon) * count for loss, count in tally.items() if isinstance(loss, Pure)), Fraction(0))


def decimal_floor(number: Fraction) -> float:
    """Give the largest double whose shortest decimal does not exceed a number."""
    nearest = float(number)
    while exact(nearest) > number:
        nearest = math.nextafter(nearest, 0)
    return nearest


def shown(number: float | Fraction, *, up: bool) -> str:
    """Four significant digits for a message, rounded up for costs and down for what is left."""
    if not math.isfinite(number):
        return "∞"
    fraction = number if isinstance(number, Fraction) else exact(number)
    context = Context(prec=4, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return f"{context.divide(Decimal(fraction.numerator), Decimal(fraction.denominator)).normalize():g}"


def _proofs(tally: Tally, price: Tally, budget: Budget) -> Iterator[Proof]:
    total, limit = together(tally, price), exact(budget.epsilon)
    kept = _kept(price, budget.delta)
    for bound, delta in ((simple_epsilon, kept), (tight_epsilon, kept), (tight_epsilon, budget.delta)):
        spent = bound(total, delta)
        certified = rounded_up(spent) if isinstance(spent, Fraction) else spent
        if math.isfinite(certified) and exact(certified) <= limit:
            yield Proof(certified, delta)
    # A numerical bound on the total may exceed a bound on the tally plus the price; both are true.
    if _all_pure(price) and (pure := pure_sum(price)) <= left(tally, budget):
        yield Proof(decimal_floor(limit - pure), budget.delta, pure)


@lru_cache(maxsize=8)
def _computed(losses: frozenset[tuple[Loss, int]], delta: float) -> float:
    return epsilon(dict(losses), delta)


def _kept(price: Tally, delta: float) -> float:
    # Later charges of the same kind need some δ of their own; pure ones do not.
    return delta if _all_pure(price) else max(SMALLEST, delta * 127 / 128)


def _all_pure(tally: Tally) -> bool:
    return all(isinstance(loss, Pure) for loss in tally)
