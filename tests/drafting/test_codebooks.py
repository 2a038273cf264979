"""Codebooks of four kinds say the same; public files say what their values show."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from reaedp import DeclarationError
from reaedp.contract.document import FILL_IN
from reaedp.drafting.codebook import Codebook
from reaedp.drafting.public_file import from_public

TABLE = """Variable;Type;Min;Max;Values;Label;Missing
age;integer;0;120;;Age in years;-9
pay;numeric;0;5000.5;;Pay per month;
sex;code;;;1=male | 2=female;Sex;-9
note;string;;;;Remarks;
ill;bool;;;;;
seen;date;2024-01-01;2024-12-31;;Day of the visit;
"""
SCHEMA = {
    "fields": [
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 120}, "title": "Age in years"},
        {"name": "pay", "type": "number", "constraints": {"minimum": 0, "maximum": 5000.5}, "decimalChar": ","},
        {"name": "sex", "type": "string", "constraints": {"enum": ["1", "2"]}},
        {"name": "note", "type": "string"},
        {"name": "ill", "type": "boolean"},
        {
            "name": "seen",
            "type": "date",
            "format": "%d.%m.%Y",
            "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31"},
        },
    ],
    "missingValues": ["", "-9"],
}
DDI = """<?xml version="1.0" encoding="UTF-8"?>
<codeBook xmlns="ddi:codebook:2_5"><dataDscr>
<var name="age" intrvl="discrete" dcml="0"><labl>Age in years</labl>
  <valrng><range min="0" max="120" UNITS="INT"/></valrng>
  <invalrng><item VALUE="-9"/></invalrng><sumStat type="max">97</sumStat></var>
<var name="pay" intrvl="contin"><valrng><range min="0" max="5000.5" UNITS="REAL"/></valrng>
  <varFormat type="numeric"/></var>
<var name="sex" intrvl="discrete">
  <catgry><catValu>1</catValu><labl>male</labl><catStat type="freq">812</catStat></catgry>
  <catgry><catValu>2</catValu><labl>female</labl></catgry>
  <catgry missing="Y"><catValu>-9</catValu></catgry><varFormat type="numeric"/></var>
<var name="note"><varFormat type="character"/></var>
<var name="ill" intrvl="discrete"><catgry><catValu>0</catValu></catgry><catgry><catValu>1</catValu></catgry></var>
<var name="seen"><valrng><range min="2024-01-01" max="2024-12-31"/></valrng>
  <varFormat type="character" category="date"/></var>
</dataDscr></codeBook>
"""
CONTRACT = """
[files]
separator = ";"
missing = ["-9"]

