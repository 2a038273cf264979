"""What must hold of every case: no traceback, no failure after the charge, no word that depends on a row."""

import random
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz.case import Case
from fuzz.releases import Outcome, Releases
from reaedp.contract.category import Undeclared


@dataclass(frozen=True, slots=True)
class Finding:
    """A law that a case broke."""

    law: str
    label: str
    words: str


def judged(case: Case, releases: Releases, folder: Path) -> list[Finding]:
    """The laws that the case breaks; each set of rows is released from a folder of the same name."""
    outcomes = []
    for rows in case.rows:
        folder.mkdir(parents=True)
        try:
            outcomes.append(releases.release(case.columns, rows.make(folder), person=case.person, files=case.files))
        finally:
            shutil.rmtree(folder)
    broken = [*_each(case, outcomes), *_together(case, outcomes)]
    return [Finding(law, case.label, words) for law, words in broken]


def _each(case: Case, outcomes: list[Outcome]) -> list[tuple[str, str]]:
    found = []
    kept = not any(column.drops for column in case.columns) and not case.person
    for rows, outcome in zip(case.rows, outcomes, strict=True):
        if not outcome.foreseen:
            found.append(("no traceback", repr(outcome.said)[:2_000]))
        if outcome.said[0] != "release" and outcome.charged:
            found.append(("no failure after the charge", repr(outcome.said)[:2_000]))
        if case.sound and outcome.failed:
            found.append(("no reader fails on a row", repr(case.columns)[:2_000]))
        total = sum(number for (name, _), number in outcome.counts.items() if name == "cells")
        cells = any(column.kind != Undeclared.kind for column in case.columns)
        known = case.sound and kept and rows.number is not None and outcome.said[0] == "release" and cells
        if known and total != rows.number:
            found.append(("every row is counted", f"{total} of {rows.number} rows"))
    return found


def _together(case: Case, outcomes: list[Outcome]) -> list[tuple[str, str]]:
    found = []
    said = {outcome.said for outcome in outcomes}
    if case.sound and len(said) > 1:
        found.append(("no word depends on a row", repr(sorted(said))[:4_000]))
    counts = [outcome.counts for outcome in outcomes]
    if case.sound and case.adds and not case.person and len(counts) == 3 and counts[0] + counts[1] != counts[2]:
        found.append(("no row moves another", f"{_difference(counts)} {case.columns!r}"[:2_000]))
    return found


def _difference(counts: list[Counter[Any]]) -> str:
    apart = counts[0] + counts[1]
    return f"apart {dict(apart - counts[2])}, together {dict(counts[2] - apart)}"[:800]


def chance_of(seed: int, format_: str, number: int) -> random.Random:
    """A generator of its own for each case, so that any of them can be made again."""
    return random.Random(f"{seed} {format_} {number}")
