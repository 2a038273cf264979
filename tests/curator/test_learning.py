"""Bounds and levels of many columns, bought in one charge."""

from pathlib import Path

import pandas as pd
import pytest

from reaedp import (
    Budget,
    BudgetRefused,
    ColumnNotation,
    Contract,
    DeclarationError,
    Files,
    Ledger,
    Number,
    Unit,
    learn_columns,
)
from reaedp.cli import learn
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


def test_many_columns_are_learned_in_one_charge_of_the_whole_price(empty: Contract) -> None:
    """At ε = 3 a column the scale is 1/3 and every cell that is filled holds hundreds of rows: noise reaches none."""
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
