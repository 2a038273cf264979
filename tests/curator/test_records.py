import datetime
import gzip
import math
import os
import pickle
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
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

from reaedp import Boolean, Budget, Category, Contract, Date, Integer, Number, Unit
from reaedp.contract.column import Column
from reaedp.curator.records import Records
from reaedp.curator.whose_rows import MODULUS
from reaedp.disk.duckdb_engine import connect_for_rows
from reaedp.engines import bytes_of_files
from reaedp.engines.bytes_of_files import PlainTexts
from reaedp.engines.csv_files import BUFFER, LONGEST_LINE, Dialect, _part
from reaedp.errors import DeclarationError

DATA = os.environ.get("REAEDP_DATA")


def contract(*columns: Column, unit: Unit | None = None) -> Contract:
    return Contract(
        dataset="d", unit=unit or Unit("add-remove"), budget=Budget(1, 1e-6), ledger="unused", columns=columns
    )


def counted(column: Column, data: Any) -> dict[str, int]:
    table = Records(contract(column), data).counts((column.name,))
    return {cell: int(count) for cell, count in zip(column.cells, table.values, strict=True) if count}


def csv(folder: Path, text: str, name: str = "data.csv") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


TROUBLES = [
    "0",
    "0.3",
    "0.29",
    "1",
    "-0.0",
    "",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "1e400",
    "-1e400",
    "two",
    "🙂",
    "1,5",
    "2",
    "-1",
]


def test_a_number_column_with_every_kind_of_bad_value_equals_the_count_by_hand(tmp_path: Path) -> None:
    column = Number(name="x", lower=0, upper=1, bins=10, provenance="public", infinite="cell", outside="cell")
    data = csv(tmp_path, "x\n" + "\n".join(f'"{value}"' for value in TROUBLES) + "\n")
    expected = {
        "[0, 0.1)": 2,  # 0 and -0.0
        "[0.2, 0.3)": 1,
        "[0.3, 0.4)": 1,
        "[0.9, 1]": 1,
        "<null>": 1,
        "<nan>": 2,
        "<infinite>": 4,
        "<unparsable>": 3,
        "<outside>": 2,
    }
    assert expected == counted(column, data)


def test_rules_send_troubles_to_the_nearest_bin_or_drop_the_row(tmp_path: Path) -> None:
    column = Number(
        name="x", lower=0, upper=1, bins=2, provenance="public", null="drop", nan="drop", unparsable="drop",
        infinite="nearest", outside="drop",
    )  # fmt: skip
    data = csv(tmp_path, "x\n" + "\n".join(f'"{value}"' for value in TROUBLES) + "\n")
    assert {"[0, 0.5)": 6, "[0.5, 1]": 3} == counted(column, data)


def test_integers_dates_truths_and_levels_equal_the_count_by_hand(tmp_path: Path) -> None:
    text = (
        "i,d,b,c\n"
        "3,2020-02-29,yes,a\n"
        "3.0,2020-02-30,N,b\n"
        "3.5,2020-01-31 23:59:59,1,A\n"
        "1e1,2021-05-05,0,\n"
        "-7,infinity,maybe,=1+1\n"
        ",,,z\n"
    )
    data = csv(tmp_path, text)
    integer = Integer(name="i", lower=0, upper=9, provenance="public", outside="cell")
    assert {"3": 2, "<null>": 1, "<unparsable>": 1, "<outside>": 2} == counted(integer, data)
    day = datetime.date
    date = Date(name="d", lower=day(2020, 1, 1), upper=day(2020, 12, 31), every="month", provenance="public")
    expected = {"2020-01": 1, "2020-02": 1, "2020-12": 1, "<null>": 1, "<unparsable>": 2}
    assert expected == counted(date, data)
    assert {"false": 2, "true": 2, "<null>": 1, "<unparsable>": 1} == counted(
        Boolean(name="b", provenance="public"), data
    )
    category = Category(name="c", levels=("a", "b", "=1+1"), provenance="public")
    assert {"a": 1, "b": 1, "=1+1": 1, "<null>": 1, "<unseen>": 2} == counted(category, data)


