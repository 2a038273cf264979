"""Sums of values and products are the same on every engine, and those that plain Python makes."""

import math
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reaedp import Boolean, Category, Correlation, Integer, Number, Regression, Unit
from reaedp.curator.records import Records
from reaedp.engines.spark.session import is_master
from reaedp.statistics.moments.space import MomentSpace
from spark_cluster import Cluster
from troubles import contract, form

GROUPS = [
    (("words", "tenths"), ("large", "threes"), ("truth", "truth")),
    (("exact", "wide"), ("day", "months"), ("double", "edges")),
    (("single", "edges"), ("mood", "levels"), ("tiny", "digits"), ("moment", "last")),
]
UNITS = [Unit("add-remove"), Unit("replace", "person", 2)]


def sums(data: Any, group: Any, unit: Unit, engine: Any = None) -> list[int]:
    columns = [form(name, shape) for name, shape in group]
    names = tuple(column.name for column in columns)
    return list(map(int, Records(contract(*columns, unit=unit), data, engine).moment_sums(names)))


PUBLIC: dict[str, Any] = {"provenance": "public"}
X = Number(name="x", lower=-1, upper=3, bins=2, **PUBLIC)
N = Integer(name="n", lower=0, upper=9, width=5, **PUBLIC)
FLAG = Boolean(name="flag", null="drop", **PUBLIC)
PLACE = Category(name="place", levels=("a", "b", "c"), **PUBLIC)
#: Values of x, n, flag and place, and where they lie on their lattices; nothing where the row is dropped.
ROWS: list[tuple[tuple[Any, Any, Any, Any], tuple[int, int, int, int] | None]] = [
    ((0.0, 3, True, "a"), (2**18, 3, 1, 0)),
    ((3.0, 9, False, "c"), (2**20 - 1, 9, 0, 2)),
    ((-1.0, 0, True, "b"), (0, 0, 1, 1)),
    ((1e308, -5, True, "b"), (2**20 - 1, 0, 1, 1)),
    ((-math.inf, 12, False, "a"), (0, 9, 0, 0)),
    ((2.9999999, 1, False, "a"), (2**20 - 1, 1, 0, 0)),
    ((0.1, 7, True, "a"), (math.floor(1.1 * 2**18), 7, 1, 0)),
    ((math.nan, 7, True, "a"), (-1, 7, 1, 0)),
    ((1.0, 7, True, "d"), (2**19, 7, 1, -1)),
    ((1.0, 7, None, "a"), None),
    ((1.0, None, True, "a"), (2**19, -1, 1, 0)),
]


def frame(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    made = pd.DataFrame(rows, columns=["x", "n", "flag", "place"])
    return made.astype({"n": "Int64", "flag": "boolean", "place": "string"})


@pytest.mark.parametrize("how", ["pandas", "csv", "parquet"])
def test_sums_are_those_of_plain_python(how: str, tmp_path: Path) -> None:
    table, path = frame([row for row, _ in ROWS]), tmp_path / f"rows.{how}"
    write = {
        "pandas": lambda: None,
        "csv": lambda: table.to_csv(path, index=False),
        "parquet": lambda: table.to_parquet(path),
    }
    write[how]()
    terms, names = contract(X, N, FLAG, PLACE), ("x", "n", "flag", "place")
    kept = [places for _, places in ROWS if places is not None]
    expected = MomentSpace.of(terms, names).vectors(np.array(kept, dtype=np.int64)).sum(axis=0)
    found = Records(terms, table if how == "pandas" else str(path)).moment_sums(names)
    # Pandas and Parquet have NaN for what is missing among doubles; both are left out.
    assert expected.tolist() == found.tolist()


def test_statistics_ask_for_them() -> None:
    terms, table = contract(X, N, FLAG, PLACE), frame([row for row, _ in ROWS])
    records = Records(terms, table)
    assert records.moment_sums(("x", "n")).tolist() == Correlation(of=["x", "n"]).answer(records).tolist()
    wanted = records.moment_sums(("flag", "place", "x")).tolist()
    assert wanted == Regression(of="x", on=["flag", "place"]).answer(records).tolist()


def test_no_rows_have_sums_of_zero() -> None:
    records = Records(contract(X, N), frame([]))
    assert [0] * 7 == records.moment_sums(("x", "n")).tolist()


@pytest.mark.parametrize("limit", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_people_with_more_rows_than_count_move_sums_no_farther_than_claimed(limit: int) -> None:
    """Every set of up to max_rows + 1 rows that one person can bring, beside another person, through the curator."""
    cell = Integer(name="n", lower=0, upper=2, **PUBLIC)
    units = [Unit(change, person="who", max_rows=limit) for change in ("add-remove", "replace")]  # type: ignore[arg-type]
    terms = contract(cell, FLAG, unit=units[0])
    values = [(0, True), (1, False), (2, True), (None, False), (1, None)]
    bundles = [rows for size in range(limit + 2) for rows in combinations_with_replacement(values, size)]

    def answer(rows: Any) -> np.ndarray:
        table = pd.DataFrame([("other", 1, True), *(("me", *row) for row in rows)], columns=["who", "n", "flag"])
        return Records(terms, table.astype({"n": "Int64", "flag": "boolean"})).moment_sums(("n", "flag"))

    answers = [answer(rows) for rows in bundles]
    for unit, before, least in zip(units, (answers[:1], answers), (1.0, 0.7), strict=True):
        claimed = MomentSpace.of(terms, ("n", "flag")).sensitivity(unit)
        moves = np.array([one - other for other in before for one in answers])
        assert np.abs(moves).sum(axis=1).max() <= claimed.l1
        assert np.abs(moves).max() <= claimed.linf
        assert least <= (moves**2).sum(axis=1).max() / claimed.l2_squared <= 1


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.noun)
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: " ".join(name for name, _ in group))
def test_a_database_has_the_same_sums(group: Any, unit: Unit, server: str, embedded: Any) -> None:
    expected = sums(embedded, group, unit)
    assert any(expected)
    assert expected == sums(f"{server}?table=troubles", group, unit)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.noun)
def test_spark_has_the_same_sums(unit: Unit, cluster: Cluster, spark_frame: Any, embedded: Any) -> None:
    assert is_master(cluster.master)
    for group in GROUPS:
        columns = tuple(part for part in group if part[0] in spark_frame.columns)
        assert sums(embedded, columns, unit) == sums(spark_frame, columns, unit)
