"""How releases share the budget: a bar, what they cost together, and whether the ledger would admit it."""

from collections.abc import Sequence
from typing import NamedTuple

from reaedp.ledger.admission import shown
from reaedp.plan.affordable import largest_factor
from reaedp.plan.plan import Plan
from reaedp.privacy.accounting import epsilon, tally
from reaedp.studio.bar import Segment, pictured_standing
from reaedp.studio.outcomes import requested


class Shares(NamedTuple):
    """The bar, which begins with what is spent, its whole length in ε, and the same in words.

    A plan that does not fit does so with every ε multiplied by `factor`, if there is such a number.
    """

    parts: tuple[Segment, ...]
    scale: float
    fits: bool
    words: str
    factor: float | None


def shares_of(plan: Plan, prices: Sequence[float]) -> Shares:
    """What the releases of a plan cost at these prices, together and beside what is spent."""
    contract = plan.contract
    changed = [one.costing(price, contract.budget) for one, price in zip(plan.releases, prices, strict=True)]
    charged = tally([requested(one, contract).calibrated(contract).price for one in changed])
    total = epsilon(charged, contract.budget.delta)
    spent, left, rest = pictured_standing(contract)
    fits = rest.admits(charged)
    whole = max(contract.budget.epsilon, spent + sum(prices))
    parts = [Segment("spent before", 0.0, 100 * spent / whole)]
    for one, price in zip(plan.releases, prices, strict=True):
        parts.append(Segment(one.name, parts[-1].start + parts[-1].length, 100 * price / whole))
    factor = None if fits else largest_factor(Plan(contract, tuple(changed)), rest)
    return Shares(tuple(parts), whole, fits, _words(total, left, fits, factor), factor)


def _words(total: float, left: float, fits: bool, factor: float | None) -> str:
    """The price of the plan, and what would make it fit into the rest, where it does not."""
    cost = f"Together they cost ε {shown(total, up=True)} of ε {shown(left, up=False)} that is left."
    if fits:
        return cost
    remedy = "Take some out." if factor is None else f"With every ε multiplied by {factor:g} it would."
    return f"{cost} That does not fit. {remedy}"