def reference_cell(column: Number, value: float) -> int:
    edges = column.boundaries.tolist()
    inside = [i for i in range(len(edges) - 1) if edges[i] <= value < edges[i + 1]]
    return inside[0] if inside else (0 if value < edges[0] else len(edges) - 2)


near_edges = st.tuples(st.integers(0, 40), st.integers(-2, 2))


#: A column, places at and beside its edges, and other values.
columns_with_values = st.tuples(
    st.floats(-1e9, 1e9, allow_subnormal=False),
    st.floats(1e-3, 1e9),
    st.integers(1, 40),
    st.lists(near_edges, min_size=1, max_size=30),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=10),
)


def values_near(column: Number, places: list[tuple[int, int]]) -> Iterator[float]:
    edges = column.boundaries
    for place, steps in places:
        value = edges[place % len(edges)]
        for _ in range(abs(steps)):
            value = np.nextafter(value, math.copysign(math.inf, steps))
        yield float(value)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.lists(columns_with_values, min_size=5, max_size=5))
def test_values_at_and_beside_edges_fall_where_the_edges_say(
    examples: list[tuple[float, float, int, list[tuple[int, int]], list[float]]],
) -> None:
    """Five columns of one table at a time, the shorter ones filled up with their last value."""
    columns, values = [], {}
    for number, (lower, width, bins, places, others) in enumerate(examples):
        column = Number(name=f"x{number}", lower=lower, upper=lower + width, bins=bins, provenance="public")
        found = [*others, *values_near(column, places)]
        columns.append(column)
        values[column.name] = pa.array(found + [found[-1]] * (40 - len(found)), pa.float64())
    counted_at_once = Records(contract(*columns), pa.table(values)).key_counts(tuple(values))
    for column in columns:
        expected = Counter(reference_cell(column, value) for value in values[column.name].to_pylist())
        table = counted_at_once.project(column.name).dense()
        assert dict(expected) == {cell: int(count) for cell, count in enumerate(table.values) if count}


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(-100, 100), min_size=3, max_size=60, unique=True), st.lists(st.floats(-120, 120), max_size=40)
)
def test_uneven_edges_are_searched_exactly(edges: list[float], values: list[float]) -> None:
    edges = sorted({edge + 0.0 for edge in edges})  # −0.0 and 0.0 are one edge
    column = Number(name="x", edges=tuple(edges), provenance="public")
    expected = Counter(reference_cell(column, value) for value in values + edges)
    rows = pa.table({"x": pa.array(values + edges, pa.float64())})
    for data in (rows, duckdb.from_arrow(rows)):  # arrays are counted without the engine, relations by it
        table = Records(contract(column), data).counts(("x",))
        assert dict(expected) == {cell: int(count) for cell, count in enumerate(table.values) if count}


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.none(), st.text(max_size=20)), max_size=20))
def test_no_text_in_any_cell_is_ever_an_error(values: list[str | None]) -> None:
    frame = pa.table({"x": pa.array([v.replace("\0", "") if v else v for v in values], pa.string())})
    day = datetime.date
    columns = (
        Number(name="x", lower=0, upper=1, bins=3, provenance="public"),
        Integer(name="x", lower=0, upper=3, provenance="public"),
        Boolean(name="x", provenance="public"),
        Category(name="x", levels=("a", "b"), provenance="public"),
        Date(name="x", lower=day(2000, 1, 1), upper=day(2001, 1, 1), every="year", provenance="public"),
    )
    for column in columns:
        assert len(values) == sum(counted(column, frame).values())


