"""After the charge nothing fails by what the data holds: outcome, words and files are the same whatever the rows."""

import datetime as dt
import gzip
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reaedp import (
    Boolean,
    Budget,
    Category,
    Contract,
    Curator,
    Date,
    Integer,
    Laplace,
    Ledger,
    Marginal,
    Number,
    Plan,
    PlannedRelease,
    Unit,
    publish,
)
from reaedp.contract.column import Column
from reaedp.curator.records import Records
from reaedp.disk.duckdb_engine import connect_for_rows
from reaedp.engines.embedded import EmbeddedSource, described, failure
from reaedp.engines.source import Unreadable
from reaedp.engines.stream import BEYOND_THE_END
from reaedp.errors import DeclarationError, ReaedpError
from tests_support import folder_facts, ledger_in

PUBLIC: dict[str, Any] = {"name": "x", "provenance": "public"}
COLUMNS: dict[str, Column] = {
    "number": Number(**PUBLIC, lower=0, upper=10, bins=4),
    "integer": Integer(**PUBLIC, lower=0, upper=3),
    "boolean": Boolean(**PUBLIC),
    "category": Category(**PUBLIC, levels=("a", "1", "2020-01-01")),
    "date": Date(**PUBLIC, lower=dt.date(2020, 1, 1), upper=dt.date(2020, 1, 3), every="day"),
}


def terms(folder: Path, column: Column, unit: Unit | None = None) -> Contract:
    return Contract(
        dataset="d",
        unit=unit or Unit("add-remove"),
        budget=Budget(1, 1e-6),
        ledger=ledger_in(folder),
        columns=(column,),
    )


def facts(folder: Path, data: Any, column: Column, unit: Unit | None = None) -> dict[str, object]:
    """What a release publishes besides noisy numbers."""
    planned = PlannedRelease(name="h", kind="histogram", columns=("x",), mechanism="laplace", epsilon=0.5)
    publish(Plan(terms(folder, column, unit), (planned,)), data, folder / "out", audited=False, page=False)
    found = folder_facts(folder / "out")
    with Ledger.open(str(folder / "budget.sqlite")) as ledger:
        found["ledger"] = [(entry.number, entry.state) for entry in ledger.history("d")]
    return found


def times(value: int, unit: str, zone: str | None) -> pa.Table:
    return pa.table({"x": pa.array([value, 0, None], pa.int64()).cast(pa.timestamp(unit, zone))})


FAR = [
    (value, unit)
    for unit, values in {
        "s": (10**13, -(10**13), 2**62, -(2**63) + 1, 2**63 - 1),
        "ms": (10**16, -(10**16), 2**62, 2**63 - 1),
        "us": (2**62, 2**63 - 1, -(2**63) + 1, -(2**63) + 2),
        "ns": (2**62, 2**63 - 1, -(2**63) + 1),
    }.items()
    for value in values
]


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize(
    "zone", [None, *(pytest.param(zone, marks=pytest.mark.slow) for zone in ("UTC", "Asia/Tokyo"))]
)
def test_times_of_any_distance_are_counted(kind: str, zone: str | None, tmp_path: Path) -> None:
    for value, unit in FAR:
        found = Records(terms(tmp_path, COLUMNS[kind]), times(value, unit, zone)).counts(("x",)).values
        assert 3 == found.sum(), (value, unit)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Asia/Tokyo"])
def test_times_of_any_distance_are_counted_in_files_and_in_pandas(unit: str, zone: str | None, tmp_path: Path) -> None:
    value = max(value for value, of in FAR if of == unit)
    stored = value if unit != "s" else 10**13
    expected = facts(tmp_path / "near", times(0, unit, zone), COLUMNS["date"])
    pq.write_table(times(stored, unit, zone), tmp_path / "x.parquet", version="2.6")
    assert expected == facts(tmp_path / "parquet", tmp_path / "x.parquet", COLUMNS["date"])
    series = pd.Series(np.array([value, 0], f"datetime64[{unit}]"))
    frame = pd.DataFrame({"x": series.dt.tz_localize("UTC").dt.tz_convert(zone) if zone else series})
    assert expected == facts(tmp_path / "pandas", frame, COLUMNS["date"])


def test_numbers_beyond_the_doubles_are_counted_without_a_warning(tmp_path: Path) -> None:
    """Warnings are errors here; where long doubles are no longer than doubles, the first number is infinite already."""
    frame = pd.DataFrame({"x": np.array(["1e4000", "-1e4000", "1"], dtype=np.longdouble)})
    number = Number(name="x", lower=0, upper=2, bins=2, provenance="public")
    assert 3 == Records(terms(tmp_path, number), frame).counts(("x",)).values.sum()


