"""Every kind of file: what is refused says how to go on, and no row changes what another one is."""

import datetime as dt
import gc
import gzip
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather, orc
from typer.testing import CliRunner

from reaedp import Budget, Category, Contract, Date, Integer, Number, Unit, publish
from reaedp.cli.app import app
from reaedp.contract.category import Undeclared
from reaedp.contract.column import Column
from reaedp.contract.files import Files
from reaedp.curator.records import Records
from reaedp.engines.source import open_source
from reaedp.errors import DeclarationError, ReaedpError
from tests_support import small_plan

openpyxl = pytest.importorskip("openpyxl", reason='openpyxl is not installed: pip install "reaedp[files]"')
pyreadstat = pytest.importorskip("pyreadstat", reason='pyreadstat is not installed: pip install "reaedp[files]"')

PUBLIC: dict[str, Any] = {"name": "x", "provenance": "public"}
NUMBERS = Number(**PUBLIC, edges=(0, 1, 2, 3, 4))


def records(data: Any, column: Column, files: Files | None = None) -> Records:
    unit, budget = Unit("add-remove"), Budget(1, 1e-6)
    terms = Contract(dataset="d", unit=unit, budget=budget, ledger="unused", columns=(column,), files=files)
    return Records(terms, data)


def counts(data: Any, column: Column, files: Files | None = None) -> np.ndarray:
    return np.asarray(records(data, column, files).counts((column.name,)).values)


def levels(data: Any, files: Files | None = None) -> dict[str, int]:
    return records(data, Undeclared(**PUBLIC), files).level_counts("x", 100)


def _excel(path: Path, cells: list[Any]) -> None:
    book = openpyxl.Workbook()
    for row in [("x", "z"), *((cell, "filled") for cell in cells)]:
        book.active.append(row)
    book.save(path)


def _json(path: Path, cells: list[Any]) -> None:
    path.write_text("".join(json.dumps({"x": cell}) + "\n" for cell in cells), encoding="utf-8")


def _statistical(write: str) -> Callable[[Path, list[Any]], None]:
    def made(path: Path, cells: list[Any]) -> None:
        getattr(pyreadstat, write)(pd.DataFrame({"x": cells}), path)

    return made


def _arrow(path: Path, cells: list[Any]) -> None:
    feather.write_feather(pa.table({"x": cells}), path)


def _orc(path: Path, cells: list[Any]) -> None:
    orc.write_table(pa.table({"x": cells}), path)


def _folder(path: Path, cells: list[Any]) -> None:
    """A folder of its own for each row."""
    for place, cell in enumerate(cells):
        (path / f"place={place}").mkdir(parents=True)
        pq.write_table(pa.table({"x": [cell]}), path / f"place={place}" / "0.parquet")


WRITERS: dict[str, tuple[str, Callable[[Path, list[Any]], None]]] = {
    "excel": ("x.xlsx", _excel),
    "json": ("x.jsonl", _json),
    "stata": ("x.dta", _statistical("write_dta")),
    "spss": ("x.sav", _statistical("write_sav")),
    "sas": ("x.xpt", _statistical("write_xport")),
    "arrow": ("x.arrow", _arrow),
    "orc": ("x.orc", _orc),
    "folder": ("x", _folder),
}
#: Values, and one more that makes some writer or reader choose another type for all of them.
CASES: dict[str, tuple[list[Any], Any]] = {
    "whole numbers, and a null": ([1, 2, 3], None),
    "whole numbers, and a fraction": ([1, 2, 3], 2.5),
    "fractions, and a large number": ([0.5, 1.25, 3.75], 1e15),
    "texts, and a number in a text": (["1", "2", "x"], "3.0"),
    "texts, and a long one": (["1", "2", "x"], "3" * 150),
}


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", WRITERS)
def test_one_more_row_moves_one_count_by_one_in_every_kind_of_file(kind: str, case: str, tmp_path: Path) -> None:
    name, write = WRITERS[kind]
    cells, more = CASES[case]
    for place in ("alone", "joined"):
        (tmp_path / place).mkdir()
        write(tmp_path / place / name, [*cells, *cells, *([more] if place == "joined" else [])])
    alone, joined = (counts(tmp_path / place / name, NUMBERS) for place in ("alone", "joined"))
    assert 2 * len(cells) == alone.sum()
    assert 1 == np.abs(joined - alone).sum()


