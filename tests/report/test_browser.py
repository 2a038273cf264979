"""Pages in a real Chromium: they open from disk, ask nobody for anything, and show what the files say."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
import pandas as pd
import pytest

from browser import PATIENCE, running_browser, smallest_letters, too_wide
from reaedp import Category, Plan
from reaedp.evaluation.custodian_report import WARNING, custodian_report
from reaedp.report.page import save
from reaedp.report.plan_page import plan_page
from reaedp.report.public import public_report
from report_support import contract, counted, every_kind, people, published

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running_browser() as found:
        if found is None:
            pytest.skip("needs Chromium, which is not here and could not be installed")
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("browser")
    people().to_parquet(place / "data.parquet")
    return published(place, every_kind(place), str(place / "data.parquet"), audited=True)


@pytest.fixture(scope="module")
def custodian(folder: Path) -> Path:
    data = str(folder.parent / "data.parquet")
    page = folder.parent / "private" / "custodian-report.html"
    save(page, custodian_report(folder, data, rng=np.random.default_rng(1)))
    return page


@pytest.fixture(scope="module")
def pages(folder: Path, custodian: Path) -> tuple[Path, ...]:
    """The public report, the custodian's page and the plan page."""
    save(folder.parent / "plan.html", plan_page(every_kind(folder.parent)))
    return folder / "report.html", custodian, folder.parent / "plan.html"


class Visit:
    """A page that was opened, and all that it said and asked for."""

    def __init__(self, browser: Any, path: Path, width: int = 1440, **settings: Any) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 900}, **settings)
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())

    def __enter__(self) -> "Visit":
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def enliven(self) -> int:
        """Scroll through all charts until each answers to the pointer; how many there are."""
        charts = self.page.locator("figure.chart")
        self.page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
        for place in range(charts.count()):
            charts.nth(place).scroll_into_view_if_needed()
        for place in range(charts.count()):
            self.page.locator("figure.chart").nth(place).and_(self.page.locator("[data-ready]")).wait_for()
        return int(charts.count())

    def overflow(self) -> int:
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1440])
def test_a_report_opens_without_a_word_or_a_request_and_fits_its_window(
    browser: Any, folder: Path, custodian: Path, width: int, scheme: str
) -> None:
    for path in (folder / "report.html", custodian):
        with Visit(browser, path, width, color_scheme=scheme) as visit:
            assert visit.enliven() >= 10
            assert [] == visit.said
            assert [path.as_uri()] == visit.asked
            assert 0 == visit.overflow()


def drawn_rows(table: pd.DataFrame) -> pd.DataFrame:
    """All but the cells for missing and unreadable values, which are empty here and do not stand out."""
    special = table.select_dtypes(exclude="number").apply(lambda column: column.str.startswith("<")).any(axis=1)
    return table[~special]


@pytest.mark.parametrize(
    ("name", "mark"), [("ages", "rect"), ("incomes", "rect"), ("pairs", "rect"), ("bits", "symbol")]
)
def test_charts_have_a_mark_for_each_number(browser: Any, folder: Path, name: str, mark: str) -> None:
    rows = len(drawn_rows(pd.read_parquet(folder / f"{name}.parquet")))
    with Visit(browser, folder / "report.html", java_script_enabled=False) as visit:
        static = visit.page.locator(f"#release-{name} .plot > svg .mark-{mark}.role-mark").first
        assert rows == static.locator("path").count()
    with Visit(browser, folder / "report.html") as visit:
        visit.enliven()
        alive = visit.page.locator(f"#release-{name} .plot .vega-embed .mark-{mark}.role-mark").first
        assert rows == alive.locator("path").count()


