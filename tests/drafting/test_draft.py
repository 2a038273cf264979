"""Drafts: what is written down of columns, in few lines, without looking at private rows."""

import tomllib
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reaedp import Category, Contract, DeclarationError, Files, Integer, Plan
from reaedp.contract.document import FILL_IN
from reaedp.contract.notation import Notation
from reaedp.drafting.contract_text import by_type, contract_text
from reaedp.drafting.draft import drafted
from reaedp.drafting.drafted import Drafted
from reaedp.drafting.heading import Heading
from reaedp.drafting.plan_text import TOGETHER, plan_text
from reaedp.drafting.words import all_in_words, in_words
from reaedp.plan.plan import KINDS

ANSWERED = Heading(name="office", change="add-remove", epsilon=1.0, delta=1e-6, ledger="budget.sqlite")
HOSTILE = 'a "quoted"\nname\\ with . dots'
WORDS = {
    "age": "integer:0:120",
    "pay": "number:0:5000.5:25",
    "sex": "category:f:m",
    "ill": "boolean",
    "seen": "date:2024-01-01:2024-12-31:month",
}


def facts(name: str, words: str) -> dict[str, Any]:
    return dict(in_words(name, words).facts)


def test_words_say_what_a_contract_says() -> None:
    public = {"provenance": "public"}
    assert {"kind": "integer", "lower": 0, "upper": 120, **public} == facts("age", "integer:0:120")
    assert {"kind": "integer", "lower": 0, "upper": 120, "width": 5, **public} == facts("age", "integer:0:120:5")
    assert {"kind": "number", "lower": 0, "upper": 1.5, "bins": 3, **public} == facts("x", "number:0:1.5:3")
    assert {"kind": "number", "lower": 0, "upper": 1, "bins": 20, **public} == facts("x", "number:0:1")
    assert {"kind": "category", "levels": ["f", "m"], **public} == facts("sex", "category:f:m")
    assert {"kind": "category", "levels": ["8:00", "9:00"], **public} == facts("at", "category:8:00|9:00")
    assert {"kind": "boolean", **public} == facts("ill", "boolean")
    day = {"kind": "date", "lower": date(2020, 1, 1), "upper": date(2020, 12, 31), "every": "week", **public}
    assert day == facts("d", "date:2020-01-01:2020-12-31:week")


def test_bounds_levels_and_their_provenance_are_never_made_up() -> None:
    for kind, keys in (("integer", ("lower", "upper")), ("category", ("levels",)), ("date", ("lower", "upper"))):
        open_facts = facts("x", kind)
        assert {FILL_IN} == {open_facts[key] for key in (*keys, "provenance")}
    assert FILL_IN == facts("x", "number:0")["upper"]


@pytest.mark.parametrize(
    "words",
    ["text", "integer:a:b", "integer:0:120:1:1", "integer:9:1", "date:2020-13-01:2021-01-01", "number:0:1:0", ""],
)
def test_words_that_mean_nothing_are_refused_with_the_forms_there_are(words: str) -> None:
    with pytest.raises(DeclarationError, match="x"):
        in_words("x", words)


def test_one_option_may_speak_of_many_columns() -> None:
    found = all_in_words(["age=integer:0:120, sex=category:f:m,town=category:Bonn, old:Ulm", "ill=boolean"])
    assert ["age", "sex", "town", "ill"] == list(found)
    assert ["Bonn, old", "Ulm"] == found["town"].facts["levels"]
    with pytest.raises(DeclarationError, match="NAME=KIND"):
        all_in_words(["integer:0:120"])


def columns(**words: str) -> list[Drafted]:
    return [in_words(name, text) for name, text in (words or WORDS).items()]


def test_a_draft_is_toml_in_which_every_open_question_is_marked(tmp_path: Path) -> None:
    types = {"age": "DOUBLE", "visits": "BIGINT", "born": "DATE", HOSTILE: "VARCHAR", "ill": "BOOLEAN"}
    text = contract_text([by_type(name, kind) for name, kind in types.items()])
    assert set(types) == set(tomllib.loads(text)["columns"])
    path = tmp_path / "contract.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DeclarationError) as found:
        Contract.load(path)
    assert text.count(f'= "{FILL_IN}"') == len(found.value.mistakes)


def test_a_column_takes_at_most_three_lines() -> None:
    """A hundred columns of a codebook with labels add at most three hundred lines to what every contract has."""
    book = [
        Drafted.of(f"q{n}", "category", "public: book.csv", {"levels": ["1", "2"]}, label="A question")
        for n in range(100)
    ]
    assert contract_text(book).count("\n") - contract_text([]).count("\n") <= 300
    assert contract_text(columns()).count("\n") - contract_text([]).count("\n") == len(WORDS)


def test_a_draft_says_which_columns_it_leaves_out() -> None:
    text = contract_text(
        columns(), left_out={"name": "", "note": "which has more than 50 different texts", HOSTILE: ""}
    )
    assert "# Columns of the data that are left out: name, " in text
    assert "# Left out: note, which has more than 50 different texts." in text
    assert set(WORDS) == set(tomllib.loads(text)["columns"])


def written(folder: Path, drafts: list[Drafted], heading: Heading, files: Files | None = None) -> tuple[Path, Path]:
    contract, plan = folder / "contract.toml", folder / "plan.toml"
    contract.write_text(contract_text(drafts, heading, files), encoding="utf-8")
    plan.write_text(plan_text("contract.toml", drafts, heading), encoding="utf-8")
    return contract, plan


