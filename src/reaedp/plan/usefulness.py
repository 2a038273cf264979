"""What a plan buys for nothing: releases that are useless at their price, and shares that are not used up."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from reaedp.contract import Contract
from reaedp.errors import ReaedpError
from reaedp.frames.number import about, written
from reaedp.plan.kinds.kind import Planned
from reaedp.plan.plan import Plan
from reaedp.plan.request import Request
from reaedp.privacy.accounting import epsilon, tally
from reaedp.privacy.loss import Loss
from reaedp.statistics.resolution import Resolution

#: Multiples of a price among which the least useful one is looked for, and to how many parts of it.
MOST_FACTOR, PARTS = 2.0**16, 1.01
#: A share that is used up to this part is used up: prices are rounded down.
USED_UP = 0.995
#: What is no δ to speak of, where a price has none.
LEAST_DELTA = 1e-300


@dataclass(frozen=True, slots=True)
class Useless:
    """A release of which noise alone could make all that is found; `least` is the ε from which on it could not.

    There is no such ε if the price is fixed, or none is enough.
    """

    name: str
    resolution: Resolution
    least: float | None
    contract: Contract

    def __str__(self) -> str:
        error, most, unit = self.resolution
        if unit == "bits":
            why = f"useless at this price: off by up to ±{about(error)} bits where at most {about(most)} are possible."
        else:
            rows = written(self.contract.unit.at_least)
            why = (
                f"most cells will be noise at this price: an average cell has {about(most)} rows if there are {rows},"
                f" and is off by up to ±{about(error)}."
            )
        return f"{self.name}: WARNING: {why} {self._remedy()}"

    def _remedy(self) -> str:
        if self.least is None:
            return "No affordable ε would change this: declare fewer cells, or release something else."
        budget = self.contract.budget.epsilon
        more = f", which is more than the whole budget of {about(budget)}" if self.least > budget else ""
        return f"It becomes useful at ε = {written(self.least)}{more}."


def useless(plan: Plan) -> Iterator[Useless]:
    """Every release that is useless at its price."""
    contract = plan.contract
    for planned in plan.releases:
        found = resolution_of(planned.request(contract), contract)
        if found is not None and found.useless:
            yield Useless(planned.called, found, _least(planned, contract), contract)


def resolution_of(request: Request, contract: Contract) -> Resolution | None:
    """What the price buys, beside what there can be to see; nothing where the statistic cannot say."""
    resolve = getattr(request.statistic, "resolution", None)
    if resolve is None:
        return None
    found: Resolution | None = resolve(contract, request.calibrated(contract))
    return found


def _least(planned: Planned, contract: Contract) -> float | None:
    """The least ε of two digits at which a release is not useless, found by trying prices."""
    price, _ = planned.price(contract.budget)
    low, high = 1.0, 2.0
    while not _useful(planned, contract, high):
        low, high = high, 2 * high
        if high > MOST_FACTOR:
            return None
    while high > PARTS * low:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if _useful(planned, contract, middle) else (middle, high)
    return rounded_up(price * high)


def _useful(planned: Planned, contract: Contract, factor: float) -> bool:
    """Whether a multiple of the price buys something; what cannot be asked for at that price does not."""
    try:
        found = resolution_of(planned.times(factor, contract.budget).request(contract), contract)
    except ReaedpError:
        return False
    return found is not None and not found.useless


def rounded_up(value: float) -> float:
    """Two digits, never less than the value."""
    rounded = float(f"{value:.1e}")
    if rounded >= value:
        return rounded
    digit = 10.0 ** int(f"{value:e}".partition("e")[2]) / 10
    return float(f"{rounded + digit:.1e}")


def unused(plan: Plan) -> Iterator[str]:
    """Why a release costs less than it was given, for each that does."""
    contract = plan.contract
    for planned in plan.releases:
        given, delta = planned.price(contract.budget)
        price = tally([planned.request(contract).calibrated(contract).price])
        cost = epsilon(price, contract.budget.delta)
        if not given or cost >= USED_UP * given:
            continue
        bought = _bought_at(price, given, delta)
        why = (
            "the request needs no more"
            if bought is None
            else f"its noise was calibrated at {bought}. Costs are stated at the budget's"
            f" δ = {about(contract.budget.delta, 2)}, at which the same noise costs less"
        )
        yield (
            f"{planned.called}: costs ε = {about(cost)} instead of the ε = {about(given)} it was given, because"
            f" {why}. The rest stays in the ledger."
        )


def _bought_at(price: Counter[Loss], given: float, delta: float) -> str | None:
    """The δ at which a price is all that was given; nothing if there is none."""
    if delta and epsilon(price, delta) >= USED_UP * given:
        return f"its own δ = {about(delta, 2)}"
    pure = epsilon(price, LEAST_DELTA)
    return "δ = 0" if USED_UP * given <= pure <= given / USED_UP else None
