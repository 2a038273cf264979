"""What planned vectors of numbers share: Laplace or Gaussian noise, as little of it as the price allows."""

from reaedp.contract import Contract
from reaedp.errors import Mistakes
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.plan.kinds.kind import PlannedNoise
from reaedp.plan.request import Request
from reaedp.statistics.statistic import Statistic


def check_noise(planned: PlannedNoise, mistakes: Mistakes) -> None:
    """Note a mechanism that hides no vector."""
    mistakes.unless(
        planned.mechanism in ("laplace", "gaussian"), "mechanism must be laplace or gaussian", given=planned.mechanism
    )


def hidden(planned: PlannedNoise, statistic: Statistic, contract: Contract) -> Request:
    """The statistic, hidden by the least noise within the price."""
    statistic.check(contract)
    epsilon, delta = planned.price(contract.budget)
    if planned.mechanism == "laplace":
        return Request(planned.name, statistic, Laplace(epsilon))
    return Request(planned.name, statistic, Gaussian.within(epsilon, delta, statistic.sensitivity(contract)))
