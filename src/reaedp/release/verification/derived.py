"""Figures that follow from the statistic, the mechanism and the contract: computed again, and compared."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

from reaedp.contract import Contract
from reaedp.curves.deniable_curves import DeniableCurves
from reaedp.curves.synthetic_curves import SyntheticCurves
from reaedp.errors import ReaedpError
from reaedp.label import shown
from reaedp.ledger.canonical_json import fields_of, price_record, write
from reaedp.mechanisms.group_threshold import GroupThreshold
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.plan.description import mechanism_record, statistic_record
from reaedp.privacy.accounting import epsilon, tally
from reaedp.release.manifest import Recorded, read_noise, read_statistic, understood
from reaedp.release.place import read_plain
from reaedp.release.readme import CHARGED_TO
from reaedp.statistics.by_kind import NOISES, ByKind
from reaedp.statistics.statistic import Statistic
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.deniability import Deniable, seed_unit
from reaedp.synthesis.marginal_model import MarginalModel

#: Machines and versions of libraries may differ in the last digits; nobody who lies does it there.
CLOSE = 1e-9
#: The same for compositions, which are computed on a grid.
COMPOSED = 1e-6


@dataclass(frozen=True, slots=True)
class Rebuilt(Recorded):
    """One release of a manifest, with what it was made by built again."""

    record: dict[str, Any]
    contract: Contract
    statistic: Statistic
    noise: Calibrated

    @property
    def words(self) -> str:
        """What was verified of the release, in words."""
        return f"{self.name}: ε = {self.record['epsilon']:.4g} follows from {self.noise.title} and the privacy unit"


def check_derived(record: dict[str, Any], contract: Contract) -> Rebuilt:
    """Build statistic and mechanism again and compare all that follows from them."""
    statistic, stated = read_statistic(record), read_noise(record)
    with understood(f"what is stated of {record['name']!r}"):
        same = write(statistic_record(statistic)) == write(record["statistic"])
        if not same or write(mechanism_record(stated.mechanism)) != write(record["mechanism"]):
            raise ReaedpError(f"Statistic or mechanism of {record['name']!r} in release.json was edited.")
        contract.select(statistic.columns)
        if contract.picture is None:
            statistic.check(contract)  # of a picture it would also ask for the library that draws one
        noise = Calibrated(stated.mechanism, statistic.sensitivity(contract))
        if noise.mechanism.hides != statistic.answers or not _FITS.of(noise.mechanism)(
            noise.mechanism, statistic, contract
        ):
            raise ReaedpError(f"The mechanism of {record['name']!r} does not fit its statistic.")
        _compare(record, statistic, noise, contract)
    return Rebuilt(record, contract, statistic, noise)


def _compare(record: dict[str, Any], statistic: Statistic, noise: Calibrated, contract: Contract) -> None:
    step = statistic.step(contract)
    exact = {
        "title": statistic.title,
        "sensitivity": fields_of(noise.sensitivity),
        "scale": noise.scale,
        "price": price_record(noise.price),
    }
    wrong = [key for key, value in exact.items() if write(value) != write(record[key])]
    numbers = {
        "step": (step, CLOSE),
        "mean_error": (noise.mean_error * step, CLOSE),
        "epsilon": (epsilon(tally([noise.price]), contract.budget.delta), COMPOSED),
    }
    wrong += [key for key, (value, digits) in numbers.items() if not isclose(value, record[key], rel_tol=digits)]
    if wrong:
        raise ReaedpError(
            f"In release.json, some figures of {record['name']!r} do not follow from its statistic, noise and privacy"
            f" unit: {', '.join(wrong)}."
        )


def _always(mechanism: Any, statistic: Any, contract: Contract) -> bool:  # noqa: ARG001
    return True


def _network(mechanism: MarginalModel, statistic: Any, contract: Contract) -> bool:  # noqa: ARG001
    return mechanism.columns == len(statistic.columns)


def _amortised(mechanism: Amortised, statistic: Any, contract: Contract) -> bool:
    kept = set(mechanism.keep) <= set(statistic.columns)
    return kept and _network(mechanism.network, statistic, contract)


def _deniable(mechanism: Deniable, statistic: Any, contract: Contract) -> bool:
    """Whether the release asks for what the mechanism would accept before it looks at a row."""
    halves = mechanism.together is not None
    promised = seed_unit(contract, mechanism.keep or statistic.columns, halves=halves).at_least or 0
    fits = mechanism.records == statistic.rows and (mechanism.at_least or 0) <= promised
    return fits and set(mechanism.keep) <= set(statistic.columns) and _network(mechanism.network, statistic, contract)


def _curves(mechanism: DeniableCurves, statistic: SyntheticCurves, contract: Contract) -> bool:
    promised = statistic.unit(contract).at_least or 0
    return mechanism.curves == statistic.curves and (mechanism.at_least or 0) <= promised


_FITS = ByKind[Callable[[Any, Any, Contract], bool]](
    "whether it was made for this statistic",
    {
        MarginalModel: _network,
        Amortised: _amortised,
        Deniable: _deniable,
        DeniableCurves: _curves,
        GroupThreshold: GroupThreshold.fits,
    },
    otherwise=_always,
    plain=NOISES,
    over="mechanisms",
)


def check_totals(record: dict[str, Any], contract: Contract, folder: Path) -> list[str]:
    """What is said of all releases together: seeded noise, the ledger's state, and the words of README.txt."""
    releases = record["releases"]
    if record["private"] == any(release["seeded"] for release in releases):
        raise ReaedpError("release.json contradicts itself on whether the noise was seeded.")
    if len({release["seeded"] for release in releases}) > 1:  # one curator made them all, with one noise
        raise ReaedpError("release.json says that the noise of some releases was seeded, but not of others.")
    with understood("the prices together"):
        prices = [read_noise(release).price for release in releases]
        total = epsilon(tally(prices), contract.budget.delta)
    state, limit = record["ledger"], contract.budget.epsilon
    if state is not None and not (
        total * (1 - COMPOSED) <= state["spent"] <= limit * (1 + COMPOSED) and state["remaining"] <= limit
    ):
        raise ReaedpError("What release.json says the ledger had spent and left does not fit the cost of its releases.")
    _check_words(record, total, read_plain(folder / "README.txt").decode("utf-8", "replace"))
    seeded = ["the noise was seeded: NOT PRIVATE, for experiments on public data only"] * (not record["private"])
    return [f"all releases together cost ε = {total:.4g} at δ = {contract.budget.delta:g}", *seeded]


def _check_words(record: dict[str, Any], total: float, words: str) -> None:
    lines = [record["dataset"]]
    for release in record["releases"]:
        lines += [
            f"\n  {', '.join(release['files'])}: {release['title']}\n",
            f"\n    ledger entry {release['entry']}\n",
        ]
    at = 0
    for line in (*lines, f"ε = {total:.4g}"):  # in this order, so that each entry stands below its release
        at = words.find(line, at) if at >= 0 else at
    if at < 0 or ("\nNOT PRIVATE: " in words) == record["private"] or not _same_ledger(record["ledger"] or {}, words):
        raise ReaedpError("README.txt and release.json disagree about the releases or their noise.")


def _same_ledger(stated: dict[str, Any], words: str) -> bool:
    """Whether README.txt names the ledger that release.json names, or both name none."""
    if not {"name", "identity"} & stated.keys():
        return CHARGED_TO not in words
    return f"{CHARGED_TO}{shown(stated.get('name'))}, identity {stated.get('identity')}.\n" in words
