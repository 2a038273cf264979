"""The ledger: entries in words, the bar, forecasts, checks, a larger budget with its reason, two people."""

import json
from pathlib import Path

import pytest

from project_support import ready
from reaedp import Budget, Ledger, Unit
from reaedp.ledger import entry
from reaedp.ledger.entry import Charge
from reaedp.privacy.loss import PureDP
from studio_support import Guest, form_fields, text_of

PLACE = "/p/own/ledger"
UNIT = Unit("add-remove", at_least=30)


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    own = ready(tmp_path)
    with Ledger.open(own / "budget.sqlite") as book:
        for name in ("own", "<b>other</b>"):
            book.register(name, Budget(1.0, 1e-6), UNIT)
            book.charge([Charge(name, "counts of sex", "laplace, scale 2.5e+08", (PureDP(0.25),), UNIT, "a" * 64)])
    return Guest(tmp_path)


def book_of(guest: Guest) -> Ledger:
    return Ledger.open(guest.folder / "own" / "budget.sqlite")


def test_a_ledger_is_made_by_an_act_of_its_own(tmp_path: Path) -> None:
    own, guest = ready(tmp_path, ledger=False), Guest(tmp_path)
    assert "There is no ledger at this place yet." in guest.page(PLACE)
    assert not (own / "budget.sqlite").exists()
    to = guest.done(f"{PLACE}/create", {}, at=PLACE)
    assert "The ledger was created." in guest.page(to)
    again = guest.act(f"{PLACE}/create", {})
    assert "already" in text_of(again.text)


def test_entries_bars_and_several_data_sets_are_shown(guest: Guest) -> None:
    page = guest.page(PLACE)
    words = text_of(page)
    assert 2 == words.count("ε 0.25 of 1 spent, ε 0.75 left at δ = 1 × 10⁻⁶.")
    assert "own: charged ε = 0.25 for counts of sex, laplace" in words
    assert "scale" not in words
    assert "charged, not finished" in words
    assert "<b>other" not in page
    forecast = text_of(guest.page(PLACE, epsilon="0.25"))
    assert "own: 3 more" in forecast
    assert "must be a number" in text_of(guest.ask(PLACE, epsilon="much").text)


def test_the_whole_ledger_is_checked_and_damage_is_said(guest: Guest) -> None:
    assert "4 entries are intact." in guest.page(guest.done(f"{PLACE}/verify", {}, at=PLACE))
    assert "intact" not in text_of(guest.page(PLACE, done="<b>intact</b>")).replace("Integrity", "")
    path = guest.folder / "own" / "budget.sqlite"
    path.write_bytes(b"This is not a ledger." * 200)
    page = guest.ask(PLACE)
    assert "ledger" in text_of(page.text)
    assert page.status_code in (200, 503)


def test_a_checkpoint_and_an_export_are_files_of_the_command(guest: Guest) -> None:
    saved = guest.ask(f"{PLACE}/checkpoint")
    assert "attachment" in saved.headers["content-disposition"]
    path = guest.folder / "checkpoint.json"
    path.write_text(saved.text)
    with book_of(guest) as book:
        assert 4 == book.verify(path)
    assert ["register", "charge"] * 2 == [one["kind"] for one in json.loads(guest.page(f"{PLACE}/export"))]


def test_a_budget_is_raised_once_with_a_reason_and_never_lowered(guest: Guest) -> None:
    fields = form_fields(guest.page(PLACE), f"{PLACE}/raise") | {"dataset": "own"}
    for wrong in ({"epsilon": "2"}, {"epsilon": "", "reason": "x"}, {"epsilon": "0.5", "reason": "x"}):
        assert 400 == guest.act(f"{PLACE}/raise", fields | wrong).status_code, wrong
    right = fields | {"epsilon": "2", "reason": "A second wave of the survey."}
    assert 303 == guest.act(f"{PLACE}/raise", right).status_code
    assert 400 == guest.act(f"{PLACE}/raise", right | {"epsilon": "3"}).status_code
    assert "raised to ε = 2, δ = 1 × 10⁻⁶. Reason: A second wave of the survey." in text_of(guest.page(PLACE))
    with book_of(guest) as book:
        assert Budget(2.0, 1e-6) == book.budget("own")
    assert 400 == guest.act(f"{PLACE}/raise", right | {"dataset": "none"}).status_code


def test_two_people_are_required_and_only_two_lift_it(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    def rule(user: str, what: str, reason: str = "The board's decision.") -> int:
        monkeypatch.setattr(entry, "user_name", lambda: user)
        form = {"dataset": "own", "what": what, "reason": reason}
        return int(guest.act(f"{PLACE}/rule", form).status_code)

    assert 400 == rule("ann", "set", reason="")
    assert 303 == rule("ann", "set")
    assert 400 == rule("ann", "set")
    assert "Needs two people." in text_of(guest.page(PLACE))
    assert 400 == rule("ann", "lift")
    assert 303 == rule("ann", "approve")
    assert 400 == rule("ann", "lift")
    assert 303 == rule("bob", "lift")
    with book_of(guest) as book:
        assert not book.needs_two_people("own")
        assert 7 == book.verify()
