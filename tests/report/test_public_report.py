"""The public page: all that is in the folder, nothing that is not, whatever names the data has."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reaedp import Category, Plan, publish
from reaedp.audits.constant_noise import ConstantNoise
from reaedp.audits.finding import Verdict
from reaedp.errors import DeclarationError, NotDisclosable
from reaedp.report.audit import NOT_COVERED, VIOLATED, WEAK, verdict
from reaedp.report.panel import Panel
from reaedp.report.public import public_report
from report_support import contract, counted, every_kind, people, published


class Text(HTMLParser):
    """Tags, attributes and words of a page as a browser reads them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if not self.tags or self.tags[-1][0] not in ("script", "style"):
            self.words.append(data)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("public")
    return published(place, every_kind(place), people(), audited=True)


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return (folder / "report.html").read_text(encoding="utf-8")


def numbers_of(page: str, anchor: str) -> list[list[str]]:
    """The rows of all tables of one section, numbers as they are and not as they are written."""
    section = page.split(f'<section id="{anchor}"')[1].split("<section ", maxsplit=1)[0]
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", section, flags=re.DOTALL)
    cell = re.compile(r'<td class="number" data-value="([^"]*)">|<td><bdi>(.*?)</bdi></td>')
    return [[number or text for number, text in cell.findall(row)] for row in rows]


def test_it_is_made_from_the_folder_alone_and_gives_the_same_page_again(folder: Path, page: str) -> None:
    assert page == public_report(folder)
    assert len(page.encode()) < 3_000_000


def test_its_hash_is_in_the_manifest(folder: Path) -> None:
    from reaedp import verify

    assert "report.html" in json.loads((folder / "release.json").read_text())["files"]
    assert verify(folder)


@pytest.mark.parametrize("name", ["ages", "incomes", "bits", "map"])
def test_the_numbers_on_the_page_are_those_of_the_files(folder: Path, page: str, name: str) -> None:
    table = pd.read_parquet(folder / f"{name}.parquet")
    rows = [row for row in numbers_of(page, f"release-{name}") if row]
    assert len(table) == len(rows)
    for expected, actual in zip(table.itertuples(index=False), rows, strict=True):
        for one, other in zip(expected, actual, strict=True):
            assert str(one).replace("<", "&lt;").replace(">", "&gt;") == other or float(one) == float(other)


def test_costs_on_the_page_are_those_of_the_manifest(folder: Path, page: str) -> None:
    record = json.loads((folder / "release.json").read_text())
    stated = {row[0]: float(row[1]) for row in numbers_of(page, "budget") if row}
    assert {release["name"]: release["epsilon"] for release in record["releases"]} == stated
    files = {row[0]: row[1] for row in numbers_of(page, "verify") if row}
    assert {name: digest for name, digest in record["files"].items() if name != "report.html"} == files


def test_every_section_is_there(page: str) -> None:
    for anchor in ("overview", "promise", "budget", "releases", "audit", "limits", "verify"):
        assert f'<section id="{anchor}"' in page
    words = " ".join(Text(page).words)
    for said in ("1 in 100", "blind guess", "reaedp verify", "What is not covered"):
        assert said in words


def test_nothing_is_fetched_and_only_its_own_script_may_run(page: str) -> None:
    read = Text(page)
    assert not any(tag in ("link", "iframe", "object", "embed", "base") for tag, _ in read.tags)
    assert all((value or "").startswith(("data:", "#")) for tag, names in read.tags
               for key, value in names.items() if key in ("src", "href"))  # fmt: skip
    policy = next(names["content"] for tag, names in read.tags if names.get("http-equiv"))
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert not any(key.startswith("on") for _, names in read.tags for key in names)


def test_what_was_measured_against_the_truth_is_refused(folder: Path) -> None:
    secret = Panel(anchor="x", title="True counts", disclosable=False)
    with pytest.raises(NotDisclosable, match="True counts"):
        public_report(folder, [secret])
    with pytest.raises(NotDisclosable):
        public_report(folder, [Panel(anchor="y", title="outer", panels=(secret,))])


def test_two_neighbours_have_the_same_page_if_noise_forgets_them(tmp_path: Path) -> None:
    """Everything on the page went through noise, or it would differ here."""
    whole = people(1_500, seed=7)
    pages = []
    for name, frame in (("one", whole), ("other", whole.iloc[1:])):
        place = tmp_path / name
        place.mkdir()
        # The network model's random choices are part of its noise, so that they are the same in both.
        noise = ConstantNoise(50, np.random.default_rng(5))
        publish(every_kind(place), frame, place / "out", noise=noise, audited=False)
        text = (place / "out" / "report.html").read_text(encoding="utf-8")
        record = json.loads((place / "out" / "release.json").read_text())
        created, identity = record["created"], record["ledger"]["identity"]  # of the ledger, which each made for itself
        hashes = re.compile(r"\b[0-9a-f]{64}\b")  # Parquet files are written by several threads
        pages.append(hashes.sub("", text.replace(identity, "").replace(created, "").replace(created[:10], "")))
    assert pages[0] == pages[1]


