"""Synthetic records of people beside the truth: they name nobody, and a page says what was not attacked."""

import html
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reaedp import Budget, Category, Contract, Integer, Plan, PlannedRelease, Unit, publish
from reaedp.evaluation.custodian_report import custodian_report
from reaedp.evaluation.evaluate import evaluate
from reaedp.evaluation.finished import finished, synthetic_codes
from reaedp.plan.kinds.synthetic import PlannedSynthetic
from tests_support import ledger_in


def people(visits: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    who = [f"{seed}-{visit // 2}" for visit in range(visits)]
    return pd.DataFrame({"who": who, "age": rng.integers(0, 4, visits), "sex": rng.choice(["f", "m"], visits)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("people")
    people(1_000, 1).to_csv(place / "data.csv", index=False)
    people(400, 2).to_csv(place / "others.csv", index=False)
    contract = Contract(
        dataset="visits",
        unit=Unit("add-remove", person="who", max_rows=2, at_least=300),
        budget=Budget(8, 1e-5),
        ledger=ledger_in(place),
        columns=(
            Integer(name="age", lower=0, upper=3, provenance="public"),
            Category(name="sex", levels=("f", "m"), provenance="public"),
        ),
    )
    price = {"epsilon": 2.0, "delta": 1e-6}
    plan = Plan(
        contract,
        (
            PlannedSynthetic(name="rows", kind="synthetic", columns=("age", "sex"), rows=90, method="network", **price),
            PlannedRelease(name="keys", kind="histogram", columns=("age", "sex"), mechanism="threshold", **price),
        ),
    )
    publish(plan, str(place / "data.csv"), place / "out", audited=False)
    return place


def attacks_of(page: str) -> str:
    section = page.split('<section id="attacks"')[1].split("</section>", maxsplit=1)[0]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", section)).split())


def test_synthetic_records_of_people_are_read_though_they_name_nobody(folder: Path) -> None:
    rows, _ = finished(folder / "out", str(folder / "data.csv"), None)
    assert (90, 2) == synthetic_codes(rows).shape


@pytest.mark.slow
def test_a_contract_with_people_is_evaluated_and_attacked(folder: Path) -> None:
    found = evaluate(
        folder / "out", str(folder / "data.csv"), rng=np.random.default_rng(0), others=str(folder / "others.csv")
    )
    assert {"rows", "keys"} == {line.release for line in found}
    assert {"rows"} == {line.release for line in found if line.permitted is not None}


def test_the_custodians_page_says_why_nothing_was_attacked(folder: Path) -> None:
    words = attacks_of(custodian_report(folder / "out", str(folder / "data.csv"), rng=np.random.default_rng(0)))
    assert "No attack was run on rows: attacks need a file of people" in words
    assert "--others" in words
    assert "No attack was run on keys: releases of this kind are audited, but have no attacks." in words


@pytest.mark.slow
def test_the_custodians_page_is_silent_about_what_was_attacked(folder: Path) -> None:
    words = attacks_of(
        custodian_report(
            folder / "out", str(folder / "data.csv"), rng=np.random.default_rng(0), others=str(folder / "others.csv")
        )
    )
    assert "No attack was run on rows" not in words
    assert "No attack was run on keys" in words


@pytest.mark.slow
def test_the_command_writes_the_custodians_page_of_people(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    command = [sys.executable, "-m", "reaedp", "report", "out", "--custodian", "--data", "data.csv", "--out", str(page)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    assert page.exists()
