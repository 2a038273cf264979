"""What the studio promises to people who use it, where no other test shows it; docs/studio.md lists all of it."""

import os
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import PATIENCE, running_browser
from project_support import CONTRACT, PLAN, charges, ready
from reaedp.release import publication
from served import Window, serving
from studio_support import Guest, text_of

RELEASE = "/p/own/release"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Guest:
    monkeypatch.setattr(publication, "audited_before", lambda *_: None)
    monkeypatch.setattr(publication, "public_report", lambda *_: "<!doctype html>")
    ready(tmp_path)
    return Guest(tmp_path)


def released(guest: Guest) -> None:
    guest.done(RELEASE, {"typed": "own"})
    assert guest.workspace.works.at((guest.folder / "own", "release")).ended.wait(60)


@pytest.mark.parametrize("page", ["budget", "plan?add=histogram", "plan?add=summary", "plan"])
def test_the_error_is_asked_for_before_epsilon(guest: Guest, page: str) -> None:
    names = re.findall(r'<input type="text"[^>]* name="(error|epsilon|e\.sexes)"', guest.page(f"/p/own/{page}"))
    assert "error" == names[0]
    assert {"epsilon", "e.sexes"} & set(names)


def test_warnings_are_gone_when_their_reason_is(guest: Guest) -> None:
    own = guest.folder / "own"
    (own / "plan.toml").write_text(PLAN.replace("0.5", "3.0"))
    assert "more than is left" in guest.page(RELEASE)
    (own / "plan.toml").write_text(PLAN)
    assert "more than is left" not in guest.page(RELEASE)
    assert 400 == guest.send("/p/own/columns", {"c0.integer.upper": "many"}).status_code
    assert 'class="mistakes"' not in guest.page("/p/own/columns")
    assert 303 == guest.send("/p/own/columns", {"c0.integer.upper": "90"}).status_code
    for page in ("data", "unit", "columns", "budget", "plan", "release", "ledger"):
        found = guest.page(f"/p/own/{page}")
        assert 'class="mistakes"' not in found, page
        assert 'class="alarm"' not in found, page


def test_a_plan_that_was_released_is_not_held_against_what_is_left(guest: Guest) -> None:
    own = guest.folder / "own"
    (own / "plan.toml").write_text(PLAN.replace("0.5", "0.75"))
    released(guest)
    for page in ("/p/own/ledger", "/p/own/evaluate", "/p/own/columns"):
        words = text_of(guest.page(page))
        assert "ε 0.75 of 1 spent, ε 0.25 left" in words, page
        assert "The plan costs more than is left." not in words, page
    assert "this plan ε 0.75, ε 0.25 left The plan costs more than is left." in text_of(guest.page("/p/own/plan"))
    (own / "plan.toml").write_text(PLAN.replace("0.5", "0.3"))
    os.utime(own / "plan.toml", (2**32, 2**32))  # whatever the clock of the file system can tell apart
    assert "this plan ε 0.3, ε 0.25 left The plan costs more than is left." in text_of(guest.page("/p/own/ledger"))


