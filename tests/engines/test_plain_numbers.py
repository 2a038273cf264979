"""Numbers of plain CSV that Arrow's library reads: the rows that the engine's own reader finds."""

import itertools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaedp import Category, Integer, Number
from reaedp.contract import Column
from reaedp.contract.files import Files
from reaedp.disk.duckdb_engine import connect_for_rows
from reaedp.engines import bytes_of_files, csv_files, plain_numbers
from reaedp.engines.bytes_of_files import PlainTexts
from reaedp.engines.csv_files import open_csv
from reaedp.errors import ReaedpError

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.skipif(
    int(duckdb.__version__.split(".")[0]) < plain_numbers.OLDEST_ENGINE, reason="older engines read all CSV themselves"
)

NUMBER = Number(name="x", lower=0, upper=1, bins=2, provenance="public")
INTEGER = Integer(name="z", lower=0, upper=9, provenance="public")
#: Numbers of all forms, what is nearly one, nothing, blanks of all kinds, and bytes that readers like to treat apart.
CELLS = (
    *("1", "-1", "007", ".5", "5.", "1.5e1", "1E-3", "-0", "0.1", "123456789012345678", "9007199254740993"),
    *("2.2250738585072011e-308", "5e-324", "1e-400", "1e999", "-1e999", "9" * 400, "0." + "0" * 400 + "1"),
    *("nan", "-NaN", "NAN", "inf", "-Inf", "infinity", "INFINITY", "infinit", "in", "true", " FALSE ", "t", "null"),
    *("", " ", "\t", " 3", "3 ", "\t2\t", "\v1", "1\f", "1\u00a0", "NA", "N/A", "NULL", "#N/A", "none", "é"),
    *("--5", "- 5", "1 2", "0x10", "1e", "e5", ".", "-", "-.", "1.2.3", "1e5.0", "1-1", "१", "\0", "1\0", "1f", "1d"),
    *("12e45678", "1'000", "'1'", "\\1", "\\", "#1", "2020-01-01", "0b1", "1e-", "1L", "1;", "1%", "$1"),
)


@contextmanager
def asked() -> Iterator[list[bool]]:
    """Whether the numbers of each question were read by Arrow's library, of small files and in small blocks."""
    found = []

    def noted(*arguments: Any) -> Any:
        made = plain_numbers.plain_numbers(*arguments)
        found.append(made is not None)
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_numbers, "FEWEST_BYTES", 0)
        patch.setattr(plain_numbers, "BLOCK", 8)
        patch.setattr(csv_files, "plain_numbers", noted)
        yield found


def rows(source: Any, *columns: Column) -> list[str]:
    """What the engine makes of every row, as NaN has no order."""
    return sorted(map(str, source.canonical(columns, None).to_native().fetchall()))


def opened(*paths: Path, files: Files | None = None) -> Any:
    return open_csv([str(path) for path in paths], ".csv", files, connect_for_rows)


def both(*paths: Path, files: Files | None = None, columns: tuple[Column, ...] = (INTEGER, NUMBER)) -> list[str]:
    """The rows, which are the same in both ways."""
    slow = rows(opened(*paths, files=files), *columns)
    with asked() as found:
        assert slow == rows(opened(*paths, files=files), *columns)
    assert found == [True]
    return slow