def test_a_megabyte_cell_and_broken_lines_are_no_errors(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    lines = [b"x,y", b"1," + b"9" * 1_000_000, b"1,2", b"1", b"1,2,3", b'1,"a\nb"', b"1,\xff\xfe", b'"1",""', b'1,x"y']
    path.write_bytes(b"\r\n".join(lines) + b"\r\n")
    column = Number(name="x", lower=0, upper=2, bins=1, provenance="public")
    # The line with one cell is no row, nor is the one that is not UTF-8, whichever of its cells are asked for.
    assert {"[0, 2]": 6} == counted(column, str(path))
    other = Number(name="y", lower=0, upper=2, bins=1, provenance="public")
    assert {"[0, 2]": 3, "<null>": 1, "<unparsable>": 2} == counted(other, str(path))


FRAME = {"x": [0.1, 0.9, None, 0.5], "c": ["a", None, "b", "zz"]}


@pytest.mark.parametrize("form", ["pandas", "polars", "arrow", "parquet", "csv", "tsv", "gz", "glob", "relation"])
def test_every_form_of_input_gives_the_same_counts(tmp_path: Path, form: str) -> None:
    import duckdb

    frame = pd.DataFrame(FRAME)
    frame.to_parquet(tmp_path / "data.parquet")
    frame.to_csv(tmp_path / "data.csv", index=False)
    frame.to_csv(tmp_path / "data.tsv", index=False, sep="\t")
    frame.to_csv(tmp_path / "data.csv.gz", index=False)
    frame[:2].to_csv(tmp_path / "part1.csv", index=False)
    frame[2:].to_csv(tmp_path / "part2.csv", index=False)
    inputs: dict[str, Any] = {
        "pandas": frame,
        "polars": pl.DataFrame(FRAME),
        "arrow": pa.table(FRAME),
        "parquet": tmp_path / "data.parquet",
        "csv": tmp_path / "data.csv",
        "tsv": tmp_path / "data.tsv",
        "gz": tmp_path / "data.csv.gz",
        "glob": str(tmp_path / "part*.csv"),
        "relation": duckdb.sql(f"SELECT * FROM '{tmp_path}/data.parquet'"),
    }
    terms = contract(
        Number(name="x", edges=(0, 0.4, 1), provenance="public"),
        Category(name="c", levels=("a", "b"), provenance="public"),
    )
    table = Records(terms, inputs[form]).counts(("x", "c"))
    null = table.axes[0].cells.index("<null>")  # also for pandas, which has no other missing number than NaN
    expected = np.zeros((5, 4), dtype=int)
    expected[0, 0] = expected[1, 2] = expected[1, 3] = expected[null, 1] = 1
    assert expected.tolist() == table.values.tolist()


def test_a_pandas_column_of_mixed_objects_is_read_as_text() -> None:
    frame = pd.DataFrame({"x": pd.Series([1, "2", None, 3.5, [4], datetime.date(2020, 1, 1), 10**400], dtype=object)})
    column = Number(name="x", lower=0, upper=10, bins=1, provenance="public", infinite="cell")
    assert {"[0, 10]": 3, "<null>": 1, "<infinite>": 1, "<unparsable>": 2} == counted(column, frame)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_at_most_max_rows_of_each_person_are_counted(limit: int) -> None:
    rng = np.random.default_rng(limit)
    persons = rng.integers(0, 50, 400)
    frame = pd.DataFrame({"p": persons, "x": rng.integers(0, 10, 400)})
    frame.loc[len(frame)] = [0, 3]
    frame["p"] = frame["p"].astype("Int64")
    frame.loc[:4, "p"] = None  # a row without a person is nobody's
    column = Integer(name="x", lower=0, upper=9, provenance="public")
    terms = contract(column, unit=Unit("add-remove", person="p", max_rows=limit))
    expected = frame["p"].dropna().value_counts().clip(upper=limit).sum()
    assert expected == Records(terms, frame).counts(("x",)).total


def test_the_kept_rows_of_a_person_depend_on_that_person_alone() -> None:
    rng = np.random.default_rng(5)
    column = Integer(name="x", lower=0, upper=9, provenance="public")
    terms = contract(column, unit=Unit("add-remove", person="p", max_rows=2))
    frame = pd.DataFrame({"p": rng.integers(0, 8, 60).astype(str), "x": rng.integers(0, 10, 60)})
    whole = Records(terms, frame).counts(("x",)).values
    for person in sorted(set(frame["p"])):
        without = Records(terms, frame[frame["p"] != person]).counts(("x",)).values
        alone = Records(terms, frame[frame["p"] == person].sample(frac=1, random_state=1)).counts(("x",)).values
        assert (without + alone).tolist() == whole.tolist()


@pytest.mark.parametrize("limit", [1, 3, 40])
def test_the_kept_rows_are_those_that_come_first_in_the_stated_order(limit: int) -> None:
    """A person with hundreds of rows, many of them alike, others with few: each row is placed by hand."""
    rng = np.random.default_rng(limit)
    people = [0] * 400 + rng.integers(1, 9, 60).tolist()
    columns = tuple(Integer(name=name, lower=0, upper=9, provenance="public") for name in "xy")
    frame = pd.DataFrame({"p": people} | {name: rng.integers(0, 10, len(people)) for name in "xy"})
    terms = contract(*columns, unit=Unit("add-remove", person="p", max_rows=limit))
    records = Records(terms, frame)
    found = records._source.collect(records._canonical(columns))
    rows: dict[str, list[tuple[int, tuple[int, int]]]] = {}
    for person, first, second, x, y in zip(
        *(found[key] for key in ("person", "hash0", "hash1", "v0", "v1")), strict=True
    ):
        multiplier, place = int(second) * 8 + 1, int(first) * 8
        for cell in (int(x), int(y)):
            place = (place * multiplier + cell + 1) % MODULUS
        rows.setdefault(person, []).append((place * place % MODULUS * multiplier % MODULUS, (int(x), int(y))))
    expected = Counter(cells for one in rows.values() for _, cells in sorted(one)[:limit])
    counts = records.key_counts(("x", "y"))
    assert expected == {tuple(key): count for key, count in zip(counts.keys.tolist(), counts.counts, strict=True)}


@pytest.mark.parametrize(
    "unit", [Unit("add-remove"), Unit("add-remove", person="p", max_rows=1)], ids=["rows", "people"]
)
def test_what_was_asked_before_in_another_order_changes_no_count(unit: Unit) -> None:
    """A person's rows are chosen by their cells in the order of the question, so that another one chooses others."""
    rng = np.random.default_rng(8)
    columns = tuple(Integer(name=name, lower=0, upper=4, provenance="public") for name in "xy")
    terms = contract(*columns, unit=unit)
    frame = pd.DataFrame({"p": rng.integers(0, 20, 90)} | {name: rng.integers(0, 5, 90) for name in "xy"})
    records = Records(terms, frame)
    first, second = (records.counts(names).values for names in (("x", "y"), ("y", "x")))
    assert Records(terms, frame).counts(("x", "y")).values.tolist() == first.tolist()
    assert Records(terms, frame).counts(("y", "x")).values.tolist() == second.tolist()
    assert (unit.person is None) == (first.tolist() == second.T.tolist())


def test_a_persons_rows_are_numbered_without_a_tree_of_counts() -> None:
    """The engine numbers rows where nothing can be null; a tree took five times as long for a million rows."""
    column = Integer(name="x", lower=0, upper=9, provenance="public")
    terms = contract(column, unit=Unit("add-remove", person="p", max_rows=2))
    records = Records(terms, pd.DataFrame({"p": ["a", "b"], "x": [1, 2]}))
    plan = records._encoded((column,)).to_native().explain()
    assert "count_star()OVER(" in re.sub(r"[^\w()]", "", plan)


def test_the_kept_rows_are_not_those_with_the_smallest_values() -> None:
    # 2,000 people with the rows 0 … 9, one kept: each value 200 ± 13; 6.5 sd allow for a false alarm of 1e-9.
    frame = pd.DataFrame({"p": np.repeat(np.arange(2_000), 10), "x": np.tile(np.arange(10), 2_000)})
    column = Integer(name="x", lower=0, upper=9, provenance="public")
    counts = Records(contract(column, unit=Unit("add-remove", person="p", max_rows=1)), frame).counts(("x",)).values
    assert np.all(np.abs(counts[:10] - 200) < 6.5 * math.sqrt(2_000 * 0.1 * 0.9))


def test_records_show_and_give_away_nothing() -> None:
    records = Records(contract(Integer(name="x", lower=0, upper=9, provenance="public")), pd.DataFrame({"x": [7]}))
    assert "Records of 'd'" == repr(records) == str(records)
    with pytest.raises(TypeError, match="never pickled"):
        pickle.dumps(records)
    with pytest.raises(TypeError):
        hash(records)
    assert not hasattr(records, "__dict__")
    assert not hasattr(records, "__iter__")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no header"),
        ("a,a\n1,2\n", "more than one 'a'"),
        ("y\n1\n", "lacks a declared column"),
        ("\n\n", "no header"),
    ],
)
def test_what_is_wrong_with_a_header_is_an_error(tmp_path: Path, text: str, words: str) -> None:
    column = Integer(name="x", lower=0, upper=9, provenance="public")
    with pytest.raises(DeclarationError, match=words):
        Records(contract(column), csv(tmp_path, text)).check(("x",))


