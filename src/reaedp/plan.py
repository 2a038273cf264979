"""The plan: which releases, at which share of the budget; priced before any data is opened."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from reaedp.contract import Contract
from reaedp.contract.document import Document, declare
from reaedp.errors import DeclarationError, Mistakes, unknown
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Mechanism
from reaedp.mechanisms.threshold import Threshold
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import exact, positive
from reaedp.request import Request
from reaedp.statistics.calibrated_histogram import calibrated_histogram
from reaedp.statistics.entropy import ConditionalEntropy, Entropy, MutualInformation
from reaedp.statistics.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy_map import EntropyMap
from reaedp.statistics.marginal import KeyedMarginal, Marginal
from reaedp.statistics.routes import best_route
from reaedp.statistics.statistic import Statistic

MechanismName = Literal["laplace", "gaussian", "threshold"]
#: Noise on the entropy; a histogram, from which it follows; or the better of the two.
RouteName = Literal["direct", "histogram", "best"]
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRelease:
    """One `[[release]]` of a plan: `epsilon`, or a `share` of the contract's budget, buys one statistic."""

    name: str
    kind: str
    columns: tuple[str, ...]
    mechanism: MechanismName
    orders: tuple[float, ...] = (1.0,)
    given: tuple[str, ...] = ()
    route: RouteName = "direct"
    error_bits: float | None = None
    epsilon: float | None = None
    delta: float | None = None
    share: float | None = None

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        mistakes.unless(
            isinstance(self.name, str) and _FILE_NAME.fullmatch(self.name) is not None,
            "name must be 1 to 100 letters, digits, - or _, as it becomes a file name",
            given=self.name,
        )
        mistakes.unless(self.kind in KINDS, f"kind must be one of {', '.join(KINDS)}", given=self.kind)
        mistakes.unless(
            self.mechanism in get_args(MechanismName),
            "mechanism must be laplace, gaussian or threshold",
            given=self.mechanism,
        )
        for key in ("columns", "given"):
            names = getattr(self, key)
            texts = isinstance(names, tuple) and all(isinstance(name, str) for name in names)
            mistakes.unless(texts, f"{key} must be a list of column names", given=names)
        self._check_route(mistakes)
        self._check_price(mistakes)
        mistakes.report()

    def _check_route(self, mistakes: Mistakes) -> None:
        mistakes.unless(self.route in get_args(RouteName), "route must be direct, histogram or best", given=self.route)
        if self.route != "direct":
            mistakes.unless(self.kind == "entropy", "route is a key of kind entropy", given=self.kind)
            mistakes.unless(self.orders == (1.0,), "orders other than 1 take the direct route", given=self.orders)
        mistakes.unless(
            self.route != "best" or self.mechanism == "laplace",
            "mechanism must be laplace for route best",
            given=self.mechanism,
        )
        if self.error_bits is not None:
            mistakes.unless(
                self.kind == "histogram" and self.mechanism != "threshold",
                "error_bits is a key of histograms of all cells",
                given=(self.kind, self.mechanism),
            )
            with mistakes.gathered():
                positive("error_bits", self.error_bits)

    def _check_price(self, mistakes: Mistakes) -> None:
        mistakes.unless(
            (self.epsilon is None) != (self.share is None),
            "epsilon or share must be declared, not both",
            given={"epsilon": self.epsilon, "share": self.share},
            remedy="A share of 0.25 is a quarter of the contract's budget.",
        )
        if self.mechanism == "laplace":
            mistakes.unless(
                self.delta is None, "delta has no meaning for laplace noise, which is pure", given=self.delta
            )
        elif self.share is None:
            mistakes.unless(self.delta is not None, f"delta must be declared for {self.mechanism}", given=self.delta)
        for key, below in (("epsilon", float("inf")), ("delta", 1.0), ("share", 1.0 + 1e-15)):
            if getattr(self, key) is not None:
                with mistakes.gathered():
                    positive(key, getattr(self, key), below=below)

    def price(self, budget: Budget) -> tuple[float, float]:
        """What may be spent on this release, as (ε, δ)."""
        if self.share is None:
            return float(self.epsilon or 0), float(self.delta or 0)
        return float(exact(self.share) * exact(budget.epsilon)), self.delta or self.share * budget.delta

    def request(self, contract: Contract) -> Request:
        """The statistic and the mechanism that this release asks for, or that public facts choose for it."""
        epsilon, delta = self.price(contract.budget)
        if self.route == "best":
            route = best_route(contract, self.columns, epsilon)
            return Request(self.name, route.statistic, route.mechanism)
        if self.error_bits is not None:
            allowed = delta if self.mechanism == "gaussian" else None
            choice = calibrated_histogram(
                contract, self.columns, epsilon=epsilon, delta=allowed, error_bits=self.error_bits
            )
            return Request(self.name, choice.statistic, choice.mechanism)
        by_histogram = self.route == "histogram"
        statistic = EntropyHistogram.under(contract, self.columns) if by_histogram else KINDS[self.kind](self)
        return Request(self.name, statistic, _MECHANISMS[self.mechanism](epsilon, delta, statistic, contract))


