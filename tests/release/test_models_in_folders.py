"""A folder with a model: it is verified, gives more rows, and answers questions, all at no cost."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from reaedp import DeclarationError, Plan, ReaedpError, publish, read, verify
from reaedp.cli.app import app
from reaedp.synthesis.marginal_model import MarginalModel, with_parts
from tests_support import ledger_in

CONTRACT = """\
[dataset]
name = "flights"
[unit]
change = "add-remove"
[budget]
epsilon = 12.0
delta = 1e-5
ledger = "budget.sqlite"
[columns]
time = { kind = "integer", lower = 0, upper = 2359, width = 20, provenance = "public" }
hour = { kind = "integer", lower = 0, upper = 23, provenance = "public" }
delay = { kind = "number", lower = 0, upper = 60, bins = 12, step = 0.5, provenance = "public" }
carrier = { kind = "category", levels = ["AA", "UA"], provenance = "public" }
night = { kind = "boolean", provenance = "public" }
[[rule]]
hour = "time div 100"
provenance = "public"
[[rule]]
never = { hour = "< 6", night = false }
provenance = "public: timetable.pdf"
description = "Before six it is night."
"""
PLAN = """\
contract = "contract.toml"
[[release]]
name = "rows"
kind = "synthetic"
method = "network"
columns = ["time", "hour", "delay", "carrier", "night"]
rows = 2000
epsilon = 4
delta = 1e-6
[[release]]
name = "delays"
kind = "histogram"
columns = ["delay", "carrier"]
mechanism = "laplace"
epsilon = 1
[[release]]
name = "means"
kind = "summary"
of = ["delay"]
by = ["carrier"]
mechanism = "laplace"
epsilon = 1
[[release]]
name = "ranks"
kind = "quantiles"
of = "delay"
at = "cdf"
mechanism = "laplace"
epsilon = 1
"""


def flights(rows: int = 4_000) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    time = rng.integers(0, 24, rows) * 100 + rng.integers(0, 60, rows)
    late = rng.integers(0, 2, rows)
    delay = np.rint(2 * np.clip(rng.exponential(5 + 10 * late), 0, 60)) / 2
    night = (time < 600) | (time >= 2200)
    return pd.DataFrame(
        {"time": time, "hour": time // 100, "delay": delay, "carrier": np.array(["AA", "UA"])[late], "night": night}
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("flights")
    (home / "contract.toml").write_text(CONTRACT)
    (home / "plan.toml").write_text(PLAN)
    ledger_in(home)
    publish(Plan.load(home / "plan.toml"), flights(), home / "out", audited=False, page=False)
    return home


def spoil(out: Path, change: Callable[[dict[str, Any]], None], name: str = "rows.model.json") -> None:
    """Change a file and write its new hash into the manifest, as somebody who lies would."""
    record = json.loads((out / name).read_text())
    change(record)
    (out / name).write_text(json.dumps(record))
    manifest = json.loads((out / "release.json").read_text())
    manifest["files"][name] = hashlib.sha256((out / name).read_bytes()).hexdigest()
    (out / "release.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False))


@pytest.mark.slow
def test_rows_keep_rules_and_steps_and_the_folder_is_verified(made: Path) -> None:
    assert "rows: 2,000 rows agree with the contract and with each other" in "\n".join(verify(made / "out"))
    rows = pd.read_csv(made / "out" / "rows.csv")
    assert (rows["hour"] == rows["time"] // 100).all()
    assert rows["night"][rows["hour"] < 6].all()
    assert (rows["delay"] * 2 % 1 == 0).all()
    assert not rows.isna().any().any(), "no value is missing where none was"
    rules = json.loads((made / "out" / "release.json").read_text())["rules"]
    assert ["hour < 6 and night = false"] == [rule["expression"] for rule in rules if rule["act"] == "never"]


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record["noise"].update(columns=record["noise"]["columns"] / 2),
        lambda record: record["columns"][0].update(noise=record["columns"][0]["noise"] / 50),
        lambda record: record["tables"][-1].update(noise=[1.0] * len(record["tables"][-1]["noise"])),
        lambda record: record.update(rows=record["rows"] + 10),
        lambda record: (record["tables"].pop(), record)[0] and None,
        lambda record: record.update(keys={"columns": ["night"], "cells": [[0]], "counts": [5]}),
        lambda record: record.update(
            regions={
                "column": "carrier",
                "cuts": [],
                "levels": [],
                "noisy_counts": [[2_000, 2_000, 0, 0]],
                "noise": 1.0,
            }
        ),
        lambda record: record.update(format=7),
        lambda record: record["columns"][0]["noisy_counts"].pop(),
        lambda record: record["columns"][0]["noisy_counts"].__setitem__(0, 2.0**-9),
        lambda record: record["noise"].update(parts_of_a_row=512),
        lambda record: record["noise"].update(parts_of_a_row=0),
    ],
)
def test_a_model_that_does_not_follow_from_its_release_is_refused(
    made: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    shutil.copytree(made / "out", tmp_path / "out")
    spoil(tmp_path / "out", change)
    with pytest.raises(ReaedpError, match=r"rows.model.json (does not follow|is damaged)"):
        verify(tmp_path / "out")
    with pytest.raises(ReaedpError, match=r"rows.model.json (does not follow|is damaged)"):
        read(tmp_path / "out")


def model_details(record: dict[str, Any]) -> dict[str, Any]:
    """The details of the only release that has a model."""
    (found,) = [release["details"] for release in record["releases"] if "parts_of_a_row" in release["details"]]
    return found  # type: ignore[no-any-return]


@pytest.mark.parametrize("parts", [None, 1, 128, 3])
def test_a_manifest_with_other_parts_of_rows_is_refused(made: Path, tmp_path: Path, parts: int | None) -> None:
    """How fine a model counts decides how much noise its price buys."""
    shutil.copytree(made / "out", tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "release.json").read_text())
    details = model_details(manifest)
    assert 256 == details.pop("parts_of_a_row")
    details |= {} if parts is None else {"parts_of_a_row": parts}
    (tmp_path / "out" / "release.json").write_text(json.dumps(manifest))
    with pytest.raises(ReaedpError, match="rows"):
        verify(tmp_path / "out")


def test_folders_whose_models_count_whole_rows_are_still_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They do not say so, as the first folders did not."""
    bought = MarginalModel.within
    monkeypatch.setattr(MarginalModel, "within", lambda *given: with_parts(bought(*given), 1))
    (tmp_path / "contract.toml").write_text(CONTRACT)
    (tmp_path / "plan.toml").write_text(PLAN)
    ledger_in(tmp_path)
    publish(Plan.load(tmp_path / "plan.toml"), flights(), tmp_path / "out", audited=False, page=False)
    monkeypatch.undo()
    spoil(tmp_path / "out", lambda record: record["noise"].pop("parts_of_a_row"))
    manifest = json.loads((tmp_path / "out" / "release.json").read_text())
    assert 1 == model_details(manifest).pop("parts_of_a_row")
    (tmp_path / "out" / "release.json").write_text(json.dumps(manifest))
    assert any("rows: ε = " in line for line in verify(tmp_path / "out"))
    model = json.loads((tmp_path / "out" / "rows.model.json").read_text())
    assert all(type(count) is int for column in model["columns"] for count in column["noisy_counts"])


