"""Plain numbers in memory are counted without an engine, and every count is the one that the engine has."""

import datetime
import itertools
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reaedp import Boolean, Budget, Category, Contract, Date, Integer, Number, Unit
from reaedp.contract.column import Column
from reaedp.contract.files import Files
from reaedp.contract.number import LARGEST_INTEGER
from reaedp.contract.spikes import with_spikes
from reaedp.curator import array_cells
from reaedp.curator.records import Records
from reaedp.engines import arrays
from reaedp.engines.arrays import Blocks
from reaedp.engines.embedded import EmbeddedSource

PUBLIC: dict[str, Any] = {"provenance": "public"}
RULES = tuple(itertools.product(("cell", "nearest", "drop"), repeat=2))


def records(data: Any, *columns: Column, unit: Unit | None = None, files: Files | None = None) -> Records:
    terms = Contract(
        dataset="d", unit=unit or Unit("add-remove"), budget=Budget(1, 1e-6), ledger="unused", columns=columns,
        files=files,
    )  # fmt: skip
    return Records(terms, data)


def by_engine(data: Any, *columns: Column) -> np.ndarray:
    """The counts of the engine, which is not given the arrays."""
    asked = records(data, *columns)
    source: Any = asked._source
    source._opened = [replace(part, blocks=lambda _: None) for part in source._parts]
    names = tuple(column.name for column in columns)
    assert asked._rows_of_cells(columns) is None
    return np.asarray(asked.counts(names).values)


def without_engine(data: Any, *columns: Column) -> np.ndarray:
    """The counts, for which an engine must not be asked."""
    asked = records(data, *columns)
    assert asked._rows_of_cells(columns) is not None
    return np.asarray(asked.counts(tuple(column.name for column in columns)).values)


def alike(data: Any, *columns: Column) -> None:
    assert by_engine(data, *columns).tolist() == without_engine(data, *columns).tolist()


NASTY = [
    *(0.0, -0.0, 0.1, 0.3, 0.29999999999999993, 0.5, 1.0, 1.5, 2.0, -1.0, 2.5, 3.0, 9.0, 10.0, 10.5, 5e-324, -5e-324),
    *map(float, (2**53 - 1, 2**53, 2**53 + 2, -(2**53) - 2)),
    *(1e308, -1e308, 1.7976931348623157e308, float("inf"), float("-inf"), float("nan")),
]
LIMITS = [2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 0, 1, 2, 9, 10, 11, -1]
NUMBERS: tuple[Column, ...] = (
    *(
        Number(name="x", lower=0, upper=1, bins=10, infinite=infinite, outside=outside, **PUBLIC)
        for infinite, outside in RULES
    ),
    Number(name="x", lower=0.1, upper=2.5, bins=7, nan="drop", null="drop", **PUBLIC),
    Number(name="x", lower=-1e307, upper=2e307, bins=3, **PUBLIC),
    Number(name="x", lower=2.0**53, upper=2.0**53 + 64, bins=32, outside="cell", **PUBLIC),
    Number(name="x", edges=(-1.0, 0.0, 0.1, 0.3, 2.0), **PUBLIC),
    Number(name="x", edges=(0.0, 1.0), outside="drop", **PUBLIC),
    Number(name="x", lower=0, upper=10, bins=5, step=0.5, **PUBLIC),
    with_spikes(Number(name="x", lower=0, upper=10, bins=2, **PUBLIC), [0.0, 1.5, 9.0], entry=1),
)
WHOLE: tuple[Column, ...] = (
    *(
        Integer(name="x", lower=0, upper=10, infinite=infinite, outside=outside, **PUBLIC)
        for infinite, outside in RULES
    ),
    Integer(name="x", lower=-1, upper=9, width=3, unparsable="drop", **PUBLIC),
    Integer(name="x", lower=0, upper=LARGEST_INTEGER, width=2**50, outside="cell", **PUBLIC),
    Integer(name="x", lower=2**53 - 5, upper=2**53 - 1, outside="cell", **PUBLIC),
)
TRUTHS: tuple[Column, ...] = (Boolean(name="x", **PUBLIC), Boolean(name="x", null="drop", unparsable="drop", **PUBLIC))
COLUMNS = NUMBERS + WHOLE + TRUTHS


def whole_numbers(dtype: Any) -> np.ndarray:
    ends = np.iinfo(dtype)
    return np.array([ends.min, ends.max, *(one for one in LIMITS if ends.min <= one <= ends.max)], dtype=dtype)


with np.errstate(over="ignore"):
    ARRAYS = {
        "doubles": np.array(NASTY),
        "floats": np.array(NASTY, dtype=np.float32),
        "halves": np.array(NASTY, dtype=np.float16),
        "truth values": np.array([True, False, True]),
        "one number": np.array([0.3]),
        "one NaN": np.array([np.nan]),
        "nothing": np.array([], dtype=np.float64),
        "no whole number": np.array([], dtype=np.int64),
    } | {
        np.dtype(kind).name: whole_numbers(kind)
        for kind in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
    }


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: f"{column.kind} of {column.size}")
def test_arrays_of_every_type_have_the_counts_of_the_engine(column: Column, name: str) -> None:
    alike(pd.DataFrame({"x": ARRAYS[name]}), column)
    alike(pa.table({"x": ARRAYS[name]}), column)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: f"{column.kind} of {column.size}")