def test_other_windows_are_answered_while_a_release_runs(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    running, go_on = threading.Event(), threading.Event()

    def slow_audit(*_: object) -> None:
        running.set()
        assert go_on.wait(60)

    monkeypatch.setattr(publication, "audited_before", slow_audit)
    guest.done(RELEASE, {"typed": "own"})
    assert running.wait(60)
    other = guest.beside()
    for page in ("", "p/own/data", "p/own/columns", "p/own/plan", "p/own/plan/together", "p/own/ledger", "p/own/files"):
        other.page(f"/{page}")
    assert not go_on.is_set()
    go_on.set()
    assert guest.workspace.works.at((guest.folder / "own", "release")).ended.wait(60)


def test_a_restart_remembers_what_is_spent(guest: Guest) -> None:
    released(guest)
    for page in ("/", "/p/own/plan", "/p/own/ledger"):
        assert "ε 0.5 of 1 spent" in text_of(Guest(guest.folder).page(page))


def test_cells_in_which_nobody_is_are_published(guest: Guest) -> None:
    contract = CONTRACT.replace('["f", "m"]', '["f", "m", "nobody"]')
    (guest.folder / "own" / "contract.toml").write_text(contract)
    released(guest)
    table = (guest.folder / "own" / "release-1" / "sexes.csv").read_text(encoding="utf-8")
    assert ["f", "m", "nobody"] == [line.split(",")[0] for line in table.splitlines()[1:4]]


def test_every_picture_has_a_name_and_its_numbers(guest: Guest) -> None:
    pages = ("budget?epsilon=1&delta=1e-6", "plan", "plan/curve?name=sexes", "plan/together", "ledger", "release")
    for page in pages:
        found = guest.page(f"/p/own/{page}")
        for drawn in re.findall(r"<svg[^>]*>", found):
            assert re.search(r'aria-label="[^"]+"|aria-hidden="true"', drawn), (page, drawn)
        drawn_with_numbers = re.findall(r"<figure>.*?</figure>\s*(?:<\w+.*?</table>)?", found, re.DOTALL)
        assert all("<table>" in figure for figure in drawn_with_numbers), page
    assert 3 <= sum(guest.page(f"/p/own/{page}").count("<figure>") for page in pages)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running_browser() as found:
        if found is None:
            pytest.skip("needs Chromium, which is not here and could not be installed")
        yield found


@pytest.mark.xdist_group("browser")
def test_a_double_click_charges_once_and_so_do_two_windows(guest: Guest, browser: Any) -> None:
    with serving(guest.folder) as server, Window(browser, server) as window:
        window.go(RELEASE)
        behind = window.context.new_page()
        behind.goto(f"{server.address}{RELEASE}")
        for page in (window.page, behind):
            page.get_by_label("Type the name of the data set: own").fill("own")
        window.page.get_by_role("button", name="Spend and release").dblclick()
        behind.get_by_role("button", name="Spend and release").click()
        deadline = time.monotonic() + PATIENCE / 1000
        while not (guest.folder / "own" / "release-1" / "release.json").exists() and time.monotonic() < deadline:
            window.page.wait_for_timeout(100)
        behind.wait_for_load_state()
    assert 1 == charges(guest.folder / "own")


@pytest.mark.xdist_group("browser")
def test_closing_the_window_in_mid_release_loses_nothing(
    guest: Guest, browser: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nor is what a look found shown again by going back, or anything said in the terminal."""
    running, go_on, own = threading.Event(), threading.Event(), guest.folder / "own"

    def slow_audit(*_: object) -> None:
        running.set()
        assert go_on.wait(60)

    monkeypatch.setattr(publication, "audited_before", slow_audit)
    with serving(guest.folder) as server:
        with Window(browser, server) as window:
            window.go(RELEASE)
            window.page.get_by_label("Type the name of the data set: own").fill("own")
            window.page.get_by_role("button", name="Spend and release").click()
            assert running.wait(60)
        go_on.set()
        with Window(browser, server) as window:
            window.go(RELEASE)
            window.page.get_by_text("Released. Charged, counted, noise added, written, checked.").wait_for()
            window.go("/p/own/look")
            window.page.locator("input[name=custodian]").check()
            window.page.get_by_role("button", name="Look at the data").click()
            window.page.get_by_text("Rows: 40.").wait_for()
            window.go(RELEASE)
            with pytest.raises(Exception, match="ERR_CACHE_MISS"):  # there is no page to go back to
                window.page.go_back()
    assert 1 == charges(own)
    assert ("", "") == capfd.readouterr()


def test_the_documentation_names_tests_that_exist() -> None:
    words = (ROOT / "docs" / "studio.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+\.py)::(test_\w+)`", words))
    assert 25 <= len(named)
    for file, name in named:
        assert f"def {name}(" in (Path(__file__).parent / file).read_text(encoding="utf-8"), (file, name)