def test_rows_that_are_not_utf8_do_not_disturb_the_header(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(b"x\n\xff\xfe\n1\n")
    assert {"1": 1} == counted(Integer(name="x", lower=0, upper=9, provenance="public"), path)


@pytest.mark.parametrize("asked", [("x",), ("y",), ("z",), ("x", "z")])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz"])
def test_a_line_that_is_not_utf8_is_no_row_whatever_is_asked(
    asked: tuple[str, ...], suffix: str, tmp_path: Path
) -> None:
    lines = [b"x,y,z", b"1,1,1", b"2,\xe4,2", b"3,3,\xfc", b"\xff,4,4", b",,", b"5,,5,\xe4"]
    content = b"\n".join(lines).replace(b",", b"\t" if suffix == ".tsv" else b",") + b"\n"
    path = tmp_path / f"data{suffix}"
    path.write_bytes(gzip.compress(content) if suffix.endswith("gz") else content)
    columns = [Integer(name=name, lower=0, upper=9, provenance="public") for name in asked]
    records = Records(contract(*columns), path)
    # Rows are 1, 5 and the one without a value; cells beyond the header are not looked at.
    assert 3 == records.counts(asked).values.sum()


@pytest.mark.parametrize("asked", [("x",), ("y",), ("x", "y")])
@pytest.mark.parametrize("line", ['2,"é', '2,""é'])
def test_a_line_that_is_not_well_quoted_is_no_row_whatever_is_asked(
    line: str, asked: tuple[str, ...], tmp_path: Path
) -> None:
    columns = [Integer(name=name, lower=0, upper=9, provenance="public") for name in asked]
    path = csv(tmp_path, f"x,y\n1,1\n{line}")
    assert 1 == Records(contract(*columns), path).counts(asked).values.sum()


def test_a_line_that_is_not_utf8_is_no_row_either_if_it_comes_later(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(b"x,y\n1,1\n")
    records = Records(contract(Integer(name="x", lower=0, upper=9, provenance="public")), path)
    assert 1 == records.counts(("x",)).values.sum()
    path.write_bytes(b"x,y\n1,1\n2,2\n3,\xe4\n")
    assert 2 == records.counts(("x",)).values.sum()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(alphabet="1t.,,;é€\r\0 _(+-", max_size=12), max_size=8))
