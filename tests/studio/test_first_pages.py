"""Projects, data and the unit: what the first pages show, and what they write."""

import itertools
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from reaedp import Contract
from reaedp.studio import unit_questions
from reaedp.studio.unit_questions import COLUMN, NO, SKIP, UNKNOWN, YES, UnitQuestion, walk
from studio_support import Guest, form_fields, text_of

HEADER = ("patient", "household", "age")


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    return Guest(tmp_path)


def own(guest: Guest, name: str = "own", content: str = "who,age,sex\n1,30,f\n") -> Path:
    """A project of one's own with a file in it."""
    guest.act("/projects", {"start": "own", "name": name})
    (guest.folder / name / "people.csv").write_text(content, encoding="utf-8")
    return guest.folder / name


def test_an_empty_folder_says_how_to_begin(guest: Guest) -> None:
    assert "Nothing here yet. Start with the made-up clinic, or with your own file." in guest.page("/")


def test_a_project_is_a_folder_and_a_refused_name_keeps_what_was_typed(guest: Guest) -> None:
    refused = guest.act("/projects", {"start": "own", "name": "../away"})
    assert 400 == refused.status_code
    assert "letters, digits, spaces, - or _" in refused.text
    assert "../away" in form_fields(refused.text, "/projects")["name"]
    assert "/p/own/data" == guest.act("/projects", {"start": "own", "name": "own"}).headers["location"]
    assert "There is a folder own already" in text_of(guest.act("/projects", {"start": "own", "name": "own"}).text)
    assert "Next: Data" in text_of(guest.page("/"))


@pytest.mark.parametrize("name", ["Bücherei Köpenick", "調査 2025", "a", "x" * 100])
def test_a_project_may_have_a_name_of_any_language(guest: Guest, name: str) -> None:
    place = guest.act("/projects", {"start": "own", "name": f" {name} "}).headers["location"]
    assert f"/p/{quote(name)}/data" == place
    assert name in guest.page(place)
    assert (guest.folder / name).is_dir()


@pytest.mark.parametrize(
    "name", ["", "_a", "-a", ".a", "a/b", "a\\b", "a\nb", "a\tb", "a.b", "a:b", "~", "x" * 101, "é" * 200]
)
def test_no_name_of_a_project_leads_elsewhere(guest: Guest, name: str) -> None:
    assert 400 == guest.act("/projects", {"start": "own", "name": name}).status_code
    assert [] == list(guest.folder.iterdir())


def test_the_clinic_is_the_same_every_time_and_leads_to_its_header(guest: Guest, tmp_path: Path) -> None:
    guest.act("/projects", {"start": "clinic"})
    page = guest.page("/p/clinic/data")
    assert ["patient", "visit", "age", "sex", "smokes", "weight", "ward"] == form_fields(page, "/p/clinic/data")[
        "columns"
    ]
    assert "P00000" not in page


def test_choosing_columns_writes_a_contract_with_marks(guest: Guest) -> None:
    folder = own(guest)
    assert "Only the header is read" in guest.page("/p/own/data")
    to = guest.done("/p/own/data", {"columns": ["age", "sex"]}, data="people.csv")
    assert "/p/own/unit" == to
    text = (folder / "contract.toml").read_text()
    assert 'name = "own"' in text
    assert 'age = { kind = "FILL IN" }' in text
    assert "# Columns of the data that are left out: who." in text
    assert 'epsilon = "FILL IN"' in text


def test_mistakes_about_the_file_are_said_and_nothing_is_written(guest: Guest) -> None:
    folder = own(guest)
    for query in ({"data": "nowhere.csv"}, {"data": "people.csv", "encoding": "klingon"}):
        assert 400 == guest.ask("/p/own/data", **query).status_code
    assert 400 == guest.act("/p/own/data", {"data": "people.csv", "version": "x"}).status_code
    assert not (folder / "contract.toml").exists()


def test_files_as_offices_have_them_are_shown_as_they_will_be_read(guest: Guest) -> None:
    folder = own(guest)
    (folder / "amt.csv").write_bytes("Größe;Alter\n1,5;30\n".encode("cp1252"))
    page = guest.page("/p/own/data", data="amt.csv", encoding="cp1252", decimal=",", missing="NA, -9")
    assert ["Größe", "Alter"] == form_fields(page, "/p/own/data")["columns"]
    guest.done("/p/own/data", {}, data="amt.csv", encoding="cp1252", decimal=",", missing="NA, -9")
    text = (folder / "contract.toml").read_text()
    assert 'separator = ";"' in text
    assert 'missing = ["NA", "-9"]' in text


def test_a_workbook_is_read_by_its_sheet(guest: Guest) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["one"])
    book.create_sheet("people").append(["age", "n/a"])
    book.save(own(guest) / "book.xlsx")
    refused = guest.ask("/p/own/data", data="book.xlsx")
    assert "people" in text_of(refused.text)
    page = guest.page("/p/own/data", data="book.xlsx", sheet="people")
    assert ["age", "n/a"] == form_fields(page, "/p/own/data")["columns"]


