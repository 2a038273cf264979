"""A look counts what the contract makes of cells, finds likely causes, and leaves no trace."""

import ast
import tempfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from reaedp import Boolean, Budget, Category, Contract, Date, DeclarationError, Files, Integer, Ledger, Number, Unit
from reaedp.cli.app import app
from reaedp.evaluation.causes import Cause
from reaedp.evaluation.look import Look, look, rows_counted, troubles_of
from source_rules import imports


def contract(*columns: Any, unit: Unit | None = None, files: Files | None = None) -> Contract:
    """No ledger is there: a look that opened one would fail."""
    return Contract(
        dataset="clinic", unit=unit or Unit("add-remove"), budget=Budget(1.0, 1e-6), ledger="nowhere.sqlite",
        columns=columns, files=files,
    )  # fmt: skip


AGE = Integer(name="age", lower=0, upper=99, provenance="public")
PAY = Number(name="pay", lower=0, upper=5000, bins=5, provenance="public")
SEX = Category(name="sex", levels=("f", "m"), provenance="public")
SEEN = Date(name="seen", lower=date(2024, 1, 1), upper=date(2024, 12, 31), every="month", provenance="public")


def seen(rows: dict[str, list[Any]], *columns: Any, **more: Any) -> Look:
    return look(contract(*columns, **more), pd.DataFrame(rows))


def csv(folder: Path, *lines: str, encoding: str = "utf-8") -> str:
    path = folder / "data.csv"
    path.write_text("\n".join(lines) + "\n", encoding=encoding)
    return str(path)


#: Texts, and the trouble that each of them is.
AGES = {"100": "outside", "-1": "outside", "x": "unparsable", "1.5": "unparsable", "nan": "nan", "1e999": "infinite"}
CELLS: dict[str, dict[str | None, str | None]] = {
    "age": {None: "null", "5": None, "99": None, **AGES},
    "sex": {None: "null", "f": None, "m": None, "F": "unseen", "x": "unseen"},
}


@settings(max_examples=10)
@given(st.data())
def test_every_cell_in_trouble_is_counted_whatever_becomes_of_it(data: st.DataObject) -> None:
    """Against a table of what each text is; rules decide what is clipped and dropped, not what is counted."""
    rows = data.draw(st.lists(st.tuples(*(st.sampled_from(list(cells)) for cells in CELLS.values())), min_size=1))
    rule = st.sampled_from(["cell", "drop"])
    beyond = st.sampled_from(["cell", "nearest", "drop"])
    age = Integer(name="age", lower=0, upper=99, provenance="public", null=data.draw(rule), nan=data.draw(rule),
                  unparsable=data.draw(rule), infinite=data.draw(beyond), outside=data.draw(beyond))  # fmt: skip
    sex = Category(name="sex", levels=("f", "m"), provenance="public", null=data.draw(rule), unseen=data.draw(rule))
    frame = pd.DataFrame({"age": [row[0] for row in rows], "sex": [row[1] for row in rows]}, dtype=object)
    found = troubles_of(contract(age, sex), frame, None)
    kept = 0
    for row in rows:
        troubles = [CELLS[name][cell] for name, cell in zip(CELLS, row, strict=True)]
        pairs = zip((age, sex), troubles, strict=True)
        kept += all(trouble is None or column.rule(trouble) != "drop" for column, trouble in pairs)  # type: ignore[attr-defined]
    assert kept == rows_counted(contract(age, sex), frame, None)
    for place, (one, trouble_of) in enumerate(zip(found, CELLS.values(), strict=True)):
        troubles = [trouble for row in rows if (trouble := trouble_of[row[place]]) is not None]
        assert len(rows) == one.rows
        assert {name: troubles.count(name) for name in one.column.troubles} == dict(one.troubles)
        rules = [one.column.rule(trouble) for trouble in troubles]  # type: ignore[arg-type]
        shares = (rules.count("nearest") / len(rows), rules.count("drop") / len(rows))
        assert pytest.approx(shares) == (one.clipped, one.dropped)


