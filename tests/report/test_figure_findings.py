"""Sentences about groups, correlations, coefficients and quantiles, and the labels in them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reaedp import Category, Number, Plan
from reaedp.plan.forecast import Forecast
from reaedp.plan.kinds.moments import PlannedCorrelation, PlannedRegression
from reaedp.plan.kinds.quantiles import PlannedQuantiles
from reaedp.plan.kinds.rate import PlannedRate
from reaedp.plan.kinds.summary import PlannedSummary
from reaedp.plan.labelled import spoken
from reaedp.report.charts.drawing import names
from reaedp.report.figure_findings import correlation_finding, group_finding, regression_finding
from reaedp.report.public import public_report
from reaedp.statistics.doubt import all_alike, doubtful_signs
from reaedp.statistics.moments.words import THESE
from report_support import contract, people, published

AGE = Number(name="age", lower=0, upper=8, bins=8, provenance="public", label="Age at entry", unit_of_measure="years")
PAY = Number(name="income", lower=0, upper=100, bins=10, provenance="public", label="Pay", unit_of_measure="€")
SEX = Category(name="sex", levels=("f", "m"), provenance="public", label="Sex at birth")


def groups(*figures: tuple[float, float, float]) -> dict[str, Any]:
    value, low, high = zip(*figures, strict=True)
    town = np.array([f"town {number}" for number in range(len(figures))], dtype=object)
    return {"town": town, "value": np.array(value), "low_95": np.array(low), "high_95": np.array(high)}


def test_groups_are_put_in_order_only_if_noise_cannot_have_made_it() -> None:
    near, far = groups((10, 8, 12), (13, 11, 15)), groups((10, 9, 11), (50, 48, 52))
    said = [group_finding(frame, np.arange(2), ["town"], "mean of Pay (€)") for frame in (near, far)]
    assert said[0].startswith(
        "Mean of Pay (€): no group clearly differs from the others; the differences could be noise alone"
    )
    assert said[1].startswith("Mean of Pay (€): highest in town 1, 50 (48 to 52), and lowest in town 0, 10 (9 to 11)")
    assert "No group has enough rows" in group_finding(far, np.arange(0), ["town"], "mean")
    assert group_finding(far, np.arange(1), [], "mean of Pay").startswith("Mean of Pay: 10 (9 to 11)")


def test_the_more_is_compared_the_wider_intervals_must_be_apart() -> None:
    pair = groups((0, -1, 1), (2.5, 1.5, 3.5))
    many = groups((0, -1, 1), (2.5, 1.5, 3.5), *[(1, -9, 9)] * 40)
    assert (False, True) == (all_alike(pair), all_alike(many))
    assert [False] == doubtful_signs(groups((2, 0.5, 3.5))).tolist()
    assert doubtful_signs(groups((2, 0.5, 3.5), *[(0, -1, 1)] * 40)).all()


def test_relations_that_may_be_nothing_are_counted_and_not_named() -> None:
    clear, unclear = (0.8, 0.7, 0.9), (0.1, -0.1, 0.3)
    frame = groups(clear, unclear) | {
        "measure": np.array(["correlation"] * 2, dtype=object),
        "first": np.array(["age", "age"], dtype=object),
        "second": np.array(["pay", "sex"], dtype=object),
    }
    said = correlation_finding(frame, str.upper)
    assert "Strongest correlations: AGE with PAY, 0.8 (0.7 to 0.9)" in said
    assert "SEX" not in said
    assert "1 of 2 pairs may have no linear relation." in said
    terms = frame | {
        "measure": np.array(["coefficient"] * 2, dtype=object), "about": np.array([THESE] * 2, dtype=object)
    }  # fmt: skip
    assert "by 0.8 (0.7 to 0.9) for PAY;" in regression_finding(terms, "Wage", str.upper)
    nothing = {key: column[1:] for key, column in frame.items()}
    assert correlation_finding(nothing, str).startswith("Nothing stands out")


def test_levels_behind_a_name_keep_it_labelled(tmp_path: Path) -> None:
    terms = contract(tmp_path, (AGE, SEX, replace(AGE, name="age = m", label="Odd")))
    assert ["Age at entry", "Sex at birth = m", "Odd", "(intercept)"] == [
        spoken(term, terms) for term in ("age", "sex = m", "age = m", "(intercept)")
    ]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("figures")
    price: dict[str, Any] = {"mechanism": "laplace", "epsilon": 1.0}
    plan = Plan(
        contract(place, (AGE, PAY, SEX)),
        (
            PlannedSummary(name="pay", kind="summary", of=("income",), by=("sex",), **price),
            PlannedRate(name="rate", kind="rate", of="income", at_least=20, by=("sex",), **price),
            PlannedQuantiles(name="half", kind="quantiles", of="income", at="quartiles", epsilon=1.0),
            PlannedCorrelation(name="both", kind="correlation", of=("age", "income"), epsilon=1.0, delta=1e-6),
            PlannedRegression(name="line", kind="regression", of="income", on=("age", "sex"), epsilon=1, delta=1e-6),
        ),
    )
    for request in plan.requests():
        assert not {"income", "sex"} & set(Forecast.of(request, plan.contract).words.replace(",", " ").split())
    return public_report(published(place, plan, people()))


def test_figures_of_every_kind_speak_of_labels_and_units(page: str) -> None:
    visible = page.split("<script", 1)[0] if "<main" not in page else page
    for words in (
        "Mean of Pay (€)", "ate of 20 ≤ Pay", "Pay (€): 25 % of the rows are at or below", "Sex at birth = m",
        "Quantiles of Pay with 95 % intervals", "Correlations of Age at entry, Pay",
    ):  # fmt: skip
        assert words in visible, words
    assert "mean of income" not in page
    assert "rate of income" not in page


def test_names_that_have_no_room_side_by_side_are_slanted() -> None:
    assert 0 == names("cell", None, 6, 10)["axis"]["labelAngle"]
    assert names("cell", None, 6, 20)["axis"]["labelAngle"] < 0
    assert names("cell", None, 7, 1)["axis"]["labelAngle"] < 0
