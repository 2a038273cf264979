"""Checking a finished release folder: files, arithmetic, ledger."""

from pathlib import Path
from typing import Any

from reaedp.errors import ReaedpError
from reaedp.folder import hashes
from reaedp.manifest import read_contract, read_manifest, read_noise, read_statistic
from reaedp.privacy.accounting import epsilon, tally
from reaedp.privacy.canonical import price_record, read_price
from reaedp.privacy.entry import Charge
from reaedp.privacy.ledger import Ledger


def verify(folder: str | Path, ledger: str | None = None) -> list[str]:
    """What was checked and holds, in words; raises at the first thing that does not."""
    folder = Path(folder)
    record = read_manifest(folder)
    checked = [_check_files(folder, record)]
    checked += [_check_price(release, record) for release in record["releases"]]
    if ledger is not None:
        with Ledger.open(ledger) as book:
            entries = {entry.number: entry for entry in book.history(record["dataset"])}
        checked += [_check_entry(release, record, entries) for release in record["releases"]]
    return checked


def _check_files(folder: Path, record: dict[str, Any]) -> str:
    found, expected = hashes(folder), record["files"]
    for name in sorted(found.keys() | expected.keys()):
        if found.get(name) != expected.get(name):
            state = "is missing" if name not in found else "was added" if name not in expected else "was changed"
            raise ReaedpError(f"{name} {state} since the release was made.")
    return f"{len(found)} files are as released"


def _check_price(release: dict[str, Any], record: dict[str, Any]) -> str:
    """Recompute sensitivity from the unit, then noise scale, price and ε from it."""
    noise = read_noise(release)
    sensitivity = read_statistic(release["statistic"]).sensitivity(read_contract(record))
    price = read_price(release["price"])
    stated = release["epsilon"]
    if (
        noise.sensitivity != sensitivity
        or noise.scale != release["scale"]
        or price_record(noise.price) != release["price"]
        or not epsilon(tally([price]), record["budget"]["delta"]) <= stated * (1 + 1e-6)
    ):
        raise ReaedpError(f"The price stated for {release['name']!r} does not follow from its noise and unit.")
    return f"{release['name']}: ε = {stated:.4g} follows from {noise.title} and the unit"


def _check_entry(release: dict[str, Any], record: dict[str, Any], entries: dict[int, Any]) -> str:
    entry = entries.get(release["entry"])
    charge = entry.act if entry is not None else None
    if (
        not isinstance(charge, Charge)
        or price_record(charge.price) != release["price"]
        or charge.contract != record["contract"]
    ):
        raise ReaedpError(f"Ledger entry {release['entry']} does not pay for {release['name']!r}.")
    return f"{release['name']}: paid by ledger entry {release['entry']}"
