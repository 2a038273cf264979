"""The type of a stored column is a fact about rows: one more row may change it, and moves no count but its own."""

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reaedp import Boolean, Budget, Category, Contract, Date, Integer, Number, Unit
from reaedp.contract.category import Undeclared
from reaedp.contract.column import Column
from reaedp.curator.records import Records
from reaedp.errors import DeclarationError

PUBLIC: dict[str, Any] = {"name": "x", "provenance": "public"}


def records(data: Any, *columns: Column, unit: Unit | None = None) -> Records:
    terms = Contract(
        dataset="d", unit=unit or Unit("add-remove"), budget=Budget(1, 1e-6), ledger="unused", columns=columns
    )
    return Records(terms, data)


def counts(data: Any, column: Column, unit: Unit | None = None) -> np.ndarray:
    return np.asarray(records(data, column, unit=unit).counts((column.name,)).values)


def category(*levels: str) -> Category:
    return Category(**PUBLIC, levels=levels)


TRUTHS = [True] * 600 + [False] * 400
BERLIN = list(pd.date_range("2020-01-01 00:30", periods=50, freq="11h", tz="Europe/Berlin"))
DAYS = list(pd.date_range("2020-01-01", periods=50, freq="D"))
LARGE = [10**15 + 1, 10**15 + 2, 2**53 + 3, 10**17 + 5] * 20

