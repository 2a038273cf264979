"""Releases: a confirmation charges once, whatever is clicked; what stops on the way is explained."""

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from project_support import PLAN, charges, ready
from reaedp import Ledger
from reaedp.curator import curator
from reaedp.errors import DeclarationError
from reaedp.mechanisms.noise import SeededNoise
from reaedp.release import publication
from reaedp.studio.journey import STEPS as JOURNEY
from reaedp.studio.releasing import STAGES, Confirmed
from reaedp.studio.spending import spending, state
from reaedp.studio.work import Work
from studio_support import Guest, form_fields, text_of
from test_same_files import run

PLACE = "/p/own/release"
TYPED = {"typed": "own"}


def without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Audit and report have tests of their own, and take most of the time of a release."""
    monkeypatch.setattr(publication, "audited_before", lambda *_: None)
    monkeypatch.setattr(publication, "public_report", lambda *_: "<!doctype html>")


@pytest.fixture
def guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Guest:
    without_waiting(monkeypatch)
    ready(tmp_path)
    return Guest(tmp_path)


def work_of(guest: Guest) -> Any:
    return guest.workspace.works.at((guest.folder / "own", "release"))


def finished(guest: Guest) -> str:
    """The page when the release is over."""
    assert work_of(guest).ended.wait(60)
    return text_of(guest.page(PLACE))


def test_the_confirmation_names_price_and_rest_and_must_be_typed(guest: Guest) -> None:
    page = text_of(guest.page(PLACE))
    assert "This spends ε 0.5 for ever. 0.5 will be left. It cannot be undone" in page
    assert "The ledger records the price, the time and your name" in page
    fields = form_fields(guest.page(PLACE), PLACE)
    assert "" == fields["typed"]
    refused = guest.act(PLACE, fields)
    assert 400 == refused.status_code
    assert "Type the name of the data set, own, to confirm" in text_of(refused.text)
    assert 0 == charges(guest.folder / "own")


def test_a_confirmed_release_is_written_checked_and_shown(guest: Guest) -> None:
    assert PLACE == guest.done(PLACE, TYPED)
    page = finished(guest)
    assert "Released. Charged, counted, noise added, written, checked." in page
    assert "which confirms this folder" in page
    assert "Women and men" in page
    report = guest.ask(f"{PLACE}/report", folder="release-1")
    assert "sandbox allow-scripts;" in report.headers["content-security-policy"]
    assert "no-store" == report.headers["cache-control"]
    assert 1 == charges(guest.folder / "own")
    again = text_of(guest.page(PLACE))
    assert "release-1" in again
    assert "0 will be left" in again


def test_the_same_form_charges_once_however_often_it_is_sent(guest: Guest) -> None:
    fields = {**form_fields(guest.page(PLACE), PLACE), **TYPED}
    answers = [guest.act(PLACE, fields).status_code for _ in range(3)]
    assert 303 == answers[0]
    finished(guest)
    late = guest.act(PLACE, {**fields, "folder": "release-2"})
    assert "perhaps by a second click" in text_of(late.text)
    assert 1 == charges(guest.folder / "own")
    assert ["release-1"] == [path.parent.name for path in (guest.folder / "own").glob("*/release.json")]


def test_what_was_confirmed_under_another_state_charges_nothing(guest: Guest) -> None:
    project = guest.workspace.project("own")
    assert project.plan is not None
    confirmed = Confirmed(project, project.plan, project.folder / "first", state(project))
    confirmed.release(Work("first"))
    with pytest.raises(DeclarationError, match="Nothing more was charged"):
        replace(confirmed, folder=project.folder / "second").release(Work("second"))
    assert 1 == charges(project.folder)


def test_one_at_a_time_spends_for_a_project(guest: Guest) -> None:
    project = guest.workspace.project("own")
    refused = pytest.raises(DeclarationError, match="in progress")
    with spending(project, state(project)), refused, spending(project, state(project)):
        pass
    with spending(project, state(project)):
        pass


def test_two_windows_and_two_servers_charge_once(guest: Guest) -> None:
    guests = [guest, guest, Guest(guest.folder), Guest(guest.folder)]
    forms = [{**form_fields(one.page(PLACE), PLACE), **TYPED} for one in guests]
    threads = [
        threading.Thread(target=one.act, args=(PLACE, form)) for one, form in zip(guests[1:], forms[1:], strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in guests[1:]:
        if (work := work_of(one)) is not None:
            assert work.ended.wait(60)
    assert 1 == charges(guest.folder / "own")


def test_overspending_is_refused_before_the_data_is_opened(guest: Guest) -> None:
    own = guest.folder / "own"
    (own / "plan.toml").write_text(PLAN.replace("0.5", "3.0"))
    (own / "people.csv").unlink()
    assert "more than is left" in guest.page(PLACE)
    refused = guest.send(PLACE, TYPED)
    assert 409 == refused.status_code
    assert "refused before the data was opened" in text_of(refused.text)
    assert work_of(guest) is None
    assert 0 == charges(own)


def test_a_release_can_be_stopped_until_the_charge_and_not_after(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    auditing, go_on = threading.Event(), threading.Event()

    def slow_audit(*_: object) -> None:
        auditing.set()
        go_on.wait(60)

    monkeypatch.setattr(publication, "audited_before", slow_audit)
    guest.done(PLACE, TYPED)
    assert auditing.wait(60)
    page = guest.page(PLACE)
    assert "Nothing is charged yet." in page
    assert "data-poll" in page
    guest.done(f"{PLACE}/stop", {}, at=PLACE)
    assert "Nothing will be charged." in guest.page(f"{PLACE}/progress")
    go_on.set()
    assert "Stopped before the charge. Nothing was charged" in finished(guest)
    assert 0 == charges(guest.folder / "own")
    assert "Stopped" not in guest.page(PLACE)


def test_stages_are_told_and_nothing_else(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    say = Work.say

    def noted(work: Any, stage: str, *, last_moment: bool = False) -> None:
        say(work, stage, last_moment=last_moment)
        told.append(stage)
        if last_moment:
            assert not work.stop()

    monkeypatch.setattr(Work, "say", noted)
    guest.done(PLACE, TYPED)
    finished(guest)
    assert list(STAGES) == list(dict.fromkeys(told))


def test_a_server_killed_after_the_charge_leaves_a_charge_that_is_explained(
    guest: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def kill(*_: object) -> None:
        raise Killed

    with Ledger.open(guest.folder / "own" / "budget.sqlite"), monkeypatch.context() as patched:
        patched.setattr(curator.Curator, "_answer", kill)
        patched.setattr(threading, "excepthook", lambda _: None)
        guest.done(PLACE, TYPED)
        assert work_of(guest).ended.wait(60)
    restarted = Guest(guest.folder)
    page = text_of(restarted.page(PLACE))
    assert "Entry 2: charged, not finished" in page
    assert "The charge stands, because noise may have been drawn" in page
    assert "0 will be left" in page


def test_a_folder_that_the_ledger_has_not_noted_is_explained(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ledger, "finish", lambda *_: None)
    guest.done(PLACE, TYPED)
    finished(guest)
    assert "The folder release-1 is complete and can be used" in text_of(Guest(guest.folder).page(PLACE))


def test_a_release_of_the_studio_is_that_of_the_command(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curator, "SecretNoise", lambda: SeededNoise(np.random.default_rng(7)))
    typed = ready(guest.folder.parent / "typed")
    run(typed, "release plan.toml --data people.csv --out release-1")
    guest.done(PLACE, TYPED)
    finished(guest)
    ours, theirs = guest.folder / "own" / "release-1", typed / "release-1"
    names = sorted(path.name for path in theirs.iterdir())
    assert names == sorted(path.name for path in ours.iterdir())
    timed = {"release.json", "README.txt", "report.html"}
    for name in set(names) - timed:
        assert (theirs / name).read_bytes() == (ours / name).read_bytes(), name
    records = [json.loads((folder / "release.json").read_text()) for folder in (ours, theirs)]
    for record in records:
        record.pop("created", None)
        record["ledger"].pop("identity")
        record.pop("files", None)
    assert records[0] == records[1]


@pytest.mark.parametrize("name", ["../away", "", "a/b", "a b", ".hidden", "<b>", "x" * 101])
def test_folders_have_plain_names(guest: Guest, name: str) -> None:
    refused = guest.send(PLACE, {**TYPED, "folder": name})
    assert 400 == refused.status_code
    assert "must be 1 to 100 letters" in text_of(refused.text)


@pytest.mark.parametrize("name", ["..", "../own", "own", "/etc", "release-1/..", "%2e%2e", "\0"])
def test_only_folders_of_releases_are_shown(guest: Guest, name: str) -> None:
    for path in (PLACE, f"{PLACE}/report"):
        assert 400 == guest.ask(path, folder=name).status_code
    assert 400 == guest.act(f"{PLACE}/check", {"folder": name}).status_code


def test_an_incomplete_project_and_a_missing_ledger_are_said(tmp_path: Path) -> None:
    guest = Guest(tmp_path)
    own = ready(tmp_path, ledger=False)
    assert "There is no ledger yet" in guest.page(PLACE)
    assert not (own / "budget.sqlite").exists()
    (own / "plan.toml").unlink()
    assert "A release needs a complete contract" in guest.page(PLACE)
    assert 400 == guest.act(PLACE, TYPED).status_code
    assert not list(own.glob("release-*"))


def test_no_page_of_a_complete_project_depends_on_a_row(guest: Guest) -> None:
    def pages() -> dict[str, str]:
        places = [step.key for step in JOURNEY] + [f"{step.key}/{part}" for step in JOURNEY for part in step.parts]
        return {place: guest.ask(f"/p/own/{place}").text for place in places}

    before = pages()
    for rows in ("age,sex\n", "age,sex\n1,f\n", 'age,sex\n"x,\n\x00,,,\n'):
        (guest.folder / "own" / "people.csv").write_text(rows)
        assert before == pages()
