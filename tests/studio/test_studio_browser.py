"""The studio in a real Chromium: by keyboard alone, at every width, light and dark, asking nobody else."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import running_browser, smallest_letters, too_wide
from reaedp import Plan
from reaedp.studio.project import Project
from reaedp.studio.server import Server
from served import Window, serving
from studio_support import Guest

pytestmark = pytest.mark.xdist_group("browser")

PAGES = ("", "p/clinic/data", "p/clinic/unit", "p/clinic/columns", "p/clinic/budget", "p/clinic/plan", "p/clinic/files")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running_browser() as found:
        if found is None:
            pytest.skip("needs Chromium, which is not here and could not be installed")
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project on its way to a release."""
    place = tmp_path_factory.mktemp("studio")
    guest = Guest(place)
    guest.act("/projects", {"start": "clinic"})
    guest.done("/p/clinic/data", {"columns": ["age", "sex"]})
    unit = {"several": "yes", "whose": "column:patient", "most_rows": "3", "secret": "yes", "at_least": "1500"}
    guest.done("/p/clinic/unit", {"accepted": "yes"}, **unit)
    age = {"c0.kind": "integer", "c0.integer.lower": "0", "c0.integer.upper": "110", "c0.integer.width": "10"}
    sex = {"c1.kind": "category", "c1.category.levels": "f\nm", "c0.provenance": "public", "c1.provenance": "public"}
    guest.done("/p/clinic/columns", age | sex)
    guest.done("/p/clinic/budget", {"epsilon": "1", "delta": "1e-6", "ledger": "budget.sqlite"})
    for name in ("ages", "sexes"):
        column = "age" if name == "ages" else "sex"
        wanted = {"name": name, "columns": [column], "mechanism": "laplace", "epsilon": "0.2"}
        guest.done("/p/clinic/plan/add", wanted, at="/p/clinic/plan", add="histogram")
    return place


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Server]:
    with serving(folder) as server:
        yield server


