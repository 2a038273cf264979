"""`release.json`: what was released, how, and at what price, in a form that programs can check."""

import json
import math
import platform
from collections.abc import Iterable
from dataclasses import asdict, fields, is_dataclass
from datetime import UTC, date, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from reaedp.contract import Column, Contract, Curve, Date, Picture
from reaedp.contract.contract import KINDS
from reaedp.curves.deniable_curves import DeniableCurves
from reaedp.curves.mean_curve import MeanCurve
from reaedp.curves.synthetic_curves import SyntheticCurves
from reaedp.errors import DeclarationError, ReaedpError
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated, Mechanism
from reaedp.mechanisms.threshold import Threshold
from reaedp.mechanisms.two_stage import TwoStage
from reaedp.privacy.accounting import epsilon, tally
from reaedp.privacy.budget import Budget
from reaedp.privacy.canonical import price_record
from reaedp.privacy.unit import Sensitivity, Unit
from reaedp.release import Release
from reaedp.statistics.entropy import ConditionalEntropy, Entropy, MutualInformation
from reaedp.statistics.entropy_histogram import EntropyHistogram
from reaedp.statistics.entropy_map import EntropyMap
from reaedp.statistics.marginal import KeyedMarginal, Marginal
from reaedp.statistics.pixels import Pixels
from reaedp.statistics.routed_entropy import RoutedEntropy
from reaedp.statistics.statistic import Statistic
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.deniability import Deniable
from reaedp.synthesis.network import Network
from reaedp.synthesis.synthetic import Synthetic

FORMAT = 1
STATISTICS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        Marginal,
        EntropyHistogram,
        KeyedMarginal,
        Entropy,
        RoutedEntropy,
        ConditionalEntropy,
        MutualInformation,
        EntropyMap,
        Synthetic,
        MeanCurve,
        SyntheticCurves,
        Pixels,
    )
}
MECHANISMS: dict[str, type[Any]] = {
    kind.name: kind for kind in (Laplace, Gaussian, Threshold, TwoStage, Network, Amortised, Deniable, DeniableCurves)
}
#: The libraries whose version can matter to someone who checks a release.
LIBRARIES = ("reaedp", "opendp", "dp-accounting", "duckdb", "narwhals", "numpy")


def manifest(
    contract: Contract, releases: tuple[Release, ...], created: datetime, hashes: dict[str, str]
) -> dict[str, Any]:
    """Everything a reader needs; each entry was public before the data was opened, or went through noise."""
    return {
        "format": FORMAT,
        "dataset": contract.dataset,
        "contract": contract.fingerprint,
        "created": created.astimezone(UTC).isoformat(timespec="seconds"),
        "unit": asdict(contract.unit),
        "budget": asdict(contract.budget),
        "private": not any(release.seeded for release in releases),
        "releases": [_release(release, contract, own_files(release, hashes)) for release in releases],
        "software": _software(),
        "files": hashes,
    } | _other_facts(contract)


@cache
def _software() -> dict[str, str]:
    """Versions, which are looked up in files."""
    return {"python": platform.python_version()} | {name: version(name) for name in LIBRARIES}


def _other_facts(contract: Contract) -> dict[str, Any]:
    """Curves and picture, where there are any."""
    curves = {"curves": [_facts(curve) for curve in contract.curves]} if contract.curves else {}
    return curves | ({"picture": asdict(contract.picture)} if contract.picture else {})


def own_files(release: Release, names: Iterable[str]) -> list[str]:
    """The files of one release; its name has no dot."""
    return [name for name in names if name.partition(".")[0] == release.name]


def _release(release: Release, contract: Contract, files: list[str]) -> dict[str, Any]:
    noise = release.noise
    return {
        "name": release.name,
        "title": release.statistic.title,
        "statistic": statistic_record(release.statistic),
        "columns": [_column(column) for column in contract.select(release.statistic.columns)],
        "mechanism": mechanism_record(noise.mechanism),
        "sensitivity": asdict(noise.sensitivity),
        "scale": noise.scale,
        "price": price_record(release.price),
        "epsilon": epsilon(tally([release.price]), contract.budget.delta),
        "step": release.step,
        "mean_error": release.mean_error,
        "entry": release.entry,
        "seeded": release.seeded,
        "details": release.details,
        "files": files,
    }