[columns]
age = { kind = "integer", lower = 0, upper = 120, provenance = "public" }
pay = { kind = "number", lower = 0, upper = 5000.5, bins = 20, provenance = "dp", entry = 3 }
sex = { kind = "category", levels = ["1", "2"], provenance = "public" }
ill = { kind = "boolean", provenance = "public" }
seen = { kind = "date", lower = 2024-01-01, upper = 2024-12-31, every = "month", provenance = "public" }
"""
BOOKS = {"book.csv": TABLE, "book.json": json.dumps(SCHEMA), "book.xml": DDI, "book.toml": CONTRACT}


def read(folder: Path, name: str, text: str, **options: bool) -> Codebook:
    (folder / name).write_text(text, encoding="utf-8")
    return Codebook.read(folder / name, **options)


@pytest.mark.parametrize("name", BOOKS)
def test_codebooks_of_every_kind_say_the_same(tmp_path: Path, name: str) -> None:
    book = read(tmp_path, name, BOOKS[name]).columns
    said: dict[str, dict[str, Any]] = {
        column: {key: value for key, value in found.facts.items() if key not in ("provenance", "width")}
        for column, found in book.items()
    }
    assert {"kind": "integer", "lower": 0, "upper": 120} == said["age"]
    assert {"kind": "number", "lower": 0, "upper": 5000.5, "bins": 20} == said["pay"]
    assert {"kind": "category", "levels": ["1", "2"]} == said["sex"]
    assert {"kind": "date", "lower": date(2024, 1, 1), "upper": date(2024, 12, 31), "every": "month"} == said["seen"]
    assert {} == said.get("note", {})
    expected = {"kind": "category", "levels": ["0", "1"]} if name == "book.xml" else {"kind": "boolean"}
    assert expected == said["ill"]


@pytest.mark.parametrize("name", ["book.csv", "book.json", "book.xml"])
def test_facts_of_a_codebook_name_it_as_their_source(tmp_path: Path, name: str) -> None:
    age = read(tmp_path, name, BOOKS[name]).columns["age"]
    assert (f"public: {name}", "Age in years", ("-9",)) == (age.facts["provenance"], age.label, age.notation.missing)


def test_what_another_contract_bought_is_public_since(tmp_path: Path) -> None:
    book = read(tmp_path, "book.toml", CONTRACT)
    assert ["public", "public: book.toml"] == [book.columns[name].facts["provenance"] for name in ("age", "pay")]
    assert "entry" not in book.columns["pay"].facts
    assert {"separator": ";", "missing": ["-9"]} == book.files


def test_statistics_in_a_codebook_are_not_taken_for_public_facts(tmp_path: Path) -> None:
    """Least and greatest values and frequencies that a program counted from rows are no declaration."""
    text = DDI.replace('<valrng><range min="0" max="120" UNITS="INT"/></valrng>', "")
    age = read(tmp_path, "book.xml", text).columns["age"]
    assert (FILL_IN, FILL_IN, FILL_IN) == (age.facts["lower"], age.facts["upper"], age.facts["provenance"])


def test_a_data_package_says_how_its_file_is_laid_out(tmp_path: Path) -> None:
    package = {"resources": [{"schema": SCHEMA, "dialect": {"delimiter": ";"}, "encoding": "cp1252"}]}
    book = read(tmp_path, "datapackage.json", json.dumps(package))
    assert {"separator": ";", "encoding": "cp1252"} == book.files
    assert (("%d.%m.%Y",), ",") == (book.columns["seen"].notation.dates, book.columns["pay"].notation.decimal)


def test_labels_are_levels_where_the_file_has_labels(tmp_path: Path) -> None:
    for name in ("book.csv", "book.xml"):
        assert ["male", "female"] == read(tmp_path, name, BOOKS[name], labels=True).columns["sex"].facts["levels"]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("book.txt", "", "cannot be read as a codebook"),
        ("book.csv", "a,b\n1,2\n", "name, variable, column or field"),
        ("book.csv", "name,type,min,max\nage,integer,9,1\n", "lower must not exceed upper"),
        ("book.json", "{", "not valid JSON"),
        ("book.json", "[1]", "no list of fields"),
        ("book.xml", "<a>", "not valid XML"),
        ("book.xml", "<a/>", "no variables"),
        ("book.xml", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "entities"),
    ],
)
def test_what_is_no_codebook_is_refused_in_words(tmp_path: Path, name: str, text: str, words: str) -> None:
    with pytest.raises(DeclarationError, match=words):
        read(tmp_path, name, text)


def test_a_codebook_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="cannot be read"):
        Codebook.read(tmp_path / "absent.csv")


def public_row(n: int) -> str:
    day, ill = f"2023-0{1 + n % 9}-15", "yes" if n % 3 else "no"
    return f"{n},{17 + 35 * n % 74},{'fm'[n % 2]},{n % 97 / 10 + 1:.1f},{day},{ill},text {n},"


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("public") / "last year.csv"
    names = ["id", "age", "sex", "dose", "seen", "ill", "note", "empty"]
    path.write_text("\n".join([",".join(names), *map(public_row, range(200))]) + "\n", encoding="utf-8")
    return from_public(str(path), None, [*names, "unknown"])


def test_a_public_file_shows_kinds_bounds_and_levels(public: dict[str, Any]) -> None:
    source = {"provenance": "public: last year.csv"}
    assert {"kind": "integer", "lower": 10, "upper": 90, **source} == public["age"].facts
    assert {"kind": "number", "lower": 1.0, "upper": 11.0, "bins": 20, **source} == public["dose"].facts
    assert {"kind": "category", "levels": ["f", "m"], **source} == public["sex"].facts
    assert {"kind": "boolean", **source} == public["ill"].facts
    year = {"lower": date(2023, 1, 1), "upper": date(2023, 12, 31), "every": "month"}
    assert {"kind": "date", **year, **source} == public["seen"].facts


def test_texts_and_numbers_of_rows_are_better_left_out(public: dict[str, Any]) -> None:
    assert "different texts" in public["note"].why_not
    assert "numbers the rows" in public["id"].why_not
    assert {} == public["empty"].facts
    assert "unknown" not in public
