"""The plan: which releases, at which share of the budget; priced before any data is opened."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reaedp.contract import Contract
from reaedp.contract.document import Document, declare
from reaedp.errors import DeclarationError, Mistakes, unknown
from reaedp.planned.counted import KINDS as COUNTED
from reaedp.planned.counted import PlannedRelease
from reaedp.planned.curve import PlannedMeanCurve, PlannedSyntheticCurves
from reaedp.planned.image import PlannedImage
from reaedp.planned.planned import Planned
from reaedp.planned.synthetic import PlannedSynthetic
from reaedp.request import Request

#: What can be planned, and the keys that each kind understands.
KINDS: dict[str, type[Planned]] = dict.fromkeys(COUNTED, PlannedRelease) | {
    "synthetic": PlannedSynthetic,
    "mean-curve": PlannedMeanCurve,
    "synthetic-curves": PlannedSyntheticCurves,
    "image": PlannedImage,
}


@dataclass(frozen=True, slots=True)
class Plan:
    """A contract and the releases that are wanted under it."""

    contract: Contract
    releases: tuple[Planned, ...]

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
    if not isinstance(kind, str) or kind not in KINDS:
        mistakes.unless(False, f"kind must be one of {', '.join(KINDS)}", given=kind)
        return None
    return declare(KINDS[kind], table, "release", mistakes)
