"""The plan: which releases, at which share of the budget; priced before any data is opened."""

from collections import Counter
from collections.abc import MutableMapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reaedp.contract import Contract
from reaedp.contract.document import Document, declare
from reaedp.contract.plugins import known
from reaedp.errors import DeclarationError, Mistakes, unknown
from reaedp.plan.homes import Homes, Kind
from reaedp.plan.kinds.counted import PlannedRelease
from reaedp.plan.kinds.kind import Planned
from reaedp.plan.request import Request
from reaedp.privacy.accounting import tally
from reaedp.privacy.loss import Loss


def _moments() -> tuple[Kind, ...]:
    from reaedp.plan.kinds.moments import PlannedCorrelation, PlannedRegression

    return PlannedCorrelation, PlannedRegression


def _summaries() -> tuple[Kind, ...]:
    from reaedp.plan.kinds.rate import PlannedRate
    from reaedp.plan.kinds.summary import PlannedSummary

    return PlannedSummary, PlannedRate


def _quantiles() -> tuple[Kind, ...]:
    from reaedp.plan.kinds.quantiles import PlannedQuantiles

    return (PlannedQuantiles,)


def _records() -> tuple[Kind, ...]:
    from reaedp.plan.kinds.synthetic import PlannedSynthetic

    return (PlannedSynthetic,)


def _curves() -> tuple[Kind, ...]:
    from reaedp.plan.kinds.curves import PlannedMeanCurve, PlannedSyntheticCurves

    return PlannedMeanCurve, PlannedSyntheticCurves


def _pictures() -> tuple[Kind, ...]:
    from reaedp.plan.kinds.image import PlannedImage

    return (PlannedImage,)


#: What can be planned, and the keys that each kind understands.
KINDS: MutableMapping[str, type[Planned]] = Homes(
    {
        PlannedRelease.kinds: lambda: (PlannedRelease,) * len(PlannedRelease.kinds),
        ("correlation", "regression"): _moments,
        ("summary", "rate"): _summaries,
        ("quantiles",): _quantiles,
        ("synthetic",): _records,
        ("mean-curve", "synthetic-curves"): _curves,
        ("image",): _pictures,
    }
)


@dataclass(frozen=True, slots=True)
class Plan:
    """A contract and the releases wanted under it.

    The `releases` are published all or none; `times` multiplies the ε of each by a `factor`.

    >>> cheaper = Plan(contract, plan.releases).times(0.5)
    >>> [request.name for request in cheaper.requests()], cheaper.releases[0].epsilon
    (['ages'], 0.5)
    """

    contract: Contract
    releases: tuple[Planned, ...]

    def __post_init__(self) -> None:
        names = [release.name for release in self.releases]
        if not names or len(set(names)) < len(names):
            raise DeclarationError(f"A plan must have one or more releases, each with a different name; given {names}.")

    def requests(self) -> tuple[Request, ...]:
        """Every release as a request; what the contract cannot answer is refused, with all mistakes at once."""
        mistakes, requests = Mistakes(), []
        for release in self.releases:
            with mistakes.gathered():
                request = release.request(self.contract)
                request.priced(self.contract)
                requests.append(request)
        mistakes.report()
        return tuple(requests)

    @property
    def wording(self) -> dict[str, dict[str, str]]:
        """The descriptions given for readers, by the names of releases."""
        return {release.name: release.wording for release in self.releases if release.wording}

    def times(self, factor: float) -> "Plan":
        """The same releases, each at a multiple of its ε."""
        return replace(self, releases=tuple(one.times(factor, self.contract.budget) for one in self.releases))

    def prices(self) -> Counter[Loss]:
        """What all releases cost, as one charge."""
        return tally([request.calibrated(self.contract).price for request in self.requests()])

    @classmethod
    def load(cls, path: str | Path) -> "Plan":
        """Read a plan file and its contract; an error lists every mistake with its line."""
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


def _releases(document: Document, mistakes: Mistakes) -> tuple[Planned, ...]:
    tables = document.data.get("release", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        mistakes.append(document.at("release must be written as [[release]].", "release"))
        return ()
    releases = []
    for number, table in enumerate(tables):
        noted = Mistakes()
        releases.append(_release(table, noted))
        mistakes.extend(document.at(mistake, "release", number) for mistake in noted)
    return tuple(release for release in releases if release is not None)


def _release(table: dict[str, Any], mistakes: Mistakes) -> Planned | None:
    kind = table.get("kind")
    if not known(KINDS, kind):
        mistakes.unless(False, f"kind must be one of {', '.join(KINDS)}", given=kind)
        return None
    return declare(KINDS[str(kind)], table, "release", mistakes)
