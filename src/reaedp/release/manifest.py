"""`release.json`: what was released, how, and at what price, in a form that programs can check."""

import math
import platform
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, date, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Any

from reaedp.contract import Column, Contract, Curve, Date, Picture, RowRule
from reaedp.contract.contract import KINDS
from reaedp.contract.files import Files
from reaedp.errors import DeclarationError, ReaedpError
from reaedp.ledger.canonical_json import price_record, write
from reaedp.ledger.entry import UNREADABLE
from reaedp.mechanisms.mechanism import Calibrated, Mechanism, OnRecords
from reaedp.plan import description
from reaedp.plan.description import mechanism_record, plain, read_mechanism, statistic_record, tuples
from reaedp.privacy.accounting import epsilon, tally
from reaedp.privacy.budget import Budget
from reaedp.privacy.unit import Sensitivity, Unit
from reaedp.release.manifest_schema import LIBRARIES, MANIFESTS, OPTIONAL_LIBRARIES
from reaedp.release.pattern import ELSEWHERE
from reaedp.release.place import MANIFEST_FILE, read_plain
from reaedp.release.release import Release
from reaedp.release.strict_json import NotStrict, read_strict
from reaedp.statistics.statistic import Statistic

FORMAT = 2
#: What signs the manifest; the two are the only files of a folder that the manifest does not list.
SIGNATURE_FILE = "release.json.sig"
#: Mistakes that are told at once.
MOST_MISTAKES = 10


class Recorded:
    """A release as its record in the manifest."""

    __slots__ = ()
    record: dict[str, Any]

    @property
    def name(self) -> str:
        """The release's name in the plan, which is also the name of its files."""
        return str(self.record["name"])


def manifest(
    contract: Contract, releases: tuple[Release, ...], created: datetime, hashes: dict[str, str]
) -> dict[str, Any]:
    """Everything a reader needs; each entry was public before the data was opened, or went through noise."""
    return {
        "format": FORMAT,
        "dataset": contract.dataset,
        "contract": contract.fingerprint,
        "created": created.astimezone(UTC).isoformat(timespec="seconds"),
        **contract_facts(contract),
        "private": not any(release.seeded for release in releases),
        "releases": [_release(release, contract, own_files(release.name, hashes)) for release in releases],
        "software": software(),
        "files": hashes,
        "audit": None,
        "ledger": None,
    }


def contract_facts(contract: Contract) -> dict[str, Any]:
    """All public facts of a contract: its fingerprint follows from them and the name of the data set."""
    return {
        "unit": asdict(contract.unit),
        "budget": asdict(contract.budget),
        "columns": [_column(column) for column in contract.columns],
        "curves": [_facts(curve) for curve in contract.curves],
        "picture": asdict(contract.picture) if contract.picture else None,
        **({"reading": contract.files.facts()} if contract.files and contract.files.facts() else {}),
        **({"rules": [rule.facts() for rule in contract.rules]} if contract.rules else {}),
    }


@cache
def software() -> dict[str, str | None]:
    """Versions, which are looked up in files."""
    required = {name: version(name) for name in LIBRARIES}
    return {"python": platform.python_version()} | required | {name: _installed(name) for name in OPTIONAL_LIBRARIES}