def test_rows_that_break_a_rule_are_refused(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / "out", tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "release.json").read_text())
    manifest["rules"][0]["expression"] = "time div 60"
    (tmp_path / "out" / "release.json").write_text(json.dumps(manifest))
    with pytest.raises(ReaedpError, match="does not match its stated fingerprint"):
        verify(tmp_path / "out")


def run(*arguments: str) -> str:
    found = CliRunner().invoke(app, list(arguments))
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
    return found.output


@pytest.mark.slow
def test_more_rows_are_drawn_from_the_command_line(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    out = str(made / "out")
    said = run("synthesize", out, "--rows", "3000", "--given", "carrier=UA", "--given", "hour < 6", "--seed", "1")
    assert "Wrote 3,000 rows of rows to rows-3000.csv. Nothing was charged." in said
    rows = pd.read_csv("rows-3000.csv")
    assert {"UA"} == set(rows["carrier"])
    assert rows["hour"].max() < 6
    assert rows["night"].all()
    assert (rows["hour"] == rows["time"] // 100).all()
    run(
        "synthesize",
        out,
        "--rows",
        "3000",
        "--given",
        "carrier=UA",
        "--given",
        "hour < 6",
        "--seed",
        "1",
        "--out",
        "b.parquet",
    )
    assert rows.equals(pd.read_parquet("b.parquet").astype(rows.dtypes.to_dict()))
    for wrong in (["--out", str(made / "out" / "x.csv")], ["--out", "x.txt"], ["--name", "delays"], ["--rows", "0"]):
        found = CliRunner().invoke(app, ["synthesize", out, "--rows", "10", *wrong])
        assert isinstance(found.exception, DeclarationError)
    assert not (tmp_path / "x.txt").exists()


@pytest.mark.slow
def test_questions_are_answered_from_whatever_answers_best(made: Path) -> None:
    folder, truth = read(made / "out"), flights()
    answers = {
        "mean delay by carrier": "the release means",
        "difference of mean delay between carrier = UA and carrier = AA": "the release means",
        "median delay": "the release ranks",
        "count by night": "night",
    }
    for question, source in answers.items():
        assert source in folder.ask(question, replays=0).source, question
    # The model's own table or the histogram, whichever turned out to have less noise: never more than the histogram.
    counts, cells = folder.ask("count by carrier", replays=0), folder["delays"].counts.values.shape[0]
    assert (counts.high - counts.low).max() <= 1.2 * 2 * 1.96 * np.sqrt(2 * cells)
    means = folder.ask("mean delay by carrier")
    true = truth.groupby("carrier")["delay"].mean().to_numpy()
    assert (np.abs(means.value - true) < 1).all()
    assert ["AA", "UA"] == means.to_pandas()["carrier"].tolist()


@pytest.mark.slow
def test_an_answer_on_the_command_line_names_its_source_and_its_price(made: Path) -> None:
    said = run("ask", str(made / "out"), "mean delay by carrier")
    assert "AA" in said
    assert "95 % intervals for the rows of the data, from the release means. Nothing was charged." in said
    lonely = run(
        "ask", str(made / "out"), "mean delay where night = yes and carrier = AA and hour > 3", "--replays", "0"
    )
    assert "no table joins" in lonely
    found = CliRunner().invoke(app, ["ask", str(made / "out"), "mean dely"])
    assert "Did you mean 'delay'" in str(found.exception)


def test_a_folder_of_the_first_version_has_no_model_and_says_so() -> None:
    golden = Path(__file__).parent.parent / "golden" / "0.1" / "published"
    with pytest.raises(DeclarationError, match="has no model file next to its rows"):
        read(golden)["people"].sample(10)
    with pytest.raises(DeclarationError, match="has no model to draw rows from"):
        read(golden)["ages"].sample(10)
    assert len(read(golden).ask("count by age").value) == 4


def test_check_finds_rules_that_no_row_can_keep(tmp_path: Path) -> None:
    (tmp_path / "contract.toml").write_text(CONTRACT.replace('"time div 100"', '"time + 5000"'))
    found = CliRunner().invoke(app, ["check", str(tmp_path / "contract.toml")])
    assert "must leave some rows possible" in str(found.exception)