#: Values, a column that they are declared as, and a value that makes pandas choose another type for all of them.
CASES: dict[str, tuple[Sequence[Any], Column, Any]] = {
    "truth values as a category, and a null": (TRUTHS, category("False", "True"), None),
    "truth values as integers, and a null": (TRUTHS, Integer(**PUBLIC, lower=0, upper=1), None),
    "truth values as numbers, and a text": (TRUTHS, Number(**PUBLIC, lower=0, upper=1, bins=2), "x"),
    "float codes as a category, and a text": ([1.0, 2.0, 3.0] * 50, category("1", "2", "3"), "x"),
    "integer codes as a category, and a null": ([1, 2, 3] * 50, category("1", "2", "3"), None),
    "integer codes as a category, and a float": ([1, 2, 3] * 50, category("1.0", "2.0", "3.0"), 0.5),
    "large whole numbers as a category, and a null": (LARGE, category(*map(str, LARGE[:4])), None),
    "whole numbers, and a text": ([1, 2, 3] * 50, Integer(**PUBLIC, lower=0, upper=4), "x"),
    "negative zeros as truth values, and a text": ([-0.0, 1.0] * 50, Boolean(**PUBLIC), "x"),
    "moments with a zone, and one in another": (
        BERLIN,
        Date(**PUBLIC, lower=dt.date(2019, 12, 1), upper=dt.date(2020, 2, 1), every="day"),
        pd.Timestamp("2020-01-05", tz="Asia/Tokyo"),
    ),
    "moments with a zone as a category, and a text": (BERLIN, category(*[str(t) for t in BERLIN]), "x"),
    "days as a category, and a text": (DAYS, category(*[str(t.date()) for t in DAYS]), "x"),
    "numbers, and a complex one": ([0.5, 1.5, float("inf")] * 20, Number(**PUBLIC, lower=0, upper=2, bins=2), 1j),
    "whole numbers as a category, and a complex one": ([1, 2, 3] * 20, category("1", "2", "3"), 2j),
    "days as dates, and a number": (
        DAYS,
        Date(**PUBLIC, lower=dt.date(2020, 1, 1), upper=dt.date(2020, 2, 19), every="day"),
        5,
    ),
    "single precision, and a text": (
        list(np.float32([0.1, 0.2, 0.7]) * np.float32(1)),
        Number(**PUBLIC, edges=(0, 0.1, 0.2, 0.7, 1)),
        "x",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_one_more_row_of_any_kind_moves_one_count_by_one(case: str) -> None:
    values, column, more = CASES[case]
    alone, joined = counts(pd.DataFrame({"x": values}), column), counts(pd.DataFrame({"x": [*values, more]}), column)
    assert alone.sum() == len(values)
    assert 1 == np.abs(joined - alone).sum()


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("case", CASES)
def test_values_count_alike_in_every_container(case: str, tmp_path: Path) -> None:
    values, column, _ = CASES[case]
    frame = pd.DataFrame({"x": values})
    expected = counts(frame, column)
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_parquet(tmp_path / "x.parquet")
    routes = {
        "objects": frame.astype(object),
        "nullable": frame.convert_dtypes(),
        "categorical": frame.astype("category"),
        "arrow-backed": frame.convert_dtypes(dtype_backend="pyarrow"),
        "polars": pl.from_pandas(frame),
        "arrow": pa.Table.from_pandas(frame),
        "csv": tmp_path / "x.csv",
        "parquet": tmp_path / "x.parquet",
    }
    if case == "single precision, and a text":
        del routes["csv"]  # as a text, 0.1 is the nearest double of 0.1
    assert {name: expected.tolist() for name in routes} == {
        name: counts(data, column).tolist() for name, data in routes.items()
    }


def test_ways_to_write_a_number_are_one_level() -> None:
    table = pa.table({"x": ["1", "1.0", "01", "+1", " 1 ", "1e0", "true", "TRUE", "2", "one"]})
    assert [8, 1, 0, 1] == counts(table, category("01", "2")).tolist()


def test_levels_that_mean_the_same_are_refused() -> None:
    for levels in (("1", "01"), ("true", "1"), ("2020-01-01", "2020-01-01 00:00:00"), ("a", "a"), ("nan", "NaN")):
        with pytest.raises(DeclarationError, match="must not repeat a level"):
            category(*levels)
    assert ("a", "A", " a", "1x", "01x") == category("a", "A", " a", "1x", "01x").levels


def test_learned_levels_do_not_depend_on_the_type() -> None:
    column = Undeclared(**PUBLIC)
    for values, more in ((TRUTHS, None), ([1, 2, 3] * 9, None), (DAYS, "x"), (BERLIN, "x"), (LARGE[:2], None)):
        alone = records(pd.DataFrame({"x": values}), column).level_counts("x", 50)
        joined = records(pd.DataFrame({"x": [*values, more]}), column).level_counts("x", 50)
        assert alone == {text: count for text, count in joined.items() if text != more}


PARTS: dict[str, list[list[Any]]] = {
    "whole numbers, then fractions": [[1, 2, 3], [1.6, 2.0, None]],
    "fractions with a null, then whole numbers": [[1.6, None], [1, 2, 3]],
    "whole numbers, then one beyond them": [[1, 2, 3], [1e300]],
    "whole numbers, then texts": [[1, 2, 3], ["2", "x"]],
    "nothing, then whole numbers": [[None, None], [1, 2]],
}


@pytest.mark.parametrize("case", PARTS)
@pytest.mark.parametrize("backwards", [False, True])
def test_each_part_of_parquet_is_read_by_its_own_schema(case: str, backwards: bool, tmp_path: Path) -> None:
    parts = PARTS[case][::-1] if backwards else PARTS[case]
    for number, values in enumerate(parts):
        pq.write_table(pa.table({"x": pa.array(values)}), tmp_path / f"part-{number}.parquet")
    column = Integer(**PUBLIC, lower=0, upper=4, outside="cell")
    everything = pd.DataFrame({"x": pd.Series([value for values in parts for value in values], dtype=object)})
    assert counts(everything, column).tolist() == counts(tmp_path / "part-*.parquet", column).tolist()


NUMBERS = {
    "number": Number(**PUBLIC, lower=0, upper=10, bins=5),
    "number outside its bounds": Number(**PUBLIC, lower=2, upper=10, bins=5),
    "integer": Integer(**PUBLIC, lower=0, upper=9),
    "category": category("1", "2", "nan"),
    "truth value": Boolean(**PUBLIC),
}


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("precision", [pa.float32(), pa.float64()], ids=str)
@pytest.mark.parametrize("stored", ["Parquet", "row groups", "relation", "DuckDB", "Arrow"])
def test_no_number_decides_what_nan_counts_as(kind: str, precision: pa.DataType, stored: str, tmp_path: Path) -> None:
    """The least and the greatest number that a file states leave out NaN."""
    column = NUMBERS[kind]

    def counted(name: str, values: list[float | None]) -> np.ndarray:
        arrow, file = pa.table({"x": pa.array(values, precision)}), tmp_path / f"{name}.parquet"
        if stored == "Arrow":
            return counts(arrow, column)
        if stored != "DuckDB":  # a group of NaN states nothing, and a group of one number states this number
            pq.write_table(arrow, file, row_group_size=50 if stored == "row groups" else None)
            return counts(duckdb.read_parquet(str(file)) if stored == "relation" else file, column)
        with duckdb.connect(tmp_path / f"{name}.duckdb") as connection:
            connection.register("arrow", arrow)
            connection.execute("CREATE TABLE t AS SELECT * FROM arrow")
        return counts(f"duckdb:///{tmp_path}/{name}.duckdb?table=t", column)

    nans: list[float | None] = [float("nan")] * 100
    alone = counted("alone", nans)
    for more in (1.0, 1e30, -1.0, None):
        joined = counted(f"joined by {more}", [*nans, more])
        assert [1] == sorted(np.abs(joined - alone))[-1:], more
        assert 1 == np.abs(joined - alone).sum(), more


SPANS = {
    "Python": dt.timedelta(days=1, seconds=3, microseconds=500),
    "pandas": pd.Timedelta(days=1, seconds=3, microseconds=500),
    "NumPy, microseconds": np.timedelta64(86_403_000_500, "us"),
    "NumPy, nanoseconds": np.timedelta64(86_403_000_500_000, "ns"),
}


@pytest.mark.parametrize("form", SPANS)
@pytest.mark.parametrize("more", [None, "text", 5])
def test_a_span_of_time_has_one_text_whatever_other_objects_are_beside_it(form: str, more: Any) -> None:
    """Alone, pandas keeps spans as numbers; beside other objects, as the objects that they are."""
    spans = [SPANS[form]] * 3
    column = Undeclared(**PUBLIC)
    alone = records(pd.DataFrame({"x": spans}), column).level_counts("x", 100)
    joined = records(pd.DataFrame({"x": pd.Series([*spans, more], dtype=object)}), column).level_counts("x", 100)
    assert {"1 days 00:00:03.0005": 3} == alone
    assert 3 == joined["1 days 00:00:03.0005"]


def test_decimals_of_tens_and_hundreds_are_numbers() -> None:
    """The engine has no such type."""
    table = pa.table({"x": pa.array([Decimal("1E+2"), Decimal("3E+2"), None], pa.decimal128(3, -2))})
    assert [1, 0, 1, 1] == counts(table, Number(**PUBLIC, edges=(100, 200, 300, 400)))[:4].tolist()


def test_parts_without_a_declared_column_are_refused_by_their_schemas(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1]}), tmp_path / "part-0.parquet")
    pq.write_table(pa.table({"y": [1]}), tmp_path / "part-1.parquet")
    with pytest.raises(DeclarationError, match="columns of the same names"):
        counts(tmp_path / "part-*.parquet", Integer(**PUBLIC, lower=0, upper=4))