def test_lines_of_plain_texts_are_rows_as_if_all_cells_were_asked_for(lines: list[str]) -> None:
    """Files that are known to be plain, and the same ones if nothing is known of them."""
    column = Integer(name="y", lower=0, upper=9, provenance="public")
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "data.csv"
        path.write_bytes("\n".join(["x,y,z", *lines]).encode())
        assert PlainTexts([str(path)], '"')()
        found = counted(column, path)
        patch.setattr(bytes_of_files, "MOST_BYTES_TWICE", -1)
        assert not PlainTexts([str(path)], '"')()
        assert counted(column, path) == found


def test_the_engine_has_every_character_that_plain_texts_may_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    characters = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    cells = [
        "".join(part).translate(dict.fromkeys(map(ord, '\r\n,"')))
        for part in zip(*[iter(characters)] * 64, strict=True)
    ]
    path = tmp_path / "data.csv"
    path.write_bytes(("x,y\n" + "".join(f"1,{cell}\n" for cell in cells)).encode())
    assert PlainTexts([str(path)], '"')()
    monkeypatch.setattr(bytes_of_files, "MOST_BYTES_TWICE", -1)  # so that the engine looks at all cells
    assert {"1": len(cells)} == counted(Integer(name="x", lower=0, upper=9, provenance="public"), path)