@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.int64(), pa.uint64(), pa.int8(), pa.bool_()], ids=str)
def test_nulls_and_pieces_of_arrow_have_the_counts_of_the_engine(column: Column, kind: pa.DataType) -> None:
    values = {
        pa.float64(): NASTY, pa.float32(): [0.1, 0.3, float("nan"), 1.0], pa.int64(): LIMITS,
        pa.uint64(): [0, 1, 2**53 + 1, 2**64 - 1], pa.int8(): [0, 1, -1, 9, 127], pa.bool_(): [True, False, True],
    }[kind]  # fmt: skip
    pieces = [pa.array([None, *values, None], kind), pa.array([], kind), pa.array([*values, None], kind)[2:]]
    for table in (pa.table({"x": pa.chunked_array(pieces)}), pa.table({"x": pa.chunked_array([], kind)})):
        alike(table, column)
    polars = pl.DataFrame({"x": pl.from_arrow(pa.chunked_array(pieces))})
    assert (
        without_engine(polars, column).tolist() == by_engine(pa.table({"x": pa.chunked_array(pieces)}), column).tolist()
    )
    assert without_engine(polars.lazy(), column).tolist() == without_engine(polars, column).tolist()


near_edges = st.tuples(st.integers(0, 40), st.integers(-2, 2))
#: Bounds and bins, places at and beside edges, and other values.
bins_with_values = st.tuples(
    st.floats(-1e9, 1e9, allow_subnormal=False),
    st.floats(1e-3, 1e9),
    st.integers(1, 40),
    st.lists(near_edges, min_size=1, max_size=30),
    st.lists(st.floats(allow_nan=False, allow_infinity=True), max_size=10),
)


@given(bins_with_values, st.booleans())
def test_values_at_and_beside_edges_have_the_counts_of_the_engine(
    drawn: tuple[float, float, int, list[tuple[int, int]], list[float]], uniform: bool
) -> None:
    lower, width, bins, near, others = drawn
    column = Number(name="x", lower=lower, upper=lower + width, bins=bins, **PUBLIC)
    edges = column.boundaries
    if not uniform:
        column = Number(name="x", edges=tuple(edges.tolist()), outside="cell", **PUBLIC)
    values = [float(edges[place % len(edges)]) for place, _ in near]
    for number, (_, steps) in enumerate(near):
        for _ in range(abs(steps)):
            values[number] = float(np.nextafter(values[number], np.inf * np.sign(steps)))
    alike(pd.DataFrame({"x": np.array(values)}), column)
    alike(pd.DataFrame({"x": np.array(values + others)}), column)


@given(st.integers(0, 2**32 - 1), st.sampled_from(COLUMNS), st.sampled_from(COLUMNS), st.sampled_from(COLUMNS))
def test_several_columns_have_the_counts_of_the_engine(seed: int, one: Column, two: Column, three: Column) -> None:
    columns = tuple(replace(column, name=name) for name, column in zip("abc", (one, two, three), strict=True))
    if np.prod([column.size for column in columns]) > array_cells.FEW_CELLS:
        return
    rng = np.random.default_rng(seed)
    kinds: Sequence[Any] = [
        np.array(NASTY),
        rng.integers(-2, 12, 200),
        rng.normal(0.5, 1, 200),
        np.array([True, False]),
    ]
    frame = pd.DataFrame({name: rng.choice(kinds[rng.integers(4)], 200) for name in "abc"})
    alike(frame, *columns)
    alike(pa.Table.from_pandas(frame), *columns[::-1])


def test_rows_beyond_the_first_block_are_counted() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(0.5, 0.2, 3 * arrays.ROWS + 7)
    values[arrays.ROWS : arrays.ROWS + 9] = np.nan
    column = Number(name="x", lower=0, upper=1, bins=30, **PUBLIC)
    frame = pd.DataFrame({"y": np.arange(len(values)), "x": values})
    alike(frame, column)
    alike(frame[::2], column)
    alike(pa.Table.from_pandas(frame), column)
    assert len(values) == without_engine(frame, column).sum()


def test_an_array_of_many_pieces_is_put_together() -> None:
    pieces = [pa.array([number / 100, None]) for number in range(300)]
    alike(pa.table({"x": pa.chunked_array(pieces)}), Number(name="x", lower=0, upper=2, bins=9, **PUBLIC))


