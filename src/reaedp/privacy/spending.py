"""What one scope of a data set has spent, and whether one more plan fits, however its prices were chosen.

The first plan is known before anything was answered, so the split of δ may depend on it. Its failures are set aside
first. If no filter admits it although it fits by itself, it is composed exactly and the rest of the budget, which
may be nothing, is for what follows.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from reaedp.privacy.accounting import epsilon, fits
from reaedp.privacy.budget import Budget
from reaedp.privacy.conversion import bisect
from reaedp.privacy.covering import pure_cover, pure_mu
from reaedp.privacy.filters import GRAIN, ZERO, Filters, LossSums, filters, least_sums_of, sums_of
from reaedp.privacy.loss import PureDP, exact
from reaedp.privacy.merging import Tally


@dataclass(frozen=True, slots=True)
class Spending:
    """The (ε, δ) set aside for the first plan, the sum of its pure losses, and what plans add up to beside that."""

    plans: int = 0
    base: Fraction = Fraction(0)
    aside: Fraction = Fraction(0)
    first: Fraction = Fraction(0)
    sums: LossSums = ZERO

    def __post_init__(self) -> None:
        numbers = (Fraction(self.plans), self.base, self.aside, self.first)
        if type(self.plans) is not int or min(numbers) < 0:
            raise ValueError("these numbers do not describe any spending")

    def filters(self, budget: Budget) -> Filters:
        """Give the filters of what a budget leaves beside the first plan."""
        left = max(Fraction(0), exact(budget.epsilon) - self.base), max(Fraction(0), exact(budget.delta) - self.aside)
        return filters(*left, self.first)

    def fits(self, budget: Budget) -> bool:
        """Say whether a budget is kept although each plan may have been chosen after seeing all earlier answers."""
        covered = self.base <= exact(budget.epsilon) and self.aside <= exact(budget.delta)
        return covered and self.filters(budget).admit(self.sums)

    def after(self, price: Tally, budget: Budget, times: int = 1) -> "Spending":
        """Add plans of one price to the sums, whether they fit or not."""
        if not times:
            return self
        if not self.plans:
            rest = sums_of(price, 0.0)
            opened = replace(self, plans=1, aside=rest.failures, first=rest.pure)
            alone = sums_of(price, opened.filters(budget).reserve)
            return replace(opened, sums=replace(alone, failures=Fraction(0))).after(price, budget, times - 1)
        added = sums_of(price, self.filters(budget).reserve)
        return replace(self, plans=self.plans + times, sums=self.sums.plus(added, times))

    def certified(self, budget: Budget) -> float | Fraction:
        """Give the least ε for which the filters would admit all plans at the budget's δ."""
        return self.base + self.filters(budget).certified(self.sums) if self.aside <= exact(budget.delta) else math.inf


#: What a data set has spent before its first plan.
NOTHING = Spending()


def admit(spending: Spending, price: Tally, budget: Budget) -> Spending | None:
    """Give what is spent after one more plan, or None if it does not fit."""
    after = spending.after(price, budget)
    if after.fits(budget):
        return after
    return _exactly(price, budget) if not spending.plans else None


def admits(spending: Spending, price: Tally, budget: Budget) -> bool:
    """Say whether `admit` admits one more plan; what pure losses add to μ² is searched for only if that decides."""
    if spending.plans:
        least = replace(spending, sums=spending.sums.plus(least_sums_of(price)))
        if not least.fits(budget):
            return False
        if replace(least, sums=replace(least.sums, covered=None)).fits(budget):
            return True
    return admit(spending, price, budget) is not None


def room(spending: Spending, budget: Budget) -> Fraction:
    """Give an ε that one more pure loss may have; none much larger fits."""
    fitting = (epsilon for epsilon in _rooms(spending, budget) if epsilon > 0 and _admits(spending, epsilon, budget))
    return max((exact(epsilon) for epsilon in fitting), default=Fraction(0))


def copies(spending: Spending, price: Tally, budget: Budget, limit: int) -> int:
    """Give how many more plans of this price fit, one by one, up to a limit."""
    start = admit(spending, price, budget)
    if start is None or limit < 1:
        return 0
    good, bad = 1, 2
    while bad <= limit and start.after(price, budget, bad - 1).fits(budget):
        good, bad = bad, 2 * bad
    bad = min(bad, limit + 1)
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if start.after(price, budget, middle - 1).fits(budget) else (good, middle)
    return good


def decimal_floor(number: Fraction) -> float:
    """Give the largest double whose shortest decimal does not exceed a number."""
    nearest = float(number)
    while exact(nearest) > number:
        nearest = math.nextafter(nearest, 0)
    return nearest


def _exactly(price: Tally, budget: Budget) -> Spending | None:
    if not fits(price, budget):
        return None
    base = min(exact(epsilon(price, budget.delta)), exact(budget.epsilon))
    return Spending(plans=1, base=base, aside=exact(budget.delta))


def _admits(spending: Spending, epsilon: float, budget: Budget) -> bool:
    return admit(spending, {PureDP(epsilon): 1}, budget) is not None


def _rooms(spending: Spending, budget: Budget) -> Iterator[float]:
    """Give candidates for the largest pure loss that fits, one for each filter."""
    if not spending.plans:
        yield budget.epsilon
        return
    limits, sums = spending.filters(budget), spending.sums
    for pure, smooth in limits.mixtures:
        if sums.smooth is not None and sums.smooth <= smooth and sums.pure < pure:
            yield decimal_floor(pure - sums.pure)
    if sums.covered is not None and sums.covered < limits.covered:
        yield from _coverable((limits.covered - sums.covered) / GRAIN, limits.reserve)
    if sums.rho is not None and sums.rho < limits.rho:
        left = (limits.rho - sums.rho) / GRAIN
        yield bisect(lambda epsilon: epsilon * math.tanh(epsilon / 2) <= left, 0.0, left + 2 * math.sqrt(left)) * NEARLY


#: What the candidates leave free for rounding.
NEARLY = 1 - 1e-9


def _coverable(square: float, reserve: float) -> Iterator[float]:
    """Give pure losses that add at most so much to μ²: a sure one, and better ones."""
    sure = bisect(lambda epsilon: pure_mu(epsilon) ** 2 <= square, 0.0, 2 * math.sqrt(square) + square) * NEARLY
    yield sure
    better = sure
    for _ in range(3):
        if better <= 0:
            return
        better = better * math.sqrt(square / pure_cover({better: 1}, reserve)) * NEARLY
        yield better
