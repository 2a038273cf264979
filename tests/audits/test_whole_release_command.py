"""`reaedp audit PLAN --whole-release` as a user types it: its words, its exit code, and the power beside each pass."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from reaedp.audits import whole_release
from reaedp.audits.repeated_release import RepeatedRelease
from reaedp.cli import screen
from reaedp.cli.app import app
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.noise import SeededNoise

CONTRACT = """
dataset.name = "clinic"
unit.change = "add-remove"

[budget]
epsilon = 4.0
delta = 1e-6
ledger = "budget.sqlite"

[columns.sex]
kind = "category"
levels = ["f", "m"]
provenance = "public"
"""
PLAN = """
contract = "contract.toml"

[[release]]
name = "sexes"
kind = "histogram"
columns = ["sex"]
mechanism = "laplace"
epsilon = 2.0
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A plan in a folder with neither data nor ledger, on a wide screen, with noise that is the same each time."""
    noise = SeededNoise(np.random.default_rng(11))

    def repeated(*facts: Any) -> RepeatedRelease:
        return RepeatedRelease(*facts[:4], noise)

    monkeypatch.setattr(whole_release, "RepeatedRelease", repeated)
    monkeypatch.setattr(screen, "console", Console(width=400))
    (tmp_path / "contract.toml").write_text(CONTRACT, encoding="utf-8")
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    return str(tmp_path / "plan.toml")


def audited(plan: str, option: str = "--whole-release") -> tuple[int, list[list[str]]]:
    """The exit code, and the table that was printed."""
    done: Any = CliRunner().invoke(app, ["audit", plan, option, "--runs", "400", "--seed", "5"])
    rows = [line.split("│" if "│" in line else "┃")[1:-1] for line in done.stdout.splitlines() if line[:1] in "│┃"]
    return done.exit_code, [[cell.strip() for cell in row] for row in rows]


def test_a_sound_plan_passes_and_the_largest_epsilon_missed_stands_beside_it(plan: str) -> None:
    code, (heading, release, folder, *others) = audited(plan)
    assert 0 == code
    assert "largest ε missed" == heading[5]
    assert release[0] in ("CONSISTENT", "CONSISTENT, WEAK TEST"), release
    assert "whole releases" in release[1]
    assert "ε = 2" == release[3]
    assert release[4].startswith("ε ≥ ")
    # With 400 guesses at most, 1.2 times to 3 times the charge is what a Laplace audit convicts.
    assert 2.4 < float(release[5].removeprefix("ε = ")) < 6
    assert ["CONSISTENT", "histogram of sex: its folder"] == folder[:2]
    assert {"NOT COVERED"} == {other[0] for other in others}
    assert {"timing and memory", "insiders"} <= {other[1] for other in others}


def test_a_plan_that_is_charged_too_little_ends_with_exit_code_1_and_a_witness(
    plan: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = Laplace.price
    monkeypatch.setattr(Laplace, "price", lambda self, sensitivity: honest(Laplace(self.epsilon / 8), sensitivity))
    # A quarter is charged in place of 2: of 400 guesses 0.88 are right where 0.56 may be, 13 deviations off.
    code, (_, release, *_) = audited(plan)
    assert 1 == code
    assert "VIOLATED" == release[0]
    assert "guesses right" in release[1]


def test_neither_data_nor_ledger_of_the_custodian_is_needed_or_made(plan: str) -> None:
    before = sorted(Path(plan).parent.iterdir())
    assert 0 == audited(plan)[0]
    assert before == sorted(Path(plan).parent.iterdir())


@pytest.mark.slow
def test_the_older_name_of_the_option_is_understood_and_not_shown(plan: str) -> None:
    code, (_, release, *_) = audited(plan, "--door")
    assert 0 == code
    assert "whole releases" in release[1]
    shown: Any = CliRunner().invoke(app, ["audit", "--help"])
    assert "--whole-release" in shown.stdout
    assert "--door" not in shown.stdout
