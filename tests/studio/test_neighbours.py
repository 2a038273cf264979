"""No page before a release depends on a row: data sets that differ in one, or in how it is stored, look the same."""

import re
from pathlib import Path

import pandas as pd
import pytest

from reaedp.studio.journey import STEPS
from studio_support import Guest

HEADER = "who,age,sex\n"
CSV = {
    "plain": f"{HEADER}1,30,f\n2,40,m\n",
    "one more": f"{HEADER}1,30,f\n2,40,m\n3,50,f\n",
    "none at all": HEADER,
    "broken": f'{HEADER}1,n/a,<script>\n2,"4\n0,x,y,z\n\x00,,,,\n',
}
WANTED = {"name": "ages", "columns": ["age"], "mechanism": "laplace", "error": "30"}
FRAMES = {
    "whole": pd.DataFrame({"who": [1, 2], "age": [30, 40], "sex": ["f", "m"]}),
    "missing makes doubles": pd.DataFrame({"who": [1, None], "age": [30, 40], "sex": ["f", "m"]}),
    "all texts": pd.DataFrame({"who": ["1", "x"], "age": ["30", "-"], "sex": ["f", "m"]}),
    "no row": pd.DataFrame({"who": [], "age": [], "sex": []}),
}


def pages(guest: Guest, name: str) -> dict[str, str]:
    """Every page of a project on the way, and the contract at its end."""
    seen = {"header": guest.ask("/p/own/data", data=name).text}
    guest.done("/p/own/data", {"columns": ["age", "sex"]}, data=name)
    unit = {"several": "yes", "whose": "column:who", "most_rows": "2", "secret": "yes", "at_least": "skip"}
    guest.done("/p/own/unit", {"accepted": "yes"}, **unit)
    fields = {"c0.kind": "integer", "c0.integer.lower": "0", "c0.integer.upper": "99", "c0.provenance": "public"}
    fields |= {"c1.kind": "category", "c1.category.levels": "f\nm", "c1.provenance": "public"}
    seen["saved"] = guest.send("/p/own/columns", fields).headers["location"]
    guest.done("/p/own/budget", {"epsilon": "1", "delta": "1e-6", "ledger": "budget.sqlite"})
    guest.done("/p/own/plan/add", WANTED, at="/p/own/plan", add="histogram")
    seen["price"] = guest.ask("/p/own/columns/buy", column="age", what="bounds", epsilon="0.1", bins="5").text
    seen |= {step.key: guest.ask(f"/p/own/{step.key}").text for step in STEPS}
    seen |= {f"{step.key}/{part}": guest.ask(f"/p/own/{step.key}/{part}").text for step in STEPS for part in step.parts}
    seen["projects"] = guest.ask("/").text
    seen["contract"] = (guest.folder / "own" / "contract.toml").read_text()
    # The identity of a ledger is drawn at random, and digests follow from it; test_release.py compares pages under one
    # ledger to the letter.
    digest = re.compile(r"[0-9a-f]{32,64}")
    return {
        page: digest.sub("", text).replace(guest.csrf, "").replace(str(guest.folder), "") for page, text in seen.items()
    }


def begun(folder: Path) -> Guest:
    folder.mkdir()
    guest = Guest(folder)
    guest.act("/projects", {"start": "own", "name": "own"})
    return guest


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    folder = tmp_path_factory.mktemp("plain")
    csv, parquet = begun(folder / "csv"), begun(folder / "parquet")
    (folder / "csv" / "own" / "people.csv").write_text(CSV["plain"])
    FRAMES["whole"].to_parquet(folder / "parquet" / "own" / "people.parquet")
    return {"csv": pages(csv, "people.csv"), "parquet": pages(parquet, "people.parquet")}


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("rows", list(CSV)[1:])
def test_no_page_before_a_release_depends_on_a_row_of_a_text(
    rows: str, plain: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    guest = begun(tmp_path / "csv")
    (tmp_path / "csv" / "own" / "people.csv").write_text(CSV[rows])
    assert plain["csv"] == pages(guest, "people.csv")


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("rows", list(FRAMES)[1:])
def test_no_page_before_a_release_depends_on_how_a_column_is_stored(
    rows: str, plain: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    guest = begun(tmp_path / "parquet")
    FRAMES[rows].to_parquet(tmp_path / "parquet" / "own" / "people.parquet")
    assert plain["parquet"] == pages(guest, "people.parquet")


def test_a_column_called_na_is_not_hidden(tmp_path: Path) -> None:
    guest = begun(tmp_path / "csv")
    (tmp_path / "csv" / "own" / "people.csv").write_text("n/a,NA,null\n1,2,3\n")
    page = guest.page("/p/own/data", data="people.csv")
    assert all(f'value="{name}" checked' in page for name in ("n/a", "NA", "null"))
