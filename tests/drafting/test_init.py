"""`reaedp init` as people type it, on files such as offices have them, and as it asks on a terminal."""

import shlex
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from office_files import OFFICES, PRIVACY, Office
from reaedp import Contract, DeclarationError, Files, Ledger, Plan
from reaedp.cli.app import app

SECRET = "name,salary,sex\nAlice Example,123456,f\n"


def run(command: str, answers: str | None = None) -> str:
    done = CliRunner().invoke(app, shlex.split(command), input=answers)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert 0 == done.exit_code, done.output
    return done.output


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.csv").write_text(SECRET, encoding="utf-8")
    return tmp_path


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("office", OFFICES.values(), ids=OFFICES)
def test_one_command_drafts_what_an_office_needs(here: Path, office: Office) -> None:
    office.make(here / office.file)
    said = run(office.commands[0])
    assert len(office.commands) <= 8
    if office.between:
        assert "column ward, column days" in said
    else:
        assert "Nothing is left to fill in." in said
        assert Plan.load("plan.toml").requests()
        assert "unparsable" in run(office.commands[1])  # the look


@pytest.mark.parametrize(
    ("header", "doubt"),
    [("0,48,f", "names in the first line are numbers"), ("Report of 2024", "Only one name"), ("x,y", None)],
)
def test_a_first_line_that_may_be_no_header_is_said(here: Path, header: str, doubt: str | None) -> None:
    (here / "data.csv").write_text(f"{header}\n1,2\n", encoding="utf-8")
    said = run("init data.csv --no-ask")
    assert (doubt is not None) == ("Look at the header of data.csv" in said)
    assert doubt is None or doubt in said


def test_no_value_of_the_data_is_in_a_draft(here: Path) -> None:
    run(f"init secret.csv --name x {PRIVACY} --kinds salary=number:0:1000:10,sex=category:f:m")
    made = (here / "contract.toml").read_text() + (here / "plan.toml").read_text()
    assert "Alice" not in made
    assert "123456" not in made
    assert "# Columns of the data that are left out: name." in made


def test_the_data_is_no_public_file(here: Path) -> None:
    for name in ("secret.csv", "./secret.csv"):
        with pytest.raises(DeclarationError, match="is the data itself"):
            run(f"init secret.csv --from-public {name}")
    assert not (here / "contract.toml").exists()


def test_a_draft_of_a_header_alone_is_the_same_as_with_rows(here: Path) -> None:
    (here / "header.csv").write_text(SECRET.partition("\n")[0] + "\n")
    for name in ("secret", "header"):
        run(f"init {name}.csv --out {name}.toml --plan {name}-plan.toml --no-ask")
    assert (here / "secret.toml").read_text() == (here / "header.toml").read_text()


def test_questions_are_asked_until_they_are_understood(here: Path) -> None:
    answers = ["salary, age", "salary,sex", "number:a:b", "number:0:1000:10", "category:f:m"]
    answers += [
        "clinic",
        "swap",
        "add-remove",
        "",
        "-5",
        "1000",
        "much",
        "1",
        "1e-6",
        "budget.sqlite",
        "comma",
        ",",
        "NA,-9",
    ]
    said = run("init secret.csv --ask", "\n".join(answers) + "\n")
    assert "Unknown column 'age'" in said
    assert "must be a number" in said
    assert "must be 'add-remove' or 'replace'" in said
    assert 'decimal must be "." or ","' in said
    contract = Contract.load("contract.toml")
    assert ["salary", "sex"] == [column.name for column in contract.columns]
    assert (1.0, 1e-6, 1000) == (contract.budget.epsilon, contract.budget.delta, contract.unit.at_least)
    assert {"decimal": ",", "missing": ["NA", "-9"]} == (contract.files or Files()).facts()
    assert Plan.load("plan.toml").requests()


