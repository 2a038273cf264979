"""The cells that a plan allows a model: what it keeps, what it costs, and what is refused."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from cell_rows import UNITS, Rows
from reaedp import Budget, Category, Contract, Ledger, MarginalModel, Plan, publish, read, verify
from reaedp.errors import DeclarationError
from reaedp.mechanisms.noise import SeededNoise
from reaedp.plan.description import mechanism_record
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.synthesis import search
from reaedp.synthesis.learned import LearnedModel

WIDTH, LEVELS = 8, 12
NAMES = tuple(f"c{number}" for number in range(WIDTH))
COLUMNS = tuple(
    Category(name=name, levels=tuple("abcdefghijkl"), provenance="public", null="drop", unseen="drop") for name in NAMES
)
CONTRACT = Contract(
    dataset="d", unit=UNITS["add-remove"], budget=Budget(60, 1e-6), ledger="budget.sqlite", columns=COLUMNS
)


def tangled(count: int) -> np.ndarray:
    """Each column often follows what nobody sees, so that all pairs depend and no small tree holds them."""
    rng = np.random.default_rng(5)
    hidden, own = rng.integers(0, LEVELS, (count, 1)), rng.integers(0, LEVELS, (count, WIDTH))
    return np.where(rng.random((count, WIDTH)) < 0.6, hidden, own)


def learned(model_cells: int) -> LearnedModel:
    sensitivity, noise = counting_sensitivity(CONTRACT.unit), SeededNoise(np.random.default_rng(1))
    mechanism = replace(MarginalModel.within(50.0, 1e-7, CONTRACT, NAMES), model_cells=model_cells)
    return mechanism.learn(Rows(CONTRACT, tangled(60_000)), NAMES, sensitivity, noise, lambda _: None)  # type: ignore[arg-type]


def error_of_pairs(model: LearnedModel) -> float:
    """The mean total variation of the tables of two columns."""
    truth, drawn = tangled(60_000), model.rows(60_000, np.random.default_rng(2))
    counts = [
        [np.bincount(rows[:, one] * LEVELS + rows[:, two], minlength=LEVELS**2) for rows in (truth, drawn)]
        for one, two in combinations(range(WIDTH), 2)
    ]
    return float(np.mean([np.abs(real - made).sum() / (2 * 60_000) for real, made in counts]))


def test_more_cells_keep_more_dependences_and_no_model_outgrows_its_own() -> None:
    small, large = learned(10_000), learned(200_000)
    for allowed, found in ((10_000, small), (200_000, large)):
        assert found.evidence.tree.cells <= 2 * (allowed + WIDTH**2)
    assert small.evidence.tree.cells < large.evidence.tree.cells
    assert error_of_pairs(large) < 0.7 * error_of_pairs(small)


def test_no_model_outgrows_its_cells_where_they_cost_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables must be worth their cells, for which reason few models ever fill their room."""
    monkeypatch.setattr(search, "RENT", 0.02)
    assert learned(10_000).evidence.tree.cells <= 2 * (10_000 + WIDTH**2)


@pytest.mark.parametrize("wrong", [9_999, 100_000_001, 5e5, "450000", True, None])
def test_a_number_of_cells_that_no_model_can_have_is_refused(wrong: object) -> None:
    rule = "model_cells must be a whole number from 10,000 to 100,000,000"
    with pytest.raises(DeclarationError, match=rule):
        MarginalModel(2, mu=1.0, model_cells=wrong)  # type: ignore[arg-type]


def test_cells_are_told_where_they_are_not_the_usual_ones_and_do_not_change_the_price() -> None:
    usual, sensitivity = MarginalModel(2, mu=1.0), counting_sensitivity(CONTRACT.unit)
    other = replace(usual, model_cells=20_000)
    assert "model_cells" not in mechanism_record(usual)
    assert 20_000 == mechanism_record(other)["model_cells"]
    assert usual.price(sensitivity) == other.price(sensitivity)
    wish = MarginalModel(epsilon=1.0, delta=1e-6, model_cells=20_000)  # type: ignore[call-arg]
    assert "MarginalModel(epsilon=1.0, delta=1e-06, model_cells=20000)" == repr(wish)


HEAD = """[dataset]
name = "d"
[unit]
change = "add-remove"
[budget]
epsilon = 2
delta = 1e-6
ledger = "budget.sqlite"
"""
COLUMN = """[columns.{}]
kind = "category"
levels = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]
provenance = "public"
"""
PLAN = """contract = "contract.toml"
[[release]]
name = "rows"
kind = "synthetic"
method = "{method}"
columns = ["c0", "c1", "c2"]
rows = 50
epsilon = 1
delta = 1e-7
model_cells = {cells}
"""


def planned(folder: Path, method: str, cells: str) -> Plan:
    (folder / "contract.toml").write_text(HEAD + "".join(map(COLUMN.format, NAMES)), encoding="utf-8")
    (folder / "plan.toml").write_text(PLAN.format(method=method, cells=cells), encoding="utf-8")
    return Plan.load(folder / "plan.toml")


def test_a_plan_allows_cells_and_its_folder_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Ledger.create("budget.sqlite").close()
    header, rows = ",".join(NAMES), np.array(list("abcdefghijkl"))[tangled(500)]
    Path("data.csv").write_text("\n".join([header, *map(",".join, rows)]), encoding="utf-8")
    publish(planned(tmp_path, "network", "20_000"), "data.csv", "published", audited=False, page=False)
    verify("published", ledger="budget.sqlite")
    assert 20_000 == read("published")["rows"].noise.mechanism.model_cells


@pytest.mark.parametrize(
    ("method", "cells", "said"),
    [
        ("network", "10", "model_cells must be a whole number from 10,000 to 100,000,000; given 10"),
        ("amortised", "20_000", "model_cells must be used with method network only; given 'amortised'"),
    ],
)
def test_a_plan_with_cells_that_cannot_be_is_refused(tmp_path: Path, method: str, cells: str, said: str) -> None:
    with pytest.raises(DeclarationError, match=said):
        planned(tmp_path, method, cells)
