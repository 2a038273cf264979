"""Five tasks end to end in a real Chromium, and what axe-core says of the pages on the way."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import running_browser
from hands import Keyboard
from project_support import ready
from reaedp.plan.plan import Plan
from reaedp.release import publication
from reaedp.release.publication import publish
from served import Window, serving
from studio_support import Guest
from tasks import TASKS, done_by

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]

#: More than a novice would need; a page that loses its way takes more.
MOST_CLICKS = 45
#: What axe-core looks for: everything, and once more what colours can change.
COLOURS: dict[Any, Any] = {"light": {}, "dark": {"runOnly": ["color-contrast"]}}
#: All pages, some of them in several states.
PAGES = (
    *("/", "/p/none/data", "/p/own/data", "/p/new/data", "/p/own/unit", "/p/own/unit?several=yes", "/p/own/columns"),
    "/p/own/columns/curve",
    *("/p/own/columns/buy", "/p/own/columns/buy?column=age&what=bounds&epsilon=0.1&bins=9", "/p/own/budget"),
    *("/p/own/plan", "/p/own/plan?add=summary", "/p/own/look", "/p/own/audit", "/p/own/release", "/p/own/evaluate"),
    *("/p/own/release?folder=release-1", "/p/own/ledger", "/p/own/requests", "/p/own/files"),
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running_browser() as found:
        if found is None:
            pytest.skip("needs Chromium, which is not here and could not be installed")
        yield found


def test_five_tasks_are_done_end_to_end(browser: Any, tmp_path: Path) -> None:
    counted = done_by(browser, tmp_path)
    assert list(TASKS) == list(counted)
    assert all(figures["clicks"] <= MOST_CLICKS for figures in counted.values()), counted
    folders = sorted(path.parent.relative_to(tmp_path).as_posix() for path in tmp_path.glob("*/*/release.json"))
    assert ["clinic/release-1", "clinic/release-2", *(f"survey/release-{number}" for number in (1, 2, 3))] == folders


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("released")
    own = ready(place)
    publish(Plan.load(own / "plan.toml"), str(own / "people.csv"), own / "release-1", audited=False, page=False)
    guest = Guest(place)
    guest.act("/p/own/requests/ask", {"asked_by": "Ann Alyst", "note": "For the yearly report."})
    guest.act("/projects", {"start": "own", "name": "new"})
    return place


@pytest.mark.parametrize("width", [375, 1440])
def test_pages_fit_and_axe_finds_nothing_serious(browser: Any, folder: Path, width: int) -> None:
    """Light and dark: one page serves for both, of which nothing but the colours differs."""
    settings: dict[str, Any] = {"bypass_csp": True, "reduced_motion": "reduce"}
    with serving(folder) as server, Window(browser, server, width, **settings) as window:
        for page in PAGES:
            window.go(page)
            for details in window.page.locator("main details").all():
                details.evaluate("(part) => { part.open = true; }")
            window.settled()
            assert_sound(window, page)
        see_a_look(window)
        assert_sound(window, "what a look found")
        assert all("400" in line for line in window.said), window.said  # that of the project which is not there


def assert_sound(window: Window, page: str) -> None:
    """Nothing is cut off, and axe-core finds nothing serious."""
    from axe_playwright_python.sync_playwright import Axe

    axe, found = Axe(), []
    for scheme, rules in COLOURS.items():
        window.page.emulate_media(color_scheme=scheme)
        assert 0 == window.overflow(), (page, scheme)
        found += axe.run(window.page, options=rules).response["violations"]
    serious = [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]
    assert [] == serious, page


def see_a_look(window: Window) -> None:
    """Through the barrier, past the stages, to what was found, without another click."""
    window.go("/p/own/look")
    window.page.locator("input[name=custodian]").check()
    window.page.get_by_role("button", name="Look at the data").click()
    window.page.get_by_text("Rows: 40.").wait_for()
    window.page.wait_for_load_state()  # the text may be there before the style sheet


def test_five_tasks_are_done_by_keyboard_alone(browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publication, "audited_before", lambda *_: None)  # tested with the mouse, and slow
    counted = done_by(browser, tmp_path, kind=Keyboard)
    assert list(TASKS) == list(counted)
    assert 5 == len(list(tmp_path.glob("*/*/release.json")))
    assert all(0 < figures["keys"] and "clicks" not in figures for figures in counted.values()), counted