def test_a_file_is_found_by_clicking_through_folders(guest: Guest) -> None:
    folder = own(guest)
    below = guest.folder / "from the office"
    below.mkdir()
    (below / "amt.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    assert "data=people.csv" in guest.page("/p/own/data", **{"in": "."})  # its own files by their names
    assert f"in={quote_plus(str(below))}" in guest.page("/p/own/data", **{"in": ".."})
    listed = guest.page("/p/own/data", **{"in": str(below)})
    assert f"data={quote_plus(str(below / 'amt.csv'))}" in listed
    assert f"in={quote_plus(str(guest.folder))}" in listed  # and the way back
    page = guest.page("/p/own/data", data=str(below / "amt.csv"))
    assert ["a", "b"] == form_fields(page, "/p/own/data")["columns"]
    assert "Enter where the data is" in guest.ask("/p/own/data", data="").text
    assert not (folder / "contract.toml").exists()


def test_sheets_and_encodings_are_offered_to_be_clicked(guest: Guest) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    folder = own(guest)
    book = openpyxl.Workbook()
    book.create_sheet("people").append(["age"])
    book.save(folder / "book.xlsx")
    page = guest.page("/p/own/data", data="book.xlsx")
    assert "Which sheet holds the data?" in page
    assert "data=book.xlsx&amp;sheet=people" in page
    (folder / "amt.csv").write_bytes("Größe;Alter\n1,5;30\n".encode("cp1252"))
    page = guest.page("/p/own/data", data="amt.csv")
    assert "data=amt.csv&amp;encoding=cp1252" in page
    assert "Größe <a" in page, "the names by which encodings are told apart"
    assert "not right yet" not in page


def test_a_window_that_is_behind_overwrites_nothing(guest: Guest) -> None:
    folder = own(guest)
    old = form_fields(guest.page("/p/own/data", data="people.csv"), "/p/own/data")
    guest.done("/p/own/data", {"columns": ["age"]}, data="people.csv")
    before = (folder / "contract.toml").read_text()
    refused = guest.act("/p/own/data", old)
    assert "changed after this page was opened" in refused.text
    assert before == (folder / "contract.toml").read_text()


def answers_of(question: UnitQuestion) -> list[str]:
    numbers = [] if question.choices else ["3"]
    columns = [f"{COLUMN}household"] if question.columns else []
    return [*dict(question.choices), *columns, *numbers, *([SKIP] if question.optional else [])]


def every_path(taken: dict[str, str]) -> list[dict[str, str]]:
    path = walk(taken, HEADER)
    if path.open is None:
        return [taken]
    return [way for answer in answers_of(path.open) for way in every_path({**taken, path.open.key: answer})]


PATHS = every_path({})


def test_every_path_of_the_tree_ends_in_a_unit_in_words_and_in_toml() -> None:
    assert 66 == len(PATHS)
    for taken in PATHS:
        path = walk(taken, HEADER)
        assert list(taken) == [question.key for question, _ in path.answered]
        assert ("person" in path.unit) == ("max_rows" in path.unit) == (path.protected in ("person", "group"))
        assert path.sentence.endswith(".")
        assert path.toml.startswith("[unit]\nchange = ")
        assert path.protected in unit_questions._WORDS


def test_whoever_does_not_know_is_taken_down_the_safe_branch() -> None:
    for taken in PATHS:
        safe = {key: {"several": YES, "together": YES, "secret": YES}[key] if UNKNOWN == answer else answer
                for key, answer in taken.items()}  # fmt: skip
        assert walk(taken, HEADER).unit == walk(safe, HEADER).unit
    assert "replace" == walk({**PATHS[0], "secret": NO}, HEADER).unit["change"]
    assert "add-remove" == walk({**PATHS[0], "secret": UNKNOWN}, HEADER).unit["change"]


@pytest.mark.parametrize("wrong", ["0", "-1", "1.5", "ten", "9" * 20, "²", f"{COLUMN}nobody", " "])
def test_what_is_no_answer_leaves_the_question_open(wrong: str) -> None:
    for key, before in (("most_rows", {"several": YES, "whose": f"{COLUMN}patient"}), ("several", {})):
        path = walk({**before, key: wrong}, HEADER)
        assert path.open is not None
        assert key == path.open.key


def test_people_with_several_rows_are_protected_when_the_sentence_was_accepted(guest: Guest) -> None:
    folder = own(guest)
    guest.done("/p/own/data", {}, data="people.csv")
    answers = {"several": "yes", "whose": "column:who", "most_rows": "3", "secret": "unknown", "at_least": "1000"}
    for done in range(len(answers)):
        page = guest.page("/p/own/unit", **dict(itertools.islice(answers.items(), done)))
        assert "Read this carefully" not in page
    page = guest.page("/p/own/unit", **answers)
    assert "Each person is protected, with all rows" in page
    assert "max_rows = 3" in page
    assert 400 == guest.send("/p/own/unit", {}, **answers).status_code
    guest.done("/p/own/unit", {"accepted": "yes"}, **answers)
    text = (folder / "contract.toml").read_text()
    assert 'person = "who"' in text
    assert "who = {" not in text
    assert "The contract already says" in guest.page("/p/own/unit")
    with pytest.raises(Exception, match="not filled in"):
        Contract.load(folder / "contract.toml")


def test_rows_alone_are_protected_only_if_that_is_accepted(guest: Guest) -> None:
    own(guest)
    guest.done("/p/own/data", {}, data="people.csv")
    page = guest.page("/p/own/unit", several="yes", whose="none")
    assert "someone with ten rows has ten times the ε" in page
    answers = {"several": "yes", "whose": "none", "secret": "no", "at_least": "skip"}
    assert "Is that enough?" in guest.page("/p/own/unit", **answers)
    guest.done("/p/own/unit", {"accepted": "yes"}, **answers, rows_accepted="yes")
    assert "Each single row is protected" in guest.page("/p/own/unit")


def test_a_question_is_left_out_by_its_button_beside_an_empty_field(guest: Guest) -> None:
    own(guest)
    guest.done("/p/own/data", {}, data="people.csv")
    answered = "several=yes&whose=column%3Awho&most_rows=3&secret=unknown&at_least=&at_least=skip"
    assert "Read this carefully" in guest.page(f"/p/own/unit?{answered}")
