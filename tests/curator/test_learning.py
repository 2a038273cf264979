"""Bounds and levels of many columns, bought in one charge."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reaedp import (
    Budget,
    BudgetRefused,
    Category,
    ColumnNotation,
    Contract,
    DeclarationError,
    Files,
    Ledger,
    Number,
    Unit,
    learn_columns,
    learn_values,
)
from reaedp.cli import learn
from reaedp.mechanisms.noise import SeededNoise
from tests_support import ledger_in

ROWS = 4_000
DATA = pd.DataFrame(
    {
        "age": [n % 90 for n in range(ROWS)],
        "pay": [1000 + n % 900 for n in range(ROWS)],
        "sex": ["fm"[n % 2] for n in range(ROWS)],
        "none": [None] * ROWS,
    }
)


@pytest.fixture
def empty(tmp_path: Path) -> Contract:
    """A contract that has no columns yet, but for how one of them is written."""
    return Contract(
        dataset="d", unit=Unit("add-remove"), budget=Budget(10.0, 1e-4), ledger=ledger_in(tmp_path), columns=(),
        files=Files(columns=(ColumnNotation(column="other", decimal=","),)),
    )  # fmt: skip


@pytest.fixture(autouse=True)
def same_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise alone lifts an empty cell in one of twenty columns; this noise lifts none."""
    monkeypatch.setattr("reaedp.curator.curator.SecretNoise", lambda: SeededNoise(np.random.default_rng(1)))


def test_many_columns_are_learned_in_one_charge_of_the_whole_price(empty: Contract) -> None:
    age, pay, sex = learn_columns(empty, DATA, bounds=["age", "pay"], levels=["sex"], epsilon=9.0, delta=1e-6)
    assert ((0.0, 100.0), (1000.0, 2000.0), ("f", "m")) == (age.bounds, pay.bounds, sex.levels)
    with Ledger.open(empty.ledger) as ledger:
        assert 8.5 < ledger.spent("d") <= 9.0 + 1e-9
        assert [age.release.entry, pay.release.entry, sex.release.entry] == [
            entry.number for entry in ledger.history("d") if entry.number in {2, 3, 4}
        ]


def test_what_does_not_fit_costs_nothing(empty: Contract) -> None:
    with pytest.raises(BudgetRefused):
        learn_columns(empty, DATA, bounds=["age", "pay"], epsilon=11.0)
    with pytest.raises(DeclarationError, match="lacks a declared column"):
        learn_columns(empty, DATA, bounds=["age", "absent"], epsilon=1.0)
    with Ledger.open(empty.ledger) as ledger:
        assert 0 == ledger.spent("d")


def test_columns_are_named_once_and_levels_have_a_delta(empty: Contract) -> None:
    for wrong in (
        {"epsilon": 1.0},
        {"bounds": ["age"], "levels": ["age"], "epsilon": 1.0, "delta": 1e-7},
        {"levels": ["sex"], "epsilon": 1.0},
        {"bounds": ["age"], "epsilon": 1.0, "delta": 1e-7},
        {"bounds": ["age"], "epsilon": -1.0},
        {"bounds": ["age"], "epsilon": float("nan")},
    ):
        with pytest.raises(DeclarationError):
            learn_columns(empty, DATA, **wrong)  # type: ignore[arg-type]


def test_a_column_in_which_nothing_stands_out_is_no_obstacle_to_the_others(empty: Contract) -> None:
    """Noise alone stands out in one of twenty cases: whether it did is not asserted."""
    none, age = learn_columns(empty, DATA, bounds=["none", "age"], epsilon=6.0)
    assert (0.0, 100.0) == age.bounds
    assert none.found == (none.bounds is not None)


def test_the_command_writes_all_columns_into_a_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ledger_in(tmp_path)
    DATA.to_csv("data.csv", index=False)
    Path("contract.toml").write_text(
        '[dataset]\nname = "d"\n[unit]\nchange = "add-remove"\n[budget]\nepsilon = 10\ndelta = 1e-4\n'
        'ledger = "budget.sqlite"\n[columns]\nage = { kind = "FILL IN" }\n'
        'sex = { kind = "category", levels = "FILL IN", provenance = "FILL IN" }\n'
    )
    options = {"data": "data.csv", "epsilon": 6.0, "delta": 1e-6, "bounds": ["age, pay"], "levels": ["sex"]}
    with pytest.raises(DeclarationError, match="--bins"):
        learn.columns(contract=Path("contract.toml"), **options)  # type: ignore[arg-type]
    learn.columns(contract=Path("contract.toml"), bins=10, **options)  # type: ignore[arg-type]
    age, sex, pay = Contract.load("contract.toml").columns
    assert isinstance(age, Number)
    assert (10, "dp", "dp", "dp") == (age.bins, age.provenance, sex.provenance, pay.provenance)
    assert ("f", "m") == sex.labels


HOURS = Number(name="hours", lower=0, upper=80, bins=4, provenance="public")


def test_common_values_get_bins_of_their_own_for_the_price_that_was_named(empty: Contract) -> None:
    """Values of 1,000 rows and more pass a threshold of about 10 at ε = 3; those of one row do not but once in 10^6."""
    rare = [f"{10 + n / 100:.2f}" for n in range(40)]
    data = pd.DataFrame({"hours": ["0", "40", "37.5"] * 1_000 + ["40.0"] * 960 + rare})
    declared = replace(empty, columns=(HOURS,), files=None)
    found, release = learn_values(declared, data, "hours", 3.0, 1e-7)
    assert (0.0, 0.1, 20.0, 37.5, 37.6, 40.0, 40.1, 60.0, 80.0) == found.edges
    assert (0.1, "dp", release.entry) == (found.step, found.provenance, found.entry)
    with Ledger.open(empty.ledger) as ledger:
        assert 2.5 < ledger.spent("d") <= 3.0 + 1e-9


def test_common_values_of_what_is_no_number_cost_nothing(empty: Contract) -> None:
    sex = Category(name="sex", levels=("f", "m"), provenance="public")
    with pytest.raises(DeclarationError, match="of kind number; 'sex' is of kind category"):
        learn_values(replace(empty, columns=(sex,), files=None), DATA, "sex", 1.0, 1e-7)
    with Ledger.open(empty.ledger) as ledger:
        assert "d" not in ledger.datasets()


def test_common_values_are_written_into_the_contract(clinic: Path) -> None:
    """The ages of the clinic are whole numbers, twenty rows each; a threshold of about 16 lets nearly all pass."""
    path = clinic / "contract.toml"
    learn.values(contract=path, column="age", data=str(clinic / "data.csv"), epsilon=0.9, delta=5e-7)
    found = Contract.load(path).column("age")
    assert isinstance(found, Number)
    assert 1.0 == found.step
    assert "dp" == found.provenance
    assert 60 <= found.regular <= 100
    assert "bins" not in path.read_text().split("[columns.age]")[1].split("[")[0]
