import csv
import sys
import warnings
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaedp import Budget, Contract, Unit
from reaedp.contract import Curve
from reaedp.curator.records import Records
from reaedp.curves.lattice import CurveLattice
from reaedp.engines import lattice_points as reading
from reaedp.errors import DeclarationError

TIMES = (0.0, 0.2, 0.5, 1.0)
NAMES = ("a", "b", "c", 'a "d"')
HEADER = 'a,b,c,"a ""d"""\n'
RULES = ("interpolate", "drop", "zero")


def contract(unit: Unit | None = None, **changes: Any) -> Contract:
    facts: dict[str, Any] = {
        "name": "x",
        "form": "wide",
        "points": NAMES,
        "at": TIMES,
        "interval": (0.0, 1.0),
        "basis": "wiener",
        "rank": 5,
        "clip": 1.0,
        "provenance": "public",
    }
    curve = Curve(**(facts | changes))
    return Contract(
        dataset="d", unit=unit or Unit("replace"), budget=Budget(1, 1e-5), ledger="none", columns=(), curves=(curve,)
    )


def long_contract(unit: Unit, **changes: Any) -> Contract:
    return contract(unit, **({"form": "long", "points": (), "id": "id", "time": "t", "value": "v"} | changes))


def sums(declared: Contract, data: Any) -> tuple[list[int], int]:
    found, count = Records(declared, data).curve_sums("x")
    return found.tolist(), count


def expected(declared: Contract, values: Any) -> tuple[list[int], int]:
    """Curve by curve, without an engine."""
    lattice = CurveLattice.of(declared.curves[0])
    points = [lattice.wide(np.array(row, dtype=np.float64).reshape(-1, 1)) for row in values]
    total = np.concatenate(points, axis=1) if points else np.zeros((5, 0), dtype=np.int64)
    return total.sum(axis=1).tolist(), total.shape[1]


def table(values: Any, **others: Any) -> pd.DataFrame:
    return pd.DataFrame(np.array(values, dtype=np.float64).reshape(-1, 4), columns=list(NAMES)).assign(**others)


def relation(a: str, b: str, c: str, d: str, rows: int = 1) -> duckdb.DuckDBPyRelation:
    """Rows made by four expressions of the row's number i."""
    odd = '"a ""d"""'
    return duckdb.connect().sql(f"SELECT {a} AS a, {b} AS b, {c} AS c, {d} AS {odd} FROM range({rows}) t(i)")


CURVES = np.random.default_rng(1).normal(size=(50, 4)) / 2


def test_every_source_gives_the_same_sums(tmp_path: Path) -> None:
    frame = table(CURVES)
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_csv(tmp_path / "x.tsv.gz", index=False, sep="\t", quoting=csv.QUOTE_NONE)
    frame.to_parquet(tmp_path / "x.parquet")
    arrow = pa.Table.from_pandas(frame)
    connection = duckdb.connect()
    sources = [
        *(str(tmp_path / name) for name in ("x.csv", "x.tsv.gz", "x.parquet")),
        frame,
        pl.from_pandas(frame),
        arrow,
        connection.from_arrow(arrow),
    ]
    declared = contract()
    for source in sources:
        Records(declared, source).check_curve("x")
        assert expected(declared, CURVES) == sums(declared, source)


def test_the_order_of_rows_and_the_size_of_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = contract(missing="interpolate")
    rng = np.random.default_rng(2)
    values = np.where(rng.random((200, 4)) < 0.1, np.nan, rng.normal(size=(200, 4)))
    whole = sums(declared, table(values))
    assert expected(declared, values) == whole
    for block in (1, 4, 28, 10_000):
        monkeypatch.setattr(reading, "BLOCK", block)
        assert whole == sums(declared, table(values[rng.permutation(200)]))


def test_more_rows_than_a_batch_are_all_read() -> None:
    data = relation("i / 400000.0", "0.5", "-i / 400000.0", "0.0", rows=400_000)
    declared = contract()
    found, count = sums(declared, data)
    numbers = np.arange(400_000) / 400_000
    matrix = np.stack([numbers, np.full(400_000, 0.5), -numbers, np.zeros(400_000)])
    assert 400_000 == count
    assert CurveLattice.of(declared.curves[0]).wide(matrix).sum(axis=1).tolist() == found


def test_an_empty_table_has_no_curves_and_a_single_one_is_itself(tmp_path: Path) -> None:
    declared = contract()
    (tmp_path / "x.csv").write_text(HEADER, encoding="utf-8")
    for nothing in (table([]), str(tmp_path / "x.csv"), pa.Table.from_pandas(table([]))):
        assert ([0] * 5, 0) == sums(declared, nothing)
    assert expected(declared, CURVES[:1]) == sums(declared, table(CURVES[:1]))
    empty = pd.DataFrame({"who": pd.Series(dtype=str), "id": pd.Series(dtype=str), "t": [], "v": []})
    assert ([0] * 5, 0) == sums(long_contract(Unit("replace", "who", 2)), empty)


PLAIN = ["", "nan", "inf", "-inf", "1e400", "-1e308", "1e308", "two", "🙂", "1_000", "0.5", " 0.25 ", "-0"]
CELLS = st.sampled_from(PLAIN) | st.text(max_size=3)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(CELLS, min_size=4, max_size=4), max_size=4), st.sampled_from(RULES))
def test_no_text_in_any_cell_is_an_error_or_a_warning(rows: list[list[str]], missing: Any) -> None:
    frame = pd.DataFrame(rows, columns=list(NAMES), dtype=str)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, count = sums(contract(missing=missing), frame)
        long = pd.DataFrame(
            [("p", "i", cell, other) for row in rows for cell, other in zip(row, row[::-1], strict=True)],
            columns=["who", "id", "t", "v"],
            dtype=str,
        )
        sums(long_contract(Unit("replace", "who", 2), missing=missing), long)
    assert count <= len(rows)
    # Each curve is at most one clip, 2^20 steps, long.
    assert sum(number**2 for number in found) <= (count * 2**20) ** 2


