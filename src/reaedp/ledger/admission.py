"""What a scope has spent and has left, and why a plan is refused, in numbers and words for people."""

import math
from collections import Counter
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

from reaedp.privacy.accounting import Tally, epsilon
from reaedp.privacy.budget import Budget
from reaedp.privacy.conversion import rounded_up
from reaedp.privacy.loss import Loss, exact
from reaedp.privacy.spending import Spending, room


def spent_epsilon(spending: Spending, tally: Tally, budget: Budget) -> float:
    """Give the least ε at the budget's δ that is known for everything so far, whoever chose the prices and when."""
    if not spending.plans:
        return 0.0
    certified = spending.certified(budget)
    found = rounded_up(certified) if isinstance(certified, Fraction) else certified
    # The prices of one plan were fixed together.
    return min(found, tight_epsilon(tally, budget.delta)) if spending.plans == 1 else found


def tight_epsilon(tally: Tally, delta: float) -> float:
    """Give the tightest ε for prices that were fixed together, computed once for all that ask for it."""
    return _computed(frozenset(tally.items()), delta) if tally else 0.0


def together(*tallies: Tally) -> Counter[Loss]:
    """Give the losses of several tallies as one."""
    total: Counter[Loss] = Counter()
    for tally in tallies:
        total.update(tally)
    return total


def refusal(dataset: str, spending: Spending, price: Tally, budget: Budget) -> str:
    """Say what a plan would cost, what is left, and what would have been spent."""
    if spending.plans and not spending.fits(budget):
        return (
            f"Data set {dataset!r} has spent more than ε = {budget.epsilon:g} at δ = {budget.delta:g}: {OVERDRAWN} "
            "Nothing more can be released unless the budget is raised (`reaedp ledger raise`)."
        )
    cost, left = tight_epsilon(price, budget.delta), room(spending, budget)
    sentences = (
        f"This release costs ε = {shown(cost, up=True)}, but the ledger has only ε = {shown(left, up=False)} left"
    )
    # The ε of other noise is not that of pure losses: it may be less than what is left, and yet too much.
    sentences += f"{'' if cost > left else ' for Laplace noise'} at δ = {budget.delta:g}."
    if not spending.plans:
        return sentences
    total = spending.after(price, budget)
    sentences += f" With it, data set {dataset!r} would have spent ε = {shown(total.certified(budget), up=True)} of "
    sentences += f"{budget.epsilon:g}."
    most = total.filters(budget).most_failures
    if total.sums.failures > most:
        sentences += f" All releases after the first plan can spend at most δ = {shown(most, up=False)} together."
    return sentences


#: Why an old ledger may be beyond its budget.
OVERDRAWN = "an earlier version added up charges by a rule that holds only if no price depends on earlier results."


def shown(number: float | Fraction, *, up: bool) -> str:
    """Four significant digits for a message, rounded up for costs and down for what is left."""
    if not math.isfinite(number):
        return "∞"
    fraction = number if isinstance(number, Fraction) else exact(number)
    context = Context(prec=4, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    digits = context.divide(Decimal(fraction.numerator), Decimal(fraction.denominator)).normalize()
    return f"{digits:f}" if 0 <= digits.adjusted() < 7 else f"{digits:g}"


@lru_cache(maxsize=8)
def _computed(losses: frozenset[tuple[Loss, int]], delta: float) -> float:
    return epsilon(dict(losses), delta)
