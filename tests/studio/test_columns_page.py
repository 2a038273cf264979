"""Columns: empty at first, mistakes beside their fields, and what is bought is charged once."""

import re
import tomllib
from pathlib import Path

import pytest

from reaedp import Contract, Ledger
from reaedp.studio.column_form import ColumnForm
from reaedp.studio.form import Form
from studio_support import Guest, form_fields, text_of

UNIT = {"several": "no", "together": "no", "secret": "yes", "at_least": "skip"}
BUDGET = {"epsilon": "1", "delta": "1e-6", "ledger": "budget.sqlite"}
RIGHT = {"c1.kind": "category", "c1.category.levels": "f\nm", "c1.provenance": "public"}


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    guest = Guest(tmp_path)
    guest.act("/projects", {"start": "own", "name": "own"})
    rows = "".join(f"{i % 90},{'fm'[i % 2]}\n" for i in range(400))
    (tmp_path / "own" / "people.csv").write_text(f"age,sex\n{rows}", encoding="utf-8")
    guest.done("/p/own/data", {}, data="people.csv")
    guest.done("/p/own/unit", {"accepted": "yes"}, **UNIT)
    return guest


def test_privacy_fields_start_empty(guest: Guest) -> None:
    own = {"csrf", "version", "c0.name", "c1.name"}
    for page in ("columns", "budget"):
        fields = form_fields(guest.page(f"/p/own/{page}"), f"/p/own/{page}")
        filled = {name for name, value in fields.items() if value and name not in own}
        assert filled <= {"prior", "alarm"}  # which picture is drawn, and nothing about the data
    assert "Choose ε" not in guest.page("/p/own/plan")


def test_mistakes_stand_beside_their_fields_and_together_and_the_rest_is_saved(guest: Guest) -> None:
    wrong = {"c0.kind": "integer", "c0.integer.lower": "1O", "c0.integer.upper": "12.5", "c0.provenance": "public"}
    answer = guest.send("/p/own/columns", RIGHT | wrong)
    assert 400 == answer.status_code
    words = text_of(answer.text)
    assert "2 things need to be fixed" in words
    for key, given in (("lower", "&#39;1O&#39;"), ("upper", "12.5")):
        mistake = f"columns.age.{key} must be a whole number between -2^53 and 2^53; given {given}."
        assert 2 == answer.text.count(mistake)  # in the list, and beside the field
        assert f'id="c0.integer.{key}-wrong">columns.age.{key}' in answer.text
    assert "1O" == form_fields(answer.text, "/p/own/columns")["c0.integer.lower"]
    contract = (guest.folder / "own" / "contract.toml").read_text()
    assert 'sex = { kind = "category", levels = ["f", "m"], provenance = "public" }' in contract
    assert 'age = { kind = "FILL IN" }' in contract
    assert "to be fixed" not in guest.page("/p/own/columns")  # no warning that is no longer true


def test_what_is_half_filled_in_is_kept_and_marked(guest: Guest) -> None:
    some = {"c0.kind": "number", "c0.number.lower": "0", "c0.label": "Age"}
    assert "/p/own/columns?saved=yes" == guest.done("/p/own/columns", some)
    fields = form_fields(guest.page("/p/own/columns"), "/p/own/columns")
    assert ("number", "0", "", "Age") == tuple(
        fields[f"c0.{key}"] for key in ("kind", "number.lower", "number.upper", "label")
    )
    with pytest.raises(Exception, match=r"columns\.age\.upper is not filled in yet"):
        Contract.load(guest.folder / "own" / "contract.toml")


def test_bounds_that_can_be_read_in_two_ways_are_asked_about(guest: Guest) -> None:
    wrong = {"c0.kind": "number", "c0.number.lower": "0", "c0.number.upper": "12.000", "c0.number.bins": "5"}
    answer = guest.send("/p/own/columns", RIGHT | wrong | {"c0.provenance": "public"})
    assert "columns.age.upper can be read in two ways: write 12000, or 12.0; given" in text_of(answer.text)
    right = guest.send("/p/own/columns", RIGHT | wrong | {"c0.provenance": "public", "c0.number.upper": "12000"})
    assert 303 == right.status_code


def test_a_card_says_what_it_still_needs(guest: Guest) -> None:
    guest.done("/p/own/columns", {"c0.kind": "date", "c0.date.lower": "2020-01-01"})
    page = text_of(guest.page("/p/own/columns", saved="yes"))
    assert "needs: the last day, a bar for every …, how you know" in page
    assert "Saved." in page