def test_people_over_the_contribution_bound_are_counted() -> None:
    rows = {"who": ["a"] * 5 + ["b"] * 2 + ["c"] + [None] * 3, "age": [1] * 11}
    found = seen(rows, AGE, unit=Unit("add-remove", person="who", max_rows=2))
    assert {5: 1, 2: 1, 1: 1} == found.people
    assert (1, 3, 11, 5) == (found.people_over, found.nobodys, found.rows, found.counted)


def causes(found: Look) -> dict[str | None, tuple[str, int]]:
    return {cause.column: (cause.what, cause.cells) for cause in found.causes}


def test_a_decimal_comma_is_recognised(tmp_path: Path) -> None:
    found = look(contract(PAY), csv(tmp_path, "pay", '"1,5"', '"2,25"', "3"))
    assert {"pay": ("decimal comma", 2)} == causes(found)
    assert '[files] decimal = ","' == found.causes[0].remedy
    mended = look(contract(PAY, files=Files(decimal=",")), csv(tmp_path, "pay", '"1,5"', '"2,25"', "3"))
    assert () == mended.causes


@pytest.mark.quick_every(2)
@pytest.mark.parametrize(
    ("cells", "what", "remedy"),
    [
        (("12 %", "7 %"), "signs next to numbers (such as € or %)", "[files] signs = "),
        (
            ("€ 1,5", "€ 2"),
            "decimal comma and signs next to numbers (such as € or %)",
            '[files] decimal = ",", signs = ',
        ),
    ],
)
def test_signs_beside_numbers_are_recognised(cells: tuple[str, str], what: str, remedy: str, tmp_path: Path) -> None:
    found = look(contract(PAY), csv(tmp_path, "pay", *(f'"{cell}"' for cell in cells), "3"))
    assert {"pay": (what, 2)} == causes(found)
    assert found.causes[0].remedy.startswith(remedy)


def test_the_order_of_a_date_is_recognised(tmp_path: Path) -> None:
    days = [f"{month:02}/{day}/2024" for month in range(1, 13) for day in (13, 28)]
    found = look(contract(SEEN, files=Files(dates=("%d/%m/%Y",))), csv(tmp_path, "seen", *days))
    assert [Cause("seen", "another date format", 24, '[files] dates = "%m/%d/%Y"')] == list(found.causes)


def test_blanks_case_and_words_for_nothing_are_recognised(tmp_path: Path) -> None:
    lines = ["f", "m", "F", "M", "M", "m  ", " f", "NA", "NA", "NA", "x"]
    found = look(contract(SEX), csv(tmp_path, "sex", *lines))
    assert 0.0 < found.columns[0].share("unseen")
    told = {cause.what: cause.cells for cause in found.causes}
    assert {"upper and lower case": 3, "blanks around text": 2, "words for missing values (such as NA)": 3} == told


def test_codes_for_nothing_outside_the_range_are_recognised() -> None:
    found = seen({"age": [1, 2, -9, -9, 999, 120]}, AGE)
    assert {"age": ("codes for missing values (such as -9 or 999)", 3)} == causes(found)


def test_lines_that_are_not_utf_8_are_recognised(tmp_path: Path) -> None:
    path = csv(tmp_path, "sex", "f", "männlich", "weiß", encoding="latin-1")
    assert (None, 2) == (look(contract(SEX), path).causes[0].column, look(contract(SEX), path).causes[0].cells)
    assert None not in causes(look(contract(SEX, files=Files(encoding="latin-1")), path))


def test_values_in_place_of_labels_are_recognised(tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"sex": [1, 2, 2]})
    pyreadstat.write_dta(frame, str(tmp_path / "data.dta"), variable_value_labels={"sex": {1: "m", 2: "f"}})
    found = look(contract(SEX), str(tmp_path / "data.dta"))
    assert [Cause("sex", "values or labels", 3, "[files] labels = true")] == list(found.causes)