@pytest.mark.parametrize("before", range(9))
def test_texts_are_plain_wherever_their_characters_lie(
    before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bytes_of_files, "CHUNK", 4)

    def plain(content: bytes, quote: str = '"') -> bool:
        path = tmp_path / "data.csv"
        path.write_bytes(b"x" * before + content)
        return PlainTexts([str(path)], quote)()

    assert plain("é,€\n😀".encode())
    assert plain(b"")
    split = [b"\xc3", b"\xc3\n1,1\n2,2\n", b"\xc31111\xa9", b"\xe2\x82,1,1,1"]
    assert not any(map(plain, [*split, b"\xed\xa0\x80", b'"', b'1,1,"1"']))
    assert plain(b'"1"', quote="")


def test_a_cell_that_is_no_number_is_part_of_its_row_where_it_is_read_as_one(tmp_path: Path) -> None:
    """An engine that read numbers itself, once it is asked for nothing else, would leave out lines without one."""
    part = _part(
        connect_for_rows(), [str(csv(tmp_path, "x,y\n1,1\ntext,2\n,3\n"))], Dialect(",", '"', "utf-8"), ("x", "y")
    )
    found = part._read("c0").project("TRY_CAST(c0 AS DOUBLE) AS v0").fetchall()
    assert [(1.0,), (None,), (None,)] == sorted(found, key=str)


