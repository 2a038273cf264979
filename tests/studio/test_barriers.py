"""Look and evaluate: truth is the answer to an act behind a barrier, and no address shows it."""

import threading
from pathlib import Path
from typing import Any

import pytest

from project_support import ROWS, ready
from reaedp.evaluation import look as looking
from reaedp.evaluation.line import Line
from reaedp.plan.plan import Plan
from reaedp.release.publication import publish
from reaedp.studio.pages import evaluate as evaluating
from studio_support import Guest, text_of
from test_same_files import run

LOOK, EVALUATE = "/p/own/look", "/p/own/evaluate"


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    ready(tmp_path, rows=f"{ROWS}n/a,x\n")
    return Guest(tmp_path)


def looked(guest: Guest) -> None:
    """Wait until a look is over."""
    work = guest.workspace.works.at((guest.folder / "own", "look"))
    assert work is not None
    assert work.ended.wait(60)


def test_a_look_needs_the_custodians_word_and_is_not_kept(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "causes", lambda *_: ())  # each cause that is tried is a count of its own
    files = sorted(path.name for path in (guest.folder / "own").iterdir())
    assert 400 == guest.send(LOOK, {}).status_code
    assert guest.workspace.works.at((guest.folder / "own", "look")) is None
    assert f"{LOOK}?begun=yes" == guest.done(LOOK, {"custodian": "yes"})
    looked(guest)
    # A look that is over before its page comes is shown without another click; whoever comes back later is asked.
    assert ("Rows:" in guest.page(LOOK), "data-at-once" in guest.page(LOOK)) == (False, False)
    begun = guest.page(LOOK, begun="yes")
    assert ("Rows:" in begun, "data-at-once" in begun) == (False, True)
    assert 404 == guest.ask(f"{LOOK}/see").status_code
    seen = guest.send(f"{LOOK}/see", {}, at=LOOK)
    assert 200 == seen.status_code
    assert "no-store" == seen.headers["cache-control"]
    words = text_of(seen.text)
    assert "Rows: 41." in words
    assert "Not to be published" in words
    assert "Rows:" not in guest.page(LOOK)
    again = guest.act(f"{LOOK}/see", {})
    assert (400, False) == (again.status_code, "Rows:" in again.text)
    assert files == sorted(path.name for path in (guest.folder / "own").iterdir())


def test_a_look_is_shown_to_the_session_that_asked_for_it(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "causes", lambda *_: ())
    guest.done(LOOK, {"custodian": "yes"})
    looked(guest)
    other = guest.beside()
    assert "Show the result" not in other.page(LOOK)
    refused = other.act(f"{LOOK}/see", {})
    assert (400, False) == (refused.status_code, "Rows:" in refused.text)
    assert "Rows: 41." in text_of(guest.act(f"{LOOK}/see", {}).text)


def test_a_long_look_tells_its_stage_and_can_be_stopped(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    counting, go_on = threading.Event(), threading.Event()

    def slow(*_: object) -> tuple[object, ...]:
        counting.set()
        assert go_on.wait(60)
        return ()

    monkeypatch.setattr(looking, "troubles_of", slow)
    guest.done(LOOK, {"custodian": "yes"})
    assert counting.wait(60)
    assert "counting cells…" in guest.page(f"{LOOK}/progress")
    page = guest.page(LOOK)
    assert "data-poll" in page
    assert "data-when-done" in page
    assert "data-when-done" not in guest.beside().page(LOOK)
    guest.done(f"{LOOK}/stop", {}, at=LOOK)
    assert "Stopping…" in guest.page(f"{LOOK}/progress")
    go_on.set()
    looked(guest)
    assert "Stopped. Nothing was kept." in guest.page(LOOK)
    assert "Stopped" not in guest.page(LOOK)


def test_a_look_at_nothing_says_what_it_needs(guest: Guest) -> None:
    (guest.folder / "own" / "contract.toml").unlink()
    assert "A look needs a complete contract" in guest.page(LOOK)
    assert 400 == guest.act(LOOK, {"custodian": "yes"}).status_code


@pytest.fixture
def released(guest: Guest) -> Guest:
    own = guest.folder / "own"
    publish(Plan.load(own / "plan.toml"), str(own / "people.csv"), own / "release-1", audited=False, page=False)
    return guest


def test_an_evaluation_lies_apart_and_opens_by_an_act_alone(released: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def measured(*_: object, progress: Any, counted: Any, **__: object) -> tuple[Line, ...]:
        progress("sexes: counts")
        counted("sexes: shadows", 1, 2)
        told.extend(work.stage for work in [released.workspace.works.at((released.folder / "own", "evaluate"))] if work)
        return (Line("sexes", "utility", "mean error, rows", 12.5),)

    monkeypatch.setattr(evaluating, "evaluate", measured)
    monkeypatch.setattr(evaluating, "custodian_report", lambda *_, **__: "<!doctype html>TRUTH 12.5")
    assert 400 == released.send(EVALUATE, {"folder": "release-1"}).status_code
    released.done(EVALUATE, {"folder": "release-1", "custodian": "yes", "shadows": "40"})
    work = released.workspace.works.at((released.folder / "own", "evaluate"))
    assert work is None or work.ended.wait(60)
    assert ["sexes: shadows, 1 of 2"] == told
    page = released.page(EVALUATE)
    assert "release-1-not-to-be-published is ready." in page
    assert "12.5" not in page
    opened = released.act(f"{EVALUATE}/open", {"folder": "release-1-not-to-be-published"})
    assert "TRUTH 12.5" in opened.text
    assert "no-store" == opened.headers["cache-control"]
    assert "sandbox" in opened.headers["content-security-policy"]
    for name in ("release-1", "..", "release-1-not-to-be-published/..", ""):
        assert 400 == released.act(f"{EVALUATE}/open", {"folder": name}).status_code
    assert 404 == released.ask(f"{EVALUATE}/open", folder="release-1-not-to-be-published").status_code
    own = released.folder / "own"
    secret = own / "release-1-not-to-be-published"
    names = {"NOT-TO-BE-PUBLISHED.txt", "evaluation.csv", "custodian-report.html"}
    assert names == {path.name for path in secret.iterdir()}
    assert all(0 == path.stat().st_mode & 0o077 for path in secret.iterdir())
    assert not list((own / "release-1").glob("*evaluation*"))


@pytest.mark.slow
def test_figures_of_an_evaluation_are_those_of_the_command(released: Guest) -> None:
    released.done(EVALUATE, {"folder": "release-1", "custodian": "yes"})
    work = released.workspace.works.at((released.folder / "own", "evaluate"))
    assert work is None or work.ended.wait(120)
    own = released.folder / "own"
    run(own, "evaluate release-1 --data people.csv --out typed")
    file = "evaluation.csv"
    assert (own / "typed" / file).read_bytes() == (own / "release-1-not-to-be-published" / file).read_bytes()


def test_an_evaluation_says_what_is_wrong_with_its_options(released: Guest) -> None:
    for wrong in ({"folder": "none"}, {"folder": "../own"}, {"folder": "release-1", "shadows": "many"}):
        assert 400 == released.act(EVALUATE, {"custodian": "yes", **wrong}).status_code
    released.done(EVALUATE, {"folder": "release-1", "custodian": "yes", "shadows": "3"})
    work = released.workspace.works.at((released.folder / "own", "evaluate"))
    assert work is None or work.ended.wait(60)
    assert "shadows must be 0 or at least" in text_of(released.page(EVALUATE))
