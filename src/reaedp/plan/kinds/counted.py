"""Planned histograms and entropies: numbers that are counted."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from reaedp.contract import Contract
from reaedp.contract.column import finite
from reaedp.errors import Mistakes
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Mechanism
from reaedp.mechanisms.threshold import Threshold
from reaedp.plan.kinds.kind import PlannedNoise, check_columns
from reaedp.plan.request import Request
from reaedp.privacy.loss import positive
from reaedp.statistics.marginal import KeyedMarginal, Marginal
from reaedp.statistics.statistic import Statistic

if TYPE_CHECKING:
    from reaedp.statistics.entropy.routes import Route

MechanismName = Literal["laplace", "gaussian", "threshold"]
#: Noise on the entropy; a histogram, from which it follows; or the better of the two.
RouteName = Literal["direct", "histogram", "best"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRelease(PlannedNoise):
    """A release based on counts: a histogram, an entropy, or a map of entropies.

    `given`, `orders`, `route` and `error_bits` are as in plan files.

    >>> wanted = PlannedRelease(name="bits", kind="entropy", columns=("age",), mechanism="laplace", share=0.1)
    >>> wanted.price(contract.budget)[0]
    10.0
    """

    kinds: ClassVar[tuple[str, ...]] = (
        "histogram",
        "entropy",
        "conditional-entropy",
        "mutual-information",
        "entropy-map",
    )

    columns: tuple[str, ...]
    mechanism: MechanismName
    orders: tuple[float, ...] = (1.0,)
    given: tuple[str, ...] = ()
    route: RouteName = "direct"
    error_bits: float | None = None

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note whatever is wrong with kind, mechanism, columns and route."""
        mistakes.unless(self.kind in self.kinds, f"kind must be one of {', '.join(self.kinds)}", given=self.kind)
        mistakes.unless(
            self.mechanism in get_args(MechanismName),
            "mechanism must be laplace, gaussian or threshold",
            given=self.mechanism,
        )
        check_columns(self, mistakes, "columns", "given")
        numbers = isinstance(self.orders, tuple) and all(finite(order) or order == math.inf for order in self.orders)
        mistakes.unless(numbers, "orders must be a list of numbers", given=self.orders)
        self._check_route(mistakes)

    def _check_route(self, mistakes: Mistakes) -> None:
        mistakes.unless(self.route in get_args(RouteName), "route must be direct, histogram or best", given=self.route)
        if self.route != "direct":
            mistakes.unless(
                self.kind in ("entropy", "mutual-information"),
                "route must be used with kinds entropy and mutual-information only",
                given=self.kind,
            )
        mistakes.unless(
            self.route != "best" or (isinstance(self.orders, tuple) and len(self.orders) == 1),
            "orders must be one number for route best",
            given=self.orders,
            remedy="A route is chosen for each order: write one release for each.",
        )
        mistakes.unless(
            self.route != "best" or self.mechanism == "laplace",
            "mechanism must be laplace for route best",
            given=self.mechanism,
        )
        if self.error_bits is not None:
            mistakes.unless(
                self.kind == "histogram" and self.mechanism != "threshold",
                "error_bits must be used with kind histogram only, and not with mechanism threshold",
                given=(self.kind, self.mechanism),
            )
            with mistakes.gathered():
                positive("error_bits", self.error_bits)

    def request(self, contract: Contract) -> Request:
        """The statistic and the mechanism that this release asks for, or that public facts choose for it."""
        epsilon, delta = self.price(contract.budget)
        if self.route == "best":
            route = self._best_route(contract, epsilon)
            return Request(self.name, route.statistic, route.mechanism)
        if self.error_bits is not None:
            from reaedp.statistics.entropy.calibrated_histogram import calibrated_histogram

            allowed = delta if self.mechanism == "gaussian" else None
            choice = calibrated_histogram(
                contract, self.columns, epsilon=epsilon, delta=allowed, error_bits=self.error_bits
            )
            return Request(self.name, choice.statistic, choice.mechanism)
        if self.route == "histogram":
            from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram

            first = self.columns if self.kind == "mutual-information" else ()
            counted = (*self.columns, *self.given)
            statistic: Statistic = EntropyHistogram.under(contract, counted, orders=self.orders, first=first)
        else:
            statistic = _STATISTICS[self.kind](self)
        return Request(self.name, statistic, _MECHANISMS[self.mechanism](epsilon, delta, statistic, contract))

    def _best_route(self, contract: Contract, epsilon: float) -> "Route":
        from reaedp.statistics.entropy.information_routes import best_information_route
        from reaedp.statistics.entropy.routes import best_route

        if self.kind == "mutual-information":
            return best_information_route(contract, self.columns, self.given, epsilon)
        return best_route(contract, self.columns, epsilon, self.orders[0])


def _histogram(planned: PlannedRelease) -> Statistic:
    return (KeyedMarginal if planned.mechanism == "threshold" else Marginal)(*planned.columns)


def _entropy(planned: PlannedRelease) -> Statistic:
    from reaedp.statistics.entropy.entropy import Entropy

    return Entropy(planned.columns, planned.orders)


def _conditional_entropy(planned: PlannedRelease) -> Statistic:
    from reaedp.statistics.entropy.entropy import ConditionalEntropy

    return ConditionalEntropy(planned.columns, planned.given)


def _mutual_information(planned: PlannedRelease) -> Statistic:
    from reaedp.statistics.entropy.entropy import MutualInformation

    return MutualInformation(planned.columns, planned.given)


def _entropy_map(planned: PlannedRelease) -> Statistic:
    from reaedp.statistics.entropy.entropy_map import EntropyMap

    return EntropyMap(*planned.columns)


#: How the statistic is made from the keys of the plan.
_STATISTICS: dict[str, Callable[[PlannedRelease], Statistic]] = {
    "histogram": _histogram,
    "entropy": _entropy,
    "conditional-entropy": _conditional_entropy,
    "mutual-information": _mutual_information,
    "entropy-map": _entropy_map,
}


def _gaussian(epsilon: float, delta: float, statistic: Statistic, contract: Contract) -> Mechanism:
    return Gaussian.within(epsilon, delta, statistic.sensitivity(contract))


_MECHANISMS: dict[str, Any] = {
    "laplace": lambda epsilon, *_: Laplace(epsilon),
    "gaussian": _gaussian,
    "threshold": lambda epsilon, delta, *_: Threshold(epsilon, delta),
}
