"""Small plans, and the part of a release folder that must not depend on rows."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reaedp import Budget, Contract, Ledger, Number, Plan, PlannedRelease, Unit
from reaedp.contract.contract import KINDS as COLUMNS
from reaedp.engines.source import SCHEMES
from reaedp.plan.kind_tables import MECHANISMS, STATISTICS
from reaedp.plan.plan import KINDS as RELEASES

#: The clinic, as its custodian has it on disk.
CONTRACT = """
[dataset]
name = "clinic"

[unit]
change = "add-remove"

[budget]
epsilon = 1.0
delta = 1e-6
ledger = "budget.sqlite"

[columns.age]
kind = "number"
lower = 0
upper = 100
bins = 10
provenance = "public"

[columns.sex]
kind = "category"
levels = ["f", "m"]
provenance = "public"
"""

PLAN = """
contract = "contract.toml"

[[release]]
name = "ages"
kind = "histogram"
columns = ["age"]
mechanism = "laplace"
share = 0.25

[[release]]
name = "both"
kind = "histogram"
columns = ["age", "sex"]
mechanism = "gaussian"
epsilon = 0.4
delta = 1e-7

[[release]]
name = "frequent"
kind = "histogram"
columns = ["age", "sex"]
mechanism = "threshold"
epsilon = 0.2
delta = 1e-7
"""


def unwatched() -> dict[str, str]:
    """The environment of a process that is seen as a user's would be: coverage imports and writes things of its own."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_PROCESS")}


@contextmanager
def forgotten_kinds() -> Iterator[None]:
    """What is registered inside is not known to other tests."""
    tables: tuple[dict[str, Any], ...] = (COLUMNS, STATISTICS, MECHANISMS, RELEASES, SCHEMES)
    before = [dict(table) for table in tables]
    try:
        yield
    finally:
        for table, there in zip(tables, before, strict=True):
            table.clear()
            table.update(there)


def planned(name: str, kind: str, **keys: object) -> str:
    """One `[[release]]` of a plan, as it is written."""
    lines = [f"{key} = {_written(value)}\n" for key, value in {"name": name, "kind": kind, **keys}.items()]
    return "[[release]]\n" + "".join(lines)


def _written(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def releases(*parts: str) -> str:
    """A plan, or a part of one."""
    return "".join(parts)


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