def test_pointing_at_a_bar_tells_its_number(browser: Any, folder: Path) -> None:
    table = pd.read_parquet(folder / "ages.parquet")
    with Visit(browser, folder / "report.html") as visit:
        visit.enliven()
        bars = visit.page.locator("#release-ages .vega-embed .mark-rect.role-mark").first.locator("path")
        bars.nth(2).scroll_into_view_if_needed()
        bars.nth(2).hover()
        tip = visit.page.locator("#vg-tooltip-element.visible")
        tip.wait_for()
        assert f"{table['count'][2]:,}" in tip.inner_text()


def test_tables_sort_by_a_click_and_by_the_keyboard(browser: Any, folder: Path) -> None:
    with Visit(browser, folder / "report.html") as visit:
        page = visit.page
        page.locator("#release-ages summary", has_text="The numbers").click()
        head = page.locator("#release-ages th", has_text="count").locator("button")
        cells = "[...document.querySelectorAll('#release-ages tbody tr')].map(r => Number(r.cells[1].dataset.value))"
        head.click()
        found = page.evaluate(cells)
        assert sorted(found) == found
        head.focus()
        page.keyboard.press("Enter")
        found = page.evaluate(cells)
        assert sorted(found, reverse=True) == found
        assert "descending" == page.locator("#release-ages th", has_text="count").get_attribute("aria-sort")


def test_the_custodian_switches_between_private_and_original(browser: Any, custodian: Path) -> None:
    with Visit(browser, custodian) as visit:
        visit.enliven()
        bars = visit.page.locator("#release-ages .vega-embed .mark-rect.role-mark").first.locator("path").first
        # Ticks of the true counts are the last layer.
        ticks = visit.page.locator("#release-ages .vega-embed .mark-rect.role-mark").last.locator("path").first

        def seen() -> tuple[bool, bool]:
            return tuple(float(mark.get_attribute("opacity") or 1) > 0 for mark in (bars, ticks))  # type: ignore[return-value]

        assert (True, True) == seen()
        for choice, expected in (("original", (False, True)), ("private", (True, False)), ("both", (True, True))):
            visit.page.get_by_label(choice, exact=True).check()
            for _ in range(PATIENCE // 100):
                if expected == seen():
                    break
                visit.page.wait_for_timeout(100)
            assert expected == seen()


def printed(visit: Visit) -> list[str]:
    from pypdf import PdfReader

    pages = PdfReader(io.BytesIO(visit.page.pdf(format="A4"))).pages
    return [normalize("NFKC", page.extract_text()) for page in pages]  # fonts have one letter for ff


def test_print_has_all_sections_and_the_custodians_warning_on_every_page(
    browser: Any, folder: Path, custodian: Path
) -> None:
    with Visit(browser, folder / "report.html") as visit:
        text = " ".join(printed(visit))
        for title in visit.page.locator("h2").all_inner_texts():
            assert title in text
        assert "SHA-256" in text
    with Visit(browser, custodian) as visit:
        pages = printed(visit)
        assert len(pages) > 3
        assert all("NOT TO BE PUBLISHED" in page for page in pages)


def test_without_scripts_the_report_is_all_there(browser: Any, folder: Path) -> None:
    with Visit(browser, folder / "report.html", java_script_enabled=False) as visit:
        page = visit.page
        assert page.locator("figure.chart svg").first.is_visible()
        page.locator("#release-ages summary", has_text="The numbers").click()
        assert page.locator("#release-ages td.number").first.is_visible()
        assert [] == visit.said


def test_every_figure_has_words_and_every_control_a_name(browser: Any, folder: Path) -> None:
    with Visit(browser, folder / "report.html") as visit:
        page = visit.page
        names = "all => all.map(e => e.getAttribute('role') == 'img' && (e.ariaLabel || '').length > 20)"
        assert all(page.locator(".plot > svg").evaluate_all(names))
        visit.enliven()
        assert all(page.locator(".plot .vega-embed > svg").evaluate_all(names))
        assert all(page.locator("button, a, summary").evaluate_all("all => all.map(e => e.textContent.trim() != '')"))
        page.keyboard.press("Tab")
        assert "Skip to content" == page.evaluate("document.activeElement.textContent")
        assert "en" == page.locator("html").get_attribute("lang")


def test_the_custodians_edition_says_so(browser: Any, custodian: Path) -> None:
    with Visit(browser, custodian) as visit:
        assert visit.page.get_by_role("alert").inner_text().startswith(WARNING[:20])
        assert visit.page.locator("section.secret").count() >= 5
        for anchor in ("utility", "attacks", "exposure"):
            assert visit.page.locator(f"#{anchor} td").count() > 0


def test_forty_releases_and_a_map_of_fifty_columns_show_and_answer(browser: Any, tmp_path: Path) -> None:
    names = tuple(f"column {place}" for place in range(50))
    columns = tuple(Category(name=name, levels=("a", "b", "c"), provenance="public") for name in names)
    wanted = [counted(f"h{place}", "histogram", names[place]) for place in range(39)]
    plan = Plan(
        contract(tmp_path, columns, epsilon=60.0),
        (*wanted, counted("map", "entropy-map", *names, mechanism="gaussian", delta=1e-6)),
    )
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.choice(list("abc"), (1_200, 50)), columns=list(names))
    place = published(tmp_path, plan, frame)
    page = place / "report.html"
    assert page.stat().st_size < 3_000_000
    with Visit(browser, page) as visit:
        assert 41 <= visit.page.locator("figure.chart svg").count()
        visit.page.locator("#release-map figure").scroll_into_view_if_needed()
        visit.page.locator("#release-map figure[data-ready]").wait_for()
        assert [] == visit.said


