"""The audit: a verdict in words first, then the picture; it opens no data, and can be stopped."""

import threading
from pathlib import Path
from typing import Any

import pytest

from project_support import PLAN, ready
from reaedp.audits.request_audit import audit_request
from reaedp.plan.plan import Plan
from reaedp.studio.pages import audit as audit_page
from studio_support import Guest, text_of

PLACE = "/p/own/audit"


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    own = ready(tmp_path)
    (own / "people.csv").unlink()
    return Guest(tmp_path)


def ended(guest: Guest) -> str:
    work = guest.workspace.works.at((guest.folder / "own", "audit"))
    assert work is not None
    assert work.ended.wait(120)
    return guest.page(PLACE)


def short(plan: Plan, *, rng: Any, **_: object) -> Any:
    """One mechanism, a few times."""
    return list(audit_request(plan.requests()[0], plan.contract, rng=rng, runs=2_000))


def test_the_verdict_comes_first_in_words_then_the_picture(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_page, "audit_plan", short)
    assert PLACE == guest.done(PLACE, {"runs": "quick"})
    page = ended(guest)
    words = text_of(page)
    assert "Passed: none of" in words
    assert words.index("Passed: none of") < words.index("Correct guesses, and what is allowed")
    assert "correct guesses in" in words
    assert "changed since this audit" not in words
    (guest.folder / "own" / "plan.toml").write_text(PLAN.replace("0.5", "0.4"))
    assert "changed since this audit" in guest.page(PLACE)


@pytest.mark.slow
def test_the_audit_is_that_of_the_command(guest: Guest) -> None:
    guest.done(PLACE, {"runs": "quick"})
    assert "Passed: none of" in text_of(ended(guest))


def test_an_audit_tells_which_test_runs_and_can_be_stopped(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    told, go_on = threading.Event(), threading.Event()

    def slow(plan: Plan, *, progress: Any, **_: object) -> None:
        progress("replaying made-up neighbours")
        told.set()
        go_on.wait(60)
        progress("sexes")

    monkeypatch.setattr(audit_page, "audit_plan", slow)
    guest.done(PLACE, {})
    assert told.wait(60)
    assert "Test 1 of 2: replaying made-up neighbours" in guest.page(f"{PLACE}/progress")
    guest.done(f"{PLACE}/stop", {}, at=PLACE)
    go_on.set()
    assert "Stopped. The audit costs nothing" in ended(guest)
    assert "Stopped" not in guest.page(PLACE)
