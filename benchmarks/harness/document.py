"""RESULTS.md: where and with what, what falls short, one table for each section, how long it all took."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness import machine
from harness.reasons import reason
from harness.row import HEADS, Row
from harness.table import markdown_table

_HOW_TO_READ = """\
*Ours ÷ theirs* below 1 means that we are ahead, whatever the unit. A *limit* does less than a release: it counts,
multiplies or draws, and has no contract, noise, ledger or folder. Ratios are of times measured in turns in the same
run, the best of several."""

_MACHINE = """\
- machine: {processor}, {cores} cores, {memory:.0f} GB
- versions: {versions}; peers' beside their rows, pinned in `peers/`
- written: {today}, source {commit}
- load while measuring, before and after each job: {loads} (with nothing else on the machine the jobs themselves make
  at most {cores}; more is other work, which lengthens times and blurs ratios)"""


@dataclass(frozen=True)
class Done:
    """What a job measured; `facts` say when, how long, and how busy the machine was."""

    name: str
    rows: list[Row]
    facts: dict[str, Any]
    failed: str = ""


def document(results: Sequence[Done], quick: bool, chart: str) -> str:
    """All results; a quick run has no chart."""
    rows = [row for done in results for row in done.rows]
    behind = [(row.section, *row.cells(), reason(row)) for row in rows if row.behind]
    mode = "A quick run with smaller sizes. " if quick else ""
    blocks = [
        "# Results",
        f"Written by `make bench`; do not edit. {mode}{_HOW_TO_READ}",
        _surroundings(results),
        "## Behind a peer, or short of a goal",
        markdown_table(("section", *HEADS, "why"), behind) if behind else "Nothing.",
    ]
    for section in dict.fromkeys(row.section for row in rows):
        blocks += [f"## {section}", markdown_table(HEADS, [row.cells() for row in rows if row.section == section])]
        if section.startswith("Growth") and not quick:
            blocks.append(f"![Growth of cost]({chart})")
    heads = ("job", "seconds", "load before and after", "measured", "source", "remark")
    return "\n\n".join([*blocks, "## Jobs", markdown_table(heads, map(_told, results))]) + "\n"


def _surroundings(results: Sequence[Done]) -> str:
    loads = [load for done in results for load in done.facts.get("load", [])]
    return _MACHINE.format(
        processor=machine.processor(),
        cores=os.cpu_count(),
        memory=machine.memory(),
        versions=", ".join(f"{name} {version}" for name, version in machine.versions().items()),
        today=machine.today(),
        commit=machine.commit() or "outside a repository",
        loads=f"{min(loads):.1f} to {max(loads):.1f}" if loads else "not measured",
    )


def _told(done: Done) -> tuple[object, ...]:
    facts = done.facts
    load = " and ".join(map(str, facts.get("load", [])))
    remark = done.failed or facts.get("remark", "")
    return f"`{done.name}`", facts.get("seconds", ""), load, facts.get("date", ""), facts.get("commit", ""), remark
