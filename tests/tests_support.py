"""Small plans, and the part of a release folder that must not depend on rows."""

import json
import re
from pathlib import Path

from reaedp import Budget, Contract, Ledger, Number, Plan, PlannedRelease, Unit


def ledger_in(folder: Path, name: str = "budget.sqlite") -> str:
    """The ledger of a folder, made when a test first asks for it."""
    if not (folder / name).exists():
        folder.mkdir(parents=True, exist_ok=True)
        Ledger.create(folder / name).close()
    return str(folder / name)


def small_plan(folder: Path) -> Plan:
    column = Number(name="x", lower=0, upper=10, bins=4, provenance="public")
    contract = Contract(
        dataset="fuzz",
        unit=Unit("add-remove"),
        budget=Budget(1, 1e-6),
        ledger=ledger_in(folder),
        columns=(column,),
    )
    return Plan(
        contract, (PlannedRelease(name="h", kind="histogram", columns=("x",), mechanism="laplace", epsilon=0.5),)
    )


def folder_facts(folder: Path) -> dict[str, object]:
    """Everything in a release folder except noisy numbers, their hashes, the time of day and which ledger it was."""
    record = json.loads((folder / "release.json").read_text())
    identity = record["ledger"].pop("identity")
    record.pop("created")
    record["files"] = sorted(record["files"])
    first_column = [
        line.rpartition('"')[0] or line.split(",")[0] for line in (folder / "h.csv").read_text().splitlines()
    ]
    return {
        "names": sorted(path.name for path in folder.iterdir()),
        "manifest": record,
        "readme": re.sub(r"\s+", " ", (folder / "README.txt").read_text()).replace(identity, ""),
        "labels": first_column,
        "modes": sorted(path.stat().st_mode for path in folder.iterdir()),
    }
