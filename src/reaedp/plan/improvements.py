"""Changes to a plan that cost nothing and gain something, each ready to be made; found before any data is opened."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from reaedp.contract import Contract
from reaedp.errors import ReaedpError
from reaedp.frames.number import about
from reaedp.plan.advice import included_by
from reaedp.plan.forecast import Forecast
from reaedp.plan.kinds.counted import PlannedRelease
from reaedp.plan.kinds.kind import Planned
from reaedp.plan.plan import Plan
from reaedp.plan.usefulness import useless
from reaedp.statistics.entropy.routes import best_route

#: Another mechanism is worth a change if its errors are at most this part of the present ones.
WORTH = 0.9
_OTHER = {"laplace": "gaussian", "gaussian": "laplace"}


@dataclass(frozen=True, slots=True)
class Improvement:
    """What to do with the release of this `name`: keys to `change` (None takes one out), an ε, or leave it out."""

    name: str
    words: str
    change: Mapping[str, Any] | None = None
    epsilon: float | None = None

    @property
    def leaves_out(self) -> bool:
        """Whether the release is to be taken out of the plan."""
        return self.change is None and self.epsilon is None


def improvements(plan: Plan) -> Iterator[Improvement]:
    """All that are known, in the order of the releases."""
    contract, requests = plan.contract, plan.requests()
    for planned, request in zip(plan.releases, requests, strict=True):
        free = included_by(request, requests)
        if free is not None:
            yield Improvement(planned.name, f"{free} includes it at no extra cost: leave it out.")
            continue
        yield from other_noise(planned, contract)
        yield from _other_route(planned, contract)
    budget = contract.budget.epsilon
    for found in useless(plan):
        if found.least is not None and found.least <= budget:
            words = f"Mostly noise at this ε. It becomes useful at ε = {about(found.least)}."
            yield Improvement(found.name, words, epsilon=found.least)


def least_epsilon(planned: Planned, contract: Contract, error: float, most: float) -> float | None:
    """The least ε, of three digits and up to `most`, at which a figure is within an error 95 times in 100."""

    def enough(epsilon: float) -> bool:
        try:
            found = Forecast.of(planned.costing(epsilon, contract.budget).request(contract), contract)
        except ReaedpError:
            return False
        return found.expected.aim.bound <= error

    low, high = most / 10_000, most
    if not enough(high):
        return None
    while high > 1.001 * low:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if enough(middle) else (middle, high)
    rounded = rounded_up(high)
    return rounded if rounded <= most and enough(rounded) else high


def rounded_up(epsilon: float) -> float:
    """The least number of three digits that is not below this one."""
    return _rounded(epsilon, ROUND_CEILING)


def rounded_down(epsilon: float) -> float:
    """The largest number of three digits that is not above this one."""
    return _rounded(epsilon, ROUND_FLOOR)


def _rounded(epsilon: float, way: str) -> float:
    exact = Decimal(repr(epsilon))
    return float(exact.quantize(Decimal(1).scaleb(exact.adjusted() - 2), way))


def other_noise(planned: Planned, contract: Contract) -> Iterator[Improvement]:
    """Laplace for Gaussian noise, or the other way round, where the same price then buys smaller errors."""
    now = getattr(planned, "mechanism", None)
    other = _OTHER.get(str(now))
    if other is None or planned.share is None or not any(one.name == "mechanism" for one in fields(planned)):
        return
    try:
        changed: Any = replace(planned, mechanism=other)  # type: ignore[call-arg]
        before = Forecast.of(planned.request(contract), contract).expected.bound_all
        after = Forecast.of(changed.request(contract), contract).expected.bound_all
    except ReaedpError:  # kinds that have but one noise
        return
    if after <= WORTH * before:
        words = f"With {other} noise the largest error falls from ±{about(before)} to ±{about(after)}, at the same ε."
        yield Improvement(planned.name, words, {"mechanism": other})


def _other_route(planned: Planned, contract: Contract) -> Iterator[Improvement]:
    """An entropy that counts would give more precisely than noise on the entropy itself."""
    if not isinstance(planned, PlannedRelease) or planned.kind != "entropy" or planned.route != "direct":
        return
    if planned.mechanism != "laplace" or len(planned.orders) != 1:
        return
    try:
        route = best_route(contract, planned.columns, planned.price(contract.budget)[0], planned.orders[0])
    except ReaedpError:
        return
    if route.name != "direct":
        yield Improvement(planned.name, f"The route {route.name} is better. {route.why}", {"route": "best"})