PEOPLE = 3_000
UNIT = Unit("add-remove", person="person", max_rows=1)
X = Integer(**PUBLIC, lower=0, upper=1)


def people(names: Any = None) -> dict[str, list[Any]]:
    ids = np.repeat(np.arange(PEOPLE), 2).tolist() if names is None else np.repeat(names, 2).tolist()
    return {"person": ids, "x": [0, 1] * PEOPLE}


@cache
def counts_of_people() -> np.ndarray:
    return counts(pd.DataFrame(people()), X, UNIT)


def joined(data: dict[str, list[Any]], person: Any, x: Any) -> pd.DataFrame:
    return pd.DataFrame({"person": [*data["person"], person], "x": [*data["x"], x]})


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("person", [PEOPLE, 0.5, "somebody", None])
@pytest.mark.parametrize("x", [0, None, 0.5, "text"])
def test_nobody_elses_rows_are_chosen_anew_when_a_person_joins(person: Any, x: Any) -> None:
    alone, more = counts_of_people(), counts(joined(people(), person, x), X, UNIT)
    assert PEOPLE == alone.sum()
    assert (0 if person is None else 1) == np.abs(more - alone).sum()


@pytest.mark.parametrize("form", [float, str, "{}.0".format, "00{}".format, np.float32])
def test_how_names_are_stored_changes_nobodys_rows(form: Any) -> None:
    expected = counts_of_people()
    names = np.array([form(number) for number in range(PEOPLE)], dtype=object)
    assert expected.tolist() == counts(pd.DataFrame(people(names)), X, UNIT).tolist()


