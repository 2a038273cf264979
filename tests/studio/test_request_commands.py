"""Requests, answers and the two-person rule by commands: what they write is what the studio writes."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from project_support import PLAN, ready
from reaedp import Ledger
from reaedp.cli.app import app
from reaedp.errors import DeclarationError
from reaedp.ledger import entry
from reaedp.plan.plan import Plan
from studio_support import Guest
from test_same_files import run

FILE, ANSWER = "own-1.request.toml", "own-1.answer.toml"
CHEAPER = PLAN.replace("0.5", "0.1")


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    ready(tmp_path / "clicked")
    return Guest(tmp_path / "clicked")


def acts(folder: Path) -> list[dict[str, Any]]:
    """What the ledger of a project says, but for time and hashes."""
    with Ledger.open(folder / "budget.sqlite") as book:
        records = [entry.record for entry in book.history()]
    return [{key: value for key, value in one.items() if key not in ("time", "hash", "previous")} for one in records]


@pytest.mark.parametrize(("answer", "option"), [("approve", "--approve"), ("refuse", "--refuse")])
def test_a_request_is_decided_by_commands_as_in_the_studio(
    guest: Guest, tmp_path: Path, answer: str, option: str
) -> None:
    clicked, typed = guest.folder / "own", ready(tmp_path / "typed")
    guest.done("/p/own/requests/ask", {"asked_by": "Ann", "note": "For a report."}, at="/p/own/requests")
    run(typed, f"request write plan.toml --by Ann --note 'For a report.' --out {FILE}")
    for folder in (clicked, typed):
        (folder / "plan.toml").write_text(CHEAPER)
    sent = {"file": FILE, "answer": answer, "reason": "As agreed."}
    assert 303 == guest.send("/p/own/requests/decide", sent, at="/p/own/requests").status_code
    run(typed, f"request decide {FILE} contract.toml {option} --reason 'As agreed.'")
    for name in (FILE, ANSWER, "plan.toml"):
        assert (clicked / name).read_bytes() == (typed / name).read_bytes(), name
    assert (0.5 if answer == "approve" else 0.1) == Plan.load(typed / "plan.toml").releases[0].epsilon
    assert ["register", "decide"] == [one["kind"] for one in acts(typed)]
    assert acts(clicked) == acts(typed)


def test_what_an_analyst_gets_by_a_command_is_what_the_studio_sends(guest: Guest) -> None:
    run(guest.folder / "own", "request package contract.toml --out for-analysts.zip")
    sent = guest.ask("/p/own/requests/package").content
    assert sent == (guest.folder / "own" / "for-analysts.zip").read_bytes()


def test_a_request_is_shown_with_price_error_risk_and_rest(guest: Guest) -> None:
    own = guest.folder / "own"
    run(own, f"request write plan.toml --by Ann --note 'For a report.' --out {FILE}")
    said = run(own, f"request show {FILE} contract.toml")
    assert "Requested by Ann: For a report." in said
    assert "Together ε = 0.5. 0.5 would be left." in said
    assert "can raise it to at most 15 in 100" in said
    assert "sexes:" in said


def refused(folder: Path, *words: str) -> str:
    done = CliRunner().invoke(app, [str(folder / word) if "." in word else word for word in words])
    assert isinstance(done.exception, DeclarationError), done.output
    return str(done.exception)


def test_wrong_requests_are_refused_and_change_nothing(guest: Guest) -> None:
    own = guest.folder / "own"
    assert "must end in .request.toml" in refused(
        own, "request", "write", "plan.toml", "--by", "Ann", "--note", "n", "--out", "own.toml"
    )
    run(own, f"request write plan.toml --by Ann --note n --out {FILE}")
    decide = ("request", "decide", FILE, "contract.toml", "--approve", "--reason")
    assert "reason" in refused(own, *decide, "")
    run(own, f"request decide {FILE} contract.toml --refuse --reason x")
    assert "has already been answered" in refused(own, *decide, "x")
    (own / ANSWER).unlink()
    text = (own / "contract.toml").read_text()
    (own / "contract.toml").write_text(text.replace('"f", "m"', '"f", "m", "x"'))
    before = (own / "plan.toml").read_bytes()
    assert "another contract" in refused(own, *decide, "x")
    assert before == (own / "plan.toml").read_bytes()


def test_the_two_person_rule_is_set_and_lifted_by_commands(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    own = guest.folder / "own"
    run(own, f"request write plan.toml --by Ann --note n --out {FILE}")

    def rule(user: str, what: str) -> str | None:
        monkeypatch.setattr(entry, "user_name", lambda: user)
        words = ["ledger", "two-people", str(own / "budget.sqlite"), what, "--dataset", "own", "--reason", "The board."]
        done = CliRunner().invoke(app, words)
        assert done.exception is None or isinstance(done.exception, DeclarationError), done.output
        return None if done.exception is None else str(done.exception)

    assert "data set" in str(rule("ann", "require"))  # which is not known yet
    run(own, f"request decide {FILE} contract.toml --approve --reason first")
    assert "is not in force" in str(rule("ann", "lift"))
    assert rule("ann", "require") is None
    assert "is already in force" in str(rule("ann", "require"))
    with Ledger.open(own / "budget.sqlite") as book:
        assert book.needs_two_people("own")
    assert "needs two people" in str(rule("ann", "lift"))
    assert rule("ann", "approve-lifting") is None
    assert "needs two people" in str(rule("ann", "lift"))
    assert rule("bob", "lift") is None
    with Ledger.open(own / "budget.sqlite") as book:
        assert not book.needs_two_people("own")
