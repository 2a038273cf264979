"""Noise is never shown as a finding: what it alone could have made is grey, says so, and is no part of a sentence."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reaedp import Category, Plan
from reaedp.evaluation.custodian_report import attacks
from reaedp.evaluation.line import Line
from reaedp.report.audit import audit
from reaedp.report.charts.curves import mean_curve
from reaedp.report.charts.drawing import BLUE, DOUBTFUL, GREY, STANDS_OUT
from reaedp.report.charts.histograms import DrawnCells, histogram, low_bars
from reaedp.report.findings import cell_finding, curve_finding, drawn_cells, pair_finding
from reaedp.report.panel import Panel
from reaedp.report.published import PublishedFolder
from reaedp.report.releases import release_panel
from reaedp.statistics.doubt import doubtful_numbers
from report_support import contract, counted, published

LEVELS = ("a", "b", "c")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A full cell, a small one and empty ones; one column has many missing values; two columns are independent."""
    place = tmp_path_factory.mktemp("findings")
    columns = tuple(Category(name=name, levels=LEVELS, provenance="public") for name in ("one", "other", "holes"))
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"one": rng.choice(["a", "b"], 3_000), "other": rng.choice(["a", "b"], 3_000)})
    frame["holes"] = np.where(rng.random(3_000) < 0.5, "a", None)
    kinds = [counted(name, "histogram", name) for name in ("one", "holes")]
    kinds += [counted("both", "histogram", "one", "holes"), counted("map", "entropy-map", "one", "other", "holes")]
    return published(place, Plan(contract(place, columns), tuple(kinds)), frame)


def panel_of(folder: Path, name: str, original: Any = None) -> Panel:
    (release,) = (release for release in PublishedFolder.read(folder).releases if release.name == name)
    return release_panel(release, original)


def drawn(panel: Panel) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = panel.figures[0].chart["data"]["values"]
    return rows


def test_empty_special_cells_are_not_drawn_and_full_ones_are(folder: Path) -> None:
    assert ["a", "b", "c"] == [row["cell"] for row in drawn(panel_of(folder, "one"))]
    assert ["a", "b", "c", "<null>"] == [row["cell"] for row in drawn(panel_of(folder, "holes"))]
    words = panel_of(folder, "one").figures[0].words
    assert "Not drawn, because they could be noise alone: <null>, <unseen>." in words
    both = drawn(panel_of(folder, "both"))
    assert {"a", "b", "c", "<null>"} == {row["line"] for row in both} | {row["cell"] for row in both}


def test_what_noise_alone_could_have_made_is_grey_in_charts_and_tables_and_says_so(folder: Path) -> None:
    panel = panel_of(folder, "one")
    assert [STANDS_OUT, STANDS_OUT, DOUBTFUL] == [row["told"] for row in drawn(panel)]
    assert "Grey: could be noise alone." in panel.figures[0].words
    assert frozenset({2, 3, 4}) == panel.grids[0].doubtful
    page = (folder / "report.html").read_text(encoding="utf-8")
    section = page.split('<section id="release-one"')[1].split("</section>", maxsplit=1)[0]
    assert 3 == section.count('<tr class="doubtful">') == section.count(">could be noise<")


@pytest.mark.parametrize("name", ["one", "holes", "both"])
def test_the_truth_decides_nothing_about_greys(folder: Path, name: str) -> None:
    """The custodian's edition greys the same, although it knows better."""
    public = panel_of(folder, name)
    rows = len(pd.read_parquet(folder / f"{name}.parquet"))
    for truth in (np.zeros(rows), np.full(rows, 10_000)):
        custodian = panel_of(folder, name, truth)
        assert public.grids[0].doubtful == custodian.grids[0].doubtful
        assert public.words == custodian.words
        assert [row["told"] for row in drawn(public)] == [row["told"] for row in drawn(custodian)]


def test_independent_columns_are_no_finding(folder: Path) -> None:
    panel = panel_of(folder, "map")
    assert all(DOUBTFUL == row["told"] for row in drawn(panel))
    assert 6 == len(drawn(panel))  # each pair from both sides, and no column with itself
    assert panel.words[0].startswith("Nothing stands out")