def test_the_plan_page_answers_to_its_sliders(browser: Any, tmp_path: Path) -> None:
    plan = Plan(
        contract(tmp_path), (counted("incomes", "histogram", "income"), counted("bits", "entropy", "age", "income"))
    )
    path = tmp_path / "plan.html"
    save(path, plan_page(plan))
    for width in (375, 1440):
        with Visit(browser, path, width) as visit:
            assert 2 == visit.enliven()
            cell = "document.querySelector('#releases tr').cells[{}].textContent"
            before = [visit.page.evaluate(cell.format(place)) for place in (2, 3, 4)]
            visit.page.locator("#factor").fill("16")
            visit.page.locator("#bins").fill("7")
            after = [visit.page.evaluate(cell.format(place)) for place in (2, 3, 4)]
            assert ["1", "15"] == before[:2]
            assert ["16", "203"] == after[:2]
            assert before[2] != after[2]
            assert "more than the ledger has left" in visit.page.locator("#factor-now").inner_text()
            assert visit.page.locator("#factor").get_attribute("aria-valuetext").startswith("ε = ")
            assert [] == visit.said
            assert [path.as_uri()] == visit.asked
            assert 0 == visit.overflow()


def test_the_first_screen_has_three_cards_and_the_main_chart(browser: Any, folder: Path) -> None:
    top = "all => all.map(part => part.getBoundingClientRect().top)"
    for width in (375, 1440):
        with Visit(browser, folder / "report.html", width) as visit:
            assert 3 == visit.page.locator(".card").count()
            places = visit.page.locator(".card, #release-ages .plot").evaluate_all(top)
            assert 4 == sum(place < 850 for place in places)


@pytest.mark.parametrize("width", [320, 375, 768, 1440])
@pytest.mark.parametrize("scripts", [True, False])
def test_nothing_is_cut_off_or_too_small_to_read_at_any_width(
    browser: Any, pages: tuple[Path, ...], width: int, scripts: bool
) -> None:
    for path in pages:
        with Visit(browser, path, width, java_script_enabled=scripts) as visit:
            assert [] == too_wide(visit.page), path  # before anything was scrolled to
            assert smallest_letters(visit.page) > 10, path
            if scripts:
                visit.enliven()
                assert [] == too_wide(visit.page), path
                assert smallest_letters(visit.page) > 11.9, path