EXTRAS = {
    "x.xlsx": "openpyxl",
    "x.sav": "pyreadstat",
    "x.dta": "pyreadstat",
    "x.csv.zst": "pyarrow",
    "x.arrow": "pyarrow",
    "x.orc": "pyarrow",
}


@pytest.mark.parametrize("name", EXTRAS)
def test_a_missing_library_is_named_with_the_command_that_installs_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_bytes(b"")
    for module in [loaded for loaded in sys.modules if loaded.split(".")[0] == EXTRAS[name]]:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DeclarationError, match=r'which is not installed: pip install "reaedp\[files\]"'):
        open_source(str(tmp_path / name))


@pytest.mark.parametrize("name", ["x.xlsx", "x.dta", "x.sav", "x.sas7bdat", "x.xpt", "x.arrow", "x.orc", "x.parquet"])
@pytest.mark.parametrize("content", [b"", b"x\n1\n", b"PK\x03\x04", b"\x00" * 500])
def test_a_file_that_is_not_what_its_name_says_is_refused(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DeclarationError, match=r"damaged|cannot be read as"):
        open_source(str(tmp_path / name))


@pytest.mark.parametrize(("name", "way"), [("x.xls", "save it as .xlsx or .csv"), ("x.json", "as .jsonl")])
def test_a_known_suffix_that_cannot_be_read_is_answered_by_how_to_go_on(name: str, way: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(gzip.compress(b"x"))
    with pytest.raises(DeclarationError, match=way):
        open_source(str(tmp_path / name))


@pytest.mark.parametrize("name", ["x.txt", "x", "x.xlsx.gz"])
def test_an_unknown_suffix_is_answered_by_those_that_are_known(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(gzip.compress(b"x"))
    with pytest.raises(DeclarationError, match=r"Known: \.csv.*\.xlsx.*separator = "):
        open_source(str(tmp_path / name))


def test_a_text_of_any_suffix_is_read_with_the_declared_separator(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("x|y\n1|2\n3|4\n", encoding="utf-8")
    assert [0, 1, 0, 1] == counts(tmp_path / "x.txt", NUMBERS, Files(separator="|"))[:4].tolist()


OTHER_MARKS = {"x;y\n1;2\n": ";", "x\ty\n1\t2\n": "\\t", "x|y\n1|2\n": "|"}


@pytest.mark.parametrize("content", OTHER_MARKS)
def test_another_separator_is_told_by_the_header_alone(content: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(content, encoding="utf-8")
    with pytest.raises(DeclarationError) as refused:
        counts(tmp_path / "x.csv", NUMBERS)
    line = f'write under [files] in the contract: separator = "{OTHER_MARKS[content]}".'
    assert str(refused.value).endswith(line)


def test_a_first_line_that_names_no_declared_column_is_not_looked_at(tmp_path: Path) -> None:
    said = set()
    for line in ("Smith;secret", "Smith,secret", "Smith"):
        (tmp_path / "x.csv").write_text(f"{line}\nJones;other\n", encoding="utf-8")
        with pytest.raises(DeclarationError) as refused:
            counts(tmp_path / "x.csv", NUMBERS)
        said.add(str(refused.value))
    assert 1 == len(said)


@pytest.mark.parametrize(("encoding", "advised"), [("latin-1", "cp1252"), ("utf-16", "utf-16")])
def test_a_header_that_is_not_utf_8_is_answered_by_an_encoding(encoding: str, advised: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("größe,x\n1,2\n", encoding=encoding)
    with pytest.raises(DeclarationError, match=f'write under .files. in the contract: encoding = "{advised}"'):
        open_source(str(tmp_path / "x.csv"))
    assert ["größe", "x"] == list(open_source(str(tmp_path / "x.csv"), None, Files(encoding=advised)).types)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16"])
def test_no_byte_fails_a_declared_encoding_or_moves_another_row(encoding: str, tmp_path: Path) -> None:
    name = {"latin-1": "latin-1", "cp1252": "latin-1", "utf-16": "utf-16-le"}[encoding]
    ends = "\n".encode(name)
    rows = [bytes([byte]) * len(ends) for byte in range(256) if bytes([byte]) not in b'\r\n",']
    alone = "x\n1\n2\n".encode(name)
    (tmp_path / "alone.csv").write_bytes(alone)
    (tmp_path / "joined.csv").write_bytes(alone + b"".join(row + ends for row in rows) + "3\n".encode(name))
    few, many = (counts(tmp_path / f"{place}.csv", NUMBERS, Files(encoding=encoding)) for place in ("alone", "joined"))
    assert [0, 1, 1, 0] == few[:4].tolist()
    assert 3 + len(rows) == many.sum()
    assert many[3] >= 1


def test_utf_16_of_both_orders_is_read_by_its_mark(tmp_path: Path) -> None:
    for name, mark in (("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff"), ("utf-16-le", b"")):
        (tmp_path / "x.csv").write_bytes(mark + "x\na\nü€\n".encode(name))
        assert {"a": 1, "ü€": 1} == levels(tmp_path / "x.csv", Files(encoding="utf-16"))


def test_copies_in_utf_8_are_gone_with_their_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    (tmp_path / "x.csv").write_text("x\nü\n", encoding="latin-1")
    source = open_source(str(tmp_path / "x.csv"), None, Files(encoding="latin-1"))
    assert [] != list((tmp_path / "temporary").glob(".reaedp-copies-*"))
    del source
    assert [] == list((tmp_path / "temporary").glob(".reaedp-copies-*"))


def test_a_full_temporary_folder_is_told_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data.csv").write_text("x\n1\n", encoding="utf-16")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))

    def full(*_: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("reaedp.engines.bytes_of_files._decoded", full)
    with pytest.raises(ReaedpError, match=r"could not be written to .*: No space left on device. Free some space"):
        open_source(tmp_path / "data.csv", files=Files(encoding="utf-16"))
    gc.collect()
    assert [] == [path for path in (tmp_path / "tmp").iterdir() if "copies" in path.name]


@pytest.mark.parametrize("kind", ["arrow", "excel", "stata"])
def test_a_machine_that_is_full_does_not_make_a_file_a_damaged_one(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, write = WRITERS[kind]
    write(tmp_path / name, [1.0, 2.0])

    def full(*_: Any) -> Any:
        raise duckdb.OutOfMemoryException("Out of Memory Error: of a row")

    monkeypatch.setattr("reaedp.engines.loaded._renamed", full)
    with pytest.raises(ReaedpError, match=r"OutOfMemoryException.*Check memory and disk space") as told:
        open_source(tmp_path / name)
    assert "row" not in str(told.value)


@pytest.mark.parametrize("cut", [0.3, 0.9])
def test_a_compressed_file_that_was_cut_short_is_refused(cut: float, tmp_path: Path) -> None:
    packed = pa.Codec("zstd").compress(np.random.default_rng(0).bytes(10_000), asbytes=True)
    (tmp_path / "x.csv.zst").write_bytes(packed[: int(len(packed) * cut)])
    with pytest.raises(DeclarationError, match="damaged or was cut short"):
        open_source(str(tmp_path / "x.csv.zst"))


def test_lines_that_are_no_objects_of_json_are_no_rows(tmp_path: Path) -> None:
    rows = ['{"x": 1}', '\ufeff {"x": "2"} ', '{"y": 3}', '{"x": null}', '{"x": [1]}', '{"x": true, "x": 2}']
    others = ["", "  ", "[1]", "3", '"{}"', "{", '{"x": 1', "null", '{"x": "\t"}', '{"x": "\\ud800"}']
    for end in ("\n", "\r\n"):
        (tmp_path / "x.jsonl").write_text(end.join([*others, *rows]), encoding="utf-8", newline="")
        assert [0, 2, 1, 0, 2, 0, 1] == counts(tmp_path / "x.jsonl", NUMBERS).tolist()


def test_any_name_is_a_key_of_json(tmp_path: Path) -> None:
    names = ("a.b", "a/b", "a~b", "a~1b", 'a"b', "$", "*", "a'b", "0", "[0]", "é", "a b")
    line = {name: place for place, name in enumerate(names)} | {"a": {"b": 70}}
    (tmp_path / "x.ndjson").write_text(json.dumps(line), encoding="utf-8")
    columns = tuple(Number(name=name, lower=0, upper=1, bins=1, provenance="public") for name in names)
    frame = open_source(str(tmp_path / "x.ndjson")).canonical(columns, None).to_native()
    assert list(range(len(names))) == list(frame.fetchall()[0][::2])


def test_sheets_are_named_where_there_are_several(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "first"
    book.create_sheet("second").append(["x"])
    book["second"].append([1])
    book.save(tmp_path / "x.xlsx")
    with pytest.raises(DeclarationError, match=r"has 2 sheets: 'first', 'second'.*sheet = \"first\""):
        open_source(str(tmp_path / "x.xlsx"))
    with pytest.raises(DeclarationError, match=r"Unknown sheet 'secnd'[.] Did you mean 'second'"):
        open_source(str(tmp_path / "x.xlsx"), None, Files(sheet="secnd"))
    with pytest.raises(DeclarationError, match="first row of the sheet must have the names"):
        open_source(str(tmp_path / "x.xlsx"), None, Files(sheet="first"))
    assert 1 == counts(tmp_path / "x.xlsx", NUMBERS, Files(sheet="second")).sum()


def test_empty_rows_of_a_sheet_are_none_wherever_its_last_cell_is(tmp_path: Path) -> None:
    for place, (row, column) in {"near": (4, 1), "far": (900, 1), "aside": (900, 40)}.items():
        book = openpyxl.Workbook()
        for cell in ("x", 1, 2):
            book.active.append([cell])
        book.active.cell(row, column, 3)
        book.save(tmp_path / f"{place}.xlsx")
    assert [0, 1, 1, 1] == counts(tmp_path / "near.xlsx", NUMBERS)[:4].tolist()
    assert [0, 1, 1, 1] == counts(tmp_path / "far.xlsx", NUMBERS)[:4].tolist()
    assert 2 == counts(tmp_path / "aside.xlsx", NUMBERS).sum()


@pytest.mark.filterwarnings("error")
def test_a_number_in_the_format_of_a_date_that_is_none_says_nothing(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for cell in ("x", 43_831, -5, 1e9, "text", 1.5):
        book.active.append([cell])
    for row in book.active["A2:A5"]:
        row[0].number_format = "yyyy-mm-dd"
    book.save(tmp_path / "x.xlsx")
    column = Date(**PUBLIC, lower=dt.date(2020, 1, 1), upper=dt.date(2020, 12, 31), every="year", outside="cell")
    assert [1, 0, 3, 1] == counts(tmp_path / "x.xlsx", column).tolist()


def test_points_between_thousands_leave_the_numbers_of_a_sheet_alone(tmp_path: Path) -> None:
    _excel(tmp_path / "x.xlsx", [1.234, "1.234", "1.234,5", 1234, 0.5, "0,5"])
    column = Number(**PUBLIC, edges=(0, 1, 2, 1_234, 1_234.25, 1_235))
    found = counts(tmp_path / "x.xlsx", column, Files(decimal=",", thousands="."))
    assert [2, 1, 0, 2, 1] == found[:5].tolist()


def test_labels_are_levels_if_the_contract_says_so(tmp_path: Path) -> None:
    table = pd.DataFrame({"x": [1, 2, 2, 3]})
    labels = {"x": {1: "male", 2: "female"}}
    pyreadstat.write_dta(table, tmp_path / "x.dta", variable_value_labels=labels)
    pyreadstat.write_sav(table, tmp_path / "x.sav", variable_value_labels=labels)
    names = Category(**PUBLIC, levels=("male", "female", "3"))
    for name in ("x.dta", "x.sav"):
        assert {"1": 1, "2": 2, "3": 1} == levels(tmp_path / name)
        assert {"male": 1, "female": 2, "3": 1} == levels(tmp_path / name, Files(labels=True))
        assert [1, 2, 1, 0, 0] == counts(tmp_path / name, names, Files(labels=True)).tolist()


def test_values_that_a_file_of_spss_declares_missing_are_nulls(tmp_path: Path) -> None:
    pyreadstat.write_sav(pd.DataFrame({"x": [1.0, 2.0, 3.0]}), tmp_path / "x.sav", missing_ranges={"x": [2]})
    assert {"1": 1, "3": 1} == levels(tmp_path / "x.sav")


def test_moments_too_far_away_are_filled_and_not_understood(tmp_path: Path) -> None:
    formats = {"x.sav": "DATE11", "x.dta": "%td"}
    column = Date(**PUBLIC, lower=dt.date(2020, 1, 1), upper=dt.date(2020, 12, 31), every="year", outside="cell")
    for name, form in formats.items():
        write = pyreadstat.write_sav if name == "x.sav" else pyreadstat.write_dta
        table = pd.DataFrame({"x": [1e300, -1e300, 0.0, 1e17]})
        write(table, tmp_path / name, variable_format={"x": form})
        # two or three are beyond all moments, the others before or after 2020
        assert [0, 0] == counts(tmp_path / name, column)[:2].tolist()
        assert 4 == counts(tmp_path / name, column).sum()
        assert 2 <= counts(tmp_path / name, column)[2]


@pytest.mark.parametrize("encoding", [None, "latin-1"])
def test_texts_of_statistical_files_that_are_not_in_their_encoding_move_nothing(
    encoding: str | None, tmp_path: Path
) -> None:
    pyreadstat.write_dta(pd.DataFrame({"x": ["abc", "aé", "zz"]}), tmp_path / "x.dta")
    content = (tmp_path / "x.dta").read_bytes()
    assert 1 == content.count(b"<data>abc")
    (tmp_path / "x.dta").write_bytes(content.replace(b"<data>abc", b"<data>ab\xff"))
    found = levels(tmp_path / "x.dta", Files(encoding=encoding) if encoding else None)
    expected = {"ab\ufffd": 1, "aé": 1, "zz": 1} if encoding is None else {"abÿ": 1, "aÃ©": 1, "zz": 1}
    assert expected == found


def test_batches_of_a_statistical_file_are_all_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reaedp.engines.statistical_files.BATCH", 4)
    for rows in (0, 4, 9):
        table = pd.DataFrame({"x": np.arange(rows, dtype=float) % 4})
        pyreadstat.write_sav(table, tmp_path / "x.sav")
        pyreadstat.write_dta(table, tmp_path / "x.dta")
        pyreadstat.write_xport(table, tmp_path / "x.xpt")
        for name in ("x.sav", "x.dta", "x.xpt"):
            assert rows == counts(tmp_path / name, NUMBERS).sum(), (name, rows)


def test_folders_of_parquet_have_columns_of_their_own(tmp_path: Path) -> None:
    for year, region, value in (("2020", "a b", 1), ("2021", "__HIVE_DEFAULT_PARTITION__", 2), ("x", "1", 3)):
        place = tmp_path / "all" / f"year={year}" / f"region={region}"
        place.mkdir(parents=True)
        pq.write_table(pa.table({"x": [value]}), place / "part.parquet")
    (tmp_path / "all" / "_temporary").mkdir()
    (tmp_path / "all" / "_temporary" / "part.parquet").write_bytes(b"unfinished")
    year = Integer(name="year", lower=2020, upper=2021, provenance="public")
    region = Category(name="region", levels=("a b", "1"), provenance="public")
    assert [1, 1, 0, 0, 1] == counts(tmp_path / "all", year).tolist()
    assert [1, 1, 1, 0] == counts(tmp_path / "all", region).tolist()
    assert [0, 1, 1, 1] == counts(tmp_path / "all", NUMBERS)[:4].tolist()


def test_folders_with_other_keys_or_without_parquet_are_refused(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    with pytest.raises(DeclarationError, match=r"a folder without Parquet files[.] Name files in it"):
        open_source(str(tmp_path / "none"))
    for place in ("a=1", "b=1"):
        (tmp_path / "all" / place).mkdir(parents=True)
        pq.write_table(pa.table({"x": [1]}), tmp_path / "all" / place / "0.parquet")
    with pytest.raises(DeclarationError, match="folders of the same keys"):
        open_source(str(tmp_path / "all"))


@pytest.mark.parametrize("kind", ["excel", "stata", "arrow", "orc"])
def test_files_of_a_pattern_are_counted_together(kind: str, tmp_path: Path) -> None:
    name, write = WRITERS[kind]
    suffix = Path(name).suffix
    write(tmp_path / f"a{suffix}", [1, 2, None])
    write(tmp_path / f"b{suffix}", ["1", "x", "3"])
    assert [0, 2, 1, 1] == counts(str(tmp_path / f"*{suffix}"), NUMBERS)[:4].tolist()


def test_moments_of_orc_are_refused_by_their_type(tmp_path: Path) -> None:
    moments = pa.array([dt.datetime(1, 1, 1)], pa.timestamp("us"))
    orc.write_table(pa.table({"x": moments, "y": [1]}), tmp_path / "x.orc")
    with pytest.raises(DeclarationError, match="TIMESTAMP of ORC"):
        counts(tmp_path / "x.orc", NUMBERS)
    assert 1 == counts(tmp_path / "x.orc", Integer(name="y", lower=0, upper=3, provenance="public")).sum()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*WRITERS])
def test_a_release_is_made_from_every_kind_of_file(kind: str, tmp_path: Path) -> None:
    name, write = WRITERS[kind]
    write(tmp_path / name, [1.0, 2.0, None])
    publish(small_plan(tmp_path), str(tmp_path / name), tmp_path / "out", audited=False)
    assert (tmp_path / "out" / "release.json").exists()


DRAFTED = {
    "x;y\n1;2\n": ([], 'separator = ";"'),
    "x\ty\n1\t2\n": ([], 'separator = "\\U00000009"'),
    "größe|x\n": (["--encoding", "cp1252"], 'separator = "|"\nencoding = "cp1252"'),
    "x,y;z\n1,2\n": ([], ""),
    "x\n1;2\n": ([], ""),
    "x#y\n1#2\n": (["--separator", "#"], 'separator = "#"'),
}


@pytest.mark.parametrize("content", DRAFTED)
def test_a_draft_says_how_the_file_is_read_by_its_header_and_by_what_is_said(content: str, tmp_path: Path) -> None:
    options, lines = DRAFTED[content]
    (tmp_path / "x.csv").write_text(content, encoding="cp1252")
    done = CliRunner().invoke(
        app, ["init", str(tmp_path / "x.csv"), "--out", str(tmp_path / "contract.toml"), *options]
    )
    assert 0 == done.exit_code, done.output
    text = (tmp_path / "contract.toml").read_text(encoding="utf-8")
    assert ("\n[files]\n" in text) == bool(lines)
    assert lines in text
    assert '\nx = { kind = "FILL IN" }\n' in text


def test_a_file_without_a_header_cannot_be_drafted(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"x": 1}\n', encoding="utf-8")
    with pytest.raises(DeclarationError, match="names its columns in every line"):
        CliRunner().invoke(
            app, ["init", str(tmp_path / "x.jsonl"), "--out", str(tmp_path / "c.toml")], catch_exceptions=False
        )


def test_files_of_stata_are_read_where_pandas_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyreadstat.write_dta(pd.DataFrame({"x": [1.0, 3.0]}), str(tmp_path / "x.dta"))
    real = pyreadstat.read_dta

    def without_pandas(path: str, **options: Any) -> Any:
        assert "dict" == options.get("output_format"), "pyreadstat would import pandas"
        return real(path, **options)

    monkeypatch.setattr(pyreadstat, "read_dta", without_pandas)
    assert [0, 1, 0, 1] == counts(tmp_path / "x.dta", NUMBERS)[:4].tolist()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither")
@pytest.mark.parametrize("files", [None, Files(separator=";"), Files(encoding="utf-16")])
def test_pipes_and_devices_are_refused_and_not_waited_for(tmp_path: Path, files: Files | None) -> None:
    os.mkfifo(tmp_path / "rows.csv")
    for place in (str(tmp_path / "rows.csv"), "/dev/zero", "/dev/null"):
        with pytest.raises(DeclarationError, match=r"is a pipe or a device. Data is read several times"):
            open_source(place, None, files)