#: Frames with a column that is no plain number, and columns that are not counted here.
NUMBER = Number(name="x", lower=0, upper=3, bins=3, **PUBLIC)
OTHERS: dict[str, tuple[Any, Column]] = {
    "objects": (pd.DataFrame({"x": pd.Series([1, "2", None, 2.5], dtype=object)}), NUMBER),
    "nullable integers": (pd.DataFrame({"x": pd.array([1, None, 3], dtype="Int64")}), NUMBER),
    "nullable doubles": (pd.DataFrame({"x": pd.array([1.5, None, np.nan], dtype="Float64")}), NUMBER),
    "nullable truth values": (pd.DataFrame({"x": pd.array([True, None], dtype="boolean")}), NUMBER),
    "categories": (pd.DataFrame({"x": pd.Categorical([1, 2, None])}), NUMBER),
    "moments": (pd.DataFrame({"x": pd.to_datetime(["2020-01-01", None])}), NUMBER),
    "texts": (pl.DataFrame({"x": ["1", None, "x"]}), NUMBER),
    "decimals": (pa.table({"x": pa.array([1, 2, None], pa.decimal128(9, 2))}), NUMBER),
    "only nulls": (pa.table({"x": pa.nulls(3)}), NUMBER),
    "levels": (pd.DataFrame({"x": [1, 2, 7]}), Category(name="x", levels=("1", "2"), **PUBLIC)),
    "days": (
        pd.DataFrame({"x": [1, 2, 7]}),
        Date(name="x", lower=datetime.date(2020, 1, 1), upper=datetime.date(2020, 1, 9), every="day", **PUBLIC),
    ),
    "many cells": (pd.DataFrame({"x": [1, 2, 70_000]}), Integer(name="x", lower=0, upper=2**15, **PUBLIC)),
    "a range beyond whole doubles": (
        pd.DataFrame({"x": [1, 2, 7]}),
        Integer(name="x", lower=-LARGEST_INTEGER, upper=LARGEST_INTEGER, width=2**51, **PUBLIC),
    ),
}


@pytest.mark.parametrize("case", OTHERS)
def test_other_columns_are_left_to_the_engine(case: str) -> None:
    data, column = OTHERS[case]
    asked = records(data, column)
    assert asked._rows_of_cells((column,)) is None
    assert asked.counts(("x",)).values.sum() >= 1


def test_relations_and_files_are_left_to_the_engine(tmp_path: Path) -> None:
    pd.DataFrame({"x": [1.5]}).to_parquet(tmp_path / "x.parquet")
    for data in (duckdb.sql("SELECT 1.5::DOUBLE AS x"), tmp_path / "x.parquet"):
        asked = records(data, NUMBER)
        assert asked._rows_of_cells((NUMBER,)) is None
        assert 1 == asked.counts(("x",)).values.sum()


def test_one_column_that_is_not_plain_leaves_all_to_the_engine() -> None:
    frame = pd.DataFrame({"x": [0.5, 1.5], "y": ["a", "b"]})
    columns = NUMBER, Category(name="y", levels=("a", "b"), **PUBLIC)
    assert records(frame, *columns)._rows_of_cells(columns) is None
    assert records(frame, *columns)._rows_of_cells(columns[:1]) is not None


def test_rows_of_people_and_declared_notations_are_left_to_the_engine() -> None:
    frame = pd.DataFrame({"x": [1.0, 1.0, 2.0, -9.0], "p": [1, 1, 1, 2]})
    people = records(frame, NUMBER, unit=Unit("add-remove", person="p", max_rows=1))
    assert people._rows_of_cells((NUMBER,)) is None
    assert 2 == people.counts(("x",)).values.sum()
    declared = records(frame, NUMBER, files=Files(missing=("-9",)))
    assert declared._rows_of_cells((NUMBER,)) is None
    assert [0, 2, 1, 1] == declared.counts(("x",)).values[:4].tolist()


def test_a_frame_of_a_strangers_class_is_left_to_the_engine() -> None:
    class Strange(pd.DataFrame):
        @property
        def _constructor(self) -> Any:
            return Strange

    assert records(Strange({"x": [1.0, 2.0]}), NUMBER)._rows_of_cells((NUMBER,)) is None


def failing(error: BaseException) -> Blocks:
    yield from ()
    raise error


@pytest.mark.parametrize("error", [ValueError("a row"), MemoryError("a row")], ids=["a library", "memory"])
def test_where_an_array_fails_the_engine_is_asked(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr(EmbeddedSource, "blocks", lambda *_: failing(error))
    asked = records(pd.DataFrame({"x": [1.0, 2.0]}), NUMBER)
    assert asked._rows_of_cells((NUMBER,)) is None
    assert [0, 1, 1] == asked.counts(("x",)).values[:3].tolist()


def test_no_number_is_warned_of() -> None:
    def all_counts() -> Iterator[np.ndarray]:
        for column, values in itertools.product(COLUMNS, ARRAYS.values()):
            yield without_engine(pd.DataFrame({"x": values}), column)

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert len(list(all_counts())) == len(COLUMNS) * len(ARRAYS)
    assert [] == said