def test_cells_that_are_no_finite_numbers_are_missing(tmp_path: Path) -> None:
    text = "0.1,,0.3,0.4\nnan,0.2,inf,two\n1e308,-1e308,1e400,0\n0.1,0.2,0.3,1_0"
    numbers = [
        [0.1, np.nan, 0.3, 0.4],
        [np.nan, 0.2, np.nan, np.nan],
        [np.nan, np.nan, np.nan, 0.0],
        [0.1, 0.2, 0.3, np.nan],
    ]
    (tmp_path / "x.csv").write_text(HEADER + text + "\n", encoding="utf-8")
    for missing in RULES:
        declared = contract(missing=missing)
        assert expected(declared, numbers) == sums(declared, str(tmp_path / "x.csv"))


def test_whole_numbers_decimals_and_truth_values_are_numbers() -> None:
    data = relation("1::TINYINT", "true", "0.25::DECIMAL(9, 3)", "2::HUGEINT")
    assert expected(contract(), [[1.0, 1.0, 0.25, 2.0]]) == sums(contract(), data)


def test_missing_columns_and_impossible_types_are_refused_before_anything_is_read() -> None:
    with pytest.raises(DeclarationError, match="lacks a declared column"):
        Records(contract(), table(CURVES).drop(columns="c")).check_curve("x")
    lists = pa.Table.from_pandas(table(CURVES).assign(b=[[1.0]] * len(CURVES)))
    with pytest.raises(DeclarationError, match="'b' must hold text, numbers"):
        Records(contract(), lists).check_curve("x")


def test_at_most_max_rows_curves_of_each_person_are_used_and_none_of_nobody() -> None:
    rng = np.random.default_rng(3)
    names = rng.choice(["p", "q", "r", None], 50)
    _, count = sums(contract(Unit("replace", "who", 4)), table(CURVES, who=names))
    assert 12 == count


def test_which_curves_of_a_person_are_used_depends_on_that_person_alone() -> None:
    declared = contract(Unit("add-remove", "who", 3))
    rng = np.random.default_rng(4)
    mine, others = table(CURVES[:9], who="me"), table(CURVES[9:], who=rng.choice(["p", "q"], 41).tolist())
    alone, count = sums(declared, mine)
    for shift in (0.0, 1.0):
        around = others.assign(a=others.a + shift)
        without, rest = sums(declared, around)
        together, total = sums(declared, pd.concat([around, mine.sample(frac=1, random_state=int(shift))]))
        assert (np.array(alone) + np.array(without)).tolist() == together
        assert (count + rest, 3) == (total, count)


def melted(values: Any, who: list[str], ids: list[str]) -> pd.DataFrame:
    points = [(p, i, t, v) for row, p, i in zip(values, who, ids, strict=True) for t, v in zip(TIMES, row, strict=True)]
    return pd.DataFrame(points, columns=["who", "id", "t", "v"]).sample(frac=1, random_state=1)


def test_a_long_table_gives_the_sums_of_the_wide_one() -> None:
    names = [f"child {number}" for number in range(50)]
    for key in ("who", "id"):
        declared = long_contract(Unit("replace", "who", 1), id=key)
        assert sums(contract(), table(CURVES)) == sums(declared, melted(CURVES, names, names))


def test_an_id_that_two_people_share_names_two_curves() -> None:
    data = melted(CURVES[:2], ["p", "q"], ["first", "first"])
    assert expected(contract(), CURVES[:2]) == sums(long_contract(Unit("replace", "who", 1)), data)


def test_at_most_max_rows_long_curves_of_a_person_are_used_whatever_their_number_of_points() -> None:
    data = melted(CURVES[:6], ["p"] * 5 + ["q"], list("abcdef"))
    assert 3 == sums(long_contract(Unit("replace", "who", 2)), data)[1]
    nobody = data.assign(who=data.who.where(data.who != "q"))
    assert 2 == sums(long_contract(Unit("replace", "who", 2)), nobody)[1]
    nameless = data.assign(id=data.id.where(data.who != "q"))
    assert 2 == sums(long_contract(Unit("replace", "who", 2)), nameless)[1]


def test_long_curves_fill_more_than_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [str(number) for number in range(50)]
    data = melted(CURVES, names, names)
    whole = sums(long_contract(Unit("replace", "who", 1), at=()), data)
    monkeypatch.setattr(reading, "BLOCK", 300)
    assert whole == sums(long_contract(Unit("replace", "who", 1), at=()), data)


def test_the_halves_of_the_people_add_up_to_all_of_them() -> None:
    declared = contract(Unit("replace", "who", 2))
    records = Records(declared, table(CURVES, who=[f"p{number % 17}" for number in range(50)]))
    parts = [records.half(side).curve_sums("x") for side in (0, 1)]
    assert (parts[0][0] + parts[1][0]).tolist() == records.curve_sums("x")[0].tolist()
    assert 0 < parts[0][1] < records.curve_sums("x")[1]


def test_curves_are_read_without_the_arrow_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table(CURVES).to_parquet(tmp_path / "x.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert expected(contract(), CURVES) == sums(contract(), str(tmp_path / "x.parquet"))


def test_rows_that_the_engine_fails_on_count_as_none() -> None:
    data = relation("0.0", "0.0", "0.0", "CASE WHEN i = 7000 THEN error('secret')::DOUBLE ELSE 0.0 END", rows=9_000)
    total, count = sums(contract(), data)
    assert (0, 0) == (np.abs(total).sum(), count)
