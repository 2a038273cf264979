"""The studio in a real Chromium: by keyboard alone, at every width, light and dark, asking nobody else."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import running_browser
from reaedp import Plan
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
            assert smallest_text(window) >= 11.5, page
        assert [] == window.said
        assert all(url.startswith((served.address, "data:")) for url in window.asked)


def smallest_text(window: Window) -> float:
    """The height in pixels of the smallest letters in charts, as they are shown."""
    return float(
        window.page.evaluate("""() => Math.min(99, ...[...document.querySelectorAll("svg text")].map((text) =>
            parseFloat(getComputedStyle(text).fontSize) * Math.hypot(text.getScreenCTM().b, text.getScreenCTM().d)))""")
    )


def test_the_first_questions_are_answered_by_keyboard_alone(browser: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server, Window(browser, server) as window:
        page = window.page
        press(window, "input[name=name]", "mine")
        page.keyboard.press("Enter")
        page.wait_for_url("**/p/mine/data")
        (tmp_path / "mine" / "people.csv").write_text("who,age\n1,30\n")
        press(window, "input[name=data]", "people.csv")
        page.keyboard.press("Enter")
        reach(window, "text=Use these columns")
        page.keyboard.press("Enter")
        page.wait_for_url("**/p/mine/unit")
        reach(window, "input[value=no]")
        page.keyboard.press("Space")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=Is a row about several people")
        assert window.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") in (
            "none",
            "auto",
            "solid",
        )


def reach(window: Window, selector: str) -> None:
    """Press Tab until the focus is where it is wanted, which must be visible."""
    target = window.page.locator(selector).first
    target.wait_for()
    for _ in range(80):
        window.page.keyboard.press("Tab")
        if target.evaluate("(element) => element === document.activeElement"):
            style = target.evaluate("(element) => getComputedStyle(element).outlineStyle")
            assert style != "none"
            return
    raise AssertionError(f"{selector} cannot be reached by Tab")


def press(window: Window, selector: str, text: str) -> None:
    reach(window, selector)
    window.page.keyboard.type(text)


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
        # Pictures of the prices on the way may come first.
        page.wait_for_function("document.querySelector('figcaption').innerText.includes('published for ε 0.5.')")
        assert "at most 15 in 100" in page.locator("figcaption").first.inner_text()


def test_prices_of_a_plan_follow_sliders_and_dragging(browser: Any, served: Server, folder: Path) -> None:
    with Window(browser, served) as window:
        window.go("/p/clinic/plan")
        page = window.page
        card = page.locator('[data-release="ages"]')
        words = card.locator(".words").inner_text()
        card.locator("input[type=range]").focus()
        for _ in range(20):
            page.keyboard.press("ArrowRight")
        page.wait_for_function("(was) => document.querySelector('.words').innerText !== was", arg=words)
        card.locator(".lines summary").click()
        card.locator(".curve svg").wait_for()
        drawn = card.locator(".pretended").evaluate("(svg) => svg.innerHTML")
        card.locator("[data-draw]").click()
        page.wait_for_function("(was) => document.querySelector('.pretended').innerHTML !== was", arg=drawn)
        price = page.locator('[name="e.sexes"]')
        box = page.locator('[data-handle="sexes"]').bounding_box()
        page.mouse.move(box["x"] + 1, box["y"] + 5)
        page.mouse.down()
        page.mouse.move(box["x"] - 60, box["y"] + 5, steps=4)
        page.mouse.up()
        assert float(price.input_value()) < 0.2
        page.get_by_text("Save the prices").click()
        page.wait_for_load_state()
        chosen = float(price.input_value())
        plan = Plan.load(folder / "clinic" / "plan.toml")
        assert chosen == plan.releases[1].price(plan.contract.budget)[0] < 0.2
        assert [] == window.said
