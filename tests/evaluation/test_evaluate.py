"""A finished release beside the truth: figures for the custodian, kept apart from what is published."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reaedp import Budget, Category, Contract, Integer, Plan, PlannedRelease, Unit, publish
from reaedp.errors import DeclarationError
from reaedp.evaluation.evaluate import Line, evaluate
from reaedp.plan.kinds.synthetic import PlannedSynthetic
from tests_support import ledger_in


def people(rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 8, rows)
    return pd.DataFrame({"age": age, "sex": np.where(rng.random(rows) < 0.5, "f", "m"), "rich": (age > 4).astype(int)})


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evaluate")
    people(2_000, 1).to_csv(folder / "data.csv", index=False)
    people(600, 2).to_csv(folder / "others.csv", index=False)
    contract = Contract(
        dataset="people",
        unit=Unit("add-remove", at_least=1_000),
        budget=Budget(8, 1e-5),
        ledger=ledger_in(folder),
        columns=(
            Integer(name="age", lower=0, upper=7, provenance="public"),
            Category(name="sex", levels=("f", "m"), provenance="public"),
            Integer(name="rich", lower=0, upper=1, provenance="public"),
        ),
    )
    noise = {"mechanism": "laplace", "epsilon": 1.0}
    plan = Plan(
        contract,
        (
            PlannedRelease(name="ages", kind="histogram", columns=("age",), **noise),  # type: ignore[arg-type]
            PlannedRelease(name="bits", kind="entropy-map", columns=("age", "sex"), **noise),  # type: ignore[arg-type]
            PlannedRelease(name="orders", kind="entropy", columns=("age",), orders=(1.0, 2.0), **noise),  # type: ignore[arg-type]
            PlannedRelease(
                name="keys", kind="histogram", columns=("age", "sex"), mechanism="threshold", epsilon=1.0, delta=1e-6
            ),
            PlannedSynthetic(
                name="rows",
                kind="synthetic",
                columns=("age", "sex", "rich"),
                rows=500,
                method="network",
                epsilon=2.0,
                delta=1e-6,
            ),
        ),
    )
    publish(plan, str(folder / "data.csv"), folder / "out")
    return folder


def lines(published: Path, others: bool = True) -> tuple[Line, ...]:
    return evaluate(
        published / "out",
        str(published / "data.csv"),
        rng=np.random.default_rng(0),
        others=str(published / "others.csv") if others else None,
        label="rich" if others else None,
    )


@pytest.mark.slow
def test_every_release_is_measured_and_nothing_may_be_published(published: Path) -> None:
    found = lines(published)
    assert {"ages", "bits", "keys", "orders", "rows"} == {line.release for line in found}
    assert not any(line.disclosable for line in found)
    by_measure = {(line.release, line.measure): line.value for line in found}
    # Discrete Laplace noise of scale one: its mean is 0.85, and nine cells do not average above 20 by chance.
    assert by_measure["ages", "mean error, rows"] < 20
    # Noise of scale 0.025 bits on one order and 0.006 on the other: 0.5 is 20 scales, once in 10⁸ times by chance. The
    # orders have lattices of different steps; one taken for the other would be off by 8 bits.
    assert by_measure["orders", "largest error, bits"] < 0.5
    assert by_measure["rows", "total variation, 1-way, mean"] < 0.2


@pytest.mark.slow
def test_no_attack_is_printed_without_what_it_does_to_outsiders_a_blind_guess_and_the_ceiling(published: Path) -> None:
    attacks = [line for line in lines(published) if line.subject not in ("utility", "similarity")]
    assert {"ages", "rows"} == {line.release for line in attacks}
    for line in attacks:
        assert None not in (line.control, line.baseline, line.permitted, line.low, line.high)


@pytest.mark.slow
def test_without_people_outside_the_data_synthetic_rows_are_compared_but_not_attacked(published: Path) -> None:
    found = [line for line in lines(published, others=False) if line.release == "rows"]
    assert {"utility"} == {line.subject for line in found}


@pytest.mark.slow
def test_shadows_of_a_synthetic_release_are_made_and_judged(published: Path) -> None:
    found = evaluate(published / "out", str(published / "data.csv"), rng=np.random.default_rng(0), shadows=200)
    (auc,) = [line for line in found if line.subject.startswith("shadow") and line.measure == "AUC"]
    # A hundred attacked runs say little: the range is wide, and begins below what is permitted.
    assert auc.low is not None
    assert auc.permitted is not None
    assert auc.low <= auc.permitted


def test_too_few_shadows_are_refused_at_once(published: Path) -> None:
    with pytest.raises(DeclarationError, match="shadows must be 0 or at least 200"):
        evaluate(published / "out", str(published / "data.csv"), rng=np.random.default_rng(0), shadows=20)


def test_an_unknown_label_is_refused(published: Path) -> None:
    with pytest.raises(DeclarationError, match="height"):
        evaluate(published / "out", str(published / "data.csv"), rng=np.random.default_rng(0), label="height")


@pytest.mark.slow
def test_results_are_written_apart_from_the_release_and_marked(published: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "reaedp", "evaluate", "out", "--data", "data.csv", "--out"]
    inside = subprocess.run([*command, "out/private"], cwd=published, capture_output=True, text=True, check=False)
    assert (5, False) == (inside.returncode, (published / "out" / "private").exists())
    done = subprocess.run(
        [*command, str(tmp_path / "private")], cwd=published, capture_output=True, text=True, check=True
    )
    assert "NOT TO BE PUBLISHED" in done.stdout
    assert (tmp_path / "private" / "NOT-TO-BE-PUBLISHED.txt").exists()
    with (tmp_path / "private" / "evaluation.csv").open() as file:
        assert {"False"} == {row["disclosable"] for row in csv.DictReader(file)}