@pytest.mark.parametrize("before", [0, BUFFER // 2, BUFFER - LONGEST_LINE // 2, BUFFER - 2])
def test_a_line_of_8_mib_is_a_row_wherever_it_lies_and_a_longer_one_is_not(before: int, tmp_path: Path) -> None:
    """Also where the engine reads its beginning and its end in different pieces of the file."""
    path = tmp_path / "data.csv"
    longest, longer = (b"1," + b"t" * (LONGEST_LINE + more) for more in (-100, 100))
    fill = b"0,%s\n" % (b"t" * 1020)
    with path.open("wb") as file:
        file.write(b"x,y\n" + fill * (before // len(fill)))
        file.write(longest + b"\n" + longer + b"\n2,end\n")
    found = counted(Integer(name="x", lower=0, upper=2, provenance="public"), path)
    assert (before // len(fill), 1, 1) == tuple(found.get(str(cell), 0) for cell in range(3))


def test_what_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    terms = contract(Integer(name="x", lower=0, upper=9, provenance="public"))
    (tmp_path / "fake.parquet").write_bytes(b"not parquet at all")
    (tmp_path / "data.xyz").write_text("x\n1\n")
    csv(tmp_path, "x\n1\n", "one.csv")
    csv(tmp_path, "y\n1\n", "two.csv")
    for data in ("absent.csv", "fake.parquet", "data.xyz", "none*.csv", "*.csv", "."):
        with pytest.raises(DeclarationError):
            Records(terms, str(tmp_path / data))
    for data in (17, None, [1, 2]):
        with pytest.raises(DeclarationError):
            Records(terms, data)


def test_an_empty_table_is_a_table(tmp_path: Path) -> None:
    column = Integer(name="x", lower=0, upper=9, provenance="public")
    assert {} == counted(column, csv(tmp_path, "x\n"))
    assert {} == counted(column, pd.DataFrame({"x": pd.Series([], dtype="int64")}))


def test_a_type_that_cannot_be_meant_is_an_error() -> None:
    frame = pa.table({"x": pa.array([[1]], pa.list_(pa.int64()))})
    with pytest.raises(DeclarationError, match="must hold text, numbers"):
        counted(Integer(name="x", lower=0, upper=9, provenance="public"), frame)


@pytest.mark.skipif(DATA is None, reason="REAEDP_DATA names no folder with public data")
@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("house-prices-shapash.csv", "SalePrice"),
        ("unemployment_data.csv", "UNRATE"),
        ("pow_train.csv", "y1"),
        ("r_diff_train.csv", "y1"),
        ("tabular-feature-engineering.csv", "y1"),
    ],
)
def test_the_engine_and_numpy_agree_cell_by_cell_on_public_numbers(file: str, name: str) -> None:
    values = pd.read_csv(Path(str(DATA)) / file)[name]
    present = values.dropna().to_numpy(dtype=float)
    column = Number(name=name, lower=float(present.min()), upper=float(present.max()), bins=30, provenance="public")
    table = Records(contract(column), Path(str(DATA)) / file).counts((name,))
    expected, _ = np.histogram(present, column.boundaries)
    assert expected.tolist() == table.values[:30].tolist()
    assert values.isna().sum() == table.values[column.code("null")]


@pytest.mark.skipif(DATA is None, reason="REAEDP_DATA names no folder with public data")
def test_the_engine_and_pandas_agree_cell_by_cell_on_public_categories() -> None:
    path = Path(str(DATA)) / "adult-raw.csv"
    frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    names = [name for name in ("workclass", "education", "sex", "race") if name in frame.columns][:3]
    assert names
    columns = tuple(
        Category(name=name, levels=tuple(sorted(frame[name].dropna().unique())[1:]), provenance="public")
        for name in names
    )
    table = Records(contract(*columns), path).counts(tuple(names))
    cells = [
        frame[c.name].map(
            lambda v, c=c: c.code("null") if pd.isna(v) else c.levels.index(v) if v in c.levels else c.code("unseen")
        )
        for c in columns
    ]
    expected = np.zeros(table.values.shape, dtype=int)
    np.add.at(expected, tuple(cell.to_numpy(dtype=int) for cell in cells), 1)
    assert np.array_equal(expected, table.values)


def test_a_range_narrower_than_the_reciprocal_of_a_double_is_counted() -> None:
    column = Number(name="x", lower=0, upper=1e-308, bins=10, provenance="public")
    frame = pa.table({"x": pa.array([0.0, 9e-309, 5e-324, 1.0], pa.float64())})
    assert 2 == sum(count for cell, count in counted(column, frame).items() if cell.endswith("]"))


@pytest.mark.parametrize("text", ["1_000", "+-5", "nan(1)"])
def test_texts_that_only_one_engine_takes_for_numbers_are_none(tmp_path: Path, text: str) -> None:
    column = Number(name="x", lower=0, upper=1, bins=1, provenance="public")
    assert {"<unparsable>": 1} == counted(column, csv(tmp_path, f"x\n{text}\n"))
