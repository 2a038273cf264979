"""Words for people: labels, descriptions and units of measure of columns, curves and releases."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from reaedp import Category, Contract, Marginal, MutualInformation, Number, Plan, verify
from reaedp.cli.screen import console, show_plan
from reaedp.errors import DeclarationError
from reaedp.plan.forecast import Forecast
from reaedp.plan.labelled import labelled
from report_support import contract, counted, people, published

AGE = Number(name="age", lower=0, upper=8, bins=8, provenance="public")
SEX = Category(name="sex", levels=("f", "m"), provenance="public")
TOLD_AGE = replace(AGE, label="Age at entry", description="In completed years.", unit_of_measure="years")


def test_a_contract_without_words_keeps_its_fingerprint_and_words_are_part_of_it(tmp_path: Path) -> None:
    plain, told = (contract(tmp_path, (column, SEX)) for column in (AGE, TOLD_AGE))
    # Computed before columns could have words.
    assert "26130ea83f8cb1f12aa2ebdd3ba4dba736d21110d5d19f4ca23659385a51434d" == plain.fingerprint
    assert plain.fingerprint != told.fingerprint


@pytest.mark.parametrize(
    ("key", "value"),
    [("label", ""), ("label", "x" * 101), ("label", 7), ("description", "a\nb"), ("unit_of_measure", "\u202eyears")],
)
def test_words_that_are_none_are_refused_with_their_key(key: str, value: object) -> None:
    with pytest.raises(DeclarationError, match=rf"columns\.age\.{key} must be 1 to "):
        replace(AGE, **{key: value})  # type: ignore[arg-type]
    with pytest.raises(DeclarationError, match=f"^{key} must be 1 to "):
        counted("ages", "histogram", "age", **{key: value})


def test_titles_speak_of_labels_and_two_columns_are_never_called_the_same(tmp_path: Path) -> None:
    terms = contract(tmp_path, (TOLD_AGE, replace(SEX, label="Age at entry")))
    assert "histogram of Age at entry" == labelled(Marginal("age"), terms).title
    both = labelled(MutualInformation(("age",), ("sex",)), terms).title
    assert "Age at entry" in both
    assert "Age at entry (2)" in both
    (request,) = Plan(terms, (counted("ages", "histogram", "age"),)).requests()
    assert "histogram of Age at entry" == Forecast.of(request, terms).title
    assert "histogram of age" == request.statistic.title


def test_a_plan_is_shown_in_labels_and_not_in_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bits = counted("bits_q7", "entropy", "age", label="Diversity of ages")
    ages = counted("ages_q7", "histogram", "age", label="Ages at entry")
    with capsys.disabled(), console.capture() as shown:
        show_plan(Plan(contract(tmp_path, (AGE, SEX)), (ages, bits)))
    said = shown.get()
    assert "Ages at entry: Counts are off by" in said
    assert "Diversity of ages: Off by about" in said
    assert "The release Ages at entry of this plan" in said
    assert "_q7" not in said


def test_words_of_contract_and_plan_reach_the_folder_and_its_page(tmp_path: Path) -> None:
    (tmp_path / "contract.toml").write_text(
        f"""
        dataset = {{ name = "clinic" }}
        unit = {{ change = "add-remove" }}
        budget = {{ epsilon = 4.0, delta = 1e-6, ledger = "{contract(tmp_path).ledger}" }}
        [columns.age]
        kind = "integer"
        lower = 0
        upper = 7
        provenance = "public"
        label = "Age at entry"
        unit_of_measure = "years"
        """,
        encoding="utf-8",
    )
    terms = Contract.load(tmp_path / "contract.toml")
    said = {"label": "How old people are", "description": "All people.", "unit_of_measure": "people"}
    place = published(tmp_path, Plan(terms, (counted("ages", "histogram", "age", **said),)), people())
    assert verify(place)
    assert {"ages": said} == json.loads((place / "release.json").read_text(encoding="utf-8"))["wording"]
    words = (place / "README.txt").read_text(encoding="utf-8")
    page = (place / "report.html").read_text(encoding="utf-8")
    for text in ("How old people are", "All people.", "Age at entry (years)"):
        assert text in words
        assert text in page
    assert "95 % confidence: ±" in page
