"""Whatever the bytes and the types: a release or a refusal in words, which is the same for all rows of a schema."""

from pathlib import Path

import pytest

from fuzz.case import Case, Rows
from fuzz.laws import chance_of, judged
from fuzz.releases import Releases
from fuzz.run import CASES, tried
from reaedp import Integer
from reaedp.curator.records import Records

#: Cases of each format; `make fuzz` tries many more.
NUMBER = 12
COLUMN = Integer(name="x", lower=0, upper=3, outside="cell", provenance="public")


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("format_", [*CASES, "toml"])
def test_generated_inputs_break_no_law(format_: str, tmp_path: Path) -> None:
    releases = Releases(tmp_path)
    for number in range(1 if format_ == "toml" else NUMBER):
        assert [] == tried(format_, number, 2, releases, tmp_path / "case").findings


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("format_", "number", "seed"), [("statistical", 60, 37), ("pandas", 707, 29)])
def test_inputs_that_once_broke_a_law_no_longer_do(format_: str, number: int, seed: int, tmp_path: Path) -> None:
    """A damaged header of SPSS on which the library raised a TypeError; numbers beside a complex one."""
    assert [] == tried(format_, number, seed, Releases(tmp_path), tmp_path / "case").findings


@pytest.mark.parametrize("format_", CASES)
def test_a_case_can_be_made_again(format_: str) -> None:
    first, second = (CASES[format_](chance_of(7, format_, 3), "again") for _ in range(2))
    assert (first.label, first.columns, first.person) == (second.label, second.columns, second.person)
    assert [rows.number for rows in first.rows] == [rows.number for rows in second.rows]


def broken_laws(case: Case, folder: Path) -> set[str]:
    releases = Releases(folder)
    with releases.opened():
        return {finding.law for finding in judged(case, releases, folder / "case")}


def written(*lines: str) -> Rows:
    def make(folder: Path) -> str:
        (folder / "x.csv").write_text("x\n" + "".join(f"{line}\n" for line in lines))
        return str(folder / "x.csv")

    return Rows(make, len(lines))


THREE = Case("three sets", (COLUMN,), (written("1"), written("2", "x"), written("1", "2", "x")))


def test_sets_of_rows_that_add_up_break_no_law(tmp_path: Path) -> None:
    assert set() == broken_laws(THREE, tmp_path)


def test_a_row_that_moves_another_is_found(tmp_path: Path) -> None:
    moved = Case("moved", (COLUMN,), (written("1"), written("2"), written("1", "3")))
    assert {"no row moves another"} == broken_laws(moved, tmp_path)


def test_a_row_that_is_lost_is_found(tmp_path: Path) -> None:
    lost = Case("lost", (COLUMN,), (Rows(written("1").make, 2),))
    assert {"every row is counted"} == broken_laws(lost, tmp_path)


@pytest.mark.parametrize("error", [RuntimeError("row 17"), ValueError("row 17")])
def test_an_error_that_nobody_foresaw_is_found(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr(Records, "key_parts", failing)
    assert "no traceback" in broken_laws(THREE, tmp_path)


def test_words_about_a_row_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Records.key_parts
    called = []

    def talking(records: Records, names: tuple[str, ...]) -> object:
        called.append(names)
        print(f"{len(called)} rows")
        return counted(records, names)

    monkeypatch.setattr(Records, "key_parts", talking)
    assert {"no word depends on a row"} == broken_laws(THREE, tmp_path)
