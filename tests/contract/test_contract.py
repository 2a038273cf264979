import datetime
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reaedp import Boolean, Budget, Category, Contract, Curator, Date, Integer, Ledger, Number, Unit
from reaedp.contract.column import Column
from reaedp.contract.number import uniform_edges
from reaedp.errors import DeclarationError, LedgerMissing

GOOD = """
[dataset]
name = "clinic"

[unit]
change = "add-remove"

[budget]
epsilon = 1.0
delta = 1e-6
ledger = "budget.sqlite"

[columns.age]
kind = "number"
lower = 0
upper = 100
bins = 20
provenance = "public"

[columns."blood group"]
kind = "category"
levels = ["A", "B", "AB", "0"]
unseen = "drop"
provenance = "dp"
entry = 3

[columns.admitted]
kind = "date"
lower = 2020-01-01
upper = 2020-12-31
every = "month"
provenance = "public"
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "contract.toml"
    path.write_text(text, encoding="utf-8")
    return path


def mistakes(folder: Path, text: str) -> tuple[str, ...]:
    with pytest.raises(DeclarationError) as caught:
        Contract.load(write(folder, text))
    return caught.value.mistakes


def test_a_contract_is_read_from_toml(tmp_path: Path) -> None:
    contract = Contract.load(write(tmp_path, GOOD))
    assert ("clinic", Unit("add-remove"), Budget(1.0, 1e-6)) == (contract.dataset, contract.unit, contract.budget)
    assert str(tmp_path / "budget.sqlite") == contract.ledger
    expected = (
        Number(name="age", lower=0, upper=100, bins=20, provenance="public"),
        Category(name="blood group", levels=("A", "B", "AB", "0"), unseen="drop", provenance="dp", entry=3),
        Date(
            name="admitted",
            lower=datetime.date(2020, 1, 1),
            upper=datetime.date(2020, 12, 31),
            every="month",
            provenance="public",
        ),
    )
    assert expected == contract.columns


def test_a_ledger_named_in_python_stays_where_it_was_when_the_contract_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [tmp_path / "first", tmp_path / "second"]
    contracts = []
    for place in places:
        place.mkdir()
        monkeypatch.chdir(place)
        contracts.append(
            Contract(dataset="d", unit=Unit("replace"), budget=Budget(1, 1e-6), ledger="budget.sqlite", columns=())
        )
    Ledger.create(contracts[0].ledger).close()
    assert (places[0] / "budget.sqlite").exists()
    # The same script in another folder spends nothing instead of spending again.
    with pytest.raises(LedgerMissing, match=re.escape(str(places[1] / "budget.sqlite"))):
        Curator(contracts[1], pd.DataFrame({"x": [1.0]}))
    assert [] == list(places[1].iterdir())


def test_the_fingerprint_ignores_where_the_files_lie_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = Contract.load(write(tmp_path / "a", GOOD))
    moved = Contract.load(write(tmp_path / "b", GOOD))
    other = Contract.load(write(tmp_path / "b", GOOD.replace("bins = 20", "bins = 21")))
    assert first.fingerprint == moved.fingerprint
    assert first.fingerprint != other.fingerprint


def test_every_mistake_is_reported_at_once_with_its_line(tmp_path: Path) -> None:
    text = (
        GOOD.replace('change = "add-remove"', 'change = "swap"')
        .replace("epsilon = 1.0", "epsilon = -1")
        .replace("lower = 0\nupper = 100", "lower = 100\nupper = 0")
        .replace('"AB", "0"', '"A"')
        .replace("every", "evry")
    )
    lines = text.splitlines()
    found = mistakes(tmp_path, text)
    for word in ("change", "epsilon", "lower", "levels", "evry"):
        line = next(number for number, content in enumerate(lines, start=1) if content.startswith(f"{word} ="))
        assert any(f"contract.toml:{line}:" in mistake and word in mistake for mistake in found), (word, found)


@pytest.mark.parametrize(
    ("typo", "right"), [("provenence", "provenance"), ("lowr", "lower"), ("Bins", "bins"), ("uper", "upper")]
)
def test_the_nearest_key_is_suggested_for_a_typo(tmp_path: Path, typo: str, right: str) -> None:
    age, rest = GOOD.split('[columns."blood group"]')
    found = mistakes(tmp_path, age.replace(f"{right} =", f"{typo} =") + '[columns."blood group"]' + rest)
    assert any(f"Did you mean {right!r}?" in mistake for mistake in found)


@pytest.mark.parametrize("table", ["dataset", "unit", "budget"])
def test_a_missing_table_is_reported(tmp_path: Path, table: str) -> None:
    start = GOOD.index(f"[{table}]")
    end = GOOD.index("\n[", start)
    assert any(f"[{table}] is missing" in mistake for mistake in mistakes(tmp_path, GOOD[:start] + GOOD[end:]))


def test_privacy_parameters_have_no_defaults(tmp_path: Path) -> None:
    for key in ("change", "epsilon", "delta", "ledger", "provenance"):
        text = "\n".join(line for line in GOOD.splitlines() if not line.startswith(f"{key} ="))
        assert any(key in mistake for mistake in mistakes(tmp_path, text))


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "1e-310", "true", '"1"', "[1]", "-0.0"])
def test_epsilon_and_delta_must_be_positive_normal_numbers(tmp_path: Path, value: str) -> None:
    assert any("epsilon" in m for m in mistakes(tmp_path, GOOD.replace("epsilon = 1.0", f"epsilon = {value}")))
    assert any("delta" in m for m in mistakes(tmp_path, GOOD.replace("delta = 1e-6", f"delta = {value}")))


def test_delta_must_be_below_one(tmp_path: Path) -> None:
    assert any("delta" in mistake for mistake in mistakes(tmp_path, GOOD.replace("delta = 1e-6", "delta = 1.0")))


@pytest.mark.parametrize(
    "arguments",
    [
        {"edges": (1.0,)},
        {"edges": (1.0, 1.0)},
        {"edges": (2.0, 1.0)},
        {"edges": (0.0, float("nan"), 1.0)},
        {"edges": (0.0, float("inf"))},
        {"edges": (0.0, "1")},
        {"lower": 0, "upper": 1},
        {"lower": 0, "upper": 1, "bins": 2, "edges": (0.0, 1.0)},
        {"lower": 0, "upper": 1, "bins": 2.0},
        {"lower": 0, "upper": 1, "bins": True},
        {"lower": 0, "upper": float("nan"), "bins": 1},
        {"lower": 1e300, "upper": 1.0000000000000002e300, "bins": 100},
        {"lower": -1.7e308, "upper": 1.7e308, "bins": 10},
    ],
)
def test_numbers_need_increasing_finite_edges(arguments: dict[str, object]) -> None:
    with pytest.raises(DeclarationError):
        Number(name="x", provenance="public", **arguments)  # type: ignore[arg-type]


@given(st.integers(-1000, 1000), st.integers(1, 1000), st.integers(1, 500))
def test_uniform_edges_of_whole_bounds_are_the_nearest_doubles(lower: int, width: int, bins: int) -> None:
    from fractions import Fraction

    edges = uniform_edges(float(lower), float(lower + width), bins)
    expected = [float(Fraction(lower) + Fraction(width * i, bins)) for i in range(bins + 1)]
    assert expected == edges.tolist()


def test_cells_are_regular_cells_then_one_for_each_trouble_with_its_own() -> None:
    column = Number(name="x", edges=(0, 1, 2), provenance="public", nan="drop", outside="cell")
    assert ("[0, 1)", "[1, 2]", "<null>", "<unparsable>", "<outside>") == column.cells
    assert -1 == column.code("nan")
    assert 3 == column.code("unparsable")


def test_dates_begin_a_new_cell_where_the_calendar_does() -> None:
    day = datetime.date
    year = Date(name="d", lower=day(2019, 6, 15), upper=day(2021, 1, 1), every="year", provenance="public")
    assert ("2019", "2020", "2021") == year.labels
    week = Date(name="d", lower=day(2020, 1, 1), upper=day(2020, 1, 15), every="week", provenance="public")
    assert ("2020-01-01", "2020-01-08", "2020-01-15") == week.labels


def test_levels_must_be_texts_without_repetition() -> None:
    for levels in ((), ("a", "a"), ("a", 1), "ab"):
        with pytest.raises(DeclarationError):
            Category(name="x", levels=levels, provenance="public")  # type: ignore[arg-type]


def test_a_file_that_is_no_toml_is_reported(tmp_path: Path) -> None:
    assert "not valid TOML" in mistakes(tmp_path, "[dataset")[0]
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DeclarationError, match="UTF-8"):
        Contract.load(tmp_path / "binary.toml")
    with pytest.raises(DeclarationError, match="cannot be read"):
        Contract.load(tmp_path / "absent.toml")


@pytest.mark.slow
@given(st.text(max_size=200))
def test_no_text_makes_the_reader_fail_otherwise_than_by_a_declaration_error(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder, pytest.raises(DeclarationError):
        Contract.load(write(Path(folder), text.encode("utf-8", "ignore").decode()))


def test_the_number_of_boundaries_is_one_more_than_that_of_bins() -> None:
    column = Number(name="x", lower=-1, upper=1, bins=7, provenance="public")
    assert np.all(np.diff(column.boundaries) > 0)
    assert 8 == len(column.boundaries) == len(column.labels) + 1


def test_unit_takes_person_and_max_rows_together() -> None:
    assert 3 == Unit("replace", person="id", max_rows=3).rows
    for arguments in ({"person": "id"}, {"max_rows": 2}, {"person": "id", "max_rows": 0}, {"at_least": -1}):
        with pytest.raises(DeclarationError):
            Unit("replace", **arguments)  # type: ignore[arg-type]


def test_two_columns_must_not_share_a_name() -> None:
    column = Boolean(name="x", provenance="public")
    with pytest.raises(DeclarationError, match="different names"):
        Contract(dataset="d", unit=Unit("replace"), budget=Budget(1, 1e-6), ledger="l", columns=(column, column))


def test_integers_in_runs_end_at_the_upper_bound() -> None:
    column = Integer(name="x", lower=0, upper=10, width=4, provenance="public")
    assert ("0..3", "4..7", "8..10") == column.labels


@pytest.mark.parametrize(
    "column",
    [
        Number(name="x", lower=0, upper=1, bins=7, provenance="public"),
        Number(name="x", edges=(0, 1, 3), provenance="public", null="drop"),
        Integer(name="x", lower=-3, upper=10, width=4, provenance="public"),
        Integer(name="x", lower=5, upper=5, provenance="public"),
        Category(name="x", levels=("a", "b"), provenance="public"),
        Boolean(name="x", provenance="public"),
    ],
)
def test_the_number_of_cells_is_that_of_their_names(column: Column) -> None:
    assert len(column.labels) == column.regular
    assert len(column.cells) == column.size
