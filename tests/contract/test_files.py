"""How files are read is declared: every mistake has its line, and nothing changes for contracts that say nothing."""

import re
from pathlib import Path
from typing import Any

import pytest

from reaedp import Boolean, Budget, Contract, Unit
from reaedp.contract.files import Files
from reaedp.contract.notation import ColumnNotation, DateFormat, Notation
from reaedp.errors import DeclarationError
from reaedp.release.manifest import contract_facts, read_contract

HEAD = """[dataset]
name = "d"
[unit]
change = "replace"
[budget]
epsilon = 1
delta = 1e-6
ledger = "b.sqlite"
[columns.x]
kind = "boolean"
provenance = "public"
"""
#: The line on which [files] stands.
LINE = HEAD.count("\n") + 1
COLUMN = Boolean(name="x", provenance="public")


def loaded(folder: Path, files: str) -> Contract:
    (folder / "contract.toml").write_text(HEAD + files, encoding="utf-8")
    return Contract.load(folder / "contract.toml")


def terms(files: Files | None) -> Contract:
    return Contract(
        dataset="d", unit=Unit("replace"), budget=Budget(1, 1e-6), ledger="b.sqlite", columns=(COLUMN,), files=files
    )


#: Of the contract below before anything could be said of files.
BEFORE = "50291346a58ed5226a5fde8f36cccb484495a80dace78b0ce49dad9273b65654"


def test_a_contract_that_says_nothing_of_files_keeps_its_fingerprint() -> None:
    assert BEFORE == terms(None).fingerprint == terms(Files()).fingerprint
    assert terms(None).fingerprint != terms(Files(separator=";")).fingerprint


def test_every_key_is_part_of_the_fingerprint() -> None:
    ways = [
        Files(separator=";"),
        Files(separator="|"),
        Files(quote="'"),
        Files(encoding="cp1252"),
        Files(decimal=","),
        Files(thousands=" "),
        Files(dates=("%d.%m.%Y",)),
        Files(dates=("%m.%d.%Y",)),
        Files(dates=("%d.%m.%y",), first_year=1950),
        Files(dates=("%d.%m.%y",), first_year=1960),
        Files(missing=("NA",)),
        Files(missing=("-9",)),
        Files(sheet="a"),
        Files(labels=True),
        Files(columns=(ColumnNotation(column="x", missing=("NA",)),)),
    ]
    assert len(ways) == len({terms(way).fingerprint for way in ways})


def test_a_file_declares_what_python_does(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        """[files]
separator = "\\t"
quote = ""
encoding = "UTF-16"
decimal = ","
thousands = "."
dates = "%d.%m.%Y"
missing = ["NA", "-9"]
sheet = "Data"
labels = true
[files.columns.x]
missing = []
""",
    ).files
    assert found == Files(
        separator="\t",
        quote="",
        encoding="UTF-16",
        decimal=",",
        thousands=".",
        dates=("%d.%m.%Y",),
        missing=("NA", "-9"),
        sheet="Data",
        labels=True,
        columns=(ColumnNotation(column="x", missing=()),),
    )
    assert () == found.notation("x").missing
    assert ("NA", "-9") == found.notation("y").missing
    assert "," == found.notation("x").decimal


MISTAKES = {
    'separator = ";;"': "files.separator must be one character",
    'separator = "a"': "files.separator must be one character",
    "separator = 3": "files.separator must be one character",
    'quote = "`"': "files.quote must be one of",
    'encoding = "utf-9"': "files.encoding must be one of utf-8",
    "encoding = 8": "files.encoding must be one of utf-8",
    'decimal = "x"': 'files.decimal must be "." or ","',
    'thousands = "."': "files.thousands must differ from the decimal mark",
    'thousands = "x"': "files.thousands must be a point",
    'dates = "%Y-%d-%m"': "files.dates must be formats of a day, a month and a year",
    'dates = "%d.%m"': "files.dates must be formats",
    'dates = "%d%m.%Y"': "files.dates must be formats",
    'dates = "%d.%m.%Y %q"': "files.dates must be formats",
    "dates = 5": "files.dates must be formats",
    'dates = "%d.%m.%y"': "files.first_year must be the first of the hundred years",
    "first_year = 0": "files.first_year must be the first",
    "missing = [9]": "files.missing must be a list of at most 1,000 strings",
    'sheet = ""': "files.sheet must be the name of a sheet",
    'labels = "yes"': "files.labels must be true or false",
    'colour = "red"': "files.colour is not a key here",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_told_with_its_line(line: str, tmp_path: Path) -> None:
    with pytest.raises(DeclarationError) as refused:
        loaded(tmp_path, f"[files]\n{line}\n")
    where = LINE if MISTAKES[line].startswith("files.first_year") and "first" not in line else LINE + 1
    assert 1 == len(refused.value.mistakes)
    assert str(refused.value).startswith(f"contract.toml:{where}: {MISTAKES[line]}")


COLUMNS = {
    '[files.columns.x]\ndecimal = ";"': f"contract.toml:{LINE + 1}: files.columns.x.decimal must be",
    '[files.columns.x]\nseparator = ";"': f"contract.toml:{LINE + 1}: files.columns.x.separator is not a key here",
    '[files.columns.z]\ndecimal = ","': "files.columns.z must be a column of the contract",
    "[files]\ncolumns = 3": f"contract.toml:{LINE + 1}: files.columns must be tables",
    "[files.columns]\nx = 3": f"contract.toml:{LINE + 1}: files.columns.x must be a table",
    '[files]\ndecimal = ","\nthousands = "."\n[files.columns.x]\ndecimal = "."': "x.thousands must differ",
}


@pytest.mark.parametrize("text", COLUMNS)
def test_a_mistake_of_a_column_is_told(text: str, tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match=re.escape(COLUMNS[text])):
        loaded(tmp_path, text + "\n")


def test_the_person_may_have_words_of_its_own() -> None:
    files = Files(columns=(ColumnNotation(column="who", missing=("nobody",)),))
    unit = Unit("add-remove", person="who", max_rows=1)
    Contract(dataset="d", unit=unit, budget=Budget(1, 1e-6), ledger="b", columns=(COLUMN,), files=files)


@pytest.mark.parametrize("text", ["%d.%m.%Y", "%m/%d/%Y", "%Y%m%d", "%d%b%Y", "%d. %m. %Y", "%Y.%m.%d %H:%M:%S"])
def test_usual_formats_are_understood(text: str) -> None:
    assert DateFormat(text).sound
    assert Notation(dates=text).dates == (text,)  # type: ignore[arg-type]


def test_a_manifest_says_how_files_were_read() -> None:
    files = Files(separator=";", dates=("%d.%m.%Y",), columns=(ColumnNotation(column="x", missing=("NA",)),))
    facts = contract_facts(terms(files))
    assert {"separator": ";", "dates": ["%d.%m.%Y"], "columns": {"x": {"missing": ["NA"]}}} == facts["reading"]
    assert "reading" not in contract_facts(terms(None))
    assert files == read_contract({"dataset": "d", **facts}).files


@pytest.mark.parametrize(
    "reading",
    [{}, {"separator": ";;"}, {"columns": 3}, {"columns": {"x": 3}}, {"what": 1}, {"separator": None}, {"labels": 0}],
)
def test_a_manifest_that_no_contract_gives_is_refused(reading: dict[str, Any]) -> None:
    facts = contract_facts(terms(None)) | {"dataset": "d", "reading": reading}
    with pytest.raises(Exception, match="damaged"):
        read_contract(facts)