def test_every_kind_goes_into_a_form_and_back() -> None:
    from datetime import date

    from reaedp.drafting.drafted import Drafted

    for facts in (
        {"kind": "number", "lower": 0.5, "upper": 10, "bins": 4, "outside": "drop", "provenance": "public"},
        {"kind": "number", "edges": [0, 0.5, 2], "provenance": "public: survey"},
        {"kind": "integer", "lower": 0, "upper": 9, "width": 5, "unit_of_measure": "years", "provenance": "public"},
        {"kind": "category", "levels": ["a b", "c,d"], "unseen": "drop", "provenance": "public"},
        {"kind": "boolean", "null": "drop", "provenance": "public"},
        {"kind": "date", "lower": date(2020, 1, 1), "upper": date(2021, 1, 1), "every": "week", "provenance": "public"},
        {"kind": "number", "lower": 0, "upper": 5, "bins": 5, "provenance": "dp", "entry": 3},
    ):
        column = Drafted("a.b = c", facts, "In words")
        card = ColumnForm.of(column)
        kind = str(facts["kind"])
        own = {f"c0.{kind}.{key}": [text] for key, text in card.values.items()}
        common = {f"c0.{key}": [card.values.get(key, "")] for key in ("kind", "label", "provenance", "source")}
        words = {f"c0.{key}": [card.values.get(key, "")] for key in ("unit_of_measure", "description")}
        sent = ColumnForm.sent(Form({"c0.name": [column.name], **own, **common, **words}), 0)
        assert column == sent.drafted(column)
        assert () == card.open


def test_nothing_can_be_bought_before_there_is_a_budget(guest: Guest) -> None:
    answer = guest.ask("/p/own/columns/buy", column="age", what="bounds", epsilon="0.1", bins="5")
    assert "budget.epsilon is not filled in yet" in answer.text
    assert "Spend and find out" not in answer.text


def test_what_is_bought_is_priced_first_and_charged_once(guest: Guest) -> None:
    guest.done("/p/own/budget", BUDGET)
    order = {"column": "age", "what": "bounds", "epsilon": "0.5", "bins": "5"}
    page = guest.page("/p/own/columns/buy", **order)
    assert "This spends ε 0.5 for ever" in text_of(page)
    with Ledger.open(guest.folder / "own" / "budget.sqlite") as book:
        assert () == book.datasets()
    form = form_fields(page, "/p/own/columns/buy")
    assert 400 == guest.act("/p/own/columns/buy", form).status_code  # nobody typed the name
    assert 303 == guest.act("/p/own/columns/buy", {**form, "confirmed": "own"}).status_code
    for _ in range(2):  # a second click, and the page loaded again
        again = guest.act("/p/own/columns/buy", {**form, "confirmed": "own"})
        assert "Nothing more was charged" in again.text
    with Ledger.open(guest.folder / "own" / "budget.sqlite") as book:
        assert 1 == len([entry for entry in book.history() if entry.kind == "charge"])
        assert book.spent("own") <= 0.5
    assert 'provenance = "dp"' in (guest.folder / "own" / "contract.toml").read_text()
    assert "Bought from the data" in guest.page("/p/own/columns")


def test_a_purchase_that_does_not_fit_is_refused_before_the_data_is_opened(guest: Guest) -> None:
    guest.done("/p/own/budget", BUDGET)
    page = guest.ask("/p/own/columns/buy", column="age", what="levels", epsilon="1.5", delta="1e-7")
    (guest.folder / "own" / "people.csv").unlink()
    assert "does not fit into what is left" in page.text
    assert "Spend and find out" not in page.text


def test_two_hundred_columns_have_two_hundred_cards_and_eight_of_them_stand_open(guest: Guest) -> None:
    (guest.folder / "own" / "wide.csv").write_text(",".join(f"x{i}" for i in range(200)) + "\n")
    guest.done("/p/own/data", {}, data="wide.csv")
    page = guest.page("/p/own/columns")
    assert 200 == len(re.findall(r'id="column-\d+"', page))
    assert 8 == len(re.findall(r'class="column panel" id="column-\d+" open', page))
    assert "card=x150#column-150" in page  # the others are opened by their names
    described = {"c150.kind": "boolean", "c150.provenance": "public"}
    guest.done("/p/own/columns", described, card="x150")
    columns = tomllib.loads((guest.folder / "own" / "contract.toml").read_text())["columns"]
    assert {"kind": "boolean", "provenance": "public"} == columns.pop("x150")
    assert [{"kind": "FILL IN"}] * 199 == list(columns.values())  # what was not on the page stays as it was
