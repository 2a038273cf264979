"""The custodian's edition holds the truth, says so everywhere, and is kept apart from what is published."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reaedp import Budget, Category, Contract, Integer, Plan, PlannedRelease, Unit, publish
from reaedp.errors import DeclarationError
from reaedp.evaluation.custodian_report import custodian_report
from reaedp.evaluation.evaluate import evaluate
from reaedp.evaluation.finished import finished
from reaedp.evaluation.line import Line, read_lines, write_lines
from reaedp.evaluation.originals import original
from tests_support import ledger_in


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("custodian")
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.integers(0, 4, 1_000), "sex": rng.choice(["f", "m"], 1_000)})
    pd.concat([frame, pd.DataFrame({"age": [5], "sex": ["f"]})]).to_csv(place / "data.csv", index=False)
    contract = Contract(
        dataset="people",
        unit=Unit("add-remove", at_least=500),
        budget=Budget(8, 1e-5),
        ledger=ledger_in(place),
        columns=(
            Integer(name="age", lower=0, upper=5, provenance="public"),
            Category(name="sex", levels=("f", "m"), provenance="public"),
        ),
    )
    price = {"mechanism": "laplace", "epsilon": 1.0}
    releases = (
        PlannedRelease(name="ages", kind="histogram", columns=("age",), **price),  # type: ignore[arg-type]
        PlannedRelease(name="bits", kind="entropy", columns=("age",), orders=(1.0, 2.0), **price),  # type: ignore[arg-type]
        PlannedRelease(name="map", kind="entropy-map", columns=("age", "sex"), **price),  # type: ignore[arg-type]
        PlannedRelease(
            name="keys", kind="histogram", columns=("age", "sex"), mechanism="threshold", epsilon=1.0, delta=1e-6
        ),
    )
    publish(Plan(contract, releases), str(place / "data.csv"), place / "out")
    return place


@pytest.mark.slow
def test_the_truth_stands_beside_what_was_released(folder: Path) -> None:
    frame = pd.read_csv(folder / "data.csv")
    found = {release.name: original(release) for release in finished(folder / "out", folder / "data.csv", None)}
    counts = frame["age"].value_counts().reindex(range(6), fill_value=0)
    assert counts.tolist() == found["ages"][:6].tolist()
    shares = counts[counts > 0] / len(frame)
    assert -(shares * np.log2(shares)).sum() == pytest.approx(found["bits"][0], abs=1e-4)
    assert -np.log2((shares**2).sum()) == pytest.approx(found["bits"][1], abs=1e-4)
    shown = pd.read_parquet(folder / "out" / "keys.parquet")
    pairs = frame.astype(str).value_counts()
    assert [pairs[(age, sex)] for age, sex in zip(shown["age"], shown["sex"], strict=True)] == found["keys"].tolist()
    assert 3 == len(found["map"])


@pytest.mark.slow
def test_keys_that_arrive_in_parts_are_compared_as_a_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = evaluate(folder / "out", folder / "data.csv", rng=np.random.default_rng(0))
    monkeypatch.setattr("reaedp.curator.counted_cells.CELLS_OF_A_PART", 2)
    in_parts = evaluate(folder / "out", folder / "data.csv", rng=np.random.default_rng(0))
    assert whole == in_parts
    (keys,) = [release for release in finished(folder / "out", folder / "data.csv", None) if release.name == "keys"]
    assert len(original(keys)) == len(pd.read_parquet(folder / "out" / "keys.parquet"))


@pytest.mark.slow
def test_the_page_is_marked_and_names_who_is_alone(folder: Path) -> None:
    page = custodian_report(folder / "out", folder / "data.csv", rng=np.random.default_rng(0))
    assert "NOT TO BE PUBLISHED" in page
    for anchor in ("utility", "attacks", "exposure", "release-ages"):
        assert re.search(rf'<section id="{anchor}" class="secret">', page), anchor
    exposed = page.split('<section id="exposure"')[1].split("</section>")[0]
    assert "number of cells with a single row: 1<" in exposed
    assert "<bdi>5</bdi>" in exposed


def test_figures_of_an_evaluation_are_read_again_as_they_were_written(tmp_path: Path) -> None:
    lines = (Line("a", "utility", "error", 1.5), Line("b", "=attack", "AUC", 0.6, 0.5, 0.7, 0.5, 0.5, 0.73))
    write_lines(tmp_path, lines)
    assert lines == read_lines(tmp_path)
    assert "'=attack" in (tmp_path / "evaluation.csv").read_text()
    (tmp_path / "evaluation.csv").write_text("something,else\n1,2\n")
    with pytest.raises(DeclarationError, match="reaedp evaluate"):
        read_lines(tmp_path)
    with pytest.raises(DeclarationError, match="not a folder written by"):
        read_lines(tmp_path / "nowhere")
