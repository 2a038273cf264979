"""What mechanism F can do for a budget: the loss of each record, the test that fits it, and how much will pass."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from reaedp.answer import Integers
from reaedp.errors import DeclarationError
from reaedp.mechanisms.acceptance import PrivacyTest, optimal
from reaedp.mechanisms.stopping import Stopping, guarantee, row_steps, smallest_size
from reaedp.privacy.accounting import epsilon as composed
from reaedp.privacy.conversion import HEADROOM, SLACK, bisect
from reaedp.privacy.loss import ApproxDP, exact
from reaedp.privacy.unit import Change, Sensitivity, Unit

#: The share of answers given up for speed.
SACRIFICED = 0.01
#: Chances to stop that are tried, quickest first: powers of one half, down to one in a million.
TAUS = tuple(2.0**-power for power in range(1, 21))


@dataclass(frozen=True, slots=True)
class RecordPlan:
    """A test and a stopping rule under which each of `records` records costs `each`."""

    records: int
    each: ApproxDP
    #: What ε allows for one row.
    epsilon: float
    gamma: float
    stopping: Stopping
    test: PrivacyTest

    def passing(self, plausible: Integers) -> float:
        """The share of trials that pass if this many seeds are plausible, on average over a public guess."""
        return float(self.test.rate(plausible).mean())

    def answered(self, plausible: Integers) -> float:
        """The share of records that will be released, in place of "nothing"."""
        return 1 - self.stopping.nothing(self.passing(plausible))


def each_record(epsilon: float, delta: float, records: int) -> ApproxDP:
    """The largest equal losses of this many records that compose to (ε, δ); half of δ is theirs, half composition's."""
    if records == 1:
        return ApproxDP(epsilon, delta)
    share = float(exact(delta) / (2 * records))

    def fits(each: float) -> bool:
        return composed({ApproxDP(each, share): records}, delta) <= epsilon

    return ApproxDP(bisect(fits, epsilon / records * (1 - HEADROOM), epsilon, 1e-6), share)


def plan_records(
    epsilon: float,
    delta: float,
    records: int,
    *,
    unit: Unit,
    gamma: float,
    plausible: Integers,
    taus: tuple[float, ...] = TAUS,
) -> RecordPlan:
    """The quickest plan for (ε, δ) in all among those that answer most, up to one in a hundred.

    `plausible` is a public or released guess of how many seeds are plausible, count by count equally likely.
    """
    each = each_record(epsilon, delta, records)
    plans = [plan for tau in taus if (plan := _fitting(each, records, unit, gamma, tau)) is not None]
    if not plans:
        raise DeclarationError(
            f"Within epsilon {epsilon:g} and delta {delta:g}, none of {records:,} records could pass the test of"
            " plausible deniability."
            " Ask for fewer records, raise epsilon, or declare a larger `at_least` in the unit."
        )
    answered = [plan.answered(plausible) for plan in plans]
    enough = (1 - SACRIFICED) * max(answered)
    return next(plan for plan, share in zip(plans, answered, strict=True) if share >= enough)


def records_bought(
    epsilon: float,
    delta: float,
    *,
    unit: Unit,
    gamma: float,
    plausible: Integers,
    share: float,
    limit: int = 100_000,
) -> int:
    """The largest number of records, up to a limit, of which at least this share will be answered."""

    def bought(records: int) -> bool:
        try:
            plan = plan_records(epsilon, delta, records, unit=unit, gamma=gamma, plausible=plausible)
        except DeclarationError:
            return False
        return plan.answered(plausible) >= share

    return _largest(bought, limit)


def _largest(holds: Callable[[int], bool], limit: int) -> int:
    good, bad = 0, 1
    while bad <= limit and holds(bad):
        good, bad = bad, 2 * bad
    bad = min(bad, limit + 1)
    while bad - good > max(1, good // 100):
        middle = (good + bad) // 2
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return good


def _fitting(each: ApproxDP, records: int, unit: Unit, gamma: float, tau: float) -> RecordPlan | None:
    """The optimal test within the loss; nothing if there is none.

    The first excess tried is what a public size allows; small data sets of unknown size may need less.
    """
    stopping, epsilon = Stopping(tau), row_epsilon(each, unit)

    def plan(excess: Fraction | float) -> RecordPlan | None:
        try:
            test = optimal(epsilon, Fraction(excess), gamma, smallest_size(unit))
            loss = guarantee(test, stopping, gamma, unit, epsilon)
        except DeclarationError:
            return None
        fits = loss.epsilon <= each.epsilon and loss.delta <= each.delta
        return RecordPlan(records, loss, epsilon, gamma, stopping, test) if fits else None

    growth = Fraction(math.exp(epsilon) * (1 + SLACK))
    delta = exact(each.delta) / sum((growth**row for row in range(unit.rows)), Fraction(0))
    most = delta / (1 - delta) / stopping.odds
    halves = (float(most) / 2**halvings for halvings in range(1, 40))
    return plan(most) or next((plan(_largest_fitting(plan, half)) for half in halves if plan(half)), None)


def _largest_fitting(plan: Callable[[float], RecordPlan | None], good: float) -> float:
    """Between a value that fits and its double, which does not."""
    return bisect(lambda excess: plan(excess) is not None, good, 2 * good, 1e-3)


def row_epsilon(each: ApproxDP, unit: Unit) -> float:
    """The largest double that adds up to at most ε over the rows of a unit, in exact decimals."""
    share = exact(each.epsilon) / row_steps(unit)
    value = float(share)
    return value if exact(value) <= share else math.nextafter(value, 0)


def fitting_plan(each: ApproxDP, records: int, unit: Unit, gamma: float, tau: float) -> RecordPlan:
    """The plan of this τ whose records cost at most so much; the same numbers always give the same plan."""
    plan = _fitting(each, records, unit, gamma, tau)
    if plan is None:
        raise DeclarationError(
            f"No test of plausible deniability lets any record pass at a cost of {each} per record. Raise it."
        )
    return plan


def unit_of(sensitivity: Sensitivity, at_least: int | None) -> Unit:
    """A unit of which counts have this sensitivity; which column names people does not matter to its price."""
    rows = sensitivity.linf
    change: Change = "add-remove" if sensitivity.l1 == rows else "replace"
    return Unit(change, at_least=at_least) if rows == 1 else Unit(change, "person", rows, at_least)