def test_sentences_name_only_what_stands_out() -> None:
    frame = {"x": np.array(["a", "b", "c"], dtype=object), "count": np.array([50, 40, 3])}
    some = DrawnCells.of(frame, ["x"], doubt=np.array([False, False, True]))
    assert "Most rows are in a (50) and b (40). 1 of 3 cells may be empty." == cell_finding(some)
    assert "Nothing stands out" in cell_finding(DrawnCells.of(frame, ["x"], doubt=np.ones(3, dtype=bool)))
    pairs = {
        "first": np.array(["a", "b", "a"], dtype=object),
        "second": np.array(["a", "b", "b"], dtype=object),
        "symmetric_uncertainty": np.array([1.0, 1.0, 0.4]),
    }
    related = pair_finding(pairs, np.array([False, False, False]), {"a": "Age"})
    assert "Most closely related: Age with b (40 %)." == related
    assert "0.4" not in pair_finding(pairs, np.array([False, False, True]), {})
    flat = {"all_low_95": np.array([0.0, 0.5]), "all_high_95": np.array([1.0, 2.0])}
    assert "A flat line fits" in curve_finding(flat)
    assert not curve_finding(flat | {"all_low_95": np.array([0.0, 1.5])})


def test_a_mean_curve_that_noise_could_have_made_is_grey() -> None:
    frame = {name: np.array([0.0, 1.0]) for name in ("time", "mean", "low_95", "high_95", "all_low_95", "all_high_95")}
    for doubt, colour in ((True, GREY), (False, BLUE)):
        layers = mean_curve(frame, doubt=doubt)["layer"]
        assert {colour} == {layer["mark"]["color"] for layer in layers}


def test_low_bars_are_drawn_again_where_they_are_many() -> None:
    counts = np.array([1_000, 30, 20, 10, 5])
    frame = {"x": np.array(list("abcde"), dtype=object), "count": counts, "low_95": counts - 3, "high_95": counts + 3}
    assert [0.0, 100.0] == low_bars(DrawnCells.of(frame, ["x"]))["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert {} == low_bars(DrawnCells.of(frame | {"count": np.full(5, 20)}, ["x"]))
    assert 5 == len(histogram(DrawnCells.of(frame, ["x"]))["data"]["values"])


def test_the_audit_speaks_first_and_its_chart_shows_no_bar_beyond_its_line() -> None:
    found = {"verdict": "CONSISTENT", "subject": "histogram of x, noise", "pair": "p", "method": "m", "claimed": 0.55}
    found |= {"shown": 0.5, "accuracy": {"low": 0.54, "value": 0.552, "high": 0.56}, "allowed_accuracy": 0.55}
    folder: Any = PublishedFolder({"audit": [found]}, None, ())  # type: ignore[arg-type]
    panel = audit(folder)
    assert panel.words[0].startswith("Passed: ")
    assert panel.words[1].startswith("Strength: ")
    (row,) = panel.figures[0].chart["data"]["values"]
    assert row["shown"] < row["claimed"]
    assert "0.552" not in panel.figures[0].words


def test_the_custodian_reads_a_verdict_one_plot_and_what_others_reach_below_each_score() -> None:
    low = [Line("r", "s", measure, 0.552, 0.54, 0.56, 0.504, 0.5, 0.55) for measure in ("AUC", "accuracy")]
    panel = attacks(low, [], {"r": "Ages"})
    assert panel.words[0].startswith("As expected: none of 2 results")
    assert [False, True] == [bool(figure.folded) for figure in panel.figures]
    assert "others 0.504, blind 0.5" == panel.grids[0].rows[0][3].beside  # type: ignore[union-attr]
    assert "Ages" == panel.grids[0].rows[0][0]
    high = [Line("r", "s", "AUC", 0.6, 0.58, 0.62, 0.504, 0.5, 0.55)]
    assert attacks(high, []).words[0].startswith("Check this: 1 of 1")


def test_the_first_thing_on_a_page_is_three_cards_and_files_come_last(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert 3 == page.count('<section class="card">')
    found = [page.index(f'<section id="{anchor}"') for anchor in ("releases", "promise", "audit", "overview", "verify")]
    assert sorted(found) == found
    assert page.index('class="card"') < found[0]
    assert not re.search(r"\de[+-]\d", re.sub(r"<script.*?</script>|<svg.*?</svg>", "", page, flags=re.DOTALL))


def test_drawn_cells_are_all_if_no_column_has_special_ones(folder: Path) -> None:
    (release, *_) = PublishedFolder.read(folder).releases
    cells = DrawnCells.of(release.frame, ["one"], doubt=doubtful_numbers(release.frame))
    assert len(LEVELS) == len(drawn_cells(release, cells).cells.doubt)