def test_a_person_is_asked_for_together_with_the_contribution_bound(here: Path) -> None:
    with pytest.raises(DeclarationError, match="none is left"):
        run("init secret.csv --no-ask --columns name --person name")
    (here / "more.csv").write_text("who,sex,age\n")
    answers = ["sex,age", "category:f:m", "skip", "x", "replace", "who", "3", "", "2", "1e-5", "", "", ""]
    said = run("init more.csv --ask", "\n".join(answers) + "\n")
    assert "Left out: age." in said
    text = (here / "contract.toml").read_text()
    assert 'person = "who"' in text
    assert "max_rows = 3" in text
    assert 'ledger = "FILL IN"' in text


def test_labels_in_the_header_are_offered_and_used_only_on_request(here: Path) -> None:
    office = OFFICES["Stata with labels"]
    office.make(here / office.file)
    assert "labels for values of sex, health: --labels makes them levels." in run(f"init {office.file} --no-ask")
    assert "very good" not in (here / "contract.toml").read_text()
    said = run(f"init {office.file} --no-ask --labels --out labels.toml --plan labels-plan.toml")
    assert "must come from a questionnaire" in said
    assert 'provenance = "public: labels of health.dta"' in (here / "labels.toml").read_text()


def test_words_of_a_header_for_its_columns_become_labels(here: Path) -> None:
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame({"V1": [1.0], "V2": [2.0]})
    pyreadstat.write_sav(frame, str(here / "poll.sav"), column_labels={"V1": "Trust in  courts", "V2": ""})
    run("init poll.sav --no-ask --kinds V1=integer:0:10,V2=integer:0:10")
    columns = tomllib.loads((here / "contract.toml").read_text())["columns"]
    assert "Trust in courts" == columns["V1"]["label"]
    assert "label" not in columns["V2"]


def test_names_in_two_rows_of_a_sheet_are_told(here: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    for row in (["Name", "Income", None, "Sex", None], [None, "2023", "2024", None, None], ["A", 1, 2, "f", None]):
        book.active.append(row)
    book.active.merge_cells("B1:C1")
    book.save(here / "two.xlsx")
    said = run("init two.xlsx --no-ask")
    assert "1 column between others has no name there and will be skipped" in said
    assert "write each name into one cell of the first row" in said


def test_what_is_open_is_named(here: Path) -> None:
    said = run("init secret.csv --columns sex --no-ask")
    assert "name, change, epsilon, delta, ledger, column sex" in said
    assert "Left out: name, salary." in said
    assert (here / "contract.toml").exists()


def test_columns_of_a_file_without_header_are_those_that_are_said(here: Path) -> None:
    (here / "rows.jsonl").write_text('{"age": 3}\n')
    with pytest.raises(DeclarationError, match="--kinds or --codebook"):
        run("init rows.jsonl --no-ask")
    run(f"init rows.jsonl --name x {PRIVACY} --kinds age=integer:0:9 --missing age=-1")
    assert {"columns": {"age": {"missing": ["-1"]}}} == (Contract.load("contract.toml").files or Files()).facts()


def test_a_ledger_that_is_there_is_used_and_a_file_that_is_there_is_kept(here: Path) -> None:
    Ledger.create(here / "budget.sqlite").close()
    before = (here / "budget.sqlite").read_bytes()
    said = run(f"init secret.csv --name x {PRIVACY} --kinds sex=category:f:m")
    assert "already exists and is used" in said
    assert before == (here / "budget.sqlite").read_bytes()
    for taken, option in (("contract.toml", "--out"), ("plan.toml", "--plan")):
        command = "init secret.csv" + ("" if option == "--out" else " --out other.toml")
        with pytest.raises(DeclarationError, match=f"{taken} exists already. Choose another {option}"):
            run(command)
    assert not (here / "other.toml").exists()


def test_a_plan_in_another_folder_names_its_contract(here: Path) -> None:
    (here / "plans").mkdir()
    run(f"init secret.csv --name x {PRIVACY} --kinds sex=category:f:m --plan plans/first.toml")
    assert Plan.load("plans/first.toml").requests()