def test_names_beyond_the_exact_doubles_keep_their_order_when_a_null_makes_them_doubles() -> None:
    names = 2**60 + 4_096 * np.arange(PEOPLE)
    exact, rounded = pd.DataFrame(people(names)), joined(people(names), None, 0)
    assert "float64" == str(rounded["person"].dtype)
    assert counts(exact, X, UNIT).tolist() == counts(rounded, X, UNIT).tolist()


def test_long_digits_are_names_as_they_stand() -> None:
    names = [f"1{number:030d}" for number in range(PEOPLE)]
    assert PEOPLE == counts(pd.DataFrame(people(names)), X, UNIT).sum()


def test_identifiers_of_hexadecimal_digits_are_no_numbers() -> None:
    """Of random ones one in a hundred has digits and a single e; as doubles most of them were zero or infinity."""
    names = [f"{number:03x}" for number in range(16**3)]
    names += ["12e45678", "1234e567", "99e99999", "00e12345", "000e7123", "1e400", "2e400", "9e308", "9e9999"]
    frame = pd.DataFrame({"person": names * 2, "x": 1})
    assert len(names) == counts(frame, X, UNIT).sum()


EXACT = [0, -7, 2**53 + 1, 2**53 + 2, 2**62 + 1, 2**64 - 1, -(2**62) - 1]


@pytest.mark.parametrize(
    "kinds",
    [
        (pa.decimal128(38, 0), pa.string()),
        (pa.decimal128(38, 7), pa.decimal128(20, 0)),
    ],
)
def test_people_with_long_numbers_are_the_same_people_as_decimals_and_as_texts(tmp_path: Path, kinds: Any) -> None:
    for part, kind in enumerate(kinds):
        numbers = [str(number) if kind == pa.string() else Decimal(number) for number in EXACT]
        table = pa.table({"person": pa.array(numbers, kind), "x": pa.array([1] * len(EXACT))})
        pq.write_table(table, tmp_path / f"{part}.parquet")
    assert len(EXACT) == counts(str(tmp_path / "*.parquet"), X, UNIT).sum()


@pytest.mark.parametrize("side", [0, 1])
def test_people_stay_in_their_half_when_types_change(side: int) -> None:
    alone = records(pd.DataFrame(people()), X, unit=UNIT).half(side).counts(("x",)).values
    more = records(joined(people(), None, None), X, unit=UNIT).half(side).counts(("x",)).values
    assert alone.tolist() == more.tolist()
    # of 3,000 people, halves of fewer than 1,300 have a probability below 1e-12
    assert 1_300 < alone.sum() < 1_700


def test_no_cell_is_preferred_among_a_persons_rows() -> None:
    cells = 5
    frame = pd.DataFrame({"person": np.repeat(np.arange(PEOPLE), cells), "x": np.tile(np.arange(cells), PEOPLE)})
    found = counts(frame, Integer(**PUBLIC, lower=0, upper=cells - 1), UNIT)[:cells]
    # 600 expected of 3,000, standard deviation 22: six of them are exceeded by chance once in 1e8 tests
    assert PEOPLE == found.sum()
    assert np.abs(found - PEOPLE / cells).max() < 6 * 22
