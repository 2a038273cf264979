"""What a file or a frame may hold without any of it becoming an error, a fact or a missing row."""

import re
from pathlib import Path

import pandas as pd
import pytest

from reaedp import Category, publish
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
