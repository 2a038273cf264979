"""The reproduction as a whole: all items are there, and a folder appears whole with tables, charts and two pages."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reaedp.errors import DeclarationError
from reaedp.paper.item import Experiment, Item, Result
from reaedp.paper.items import ITEMS
from reaedp.paper.reproduction import QUICK, markdown, page, reproduce


def invented(number: int = 1, name: str = "made-up", verdict: str = "holds") -> Item:
    def run(experiment: Experiment) -> Result:
        table = {"x": [1.0, 2.0], "y": experiment.rng.random(2), "<b>": ["|", "<script>"]}
        chart = {"mark": "point", "encoding": {"x": {"field": "x"}, "y": {"field": "y"}}}
        return Result(table, chart, verdict, "It was made up.")  # type: ignore[arg-type]

    return Item(number, name, "A <made-up> item", "Nothing & nobody", "None", "None", (1,), run)


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_every_figure_and_table_has_an_item_of_its_own() -> None:
    assert list(range(1, 19)) == [item.number for item in ITEMS]
    assert 18 == len({item.name for item in ITEMS})


@pytest.mark.slow
def test_a_folder_has_a_table_two_pictures_and_two_pages(tmp_path: Path) -> None:
    reproduce([invented()], tmp_path / "out", rng=rng())
    names = {"made-up.csv", "made-up.svg", "made-up.png", "RESULTS.md", "index.html"}
    assert names == {path.name for path in (tmp_path / "out").iterdir()}
    page = (tmp_path / "out" / "index.html").read_text()
    assert "<script>" not in page
    assert "A &lt;made-up&gt; item" in page
    assert "\\|" in (tmp_path / "out" / "RESULTS.md").read_text()


def test_an_item_gives_the_same_numbers_alone_and_among_others(tmp_path: Path) -> None:
    items = [invented(1, "one"), invented(2, "two")]
    together = reproduce(items, tmp_path / "together", rng=rng())
    (alone,) = reproduce(items, tmp_path / "alone", rng=rng(), names=["two"])
    assert alone.result.rows == together[1].result.rows
    assert alone.result.rows != together[0].result.rows


def test_bad_requests_leave_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="pass-rats"):
        reproduce(ITEMS, tmp_path / "out", rng=rng(), names=["pass-rats"])
    with pytest.raises(DeclarationError, match="verdict"):
        reproduce([invented(verdict="seems right")], tmp_path / "out", rng=rng())
    assert not list(tmp_path.iterdir())
    (tmp_path / "out").mkdir()
    with pytest.raises(DeclarationError, match="must be new"):
        reproduce(ITEMS, tmp_path / "out", rng=rng())


def test_a_quick_run_says_so_on_both_pages_and_prints_what_was_run(tmp_path: Path) -> None:
    item = replace(invented(), setting="1,000 runs", quick_setting="20 runs")
    for quick, said in ((True, "20 runs"), (False, "1,000 runs")):
        done = reproduce([item], tmp_path / str(quick), rng=rng(), quick=quick)
        for text in (markdown(done), page(done)):
            assert said in text
            assert quick == (QUICK in text)


def test_items_that_run_less_in_quick_form_say_what(tmp_path: Path) -> None:
    short = {item.name: item.what_was_run(True) for item in ITEMS}
    assert "20 runs" in short["baselines"]
    assert "4,000 rounds" in short["attacks"]
    assert "1,000 people" in short["attribute-inference"]
    assert "200 runs" in short["datasets"]
    assert "200 runs each" in {item.name: item.setting for item in ITEMS}["baselines"]


def test_a_folder_of_data_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="must exist"):
        reproduce(ITEMS, tmp_path / "out", rng=rng(), data=tmp_path / "nowhere")


@pytest.mark.slow
def test_the_command_reproduces_a_named_item(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "reaedp", "reproduce", "sensitivity-bound", "--quick", "--out", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "Entropy sensitivity bound: holds with correction" in done.stdout
    assert (tmp_path / "out" / "sensitivity-bound.svg").read_text().startswith("<svg")
