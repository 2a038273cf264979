"""The plan page looks up what the planner computes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from reaedp import Forecast, Number, Plan
from reaedp.plan.kinds.synthetic import PlannedSynthetic
from reaedp.report.plan_page import BINS, FACTORS, plan_page
from report_support import contract, counted


def data_of(page: str) -> dict[str, Any]:
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, flags=re.DOTALL)
    found: dict[str, Any] = json.loads(text)
    return found


def test_every_point_is_what_a_plan_with_that_price_and_that_many_bins_would_forecast(tmp_path: Path) -> None:
    plan = Plan(contract(tmp_path), (counted("incomes", "histogram", "income"), counted("bits", "entropy", "income")))
    data = data_of(plan_page(plan))
    assert [None, *BINS] == data["bins"]
    for place, factor in ((0, FACTORS[0]), (8, 1.0), (16, FACTORS[16])):
        for row, bins in ((0, 12), (4, BINS[3])):
            columns = (Number(name="income", lower=0, upper=100, bins=bins, provenance="public"),)
            for number, kind in enumerate(("histogram", "entropy")):
                other = Plan(contract(tmp_path, columns), (counted("x", kind, "income"),))
                (request,) = other.requests()
                scaled = type(request.mechanism)(epsilon=factor)  # type: ignore[call-arg]
                expected = Forecast.of(type(request)("x", request.statistic, scaled), other.contract)
                point = data["releases"][number]["rows"][row][place]
                assert expected.cells == point["cells"]
                assert expected.epsilon == pytest.approx(point["epsilon"])
                assert expected.expected.mean_error == pytest.approx(point["error"])


def test_attackers_are_allowed_more_the_more_is_spent(tmp_path: Path) -> None:
    plan = Plan(contract(tmp_path, epsilon=2.0), (counted("ages", "histogram", "age"),))
    totals = data_of(plan_page(plan))["totals"]
    for figure in ("epsilon", "accuracy", "auc", "caught"):
        values = [total[figure] for total in totals]
        assert sorted(values) == values
    assert [total["epsilon"] <= 2.0 for total in totals] == [total["fits"] for total in totals]
    assert 0.731 == pytest.approx(totals[8]["accuracy"], abs=1e-3)


@pytest.mark.slow
def test_deniable_records_are_counted_and_impossible_prices_are_said(tmp_path: Path) -> None:
    deniable = PlannedSynthetic(
        name="d", kind="synthetic", columns=("age", "sex"), rows=20, method="deniable", epsilon=2.0, delta=1e-6
    )
    data = data_of(plan_page(Plan(contract(tmp_path), (deniable,))))
    records = [point["records"] for point in data["releases"][0]["rows"][0] if point is not None]
    assert sorted(records) == records
    assert records[-1] > records[0]


def test_a_release_that_is_useless_at_a_price_says_so_and_from_which_price_on_it_is_not(tmp_path: Path) -> None:
    plan = Plan(contract(tmp_path), (counted("triples", "histogram", "income", "sex", "age", label="All three"),))
    page = plan_page(plan)
    (release,) = data_of(page)["releases"]
    readings = ["reading" in point for point in release["rows"][0]]
    assert readings[8]  # at the planned price
    assert sorted(readings, reverse=True) == readings
    assert not readings[-1]
    assert "All three" == release["name"]
    assert '<p class="notice">All three: WARNING: ' in page
    assert '<tr class="doubtful">' in page
