"""A plan while it is made: releases are added, changed and taken out, and everything else in the file stays."""

import hashlib
from collections.abc import Mapping
from decimal import ROUND_FLOOR, Decimal
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from reaedp.contract.document import Document
from reaedp.drafting.plan_text import plan_text
from reaedp.drafting.toml_text import comment, text, written
from reaedp.errors import DeclarationError
from reaedp.privacy.budget import Budget
from reaedp.studio.contract_file import ContractFile
from reaedp.studio.project import Project

#: Digits of a share behind the point.
_SHARE = Decimal("0.000001")


def text_of(project: Project) -> str:
    """The plan as it stands; "" if there is none."""
    try:
        return project.plan_path.read_text(encoding="utf-8")
    except OSError:
        return ""


def version(project: Project) -> str:
    """What tells one state of plan and contract from another."""
    contract = project.contract_path.read_bytes() if project.contract_path.is_file() else b""
    return hashlib.sha256(text_of(project).encode() + b"\0" + contract).hexdigest()[:16]


def tables(project: Project) -> list[dict[str, Any]]:
    """Each [[release]] as it stands, also where something is wrong with it."""
    if not project.plan_path.is_file():
        return []
    found = Document.read(project.plan_path).data.get("release", [])
    return [table for table in found if isinstance(table, dict)] if isinstance(found, list) else []


def suggest(project: Project) -> None:
    """Write the plan that `reaedp init` drafts for the contract."""
    from reaedp.drafting.heading import Heading

    known = ContractFile.read(project)
    named = project.contract_path.name
    project.write(project.plan_path, plan_text(named, known.draft.columns, Heading(**known.heading)))


def add(project: Project, facts: Mapping[str, Any]) -> None:
    """Write one more release at the end."""
    before = text_of(project)
    if any(table.get("name") == facts["name"] for table in tables(project)):
        raise DeclarationError(f"release.name must be different from all others; given {facts['name']!r}.")
    if not before:
        top = comment("What to release. `reaedp plan` says what each costs and how accurate it will be.")
        before = f"{top}\ncontract = {text(project.contract_path.name)}\n"
    lines = "".join(f"{key} = {written(value)}\n" for key, value in facts.items())
    project.write(project.plan_path, f"{before.rstrip()}\n\n[[release]]\n{lines}")


def free_name(project: Project, name: str) -> str:
    """The name, or the first with a number behind it that no release of the plan has."""
    taken = {table.get("name") for table in tables(project)}
    return next(one for one in (name, *(f"{name}-{number}" for number in range(2, 10_000))) if one not in taken)


def change(project: Project, changes: Mapping[str, Mapping[str, Any] | None]) -> None:
    """Set keys of releases by their names; None takes a key, or a whole release, out of the plan."""
    try:
        document: Any = tomlkit.parse(text_of(project))
        releases = document["release"]
        for name, keys in changes.items():
            place = next((place for place, one in enumerate(releases) if one.get("name") == name), None)
            if place is None:
                raise DeclarationError(f"The plan has no release {name!r}.")
            if keys is None:
                del releases[place]
                continue
            for key, value in keys.items():
                if value is None:
                    releases[place].pop(key, None)
                else:
                    releases[place][key] = value
        project.write(project.plan_path, tomlkit.dumps(document))
    except (TOMLKitError, KeyError) as error:
        raise DeclarationError(f"{project.plan_path} could not be updated ({error}).") from None


def priced(table: Mapping[str, Any], epsilon: float, budget: Budget) -> dict[str, Any]:
    """The keys that give a release this ε: its own, or a share of the budget."""
    if "epsilon" in table:
        return {"epsilon": epsilon}
    return {"share": share(epsilon, budget)}


def share(epsilon: float, budget: Budget) -> float:
    """ε as a part of the budget, rounded down, so that parts of a whole never exceed it."""
    part = (Decimal(repr(epsilon)) / Decimal(repr(float(budget.epsilon)))).quantize(_SHARE, ROUND_FLOOR)
    return float(min(part, Decimal(1)))
