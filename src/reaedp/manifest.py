"""`release.json`: what was released, how, and at what price, in a form that programs can check."""

import platform
from dataclasses import asdict, fields
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from reaedp.contract import Column, Contract
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.mechanism import Calibrated, Mechanism
from reaedp.mechanisms.threshold import Threshold
from reaedp.privacy.accounting import epsilon, tally
from reaedp.privacy.canonical import price_record
from reaedp.privacy.unit import Sensitivity
from reaedp.release import Release

FORMAT = 1
MECHANISMS: dict[str, type[Any]] = {kind.name: kind for kind in (Laplace, Gaussian, Threshold)}
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
        "releases": [_release(release, contract) for release in releases],
        "software": {"python": platform.python_version()} | {name: version(name) for name in LIBRARIES},
        "files": hashes,
    }


def _release(release: Release, contract: Contract) -> dict[str, Any]:
    noise = release.noise
    return {
        "name": release.name,
        "title": release.statistic.title,
        "statistic": type(release.statistic).__name__,
        "columns": [_column(column) for column in contract.select(release.statistic.columns)],
        "mechanism": mechanism_record(noise.mechanism),
        "sensitivity": asdict(noise.sensitivity),
        "scale": noise.scale,
        "price": price_record(release.price),
        "epsilon": epsilon(tally([release.price]), contract.budget.delta),
        "mean_error": noise.mean_error,
        "entry": release.entry,
        "seeded": release.seeded,
        "files": [f"{release.name}.csv", f"{release.name}.parquet"],
    }


def _column(column: Column) -> dict[str, Any]:
    facts = {key: value for key, value in asdict(column).items() if value is not None}
    return {"kind": column.kind} | {key: _plain(value) for key, value in facts.items()}


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value if isinstance(value, int | float | str) else str(value)


def mechanism_record(mechanism: Mechanism) -> dict[str, Any]:
    """A mechanism as its name and its parameters."""
    return {"name": mechanism.name} | {
        field.name: getattr(mechanism, field.name)
        for field in fields(mechanism)  # type: ignore[arg-type]
    }


def read_noise(record: dict[str, Any]) -> Calibrated:
    """Rebuild mechanism and sensitivity from a release's record."""
    parameters = dict(record["mechanism"])
    mechanism = MECHANISMS[parameters.pop("name")](**parameters)
    return Calibrated(mechanism, Sensitivity(**record["sensitivity"]))
