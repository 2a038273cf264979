"""What planned vectors of numbers share: as little noise as the price allows, and groups that are selected."""

from reaedp.contract import Contract
from reaedp.errors import Mistakes
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.group_threshold import GroupThreshold
from reaedp.mechanisms.laplace import Laplace
from reaedp.plan.kinds.kind import PlannedNoise
from reaedp.plan.request import Request
from reaedp.statistics.statistic import Statistic


def check_noise(planned: PlannedNoise, mistakes: Mistakes, *others: str) -> None:
    """Note a mechanism that hides no vector, and is none of some others."""
    known = ("laplace", "gaussian", *others)
    rule = f"mechanism must be {', '.join(known[:-1])} or {known[-1]}"
    mistakes.unless(planned.mechanism in known, rule, given=planned.mechanism)


def hidden(planned: PlannedNoise, statistic: Statistic, contract: Contract) -> Request:
    """The statistic, hidden by the least noise within the price."""
    statistic.check(contract)
    epsilon, delta = planned.price(contract.budget)
    if planned.mechanism == "threshold":
        groups = GroupThreshold.bought(statistic, contract, epsilon=epsilon, delta=delta)
        return Request(planned.name, statistic, groups)
    if planned.mechanism == "laplace":
        return Request(planned.name, statistic, Laplace(epsilon))
    return Request(planned.name, statistic, Gaussian.within(epsilon, delta, statistic.sensitivity(contract)))