def test_no_name_of_an_axis_is_left_out_on_a_phone(browser: Any, folder: Path) -> None:
    """Only the many that a desk has no room for either are thinned out."""
    missing = """(drawing) => [...document.querySelectorAll("figure")].flatMap((figure) => {
        const { narrow, ...chart } = JSON.parse(figure.querySelector("script").textContent);
        const parts = [chart, ...(chart.layer || [])].map((part) => (part.encoding || {}).x);
        const x = parts.find((found) => found && found.type === "nominal" && !(found.axis || {}).labelOverlap);
        if (!x) return [];
        const words = [...figure.querySelectorAll(`${drawing} .role-axis-label text`)]
            .filter((text) => text.checkVisibility() && getComputedStyle(text).opacity !== "0")
            .map((text) => text.textContent.replace("…", ""));
        const names = [...new Set(chart.data.values.map((row) => String(row[x.field])))];
        return [names.filter((name) => !words.some((word) => word && name.startsWith(word))).length]; })"""
    with Visit(browser, folder / "report.html", 375) as visit:
        visit.enliven()
        for drawing in (".canvas", ".narrow"):
            if drawing == ".narrow":
                visit.page.add_style_tag(content="figure .plot > .narrow { display: block !important; }")
            left_out = visit.page.evaluate(missing, drawing)
            assert len(left_out) > 3
            assert {0} == set(left_out), drawing


def test_paper_shows_the_drawing_that_is_made_for_it(browser: Any, folder: Path, custodian: Path) -> None:
    """Letters of a chart that was drawn for a desk would shrink; but what the reader chose to see is printed."""
    shown = "all => all.filter(part => part.checkVisibility()).length"
    for path, choice in ((folder / "report.html", None), (custodian, "private")):
        with Visit(browser, path) as visit:
            charts = visit.enliven()
            if choice:
                visit.page.get_by_label(choice, exact=True).check()
            visit.page.set_viewport_size({"width": 680, "height": 900})
            visit.page.emulate_media(media="print")
            assert (0 if choice else charts) == visit.page.locator(".plot > .wide").evaluate_all(shown)
            assert (charts if choice else 0) == visit.page.locator(".plot > .canvas").evaluate_all(shown)
            assert 0 == visit.page.locator(".plot > .narrow").evaluate_all(shown)
            assert choice or smallest_letters(visit.page) > 9.5


def test_the_table_of_the_plan_page_fits_a_desk_and_no_label_is_squeezed(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "plan.html"
    save(path, plan_page(Plan(contract(tmp_path), (counted("incomes", "histogram", "income"),))))
    wide = "(() => { const box = document.querySelector('.scroll'); return box.scrollWidth - box.clientWidth })()"
    lines = (
        "[...document.querySelectorAll('dt')].map(dt => dt.clientHeight / parseFloat(getComputedStyle(dt).lineHeight))"
    )
    for width in (375, 1440):
        with Visit(browser, path, width) as visit:
            assert 0 == visit.overflow()
            assert max(visit.page.evaluate(lines)) < 2.5
            assert width == 375 or 0 == visit.page.evaluate(wide)


def test_hostile_names_stay_text_in_a_browser(browser: Any, tmp_path: Path) -> None:
    name = "</script><img src=x onerror=alert(1)>"
    columns = (Category(name=name, levels=(name, "<b>bold</b>"), provenance="public"),)
    plan = Plan(contract(tmp_path, columns), (counted("h", "histogram", name),))
    place = published(tmp_path, plan, pd.DataFrame({name: [name] * 1_000}))
    with Visit(browser, place / "report.html") as visit:
        dialogs: list[str] = []
        visit.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
        visit.enliven()
        bar = visit.page.locator("#release-h .vega-embed .mark-rect.role-mark").first.locator("path").first
        bar.hover()
        visit.page.locator("#vg-tooltip-element.visible").wait_for()
        assert [] == dialogs
        assert [] == visit.said
        assert 0 == visit.page.locator("#vg-tooltip-element img, main img, main b").count()
    assert public_report(place)