@pytest.mark.parametrize("kind", ["category", "date"])
def test_days_of_any_distance_are_counted_in_files(kind: str, tmp_path: Path) -> None:
    """The engine converts the least and the greatest value of a file while it plans the query, where no TRY holds."""
    for day in (-(2**31), -(2**31) + 1, -106_751_992, 106_751_992, 2**31 - 1):
        days = pa.array([day, 0, None], pa.int32()).cast(pa.date32())
        pq.write_table(pa.table({"x": days}), tmp_path / "x.parquet")
        found = Records(terms(tmp_path, COLUMNS[kind]), tmp_path / "x.parquet").counts(("x",)).values
        assert 3 == found.sum(), day


@pytest.mark.parametrize("other", [pa.decimal256(47, 46), pa.float16(), pa.string_view()])
def test_a_file_with_milliseconds_is_read_whatever_other_types_are_in_it(other: Any, tmp_path: Path) -> None:
    near, empty = times(0, "ms", "UTC"), pa.nulls(3, other)
    pq.write_table(near.append_column("other", empty), tmp_path / "x.parquet")
    assert 3 == Records(terms(tmp_path, COLUMNS["date"]), tmp_path / "x.parquet").counts(("x",)).values.sum()


def beside_milliseconds(index: Any, folder: Path) -> Path:
    """A file with times in milliseconds and three texts, the last of which is not UTF-8, in a dictionary or plain."""
    ends, content = pa.py_buffer(np.array([0, 1, 2, 4], np.int32)), pa.py_buffer(b"ab\xff\xfe")
    texts = pa.Array.from_buffers(pa.string(), 3, [None, ends, content])
    stored = texts if index is None else pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], index), texts)
    pq.write_table(times(0, "ms", None).append_column("s", stored), folder / "x.parquet")
    return folder / "x.parquet"


TEXTS = Category(name="s", levels=("a", "b"), provenance="public")


@pytest.mark.parametrize("index", [None, pa.int32()])
def test_a_text_that_is_not_utf_8_is_one_row_beside_milliseconds_too(index: Any, tmp_path: Path) -> None:
    found = Records(terms(tmp_path, TEXTS), beside_milliseconds(index, tmp_path)).counts(("s",)).values
    assert [1, 1, 0, 1] == found.tolist()


@pytest.mark.parametrize("index", [pa.int8(), pa.uint8(), pa.int64()])
def test_dictionaries_in_which_arrow_checks_texts_are_refused_by_their_type(index: Any, tmp_path: Path) -> None:
    """One such text would empty the count; the other columns of the file are read as ever."""
    path = beside_milliseconds(index, tmp_path)
    with pytest.raises(DeclarationError, match="Store it as plain text, or the times in microseconds"):
        Records(terms(tmp_path, TEXTS), path).counts(("s",))
    assert 3 == Records(terms(tmp_path, COLUMNS["date"]), path).counts(("x",)).values.sum()


def test_a_name_in_parquet_that_is_not_utf_8_is_refused_before_the_charge(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1], "name": [2]}), tmp_path / "x.parquet", store_schema=False)
    content = (tmp_path / "x.parquet").read_bytes()
    (tmp_path / "x.parquet").write_bytes(content.replace(b"name", b"\xff\xfe\xfd\xfc"))
    with pytest.raises(DeclarationError, match="cannot be read as Parquet"):
        facts(tmp_path / "damaged", tmp_path / "x.parquet", COLUMNS["integer"])


def test_a_page_that_is_longer_than_its_file_is_a_damaged_file_and_not_a_failing_disk(tmp_path: Path) -> None:
    """After the charge the former counts as nothing, and only the latter is said; found by generated files."""
    pq.write_table(pa.table({"x": [1, 2]}), tmp_path / "x.parquet", compression="none", use_dictionary=False)
    content, column = (tmp_path / "x.parquet").read_bytes(), COLUMNS["integer"]
    expected = facts(tmp_path / "e", pa.table({"x": [1]}), column)
    sizes = [place for place in range(4, 40) if content[place] == 0x15]  # fields of the page's header: an integer each
    beyond = 0
    for place in sizes:
        longer = content[: place + 1] + b"\xfe\x7f" + content[place + 3 :]
        (tmp_path / "x.parquet").write_bytes(longer)
        with suppress(duckdb.IOException, duckdb.Error):
            duckdb.sql(f"SELECT x FROM '{tmp_path}/x.parquet'").fetchall()
            continue
        beyond += 1
        assert expected == facts(tmp_path / f"x{place}", tmp_path / "x.parquet", column)
    assert beyond
    assert isinstance(failure(duckdb.IOException(f"{BEYOND_THE_END} from file 'x'")), Unreadable)
    assert isinstance(failure(duckdb.IOException("IO Error: No space left on device")), ReaedpError)


