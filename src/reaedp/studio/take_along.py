"""What was clicked, for those who go on without the studio: commands, a script and a notebook that do the same."""

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from reaedp.drafting.drafted import Drafted
from reaedp.errors import DeclarationError
from reaedp.studio.contract_file import ContractFile
from reaedp.studio.project import Project

#: The keys of a column in words, in their order; what else a column says cannot be said in words.
_WORDS: Mapping[str, tuple[str, ...]] = {
    "number": ("lower", "upper", "bins"),
    "integer": ("lower", "upper", "width"),
    "boolean": (),
    "date": ("lower", "upper", "every"),
}
_HEADING = ("name", "change", "person", "max_rows", "at_least", "epsilon", "delta", "ledger")
_FILES = ("separator", "encoding", "sheet", "decimal", "thousands", "first_year")
_FORECASTS = """for request in plan.requests():
    forecast = Forecast.of(request, plan.contract)
    print(f"{forecast.name}: ε = {forecast.epsilon:.3g}. {forecast.words}")"""
#: Where the release is written.
OUT = "published"


def init_command(project: Project) -> str | None:
    """The command that drafts the same contract and plan; None where words cannot say all of it."""
    known = ContractFile.read(project)
    words = [_in_words(column) for column in known.draft.columns]
    files = {} if known.draft.files is None else known.draft.files.facts()
    if not project.data or not known.is_text_of(project) or None in words or "columns" in files or "quote" in files:
        return None
    command = ["reaedp", "init", project.data, "--no-ask"]
    for column, said in zip(known.draft.columns, words, strict=True):
        command += ["--kinds", f"{column.name}={said}"]
    for key in _FILES:
        command += [f"--{key.replace('_', '-')}", str(files[key])] if key in files else []
    for key in ("dates", "missing", "signs"):
        command += [part for one in files.get(key, ()) for part in (f"--{key}", one)]
    command += ["--labels"] if files.get("labels") else []
    for key in _HEADING:
        command += [f"--{key.replace('_', '-')}", str(known.heading[key])] if key in known.heading else []
    return shlex.join(command)


def commands(project: Project) -> tuple[str, ...]:
    """What is typed in the project's folder to check, price, audit, release and verify."""
    plan, contract = project.plan_path.name, project.contract_path.name
    data = shlex.quote(project.data or "DATA")
    ledger = shlex.quote(_ledger(project))
    return (
        f"reaedp check {plan}",
        f"reaedp look {data} {contract}",
        f"reaedp plan {plan}",
        f"reaedp audit {plan}",
        f"reaedp release {plan} --data {data} --out {OUT}",
        f"reaedp verify {OUT} --ledger {ledger}",
        f"reaedp ledger show {ledger}",
    )


def script(project: Project) -> str:
    """A Python script that makes the release of the plan; it spends when it is run."""
    return "\n\n".join(code for _, code in _cells(project)).replace("\n\n\n", "\n\n") + "\n"


def notebook(project: Project) -> str:
    """The same as a notebook, a cell for each step."""
    cells: list[dict[str, Any]] = []
    for number, (words, code) in enumerate(_cells(project)):
        cells.append({"cell_type": "markdown", "id": f"words-{number}", "metadata": {}, "source": words})
        code_cell = {"cell_type": "code", "id": f"code-{number}", "metadata": {}, "source": code}
        cells.append({**code_cell, "execution_count": None, "outputs": []})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps(
        {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}, indent=1
    )


def _cells(project: Project) -> Iterator[tuple[str, str]]:
    """Words and code of each step."""
    plan, data, ledger = repr(project.plan_path.name), repr(project.data or "DATA"), repr(_ledger(project))
    yield (
        "Contract and plan, with every mistake if there is one. No data is opened.",
        f"from reaedp import Forecast, Plan, publish, verify\n\nplan = Plan.load({plan})",
    )
    yield "What each release costs, and how far off it will be.", _FORECASTS
    yield (
        "The release. This charges the ledger and cannot be undone.",
        f"releases = publish(plan, {data}, {OUT!r})",
    )
    yield ("Check the folder.", f"for line in verify({OUT!r}, {ledger}):\n    print(line)")


def _in_words(column: Drafted) -> str | None:
    """A column as --kinds takes it; None where it says more."""
    facts = {key: value for key, value in column.facts.items() if key not in ("kind", "provenance")}
    kind = str(column.facts.get("kind"))
    if column.label or column.facts.get("provenance") != "public":
        return None
    try:
        column.column()
    except DeclarationError:
        return None
    if kind == "category":
        plain = set(facts) == {"levels"} and not any(sign in level for level in facts["levels"] for sign in ":|,=")
        return f"category:{':'.join(facts['levels'])}" if plain else None
    if kind not in _WORDS or not set(facts) <= set(_WORDS[kind]):
        return None
    return ":".join([kind, *(str(facts[key]) for key in _WORDS[kind] if key in facts)])


def _ledger(project: Project) -> str:
    return str(ContractFile.read(project).heading.get("ledger") or "LEDGER")