@pytest.mark.parametrize("change", ["add-remove", "replace"])
@pytest.mark.parametrize("more", [{}, {"at_least": 1000}, {"person": "id", "max_rows": 3}])
def test_contract_and_plan_are_whole_once_the_privacy_questions_are_answered(
    tmp_path: Path, change: str, more: dict[str, Any]
) -> None:
    heading = Heading(name="office", change=change, epsilon=1.0, delta=1e-6, ledger="b.sqlite", **more)
    _, plan = written(tmp_path, columns(), heading)
    made = Plan.load(plan)
    assert made.requests()
    assert list(WORDS) == [column.name for column in made.contract.columns]
    assert sum(release.share or 0 for release in made.releases) <= TOGETHER


def test_every_kind_that_is_a_comment_in_the_plan_can_be_taken_out_of_it(tmp_path: Path) -> None:
    heading = Heading(name="x", change="add-remove", at_least=1000, epsilon=1.0, delta=1e-6, ledger="b.sqlite")
    _, plan = written(tmp_path, columns(), heading)
    lines = plan.read_text().splitlines()
    taken = [line.removeprefix("# ") if line.startswith("# [[") or " = " in line else line for line in lines]
    plan.write_text("\n".join(taken))
    kinds = [release.kind for release in Plan.load(plan).releases]
    curves_and_pictures = {"mean-curve", "synthetic-curves", "image"}
    assert KINDS.keys() - curves_and_pictures == set(kinds)
    assert Plan.load(plan).requests()


@pytest.mark.slow
@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=12, unique=True))
def test_any_names_make_a_contract_and_a_plan_that_can_be_read(names: list[str]) -> None:
    drafts = [in_words(name, "category:a:b") for name in names]
    contract, plan = tomllib.loads(contract_text(drafts, ANSWERED)), tomllib.loads(plan_text("c.toml", drafts))
    assert names == list(contract["columns"])
    releases = [release["name"] for release in plan["release"]]
    assert len(releases) == len({name.lower() for name in releases})
    assert all(name.isascii() for name in releases)


def test_the_first_source_that_knows_a_column_speaks_of_it() -> None:
    said = {"age": in_words("age", "integer:0:99")}
    book = {"age": in_words("age", "integer:0:120"), "sex": in_words("sex", "category:f:m")}
    draft = drafted(dict.fromkeys(("id", "age", "sex"), "VARCHAR"), [said, book], None, "id", None)
    assert [99, ["f", "m"]] == [draft.columns[0].facts["upper"], draft.columns[1].facts["levels"]]
    assert {} == draft.left_out


def test_columns_that_nobody_knows_are_left_out_unless_they_are_wanted() -> None:
    types = dict.fromkeys(("age", "note"), "VARCHAR")
    said = {"age": in_words("age", "integer:0:99")}
    assert {"note": ""} == drafted(types, [said], None, None, None).left_out
    wanted = drafted(types, [said], ["age", "note"], None, None)
    assert ["note"] == [column.name for column in wanted.open]
    assert ["age", "note"] == [column.name for column in drafted(types, [], None, None, None).columns]
    with pytest.raises(DeclarationError, match="Did you mean 'age'"):
        drafted(types, [{"agee": said["age"]}], None, None, None)


def test_what_a_codebook_says_of_all_columns_is_said_once() -> None:
    notes = Notation(missing=("NA",)), Notation(missing=("NA",), dates=("%d.%m.%Y",))
    book = {
        name: Drafted.of(name, "boolean", "public", {}, notation=note)
        for name, note in zip(("a", "b"), notes, strict=True)
    }
    draft = drafted(dict.fromkeys(book, "VARCHAR"), [book], None, None, Files(separator=";"))
    assert {"missing": ["NA"], "separator": ";", "columns": {"b": {"dates": ["%d.%m.%Y"]}}} == (
        draft.files or Files()
    ).facts()


def test_a_draft_reads_its_files_as_it_was_told(tmp_path: Path) -> None:
    files = Files.read({"separator": ";", "decimal": ",", "columns": {"seen": {"dates": ["%d.%m.%Y"]}}})
    contract, _ = written(tmp_path, columns(), ANSWERED, files)
    assert files.facts() == (Contract.load(contract).files or Files()).facts()


def test_provenance_may_name_the_public_file() -> None:
    column = Integer(name="age", lower=0, upper=9, provenance="public: last year.csv")
    assert "public: last year.csv" == column.provenance
    for wrong in ("public:", "public: ", "public: a\nb", "private", "public: " + 500 * "x"):
        with pytest.raises(DeclarationError, match="provenance"):
            Category(name="x", levels=("a",), provenance=wrong)
    with pytest.raises(DeclarationError, match="entry"):
        Integer(name="age", lower=0, upper=9, provenance="public: x.csv", entry=3)


def test_a_heading_has_no_defaults_and_knows_what_is_open() -> None:
    assert ("name", "change", "epsilon", "delta", "ledger") == Heading().open
    assert () == ANSWERED.open
    assert ("max_rows",) == replace(ANSWERED, person="id").open
    assert 'max_rows = "FILL IN"' in contract_text([], replace(ANSWERED, person="id"))
    for wrong in ({"epsilon": -1.0}, {"delta": 2.0}, {"change": "swap"}, {"max_rows": 3}, {"at_least": 0}):
        with pytest.raises(DeclarationError):
            Heading(**wrong)  # type: ignore[arg-type]