def failing_reader() -> pa.RecordBatchReader:
    batch = pa.record_batch({"x": [1]})

    def batches() -> Any:
        yield batch
        raise ValueError("row 17")

    return pa.RecordBatchReader.from_batches(batch.schema, batches())


def test_a_reader_or_a_lazy_frame_that_fails_on_a_row_is_released_as_if_it_were_empty(tmp_path: Path) -> None:
    column = COLUMNS["integer"]
    expected = facts(tmp_path / "usual", pa.table({"x": [1]}), column)
    assert expected == facts(tmp_path / "reader", failing_reader(), column)
    lazy = pl.LazyFrame({"x": ["1", "row"]}).with_columns(pl.col("x").cast(pl.Int64))
    assert expected == facts(tmp_path / "lazy", lazy, column)


def test_a_lazy_frame_that_panics_on_a_row_says_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    expected = facts(tmp_path / "usual", pa.table({"x": ["1"]}), COLUMNS["category"])
    far = pl.LazyFrame({"x": [2**62]}).with_columns(pl.col("x").cast(pl.Datetime("ms")).cast(pl.String))
    assert expected == facts(tmp_path / "far", far, COLUMNS["category"])
    os.write(2, b"here")
    assert ("", "here") == capfd.readouterr()


def not_utf_8() -> pa.Table:
    raw = pa.array([b"a", b"\xff\xfe", b"1"], pa.binary())
    return pa.table({"x": pa.Array.from_buffers(pa.string(), 3, raw.buffers())})


class Hostile:
    """An object whose own code fails."""

    def __str__(self) -> str:
        raise RuntimeError("a row")

    __repr__ = __str__

    def __eq__(self, _: object) -> bool:
        raise RuntimeError("a row")

    __hash__ = None  # type: ignore[assignment]


OBJECTS = [
    Decimal("sNaN"), Decimal("NaN"), Decimal("1e999999"), Hostile(), 10**5000, -(10**5000), b"\xff", "\ud800", "\0",
    [1, [2]], {"a": 1}, {1}, object(), 1j, np.float16(1), np.datetime64("NaT"), np.timedelta64(5, "s"), pd.NaT, pd.NA,
    pd.Timestamp.max, pd.Period("2020", "D"), pd.Interval(0, 1), dt.date.max, dt.datetime.min, dt.time(),
    dt.timedelta.max, dt.datetime(2020, 1, 1, tzinfo=dt.UTC), float("inf"), -0.0, 2**63, 2**64, True, None, type,
    np.array([1, 2]), "9" * 10**5,
]  # fmt: skip


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("kind", COLUMNS)
def test_objects_of_any_kind_are_counted(kind: str, tmp_path: Path) -> None:
    column = COLUMNS[kind]
    usual, strange = (pd.DataFrame({"x": pd.Series(values, dtype=object)}) for values in (["1"], OBJECTS))
    expected = facts(tmp_path / "usual", usual, column)
    assert expected == facts(tmp_path / "strange", strange, column)
    unit = Unit("add-remove", person="p", max_rows=2)
    strange["p"] = strange["x"]
    assert expected["names"] == facts(tmp_path / "people", strange, column, unit)["names"]


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("kind", COLUMNS)
def test_texts_that_are_not_utf_8_are_counted(kind: str, tmp_path: Path) -> None:
    column = COLUMNS[kind]
    expected = facts(tmp_path / "usual", pa.table({"x": ["a", "b", "1"]}), column)
    assert expected == facts(tmp_path / "arrow", not_utf_8(), column)
    pq.write_table(not_utf_8(), tmp_path / "x.parquet")
    assert expected == facts(tmp_path / "parquet", tmp_path / "x.parquet", column)
    (tmp_path / "x.csv").write_bytes(b"x\na\n\xff\xfe\n1\n")
    assert expected == facts(tmp_path / "csv", tmp_path / "x.csv", column)


def test_a_relation_that_fails_on_a_row_is_released_as_if_it_were_empty(tmp_path: Path) -> None:
    column = COLUMNS["integer"]
    engine = duckdb.connect()
    usual, failing = (
        engine.sql(f"SELECT CAST(t AS INTEGER) AS x FROM (VALUES ('1'), ('{text}')) v(t)") for text in ("2", "row")
    )
    assert facts(tmp_path / "usual", usual, column) == facts(tmp_path / "failing", failing, column)