def _column(column: Column) -> dict[str, Any]:
    return {"kind": column.kind} | _facts(column)


def _facts(declared: Column | Curve) -> dict[str, Any]:
    return {key: _plain(value) for key, value in asdict(declared).items() if value is not None}


def _plain(value: object) -> object:
    """JSON has neither dates nor infinity."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, date) or value == math.inf else value


def read_manifest(folder: Path) -> dict[str, Any]:
    """What a release folder says of itself."""
    try:
        record: Any = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise DeclarationError(f"{folder} is not a release folder: release.json {error.strerror}.") from None
    except ValueError:
        raise ReaedpError(f"{folder}/release.json is damaged: it is not valid JSON.") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ReaedpError(f"{folder}/release.json is damaged, or of a format that this version does not know.")
    return record


def read_contract(record: dict[str, Any]) -> Contract:
    """What a manifest says of the contract: enough to compute every sensitivity again."""
    facts = {column["name"]: column for release in record["releases"] for column in release["columns"]}
    return Contract(
        dataset=record["dataset"],
        unit=Unit(**record["unit"]),
        budget=Budget(**record["budget"]),
        ledger="unknown to the reader of a manifest",
        columns=tuple(_read_column(dict(column)) for column in facts.values()),
        curves=tuple(Curve(**_tuples(curve)) for curve in record.get("curves", ())),
        picture=Picture(**record["picture"]) if "picture" in record else None,
    )


def _tuples(values: dict[str, Any]) -> dict[str, Any]:
    """JSON has lists only."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


def _read_column(facts: dict[str, Any]) -> Column:
    kind: type[Any] = KINDS[facts.pop("kind")]
    values = _tuples(facts)
    if kind is Date:
        values |= {key: date.fromisoformat(values[key]) for key in ("lower", "upper")}
    return kind(**values)  # type: ignore[no-any-return]


def statistic_record(statistic: Statistic) -> dict[str, Any]:
    """A statistic as its name and its parameters."""
    parameters = {field.name: _plain(getattr(statistic, field.name)) for field in fields(statistic)}  # type: ignore[arg-type]
    return {"name": type(statistic).__name__} | parameters


def read_statistic(record: dict[str, Any]) -> Statistic:
    """Rebuild a statistic from its record."""
    parameters = {key: value for key, value in record.items() if key != "name"}
    if record["name"] in ("Marginal", "KeyedMarginal", "EntropyMap"):
        return STATISTICS[record["name"]](*parameters["columns"])  # type: ignore[no-any-return]
    if "orders" in parameters:
        parameters["orders"] = [float(order) for order in parameters["orders"]]
    return STATISTICS[record["name"]](**_tuples(parameters))  # type: ignore[no-any-return]


def mechanism_record(mechanism: Mechanism) -> dict[str, Any]:
    """A mechanism as its name and its parameters, which may be mechanisms themselves."""
    parameters = {field.name: getattr(mechanism, field.name) for field in fields(mechanism)}  # type: ignore[arg-type]
    return {"name": mechanism.name} | {
        key: mechanism_record(cast("Mechanism", value)) if is_dataclass(value) else value
        for key, value in parameters.items()
    }


def read_mechanism(record: dict[str, Any]) -> Mechanism:
    """Rebuild a mechanism from its record."""
    parameters = {key: read_mechanism(value) if isinstance(value, dict) else value for key, value in record.items()}
    return MECHANISMS[record["name"]](**_tuples({key: parameters[key] for key in parameters if key != "name"}))  # type: ignore[no-any-return]


def read_noise(record: dict[str, Any]) -> Calibrated:
    """Rebuild mechanism and sensitivity from a release's record."""
    return Calibrated(read_mechanism(record["mechanism"]), Sensitivity(**record["sensitivity"]))
