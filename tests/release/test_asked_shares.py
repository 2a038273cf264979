"""Shares are answered from released rates: by their own numbers, of all rows, and of what they counted alone."""

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reaedp import (
    Boolean,
    Budget,
    Category,
    Contract,
    Curator,
    Date,
    DeclarationError,
    Integer,
    Laplace,
    Ledger,
    Rates,
    Unit,
)
from reaedp.inference.answer import Answer
from reaedp.inference.ask import ask
from reaedp.mechanisms.noise import SeededNoise
from reaedp.release.verification.asked import sources_of

ROWS = 2_000
COLUMNS = (
    Boolean(name="sick", provenance="public"),
    Category(name="town", levels=("Aa", "Bo", "Ull by"), provenance="public", null="drop", unseen="drop"),
    Category(name="job", levels=("cook", "baker", "smith"), provenance="public"),
    Integer(name="age in years", lower=0, upper=99, provenance="public"),
    Date(name="seen", lower=date(2020, 1, 1), upper=date(2020, 12, 31), every="month", provenance="public"),
)
RATES = {
    "sickness": Rates("sick", "town"),
    "trades": Rates("job", levels=("cook", "baker")),
    "old": Rates("age in years", "town", at_least=65),
    "spring": Rates("seen", at_least="2020-03-01", below="2020-06-01"),
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], pd.DataFrame]:
    """Released rates of made-up people, a tenth of whom nobody asked whether they are sick."""
    place = str(tmp_path_factory.mktemp("rates") / "budget.sqlite")
    Ledger.create(place).close()
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "sick": pd.array(rng.random(ROWS) < 0.3, dtype="boolean"),
            "town": rng.choice(["Aa", "Bo"], ROWS),
            "job": rng.choice(["cook", "baker", "smith"], ROWS),
            "age in years": rng.integers(0, 100, ROWS),
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 366, ROWS), unit="D"),
        }
    )
    frame.loc[: ROWS // 10, "sick"] = pd.NA
    terms = Contract(dataset="d", unit=Unit("add-remove"), budget=Budget(50, 1e-6), ledger=place, columns=COLUMNS)
    curator = Curator(terms, frame, noise=SeededNoise(np.random.default_rng(2)))
    return {name: curator.release(RATES[name], Laplace(5.0)) for name in RATES}, frame


def answered(told: dict[str, Any], question: str, name: str) -> Answer:
    found = ask(sources_of(told), question)
    assert f"the release {told[name].name}" == found.source, question
    return found


def test_the_share_of_a_rate_is_answered_group_by_group(told: tuple[dict[str, Any], pd.DataFrame]) -> None:
    """ε = 5 for some 1,000 rows a town: noise moves a share by less than .02 but for a chance below 1e-6."""
    releases, frame = told
    found = answered(releases, "share of sick by town", "sickness").to_pandas().set_index(["town", "sick"])
    for town in ("Aa", "Bo"):
        rows = frame["sick"][frame["town"] == town]
        for said, meant in (("true", True), ("false", False)):
            one = found.loc[(town, said)]
            assert abs(one["value"] - float((rows == meant).sum() / len(rows))) < 0.02, "of all rows, answered or not"
            assert one["low"] < one["value"] < one["high"] < one["low"] + 0.03
    assert {"too few rows for an interval"} == set(found.loc["Ull by"]["note"])
    assert found.loc["Ull by"][["low", "high"]].isna().all(axis=None)


@pytest.mark.parametrize(
    ("question", "name", "true"),
    [
        ("share of sick = no by town", "sickness", lambda f: (~f["sick"]).groupby(f["town"]).sum() / 1),
        ("share of job = cook or job = baker", "trades", lambda f: (f["job"] != "smith").mean()),
        ("share of job = smith", "trades", lambda f: (f["job"] == "smith").mean()),
        ("share of `age in years` >= 65 by town", "old", lambda f: (f["age in years"] >= 65).groupby(f["town"]).mean()),
        (
            "share of seen >= 2020-03-01 and seen < 2020-06-01",
            "spring",
            lambda f: f["seen"].between("2020-03-01", "2020-05-31").mean(),
        ),
    ],
)
def test_the_condition_of_a_rate_and_its_contrary_are_answered(
    told: tuple[dict[str, Any], pd.DataFrame], question: str, name: str, true: Any
) -> None:
    releases, frame = told
    found = answered(releases, question, name)
    wanted = np.atleast_1d(np.asarray(true(frame), dtype=float))
    if "sick" in question:
        wanted = wanted / frame.groupby("town").size().to_numpy()
    assert np.abs(found.value[: len(wanted)] - wanted).max() < 0.02


@pytest.mark.parametrize(
    "question",
    [
        "share of sick",
        "share of job",
        "share of job = cook",
        "share of sick by town where job = cook",
        "share of `age in years` >= 66 by town",
        "share of `age in years` by town",
        "count by town",
        "difference of share of sick = yes between town = Aa and town = Bo",
    ],
)
def test_what_a_rate_did_not_count_is_not_answered_by_it(
    told: tuple[dict[str, Any], pd.DataFrame], question: str
) -> None:
    with pytest.raises(DeclarationError, match=r"Nothing in this folder.*It has share of sick by town, "):
        ask(sources_of(told[0]), question)