def test_an_engine_that_died_is_started_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB answers nothing more after an internal error, which a row can cause."""
    curator = Curator(terms(tmp_path, COLUMNS["integer"]), pa.table({"x": ["1", "2", "3"] * 200}))

    def dying(self: Any, counts: Any) -> Any:
        monkeypatch.undo()
        with suppress(duckdb.Error):
            self._parts[0].relation.project("CAST(make_timestamp(-9223372036854775806) AS VARCHAR)").fetchall()
        raise self.failed(duckdb.InternalException("a row"))

    monkeypatch.setattr(EmbeddedSource, "collect", dying)
    empty = curator.release(Marginal("x"), Laplace(0.2))
    full = curator.release(Marginal("x"), Laplace(0.2))
    # noise of scale 5 on each of 7 cells: a sum of more than 200 has a probability below 1e-14
    assert abs(empty.counts.values.sum()) < 200
    assert abs(full.counts.values.sum() - 600) < 200


def test_after_a_failure_nobody_asks_that_engine(tmp_path: Path) -> None:
    records = Records(terms(tmp_path, COLUMNS["integer"]), pa.table({"x": ["1", "2"]}))
    connect_for_rows().execute("CREATE TABLE of_this_engine AS SELECT 1")
    records._source.failed(duckdb.InternalException("a row"))  # type: ignore[attr-defined]
    with pytest.raises(duckdb.CatalogException):
        connect_for_rows().execute("FROM of_this_engine")
    assert 2 == records.counts(("x",)).values.sum()


def test_after_a_failure_the_table_that_was_opened_anew_is_asked(tmp_path: Path) -> None:
    engine = duckdb.connect()
    tables = iter([engine.sql("SELECT 1 AS x FROM range(3)"), engine.sql("SELECT 1 AS x FROM range(5)")])
    source = EmbeddedSource(lambda: [described(next(tables))])
    records = Records(terms(tmp_path, COLUMNS["integer"]), pa.table({"x": [1]}))
    records._source = source
    assert [3, 3] == [records.counts(("x",)).values.sum() for _ in range(2)]
    source.failed(duckdb.InternalException("a row"))
    assert [5, 5] == [records.counts(("x",)).values.sum() for _ in range(2)]


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_compressed_file_is_refused_before_the_charge(damage: str, tmp_path: Path) -> None:
    packed = gzip.compress(b"x\n" + b"1\n2\n" * 50_000)
    (tmp_path / "x.csv.gz").write_bytes(
        packed[:-10] if damage == "cut" else packed[:60] + bytes([packed[60] ^ 255]) + packed[61:]
    )
    with pytest.raises(DeclarationError, match="damaged or was cut short"):
        facts(tmp_path / "damaged", tmp_path / "x.csv.gz", COLUMNS["integer"])


@pytest.mark.parametrize(
    "name", ["data[1].csv", "d*.csv", "d?ta.csv", "[!a].csv", "{a,b}.csv", "a'b.csv", "data[1].parquet"]
)
def test_a_path_that_exists_is_that_file(name: str, tmp_path: Path) -> None:
    others = {"data1.csv", "data.csv", "a.csv", "b.csv", "x.csv", "data1.parquet"}
    for file, values in [*((other, [0, 0, 0, 0, 0]) for other in others), (name, [1])]:
        frame = pd.DataFrame({"x": values})
        (frame.to_csv if file.endswith(".csv") else frame.to_parquet)(tmp_path / file, index=False)
    found = Records(terms(tmp_path, COLUMNS["integer"]), tmp_path / name).counts(("x",)).values
    assert [0, 1] == found.tolist()[:2]


def test_an_engine_opens_tables_and_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with duckdb.connect(str(tmp_path / "f.db")) as made:
        made.execute("CREATE TABLE t AS SELECT 1 AS x")
    pd.DataFrame({"x": [1]}).to_csv("x.csv", index=False)
    address = f"duckdb://{tmp_path / 'f.db'}"
    assert facts(tmp_path / "one", f"{address}?table=t", COLUMNS["integer"])
    Curator(terms(tmp_path, COLUMNS["integer"]), "t", engine=address)
    for name in ("x.csv", "missing", "'x.csv'", "read_csv('x.csv')"):
        with pytest.raises(DeclarationError, match="cannot open the table"):
            Curator(terms(tmp_path, COLUMNS["integer"]), name, engine=address)
    with pytest.raises(DeclarationError, match="cannot open the table"):
        Curator(terms(tmp_path, COLUMNS["integer"]), f"duckdb://{tmp_path / 'mistyped.db'}?table=t")
    assert not (tmp_path / "mistyped.db").exists()


STOPPED = """
import os, signal, sys
from reaedp.curator.records import Records
counted = Records.key_counts
def stopping(self, names):
    if "budget.sqlite" in str(self._contract.ledger):  # and not while the audit rehearses on made-up data
        os.kill(os.getpid(), signal.{signal})
    return counted(self, names)
