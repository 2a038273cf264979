"""Correlations and regressions from a plan to a page: what is forecast, written, verified, read, shown and audited."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reaedp import (
    Budget,
    Category,
    Contract,
    Correlation,
    DeclarationError,
    Forecast,
    Gaussian,
    Integer,
    Number,
    Plan,
    ReaedpError,
    Regression,
    Request,
    Unit,
    evaluate,
    publish,
    read,
    verify,
)
from reaedp.audits.finding import Verdict
from reaedp.audits.neighbour_files import neighbour_files
from reaedp.audits.request_audit import audit_request
from reaedp.audits.worst_case import worst_cases
from reaedp.curator.records import Records
from reaedp.report.public import public_report
from tests_support import ledger_in

COLUMNS = """
[columns.age]
kind = "integer"
lower = 0
upper = 99
provenance = "public"

[columns.pay]
kind = "number"
lower = 0
upper = 100
bins = 5
provenance = "public"

[columns.town]
kind = "category"
levels = ["a", "b", "c"]
provenance = "public"
"""
HEAD = """
[dataset]
name = "people"
[unit]
change = "add-remove"
at_least = 3000
[budget]
epsilon = 4
delta = 1e-5
ledger = "{ledger}"
"""
PLAN = """
contract = "contract.toml"
[[release]]
name = "pairs"
kind = "correlation"
of = ["age", "pay"]
share = 0.25
[[release]]
name = "slopes"
kind = "regression"
of = "pay"
on = ["age", "town"]
share = 0.25
[[release]]
name = "hopeless"
kind = "regression"
of = "pay"
on = ["age", "town"]
epsilon = 0.01
delta = 1e-7
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("moments")
    (folder / "contract.toml").write_text(HEAD.format(ledger=ledger_in(folder)) + COLUMNS, encoding="utf-8")
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    rng = np.random.default_rng(1)
    ages, towns = rng.integers(0, 100, 4_000), rng.integers(0, 3, 4_000)
    pay = 20 + 0.4 * ages + 10 * (towns == 1) + rng.normal(0, 8, 4_000)
    lines = [f"{age},{one:.2f},{'abc'[town]}" for age, one, town in zip(ages, pay, towns, strict=True)]
    (folder / "data.csv").write_text("age,pay,town\n" + "\n".join([*lines, ",1,a", "3,,b"]) + "\n", encoding="utf-8")
    publish(Plan.load(folder / "plan.toml"), str(folder / "data.csv"), folder / "out", audited=False)
    return folder


def test_a_folder_is_verified_and_read_as_it_was_written(home: Path) -> None:
    words = "\n".join(verify(home / "out"))
    assert "pairs: 12 rows agree with the contract and with each other" in words
    slopes: Any = read(home / "out")["slopes"]
    assert Regression(of="pay", on=["age", "town"]) == slopes.statistic
    found = {
        (m, s, a): v
        for m, s, a, v in zip(*(slopes.frame()[n] for n in ("measure", "second", "about", "value")), strict=True)
    }
    # Noise moves the slope by 0.02 (one standard deviation), which the row's sampling error does not reach.
    assert math.isclose(0.4, found["coefficient", "age", "these rows"], abs_tol=0.15)
    assert {"coefficient", "rows", "share of variance explained"} <= {measure for measure, _, _ in found}
    assert "<svg" in slopes.drawing()


def test_what_is_edited_in_the_manifest_is_found(home: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(home / "out", tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "release.json").read_text(encoding="utf-8"))
    manifest["releases"][0]["details"]["noisy_moments"][2] += 2**24
    (tmp_path / "out" / "release.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(ReaedpError, match="do not follow from one another"):
        verify(tmp_path / "out")


def test_readers_are_told_what_the_numbers_are_and_where_nothing_can_be_told(home: Path) -> None:
    words = " ".join((home / "out" / "README.txt").read_text(encoding="utf-8").split())
    assert "rows that lack a value in any of the columns are left out" in words
    assert 1 == words.count("there are too few rows for this ε")
    assert np.isinf(read(home / "out")["hopeless"].frame()["high_95"]).any()
    page = public_report(home / "out")
    assert "Grey pairs may not be related at all" in page
    assert "No interval: there are too few rows" in page


def test_a_release_is_set_beside_the_truth(home: Path) -> None:
    lines = evaluate(home / "out", str(home / "data.csv"), rng=np.random.default_rng(1))
    found = {(line.release, line.measure): line.value for line in lines}
    assert 0 <= found["slopes", "coefficient: share of 95 % intervals that cover"] <= 1
    assert found["pairs", "correlation: mean error"] < 0.2
    assert ("hopeless", "coefficient: share of 95 % intervals that cover") not in found


def test_a_plan_tells_the_error_and_what_is_too_little(home: Path) -> None:
    plan = Plan.load(home / "plan.toml")
    words = [Forecast.of(request, plan.contract).words for request in plan.requests()]
    assert "With 3,000 evenly spread rows, correlations are off by at most" in words[0]
    assert "coefficients are off by at most: age ±" in words[1]
    assert "3,000 rows are too few at this ε" in words[2]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('of = ["age", "pay"]', "Correlations must be of two or more columns"),
        ('of = "pay"', "A regression must be of one column"),
    ],
)
def test_mistakes_of_a_plan_are_named(home: Path, line: str, words: str, tmp_path: Path) -> None:
    spoilt = PLAN.replace(line, 'of = ["age"]' if "[" in line else 'of = "age"', 1)
    (tmp_path / "contract.toml").write_text((home / "contract.toml").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "plan.toml").write_text(spoilt, encoding="utf-8")
    with pytest.raises(DeclarationError, match=words):
        Plan.load(tmp_path / "plan.toml")


UNITS = [
    Unit("add-remove", at_least=200),
    Unit("replace", at_least=200),
    Unit("add-remove", person="p", max_rows=3, at_least=200),
    Unit("replace", person="p", max_rows=3, at_least=200),
]
STATISTICS = [Correlation(of=["x", "n"]), Regression(of="x", on=["n", "c"])]


def terms_of(unit: Unit) -> Contract:
    columns = (
        Number(name="x", lower=0, upper=10, bins=5, provenance="public"),
        Integer(name="n", lower=-2, upper=2, provenance="public"),
        Category(name="c", levels=("a", "b", "c"), provenance="public"),
    )
    return Contract(dataset="d", unit=unit, budget=Budget(9.0, 1e-6), ledger="none.sqlite", columns=columns)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: f"{unit.change} {unit.rows}")
@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda statistic: statistic.title)
def test_made_up_neighbours_are_as_far_apart_as_rows_can_be_and_the_audit_sees_it(
    statistic: Any, unit: Unit, tmp_path: Path
) -> None:
    terms = terms_of(unit)
    declared = statistic.sensitivity(terms)
    (case,) = worst_cases(statistic, terms)
    move = (case.second.answer(statistic) - case.first.answer(statistic)).astype(object)
    attained = int((move**2).sum()) / declared.l2_squared
    assert (0.9999 if unit.change == "add-remove" else 0.75) <= attained <= 1
    request = Request("r", statistic, Gaussian.within(8.0, 1e-6, declared))
    (finding,) = audit_request(request, terms, rng=np.random.default_rng(3), runs=4_000)
    assert Verdict.CONSISTENT == finding.verdict
    (files,) = neighbour_files(request, terms, tmp_path)
    sums = [statistic.answer(Records(terms, str(path))).astype(object) for path in (files.first, files.second)]
    assert int((move**2).sum()) == int(((sums[1] - sums[0]) ** 2).sum())