def test_a_page_that_cannot_be_drawn_costs_nobody_the_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> str:
        raise RuntimeError("no charts today")

    monkeypatch.setattr("reaedp.release.publication.public_report", broken)
    plan = Plan(contract(tmp_path), (counted("ages", "histogram", "age"),))
    place = published(tmp_path, plan, people())
    assert (place / "ages.csv").exists()
    assert not (place / "report.html").exists()
    monkeypatch.undo()
    assert "ages" in public_report(place)


def test_a_folder_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    plan = Plan(contract(tmp_path), (counted("ages", "histogram", "age"),))
    place = published(tmp_path, plan, people())
    (place / "ages.parquet").unlink()
    with pytest.raises(DeclarationError, match=r"ages\.parquet is missing"):
        public_report(place)
    with pytest.raises(DeclarationError, match="not a release folder"):
        public_report(tmp_path)


HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "{{ 7 * 7 }}",
    "`<b>`",
    "\u202egnp.exe",
    "a\nb\tc",
    "x.y[0]['z']\\",
    '\\", "a": 1 + 1, "',
    "=HYPERLINK(1)",
    "שלום",
    "y" * 10_000,
]


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_names_levels_and_data_sets_are_hostile_input(tmp_path: Path, name: str) -> None:
    columns = (
        Category(name=name, levels=(name, f"{name}2", "b"), provenance="public"),
        Category(name="other", levels=("u", "v"), provenance="public"),
    )
    dataset = name.replace("\n", " ").replace("\t", " ").replace("\u202e", "")[:100]
    plan = Plan(
        contract(tmp_path, columns, dataset),
        (
            counted("h", "histogram", name),
            counted("two", "histogram", name, "other"),
            counted("bits", "entropy", name),
            counted("map", "entropy-map", name, "other"),
        ),
    )
    rows = pd.DataFrame({name: [name, f"{name}2", "b", None] * 300, "other": ["u", "v"] * 600})
    place = published(tmp_path, plan, rows)
    page = (place / "report.html").read_text(encoding="utf-8")
    read = Text(page)
    allowed = {"script", "svg", "img"}
    assert not any(tag == "img" for tag, _ in read.tags)
    assert not any("onerror" in names or "onload" in names for tag, names in read.tags if tag in allowed)
    assert 1 == sum(tag == "script" and names.get("type") is None for tag, names in read.tags)
    assert "\u202e" not in page
    assert "49" not in " ".join(read.words[:20])
    assert "alert" not in page.split("<script>")[-1]
    assert len(page) < 3_000_000
    for data in json_parts(page):
        assert isinstance(data, dict)


def json_parts(page: str) -> list[Any]:
    found = re.findall(r'<script type="application/json">(.*?)</script>', page, flags=re.DOTALL)
    assert found
    return [json.loads(text) for text in found]


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    ("level", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("\tx", "'\tx"),
        ("-5", "-5"),
        ("-1.5e3", "-1.5e3"),
        ("-5..-3", "-5..-3"),
        ("a=b", "a=b"),
    ],
)
def test_a_spreadsheet_finds_no_formula_in_a_csv_file_and_parquet_has_the_level_itself(
    tmp_path: Path, level: str, cell: str
) -> None:
    columns = (Category(name="=c", levels=(level, "b"), provenance="public"),)
    plan = Plan(contract(tmp_path, columns), (counted("h", "histogram", "=c"),))
    place = published(tmp_path, plan, pd.DataFrame({"=c": [level] * 10}))
    table = pd.read_csv(place / "h.csv", dtype=str)
    assert "'=c" == table.columns[0]
    assert cell == table["'=c"][0]
    assert level == pd.read_parquet(place / "h.parquet")["=c"][0]


def test_the_audit_section_begins_with_its_verdict(page: str) -> None:
    section = page.split('<section id="audit"')[1].split("</section>", maxsplit=1)[0]
    assert section.index("<p>Passed: none of ") < section.index("<figure")


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (["CONSISTENT"], "Passed: none of 1 tests found more than the promise allows."),
        (["CONSISTENT", "CONSISTENT, WEAK TEST"], "1 of them were weak and could have missed a violation."),
        (["CONSISTENT", "NOT COVERED"], "1 more could not be run; the table says why."),
        (["CONSISTENT", "VIOLATED", "NOT COVERED"], "Failed: 1 of 2 tests found more than the promise allows."),
    ],
)
def test_the_verdict_of_all_tests_is_one_sentence(verdicts: list[str], said: str) -> None:
    assert said in verdict([{"verdict": each} for each in verdicts])
    assert {WEAK, VIOLATED, NOT_COVERED} == {*Verdict} - {Verdict.CONSISTENT}