Records.key_counts = stopping
sys.argv = ["reaedp", "release", "plan.toml", "--data", "data.csv", "--out", "out"]
from reaedp.cli import main
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_command_that_is_stopped_after_the_charge_says_so_and_leaves_nothing(name: str, clinic: Path) -> None:
    code = STOPPED.format(signal=name)
    done = subprocess.run([sys.executable, "-c", code], cwd=clinic, capture_output=True, text=True, check=False)
    assert 128 + getattr(signal, name) == done.returncode, done.stderr
    assert "Stopped; nothing was released. The charge stands: ledger entries " in done.stderr
    assert "Traceback" not in done.stderr
    assert not [path.name for path in clinic.iterdir() if path.name.lstrip(".").startswith("out")]
    with Ledger.open(str(clinic / "budget.sqlite")) as ledger:
        assert {"charged, not finished"} == {entry.state for entry in ledger.history("clinic") if entry.charge}


def test_a_failure_of_the_machine_names_the_charge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    curator = Curator(terms(tmp_path, COLUMNS["integer"]), pa.table({"x": ["1"]}))

    def full(self: Any, counts: Any) -> Any:
        raise self.failed(duckdb.IOException("No space left: row 17"))

    monkeypatch.setattr(EmbeddedSource, "collect", full)
    with pytest.raises(
        ReaedpError, match=r"could not count \(IOException\).* The charge stands: ledger entry 2\."
    ) as said:
        curator.release(Marginal("x"), Laplace(0.2))
    assert "row 17" not in str(said.value)


ROUTES: dict[str, Callable[[pa.Table, Path], Any]] = {
    "arrow": lambda table, _: table,
    "polars": lambda table, _: pl.from_arrow(table),
    "pandas": lambda table, _: table.to_pandas(),
    "parquet": lambda table, folder: pq.write_table(table, folder / "x.parquet") or folder / "x.parquet",
    "duckdb": lambda table, _: duckdb.connect().from_arrow(table),
}
TYPES = [
    pa.null(), pa.bool_(), pa.int8(), pa.int64(), pa.uint64(), pa.float32(), pa.float64(), pa.string(),
    pa.large_string(), pa.date32(), pa.timestamp("us"), pa.timestamp("ns", "UTC"), pa.decimal128(38, 5),
    pa.decimal128(10, 2), pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.int64()),
]  # fmt: skip
SETS: list[list[Any]] = [[], [None], [0, 1, None]]


@pytest.mark.slow
@pytest.mark.parametrize("route", ROUTES)
def test_every_kind_of_column_takes_every_type_whatever_the_rows(route: str, tmp_path: Path) -> None:
    """One schema, many sets of rows: the outcome is the same, and it is a release."""
    for place, kind in enumerate(TYPES):
        for number, values in enumerate(SETS):
            cells = values if not pa.types.is_null(kind) else [None] * len(values)
            source = pa.array(cells, pa.int64() if not pa.types.is_null(kind) else kind)
            text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or "string" in str(kind)
            if "dictionary" in str(kind):
                column = source.cast(pa.string() if text else pa.int64()).dictionary_encode()
            elif pa.types.is_date32(kind):
                column = source.cast(pa.int32()).cast(kind)
            elif pa.types.is_decimal(kind):
                column = source.cast(pa.decimal128(38, 0)).cast(kind)
            else:
                column = source.cast(kind)
            folder = tmp_path / f"{place}-{number}"
            folder.mkdir()
            data = ROUTES[route](pa.table({"x": column, "p": column}), folder)
            for declared in COLUMNS.values():
                found = Records(terms(folder, declared), data).counts(("x",)).values
                assert len(cells) == found.sum(), (kind, values, declared)
            unit = Unit("add-remove", person="p", max_rows=9)
            found = Records(terms(folder, COLUMNS["category"], unit), data).counts(("x",)).values
            assert sum(value is not None for value in cells) == found.sum(), (kind, values)
