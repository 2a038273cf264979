"""What a file or a frame may hold without any of it becoming an error, a fact or a missing row."""

import re
from pathlib import Path

import pandas as pd
import pytest

from reaedp import Budget, Category, Contract, Integer, Unit, publish
from reaedp.curator.records import Records
from reaedp.engines.source import open_source
from reaedp.errors import DeclarationError
from tests_support import small_plan


class Secretive:
    """Says something about itself that must not be repeated."""

    def __str__(self) -> str:
        raise RuntimeError("secret 42")


def counted(folder: Path, data: object) -> int:
    return int(Records(small_plan(folder).contract, data).counts(("x",)).total)


def test_a_quote_in_a_tab_separated_file_is_a_character_like_any_other(tmp_path: Path) -> None:
    lines = ["x\ttext", "1\tfine", '2\t"nice, she said', *["3\tfine"] * 50]
    (tmp_path / "data.tsv").write_text("\n".join(lines) + "\n")
    assert 52 == counted(tmp_path, str(tmp_path / "data.tsv"))


@pytest.mark.parametrize(
    "cell", ["\ud800secret", Secretive(), b"\xff", object()], ids=["surrogate", "raises", "bytes", "object"]
)
@pytest.mark.parametrize("kind", [object, "string[python]"])
def test_no_object_in_a_frame_is_an_error(tmp_path: Path, cell: object, kind: object) -> None:
    if kind is not object and not isinstance(cell, str):
        pytest.skip("a column of texts holds texts")
    frame = pd.DataFrame({"x": pd.Series(["1", cell, "3"], dtype=kind)})  # type: ignore[call-overload]
    assert 3 == counted(tmp_path, frame)


def test_a_first_line_that_may_be_a_row_is_not_repeated(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("Smith,secret\nJones,other\n")
    with pytest.raises(DeclarationError) as refused:
        publish(small_plan(tmp_path), str(tmp_path / "data.csv"), tmp_path / "out")
    assert "Smith" not in str(refused.value)


def test_files_of_a_release_are_dated_before_counting_began(tmp_path: Path) -> None:
    publish(small_plan(tmp_path), pd.DataFrame({"x": [1.0, 2.0]}), tmp_path / "out", audited=False)
    times = {path.stat().st_mtime for path in (tmp_path / "out").iterdir()}
    assert 1 == len(times)


@pytest.mark.parametrize("rows", [b"", b"1\n2\n", b"\xff\xfe\n", b'1"\n', b'"\n', b"1,2,3\n"])
def test_a_header_that_is_not_closed_is_refused_in_the_same_words_whatever_the_rows(
    rows: bytes, tmp_path: Path
) -> None:
    (tmp_path / "data.csv").write_bytes(b'"x\n' + rows)
    with pytest.raises(DeclarationError) as refused:
        open_source(str(tmp_path / "data.csv"))
    assert f"{tmp_path / 'data.csv'}: a quoted column name must end in the header line" in str(refused.value)


SEALED = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600)


@pytest.mark.parametrize(
    ("name", "content", "advice"),
    [
        ("old.xls", SEALED, "save it as .xlsx or .csv"),
        ("locked.xlsx", SEALED, "take the password away"),
        ("text.xlsx", b"x,y\n1,2\n", "save it as .xlsx"),
        ("sheet.ods", b"PK", "save it as .xlsx or .csv"),
        ("frame.rds", b"\x1f\x8b", "write.csv"),
        ("frame.pkl", b"\x80", "to_parquet"),
        ("data.zip", b"PK", "Unpack it"),
        ("data.csv.xz", b"\xfd", "gzip"),
        ("data.json", b"[]", "jq -c"),
        ("data.duckdb", b"", "duckdb:///"),
        ("data.sqlite", b"", "sqlite3 -header"),
        ("data.txt", b"x;y\n", "--separator"),
        ("data", b"x;y\n", "--separator"),
        ("empty.csv", b"", "names of its columns"),
        ("twice.csv", b"x,x\n", "Rename"),
        ("open.csv", b'"x\ny",z\n', "Remove line breaks"),
        ("cut.csv.gz", b"\x1f\x8b\x08\x00", "Copy it again"),
        ("text.parquet", b"x\n1\n", "copied completely"),
        ("text.feather", b"x\n1\n", "Write it again"),
        ("text.dta", b"x\n1\n", "Save it again"),
        ("utf16.csv", "größe\n1\n".encode("utf-16"), 'encoding = "utf-16"'),
        ("windows.csv", "größe\n1\n".encode("cp1252"), 'encoding = "cp1252"'),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value else "",
)
def test_every_refusal_of_a_file_says_how_to_go_on(name: str, content: bytes, advice: str, tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    pytest.importorskip("pyreadstat")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DeclarationError) as refused:
        open_source(str(tmp_path / name)).types  # noqa: B018 - some files are opened when their types are asked for
    assert advice in str(refused.value)


@pytest.mark.parametrize(
    ("address", "advice"),
    [
        ("https://example.org/x.csv", "Download it"),
        ("s3://bucket/x.parquet", "Download it"),
        ("-", "write it to a file"),
        ("nowhere/*.csv", "Check the folder"),
    ],
)
def test_what_is_no_file_here_is_refused_with_advice(
    address: str, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DeclarationError, match=re.escape(advice)):
        open_source(address)


@pytest.mark.parametrize("header", ["x,y,", ",x,y", "x,,y,,"])
def test_columns_without_a_name_are_passed_over(header: str, tmp_path: Path) -> None:
    row = header.replace("x", "1").replace("y", "2")
    (tmp_path / "data.csv").write_text(f"{header}\n{row}\n{row}\n", encoding="utf-8")
    assert ["x", "y"] == list(open_source(str(tmp_path / "data.csv")).types)
    columns = tuple(Integer(name=name, lower=0, upper=9, provenance="public") for name in ("x", "y"))
    terms = Contract(dataset="d", unit=Unit("add-remove"), budget=Budget(1, 1e-6), ledger="unused", columns=columns)
    counts = Records(terms, tmp_path / "data.csv").counts(("x", "y")).values
    assert (2, 2) == (counts[1, 2], counts.sum())


def test_a_quotation_mark_within_a_name_is_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text('size 5",x\n1,2\n', encoding="utf-8")
    assert ['size 5"', "x"] == list(open_source(str(tmp_path / "data.csv")).types)


def test_no_two_questions_to_an_engine_share_a_name(tmp_path: Path) -> None:
    """DuckDB 1 looks a name up when a query runs: with one name for two, each question had the rows of the last."""
    for part in ("a", "b"):
        (tmp_path / f"{part}.csv").write_text("x,y\n1,2\n")
    x, y = (Category(name=name, levels=("1", "2"), provenance="public") for name in ("x", "y"))
    source = open_source(str(tmp_path / "*.csv"))
    asked = [source.canonical(columns, None).to_native().sql_query() for columns in ((x,), (y,), (x, y))]
    names = [name for text in asked for name in set(re.findall(r"reaedp_rows\d*", text))]
    assert 3 <= len(names) == len(set(names))
