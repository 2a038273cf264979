"""Release folders of neighbours, made with noise that forgets its input, are the same byte for byte."""

import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from reaedp import Plan, Unit, publish
from reaedp.audits.constant_noise import ConstantNoise
from reaedp.ledger.state_folder import state_in
from reaedp.release import folder as release_folder
from report_support import every_kind, people

#: Below and above every threshold of the plan.
LOW, HIGH = 0, 50
LONG = "x" * 1_000_000
#: What one row or one person adds to the file: after whose it is come income, age, sex and day.
ADDED = {
    "an ordinary row": "q,20.0,3,f,2020-05-05\n",
    "nulls": "q,,,,\n",
    "unparsable": 'q,"1,2;3",old,?,yesterday\n',
    "an outlier": "q,-1e308,99999999999999999999,F,9999-12-31\n",
    "texts of a megabyte": f"q,{LONG},{LONG},{LONG},{LONG}\n",
    "too few cells": "q,1\n",
    "a formula": 'q,=1+1,@x,"<script>",2020-05-05T00:00:00+14:00\n',
}


class Clock:
    """Time stands still, so that neighbours differ by their rows alone."""

    @staticmethod
    def now() -> datetime:
        return datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_folder, "datetime", Clock)


@pytest.fixture
def others() -> str:
    frame = people(1_500, seed=7)
    frame.insert(0, "person", [f"p{number}" for number in range(len(frame))])
    return str(frame.to_csv(index=False))


def folder_of(plan: Plan, text: str, place: Path, value: int, *, page: bool) -> dict[str, tuple[bytes, int, float]]:
    """Everything that can be seen of each file: its bytes, its mode and its time; and the folder's own."""
    place.mkdir()
    ledger = Path(plan.contract.ledger)
    shutil.copyfile(ledger, place / ledger.name)  # each begins with the same ledger, whose identity is published
    (place / "table.csv").write_text(text, encoding="utf-8")
    terms = replace(plan, contract=replace(plan.contract, ledger=str(place / ledger.name)))
    with state_in(place):
        noise = ConstantNoise(value, np.random.default_rng(5))
        publish(terms, place / "table.csv", place / "out", noise=noise, audited=False, page=page)
    files = {path.name: path for path in sorted((place / "out").iterdir())} | {".": place / "out"}
    return {
        name: (path.read_bytes() if path.is_file() else b"", path.stat().st_mode, path.stat().st_mtime)
        for name, path in files.items()
    }


def check_alike(plan: Plan, text: str, added: dict[str, str], value: int, *, page: bool = True) -> None:
    folder = Path(plan.contract.ledger).parent
    one = folder_of(plan, text, folder / "without", value, page=page)
    assert {"README.txt", "release.json"} < one.keys()
    assert page == ("report.html" in one)
    for number, (label, rows) in enumerate(added.items()):
        other = folder_of(plan, text + rows, folder / str(number), value, page=page)
        assert list(one) == list(other), label
        assert [] == [name for name in one if one[name] != other[name]], label


@pytest.mark.slow
@pytest.mark.usefixtures("clock")
def test_folders_of_neighbouring_rows_are_the_same_byte_for_byte(tmp_path: Path, others: str) -> None:
    check_alike(every_kind(tmp_path), others, ADDED, LOW)


@pytest.mark.slow
@pytest.mark.usefixtures("clock")
def test_folders_are_the_same_where_keys_are_shown_that_both_neighbours_have(tmp_path: Path, others: str) -> None:
    check_alike(every_kind(tmp_path), others, {"an ordinary row": ADDED["an ordinary row"]}, HIGH)


@pytest.mark.usefixtures("clock")
def test_folders_of_counts_are_the_same_without_a_person_of_many_rows(tmp_path: Path, others: str) -> None:
    plan = every_kind(tmp_path)
    unit = Unit("add-remove", person="person", max_rows=2, at_least=1_000)
    counts = replace(plan, contract=replace(plan.contract, unit=unit), releases=plan.releases[:6])
    many = {"a thousand rows": "".join(f"q,{number % 97},3,f,2020-05-05\n" for number in range(1_000))}
    check_alike(counts, others, many, LOW, page=False)