def written(path: Path, *lines: str, end: str = "\n") -> Path:
    """A file whose first block is its header and one line of numbers."""
    path.write_bytes(("x,y,z\n1,11111,1\n" + "".join(f"{line}\n" for line in lines)).removesuffix("\n").encode())
    with path.open("ab") as file:
        file.write(end.encode())
    return path


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_a_cell_is_the_same_number_whoever_reads_it(end: str, tmp_path: Path) -> None:
    """Alone in its block, so that no other cell decides who reads it, and beside others."""
    lines = [f"{cell},y,2" for cell in CELLS] + [f"7,,{cell}" for cell in CELLS]
    assert 1 + len(lines) == len(both(written(tmp_path / "data.csv", *lines, end=end)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_numbers, "FEWEST_BYTES", 2**62)
        slow = rows(opened(tmp_path / "data.csv"), NUMBER, INTEGER)
    with asked(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_numbers, "BLOCK", 200)
        assert slow == rows(opened(tmp_path / "data.csv"), NUMBER, INTEGER)


@pytest.mark.slow
def test_short_texts_are_the_same_numbers_whoever_reads_them(tmp_path: Path) -> None:
    texts = ("".join(text) for size in range(4) for text in itertools.product("01.-eEnNaiIf \t", repeat=size))
    both(written(tmp_path / "data.csv", *(f"{text},," for text in texts)), columns=(NUMBER,))


LINES = st.lists(st.sampled_from([*CELLS, "1", "2"]), max_size=5).map(",".join)


@settings(max_examples=80, deadline=None)
@given(st.lists(LINES | st.text(alphabet="12.-e,, \t\0é;", max_size=12), max_size=12), st.sampled_from(["", "\n"]))
def test_lines_are_the_same_rows_whoever_reads_them(lines: list[str], end: str) -> None:
    """Lines with too few cells, with too many, and without any."""
    with tempfile.TemporaryDirectory() as folder:
        both(written(Path(folder) / "data.csv", *lines, end=end))


def test_every_file_is_read_behind_its_header_each_time(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_bytes(b"x,y,z")
    paths = (written(tmp_path / "one.csv", "2,2,2"), tmp_path / "empty.csv", written(tmp_path / "two.csv", end=""))
    with asked() as found:
        source = opened(*paths)
        assert [3, 3, 3] == [len(rows(source, NUMBER)), len(rows(source, NUMBER)), len(rows(source, INTEGER, NUMBER))]
    assert [True, True] == found


def test_a_file_that_cannot_be_read_is_no_empty_one(tmp_path: Path) -> None:
    path = written(tmp_path / "data.csv")
    with asked() as found:
        source = opened(path)
        question = source.canonical((NUMBER,), None)
        path.unlink()
        with pytest.raises(ReaedpError, match="Check memory, disk space and the files"):
            source.collect(question)
        with pytest.raises(ReaedpError, match="Check memory, disk space and the files"):
            list(source.batches(question))
    assert [True] == found


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_cells_lie_between_the_declared_separators(separator: str, tmp_path: Path) -> None:
    """Quotation marks are as any other sign where nothing is quoted."""
    path = tmp_path / "data.csv"
    lines = ("x,y,z", "1,11111,1", '2,",2', '"3",1,"', '"4,1",1,1')
    path.write_bytes("\n".join(lines).replace(",", separator).encode())
    assert 4 == len(both(path, files=Files(separator=separator, quote="")))


@pytest.mark.parametrize("before", range(5))
def test_lines_that_are_long_are_left_to_the_engine(
    before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine leaves out lines that are far longer."""
    monkeypatch.setattr(bytes_of_files, "CHUNK", 4)
    path = tmp_path / "data.csv"

    def in_lines(content: str) -> bool:
        path.write_bytes(content.encode())
        return PlainTexts([str(path)], '"').in_lines()

    assert in_lines("1\n" * before)
    assert in_lines("1\n" * before + "12")
    assert not in_lines("1\n" * before + "1" * 8)


@pytest.mark.parametrize("lines", [("1,1,1\r", "2,2,2"), ("1_0,1,1",), ("1,'1\"',1",), ("+1,1,1",)])
def test_other_files_are_left_to_the_engine(lines: tuple[str, ...], tmp_path: Path) -> None:
    path = written(tmp_path / "data.csv")
    with asked() as found:
        source = opened(path)
        assert 1 == len(rows(source, NUMBER))
        written(path, *lines)
        assert rows(source, NUMBER) == rows(opened(path), NUMBER)
    assert [True] == found


def test_other_questions_are_left_to_the_engine(tmp_path: Path) -> None:
    path = written(tmp_path / "data.csv", "NA,2,2")
    with asked() as found:
        rows(opened(path), NUMBER, Category(name="y", levels=("1",), provenance="public"))
        opened(path).canonical((NUMBER,), "y")
        assert "(None, False)" in rows(opened(path, files=Files(missing=("NA",))), NUMBER)
    assert [False] == found


def test_a_file_that_begins_with_words_is_left_to_the_engine(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(b"x,z\nNA,1\n1,1\n")
    with asked() as found:
        assert 2 == len(rows(opened(path), NUMBER))
    assert [False] == found