def _histogram(planned: PlannedRelease) -> Statistic:
    return (KeyedMarginal if planned.mechanism == "threshold" else Marginal)(*planned.columns)


#: What can be planned, and how its statistic is made from the keys of the plan.
KINDS: dict[str, Callable[[PlannedRelease], Statistic]] = {
    "histogram": _histogram,
    "entropy": lambda planned: Entropy(planned.columns, planned.orders),
    "conditional-entropy": lambda planned: ConditionalEntropy(planned.columns, planned.given),
    "mutual-information": lambda planned: MutualInformation(planned.columns, planned.given),
    "entropy-map": lambda planned: EntropyMap(*planned.columns),
}


def _gaussian(epsilon: float, delta: float, statistic: Statistic, contract: Contract) -> Mechanism:
    return Gaussian.within(epsilon, delta, statistic.sensitivity(contract))


_MECHANISMS: dict[str, Any] = {
    "laplace": lambda epsilon, *_: Laplace(epsilon),
    "gaussian": _gaussian,
    "threshold": lambda epsilon, delta, *_: Threshold(epsilon, delta),
}


@dataclass(frozen=True, slots=True)
class Plan:
    """A contract and the releases that are wanted under it."""

    contract: Contract
    releases: tuple[PlannedRelease, ...]

    def __post_init__(self) -> None:
        names = [release.name for release in self.releases]
        if not names or len(set(names)) < len(names):
            raise DeclarationError(f"A plan needs one or more releases with different names; given {names}.")

    def requests(self) -> tuple[Request, ...]:
        """Every release as a request; refuses what the contract cannot answer, all mistakes at once."""
        mistakes, requests = Mistakes(), []
        for release in self.releases:
            with mistakes.gathered():
                request = release.request(self.contract)
                request.charge(self.contract)
                requests.append(request)
        mistakes.report()
        return tuple(requests)

    @classmethod
    def load(cls, path: str | Path) -> "Plan":
        """Read a plan and its contract, or report every mistake with its line."""
        document = Document.read(path)
        mistakes = Mistakes()
        for key in document.data:
            if key not in ("contract", "release"):
                mistakes.append(document.at(unknown("key", key, ("contract", "release")), key))
        contract = None
        if isinstance(document.data.get("contract"), str):
            with mistakes.gathered():
                contract = Contract.load(document.path.parent / document.data["contract"])
        else:
            mistakes.append(document.at('contract must name the contract file, as in contract = "contract.toml".'))
        releases = _releases(document, mistakes)
        mistakes.report()
        assert contract is not None
        return cls(contract, releases)


def _releases(document: Document, mistakes: Mistakes) -> tuple[PlannedRelease, ...]:
    tables = document.data.get("release", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        mistakes.append(document.at("release must be written as [[release]].", "release"))
        return ()
    releases = []
    for number, table in enumerate(tables):
        noted = Mistakes()
        releases.append(declare(PlannedRelease, table, "release", noted))
        mistakes.extend(document.at(mistake, "release", number) for mistake in noted)
    return tuple(release for release in releases if release is not None)
