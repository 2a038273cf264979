"""The documentation's site builds without a warning, and needs nothing from elsewhere."""

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import reaedp
from blocks import PAGES, ROOT

pytest.importorskip("sphinx", reason="the packages of the group docs are not installed")


class Page(HTMLParser):
    """What a page says and links to, what a browser loads for it, and the places in it that can be linked to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.said, self.in_article = "", False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.in_article |= tag == "article"
        values = {name: value or "" for name, value in attrs}
        self.places |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag != "a":
            self.loaded += [values[name] for name in ("href", "src", "srcset", "data", "poster") if name in values]

    def handle_endtag(self, tag: str) -> None:
        self.in_article &= tag != "article"

    def handle_data(self, data: str) -> None:
        self.said += data if self.in_article else ""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documentation") / "site"
    command = [sys.executable, str(ROOT / "docs" / "site" / "build.py"), str(folder)]
    done = subprocess.run(command, cwd=folder.parent, capture_output=True, text=True, check=False, timeout=300)
    assert 0 == done.returncode, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


def test_every_page_is_in_the_navigation(site: Path, pages: dict[Path, Page]) -> None:
    linked = set(pages[site / "index.html"].links)
    written = [f"{Path(page).stem.lower()}.html" for page in PAGES if page != "README.md"]
    proofs = [f"proofs/{path.parent.name}.html" for path in ROOT.glob("src/reaedp/*/PROOFS.md")]
    assert {*written, *proofs, "changelog.html", "reference/command-line.html"} <= linked


def test_nothing_is_loaded_from_elsewhere(pages: dict[Path, Page], site: Path) -> None:
    for path, page in pages.items():
        for address in page.loaded:
            parts = urlsplit(address)
            assert parts.scheme in ("", "data"), f"{path.name} loads {address}"
            assert not parts.netloc, f"{path.name} loads {address}"
            assert parts.scheme or (path.parent / unquote(parts.path)).exists(), f"{path.name} loads {address}"
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert "url(http" not in text
        assert "url(//" not in text
        assert "@import" not in text


def test_links_and_anchors_lead_somewhere(pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target in pages, f"{path.name} links to {link}"
            if parts.fragment:
                assert unquote(parts.fragment) in pages[target].places, f"{path.name} links to {link}"


def test_formulas_are_shown_as_they_were_written(site: Path, pages: dict[Path, Page]) -> None:
    """An underscore that is taken for emphasis vanishes, and the formula with it."""
    for path in ROOT.glob("src/reaedp/*/PROOFS.md"):
        said = pages[site / "proofs" / f"{path.parent.name}.html"].said
        for sign in "_^{}":
            assert path.read_text(encoding="utf-8").count(sign) == said.count(sign), f"{sign} in {path}"


def test_every_public_name_is_in_the_reference(pages: dict[Path, Page]) -> None:
    places = {place for page in pages.values() for place in page.places}
    assert {f"reaedp.{name}" for name in reaedp.__all__} <= places


def test_every_command_is_in_the_reference(site: Path) -> None:
    from typer.main import get_command

    from reaedp.cli.app import app

    text = (site / "reference" / "command-line.html").read_text(encoding="utf-8")
    command = get_command(app)
    names = [f"reaedp {name}" for name in command.commands]  # type: ignore[attr-defined]
    names += [f"reaedp ledger {name}" for name in command.commands["ledger"].commands]  # type: ignore[attr-defined]
    for name in names:
        assert f">{name}<a" in text


def test_a_broken_link_stops_the_build(tmp_path: Path) -> None:
    from sphinx.cmd.build import build_main

    (tmp_path / "index.md").write_text("# Title\n\n[nowhere](nowhere.md)\n", encoding="utf-8")
    strictly = ["-b", "html", "-Q", "-W", "-C", "-D", "extensions=myst_parser"]
    assert 0 != build_main([*strictly, str(tmp_path), str(tmp_path / "out")])