@pytest.mark.parametrize("width", [375, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_ask_nobody_else_and_say_nothing_wrong(browser: Any, served: Server, width: int, scheme: str) -> None:
    with Window(browser, served, width, color_scheme=scheme) as window:
        for page in PAGES:
            window.go(f"/{page}")
            assert 0 == window.overflow(), page
            assert [] == too_wide(window.page), page
            assert smallest_letters(window.page) >= 11.5, page
        assert [] == window.said
        assert all(url.startswith((served.address, "data:")) for url in window.asked)


def test_pictures_follow_the_slider_and_the_slider_speaks(browser: Any, served: Server) -> None:
    with Window(browser, served) as window:
        window.go("/p/clinic/budget")
        page = window.page
        slider = page.locator("#slide")
        slider.focus()
        for _ in range(30):
            page.keyboard.press("ArrowLeft")
        assert "ε 0.5" == slider.get_attribute("aria-valuetext")
        assert "0.5" == page.locator("#epsilon").input_value()
        window.settled()
        assert "published for ε 0.5." in page.locator("figcaption").first.inner_text()
        assert "at most 15 in 100" in page.locator("figcaption").first.inner_text()
        assert [] == window.said


def test_prices_of_a_plan_follow_sliders_and_dragging(browser: Any, served: Server, folder: Path) -> None:
    with Window(browser, served) as window:
        window.go("/p/clinic/plan")
        page = window.page
        card = page.locator('[data-release="ages"]')
        words = card.locator(".words").inner_text()
        card.locator("input[type=range]").focus()
        for _ in range(20):
            page.keyboard.press("ArrowRight")
        window.settled()
        assert words != card.locator(".words").inner_text()
        drawn = card.locator(".pretended").evaluate("(svg) => svg.innerHTML")
        card.locator("[data-draw]").focus()
        page.keyboard.press("Enter")
        window.settled()
        assert drawn != card.locator(".pretended").evaluate("(svg) => svg.innerHTML")
        assert page.evaluate("document.activeElement.matches('[data-draw]')")
        page.get_by_label("How many rows are there, by your guess?").fill("300")
        window.settled()
        assert "Pretended: 300 rows" in card.locator(".figures").inner_text()
        price = page.locator('[name="e.sexes"]')
        drag(window, page.locator('[data-handle="sexes"]'), -60, 0)
        assert float(price.input_value()) < 0.2
        with page.expect_navigation():
            page.get_by_text("Save the costs").click()
        chosen = float(price.input_value())
        plan = Plan.load(folder / "clinic" / "plan.toml")
        assert chosen == plan.releases[1].price(plan.contract.budget)[0] < 0.2
        assert [] == window.said


def drag(window: Window, handle: Any, right: float, down: float) -> None:
    """Drag a handle by its middle, and wait until all answers are there."""
    handle.scroll_into_view_if_needed()
    box, mouse = handle.bounding_box(), window.page.mouse
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + right, y + down, steps=4)
    mouse.up()
    window.settled()


def test_the_accepted_error_is_dragged_and_moved_by_keys(browser: Any, served: Server) -> None:
    with Window(browser, served) as window:
        window.go("/p/clinic/plan")
        page, card = window.page, window.page.locator('[data-release="ages"]')
        price, handle = card.locator('[name="e.ages"]'), card.get_by_role("slider", name="ε along the errors of ages")
        card.locator(".lines summary").click()
        handle.wait_for()
        window.settled()
        assert "ages +1" in card.locator(".errors text").all_text_contents()  # the other has the same line
        before = float(price.input_value())
        for down in (-40, 60):  # up the line is less ε and more error, and down the other way round
            was = float(price.input_value())
            drag(window, handle, 0, down)
            assert (float(price.input_value()) < was) == (down < 0)
        spoken = handle.get_attribute("aria-valuetext")
        assert spoken.startswith(f"ε {price.input_value()}, off by at most ±")
        assert page.evaluate("document.activeElement.matches('[data-along]')")
        for key in ("Home", "ArrowRight", "PageUp", "PageUp"):
            page.keyboard.press(key)
        window.settled()
        assert 0.01 < float(price.input_value()) < 0.1 < before
        off = handle.get_attribute("aria-valuetext").split("±")[1].split()[0].replace(",", "")
        told = card.locator(".outcomes").get_attribute("aria-label").split(" from ")[1].split()[0].replace(",", "")
        assert float(told) == pytest.approx(float(off), rel=0.1)  # the curve is straight between its corners
        assert [] == window.said


def test_many_columns_are_unticked_at_once(browser: Any, tmp_path: Path) -> None:
    guest = Guest(tmp_path)
    guest.act("/projects", {"start": "own", "name": "wide"})
    (tmp_path / "wide" / "data.csv").write_text(",".join(f"x{n}" for n in range(200)) + "\n")
    with serving(tmp_path) as server, Window(browser, server, 375) as window:
        window.go("/p/wide/data?data=data.csv")
        boxes = window.page.locator("input[name=columns]")
        assert 200 == boxes.and_(window.page.locator(":checked")).count()
        window.page.get_by_role("button", name="Untick all").click()
        window.page.get_by_label("x7", exact=True).check()
        with window.page.expect_navigation():
            window.page.get_by_role("button", name="Use these columns").click()
        assert [] == window.said
    assert ["x7"] == list(Project(tmp_path / "wide", "wide").document.table("columns"))  # type: ignore[union-attr]


def test_next_saves_what_was_typed_and_suggestions_fill_fields(browser: Any, served: Server, folder: Path) -> None:
    with Window(browser, served) as window:
        window.go("/p/clinic/columns")
        page = window.page
        page.locator("#column-1 > summary").click()
        page.locator("#column-1").get_by_label("Title for readers").fill("Sex at birth")
        with page.expect_navigation():
            page.get_by_role("link", name="Next: Release").click()
        assert page.url.endswith("/p/clinic/budget")  # where saving leads
        assert 'label = "Sex at birth"' in (folder / "clinic" / "contract.toml").read_text()
        delta = page.get_by_label("δ (delta)")
        delta.fill("")
        page.get_by_role("button", name="Take 1e-6, one in a million").click()
        assert "1e-6" == delta.input_value()
        assert [] == window.said