def test_data_without_rows_is_no_trouble(tmp_path: Path) -> None:
    found = look(contract(AGE, SEX), csv(tmp_path, "age,sex"))
    assert (0, 0, (), 0.0) == (found.rows, found.kept, found.causes, found.columns[0].share("null"))


def test_a_look_needs_columns_that_the_data_has(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="lacks a declared column"):
        look(contract(AGE), csv(tmp_path, "sex", "f"))
    with pytest.raises(DeclarationError, match="declares none"):
        look(contract(), csv(tmp_path, "sex", "f"))


def everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


CONTRACT = """
[dataset]
name = "clinic"
[unit]
change = "add-remove"
person = "who"
max_rows = 1
[budget]
epsilon = 1.0
delta = 1e-6
ledger = "budget.sqlite"
[files]
encoding = "latin-1"
[columns]
age = { kind = "integer", lower = 0, upper = 99, provenance = "public", null = "drop" }
sex = { kind = "category", levels = ["f", "m"], provenance = "public" }
"""


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("with_ledger", [True, False], ids=["with a ledger", "without one"])
def test_a_look_writes_nothing_and_touches_no_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_engine: Callable[[], None], with_ledger: bool
) -> None:
    """Neither where the data, the contract and the ledger are, nor in the folders for states and temporary files."""
    work, state, temporary = (tmp_path / name for name in ("work", "state", "temporary"))
    for folder in (work, state, temporary):
        folder.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("REAEDP_STATE", str(state))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    (work / "contract.toml").write_text(CONTRACT)
    csv(work, "who,age,sex", "a,34,f", "a,,m", "b,9o,M", "c,100,männlich", encoding="latin-1")
    if with_ledger:
        Ledger.create(work / "budget.sqlite").close()
    before = everything(tmp_path)
    done = CliRunner().invoke(app, ["look", "data.csv", "contract.toml"])
    assert 0 == done.exit_code, done.output
    own_engine()
    assert before == everything(tmp_path)
    assert "FOR YOUR EYES ONLY" in done.output
    assert "Rows: 4. Dropped if all columns are used together: 1." in done.output
    assert "of whom 1 have more than max_rows = 1 rows" in done.output
    harmless, harmful = done.output.index("Harmless after looking"), done.output.index("Not harmless")
    assert harmless < done.output.index("[files]") < harmful < done.output.index("Choosing bounds, bins, levels")


@pytest.mark.quick_every(2)
@pytest.mark.parametrize(
    ("cell", "said"), [("45 ☃", "other signs next to them can be declared"), ("45", "Found no likely problem")]
)
def test_cells_that_nothing_explains_are_answered_by_advice(
    cell: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "contract.toml").write_text(CONTRACT)
    csv(tmp_path, "who,age,sex", f"a,{cell},f", f"b,{cell},m")
    assert said in CliRunner().invoke(app, ["look", "data.csv", "contract.toml"]).output


def test_nothing_but_its_command_and_its_page_can_look() -> None:
    """Releases, reports and plans lie below: no line of theirs can reach what a look has counted."""
    source = Path(__file__).parents[2] / "src" / "reaedp"
    texts = {path.relative_to(source).as_posix(): path.read_text(encoding="utf-8") for path in source.rglob("*.py")}
    looking = {file: ast.parse(text) for file, text in texts.items() if "look" in text or "causes" in text}
    rooms = ("reaedp.evaluation.look", "reaedp.evaluation.causes")
    users = {file for file, tree in looking.items() if any(name.startswith(rooms) for name in imports(tree))}
    assert {"cli/look.py", "evaluation/look.py", "studio/pages/look.py"} == users
    assert {"curator/records.py", "evaluation/look.py"} == {
        file for file, text in texts.items() if "people_by_rows(" in text
    }


def test_a_truth_value_in_words_that_nobody_knows_is_unparsable() -> None:
    found = seen({"ill": ["yes", "ja", None]}, Boolean(name="ill", provenance="public"))
    assert {"null": 1, "unparsable": 1} == dict(found.columns[0].troubles)
