"""Figures that follow from the statistic, the mechanism and the contract: computed again, and compared."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

from reaedp.contract import Contract
from reaedp.curves.deniable_curves import DeniableCurves
from reaedp.curves.synthetic_curves import SyntheticCurves
from reaedp.description import mechanism_record, statistic_record
from reaedp.errors import ReaedpError
from reaedp.manifest import read_noise, read_statistic, understood
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.place import read_plain
from reaedp.privacy.accounting import epsilon, tally
from reaedp.privacy.canonical import fields_of, price_record, write
from reaedp.readme import CHARGED_TO
from reaedp.statistics.statistic import Statistic
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.deniability import Deniable, seed_unit
from reaedp.synthesis.network import Network

#: Machines and versions of libraries may differ in the last digits; nobody who lies does it there.
CLOSE = 1e-9
#: The same for compositions, which are computed on a grid.
COMPOSED = 1e-6


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """One release of a manifest, with what it was made by built again."""

    record: dict[str, Any]
    contract: Contract
    statistic: Statistic
    noise: Calibrated

    @property
    def name(self) -> str:
        """Its name in the plan, which is that of its files."""
        return str(self.record["name"])

    @property
    def words(self) -> str:
        """What was shown of it."""
        return f"{self.name}: ε = {self.record['epsilon']:.4g} follows from {self.noise.title} and the unit"


def check_derived(record: dict[str, Any], contract: Contract) -> Rebuilt:
    """Build statistic and mechanism again and compare all that follows from them."""
    statistic, stated = read_statistic(record), read_noise(record)
    with understood(f"what is stated of {record['name']!r}"):
        same = write(statistic_record(statistic)) == write(record["statistic"])
        if not same or write(mechanism_record(stated.mechanism)) != write(record["mechanism"]):
            raise ReaedpError(f"Statistic and mechanism of {record['name']!r} are not written as this program does.")
        contract.select(statistic.columns)
        if contract.picture is None:
            statistic.check(contract)  # of a picture it would also ask for the library that draws one
        noise = Calibrated(stated.mechanism, statistic.sensitivity(contract))
        if noise.mechanism.hides != statistic.answers or not _FITS.get(type(noise.mechanism), _always)(
            noise.mechanism, statistic, contract
        ):
            raise ReaedpError(f"The mechanism of {record['name']!r} is not made for its statistic.")
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
            f"What release.json states of {record['name']!r} does not follow from its statistic, noise and unit:"
            f" {', '.join(wrong)}."
        )


def _always(mechanism: Any, statistic: Any, contract: Contract) -> bool:  # noqa: ARG001
    return True


def _network(mechanism: Network, statistic: Any, contract: Contract) -> bool:  # noqa: ARG001
    return mechanism.columns == len(statistic.columns)


def _amortised(mechanism: Amortised, statistic: Any, contract: Contract) -> bool:
    kept = set(mechanism.keep) <= set(statistic.columns)
    return kept and _network(mechanism.network, statistic, contract)


def _deniable(mechanism: Deniable, statistic: Any, contract: Contract) -> bool:
    """As the mechanism itself checks before it looks at a row."""
    halves = mechanism.together is not None
    promised = seed_unit(contract, mechanism.keep or statistic.columns, halves=halves).at_least or 0
    fits = mechanism.records == statistic.rows and (mechanism.at_least or 0) <= promised
    return fits and set(mechanism.keep) <= set(statistic.columns) and _network(mechanism.network, statistic, contract)


def _curves(mechanism: DeniableCurves, statistic: SyntheticCurves, contract: Contract) -> bool:
    promised = statistic.unit(contract).at_least or 0
    return mechanism.curves == statistic.curves and (mechanism.at_least or 0) <= promised


#: Mechanisms that say something about their statistic.
_FITS: dict[type[Any], Callable[[Any, Any, Contract], bool]] = {
    Network: _network,
    Amortised: _amortised,
    Deniable: _deniable,
    DeniableCurves: _curves,
}


def check_totals(record: dict[str, Any], contract: Contract, folder: Path) -> list[str]:
    """What is said of all releases together: seeded noise, the ledger's state, and the words of README.txt."""
    releases = record["releases"]
    if record["private"] == any(release["seeded"] for release in releases):
        raise ReaedpError("release.json says of all releases together that they are private, or not, and of each else.")
    with understood("the prices together"):
        prices = [read_noise(release).price for release in releases]
        total = epsilon(tally(prices), contract.budget.delta)
    state, limit = record["ledger"], contract.budget.epsilon
    if state is not None and not (
        total * (1 - COMPOSED) <= state["spent"] <= limit * (1 + COMPOSED) and state["remaining"] <= limit
    ):
        raise ReaedpError("What the ledger had spent and left by release.json is less than the releases, or too much.")
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
        raise ReaedpError("README.txt and release.json tell different things of the releases, or of their noise.")


def _same_ledger(stated: dict[str, Any], words: str) -> bool:
    """Whether README.txt names the ledger that release.json names, or both name none."""
    if not {"name", "identity"} & stated.keys():
        return CHARGED_TO not in words
    return f"{CHARGED_TO}{stated.get('name')}, identity {stated.get('identity')}.\n" in words