def _installed(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def own_files(release: str, names: Iterable[str]) -> list[str]:
    """The files of the release of this name, which has no dot."""
    return [name for name in names if name.partition(".")[0] == release]


def _release(release: Release, contract: Contract, files: list[str]) -> dict[str, Any]:
    noise = release.noise
    return {
        "name": release.name,
        "title": release.statistic.title,
        "statistic": statistic_record(release.statistic),
        "mechanism": mechanism_record(noise.mechanism),
        "sensitivity": asdict(noise.sensitivity),
        "scale": noise.scale,
        "price": price_record(release.price),
        "epsilon": epsilon(tally([release.price]), contract.budget.delta),
        "step": release.step,
        "mean_error": release.mean_error,
        "entry": release.entry,
        "seeded": release.seeded,
        "details": _without_infinity(release.details),
        "files": files,
    }


def _column(column: Column) -> dict[str, Any]:
    return {"kind": column.kind} | _facts(column)


def _facts(declared: Column | Curve) -> dict[str, Any]:
    return {key: plain(value) for key, value in asdict(declared).items() if value is not None}


def _without_infinity(value: Any) -> Any:
    """JSON has no infinite number, and a figure that is one says nothing."""
    if isinstance(value, dict):
        return {key: _without_infinity(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_infinity(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_manifest(folder: Path) -> dict[str, Any]:
    """What a release folder says of itself, in its declared form; nothing in it is believed yet."""
    return parse_manifest(read_plain(folder / MANIFEST_FILE), folder)


def parse_manifest(content: bytes, folder: Path) -> dict[str, Any]:
    """The manifest in these bytes; one of an earlier version is given the form of today, but for its `format`."""
    where = folder / MANIFEST_FILE
    try:
        record: Any = read_strict(content)
    except NotStrict as rule:
        raise ReaedpError(f"{where} is damaged: {rule}.") from None
    number = record.get("format") if isinstance(record, dict) else None
    if type(number) is not int or number not in MANIFESTS:
        known = ", ".join(map(str, sorted(MANIFESTS)))
        raise ReaedpError(f"{where} is damaged, or has a format that this version does not know. Known: {known}.")
    found = list(islice(MANIFESTS[number].mistakes(record, ""), MOST_MISTAKES))
    if found:
        elsewhere = all(mistake.endswith(ELSEWHERE) for mistake in found)
        raise ReaedpError("\n".join([f"{where} {'cannot be read here' if elsewhere else 'is damaged'}.", *found]))
    return record if number == FORMAT else _from_format_1(record)


def _from_format_1(record: dict[str, Any]) -> dict[str, Any]:
    """The columns that releases used, gathered; the contract may have had others."""
    used = [column for release in record["releases"] for column in release["columns"]]
    columns = {str(column.get("name")): column for column in used}
    if any(columns[str(column.get("name"))] != column for column in used):
        raise ReaedpError("release.json is damaged: two of its releases declare the same column differently.")
    missing: dict[str, Any] = {"curves": [], "picture": None, "audit": None, "ledger": None}
    shorter = [{key: value for key, value in release.items() if key != "columns"} for release in record["releases"]]
    return missing | record | {"columns": list(columns.values()), "releases": shorter}


def read_contract(record: dict[str, Any]) -> Contract:
    """What a manifest says of the contract: enough to compute every sensitivity again."""
    with understood("its contract"):
        contract = Contract(
            dataset=record["dataset"],
            unit=Unit(**record["unit"]),
            budget=Budget(**record["budget"]),
            ledger="unknown to the reader of a manifest",
            columns=tuple(_read_column(column) for column in record["columns"]),
            curves=tuple(Curve(**tuples(curve)) for curve in record["curves"]),
            picture=None if record["picture"] is None else Picture(**record["picture"]),
            files=Files.read(record["reading"]) if "reading" in record else None,
            rules=tuple(RowRule(**rule) for rule in record.get("rules", [])),
        )
        facts = contract_facts(contract)
        if write(facts) != write({key: record[key] for key in (*facts, "reading", "rules") if key in record}):
            raise DeclarationError("It was edited: it is not in the form in which it was written.")
    return contract


@contextmanager
def understood(what: str) -> Iterator[None]:
    """Whatever goes wrong when something is built again from a manifest is the manifest's mistake."""
    try:
        yield
    except (*UNREADABLE, LookupError, AssertionError, MemoryError) as error:
        why = f": {error}" if isinstance(error, DeclarationError) else "."
        raise ReaedpError(f"release.json is damaged: {what} cannot belong to a release{why}") from None


def _read_column(record: dict[str, Any]) -> Column:
    facts = dict(record)
    kind: type[Any] = KINDS[facts.pop("kind")]
    values = tuples(facts)
    if issubclass(kind, Date):
        values |= {key: date.fromisoformat(values[key]) for key in ("lower", "upper")}
    if type(values.get("entry", 1)) is not int:
        raise ValueError("the number of an entry is whole")
    return kind(**values)  # type: ignore[no-any-return]


def read_noise(record: dict[str, Any]) -> Calibrated:
    """Rebuild mechanism and sensitivity from a release's record."""
    with understood(f"the mechanism of {record['name']!r}"):
        mechanism = read_mechanism(record["mechanism"])
        if isinstance(mechanism, OnRecords):
            mechanism = _counting_parts(mechanism, record["details"])
        return Calibrated(mechanism, Sensitivity(**record["sensitivity"]))


def _counting_parts(mechanism: Mechanism, details: dict[str, Any]) -> Mechanism:
    """A model whose tables count parts of rows; those of the first folders counted whole rows, and do not say so."""
    from reaedp.synthesis.marginal_model import with_parts
    from reaedp.synthesis.purse import PARTS_OF_A_ROW

    return with_parts(mechanism, details.get(PARTS_OF_A_ROW, 1))


def read_statistic(record: dict[str, Any]) -> Statistic:
    """Rebuild the statistic from a release's record."""
    with understood(f"the statistic of {record['name']!r}"):
        return description.read_statistic(record["statistic"])
