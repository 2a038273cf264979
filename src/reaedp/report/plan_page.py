"""The plan page: sliders for ε and the number of bins, and what they do to errors, records and attackers.

Everything is computed from the contract and the plan, before any data is opened; the page only looks it up.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from reaedp.charts.drawing import BLUE, GREY, Specification, drawn, hover, quantity
from reaedp.contract import Contract, Number
from reaedp.errors import DeclarationError, ReaedpError
from reaedp.forecast import Forecast
from reaedp.label import shown
from reaedp.plan import Plan
from reaedp.planned.planned import Planned
from reaedp.privacy.accounting import epsilon, tally
from reaedp.privacy.permitted import permitted
from reaedp.purchase import Purchase
from reaedp.readme import posterior
from reaedp.report.number import frequency, written
from reaedp.report.page import written_page
from reaedp.report.panel import Figure
from reaedp.synthesis.deniability import Deniable

#: Multiples of the planned prices, and numbers of bins, among which the sliders choose.
FACTORS = tuple(2.0 ** (step / 2) for step in range(-8, 9))
BINS = (5, 10, 20, 30, 50, 100, 200)
#: Seeds that are assumed to be plausible for each candidate when deniable records are counted.
PLAUSIBLE = 1_000
_NUMBER = ",.3~g"


def plan_page(plan: Plan, progress: Callable[[str], None] = lambda _: None) -> str:
    """The page as HTML."""
    bins = _bins(plan.contract)
    releases = [_release(planned, plan.contract, bins, progress) for planned in plan.releases]
    data = {
        "bins": bins,
        "start": {"factor": FACTORS.index(1.0), "bins": 0},
        "totals": [_total(plan, factor) for factor in FACTORS],
        "releases": releases,
    }
    names = {
        "title": f"{shown(plan.contract.dataset, 120)}: what a plan buys",
        "unit": plan.contract.unit,
        "budget": plan.contract.budget,
        "data": data,
        "figures": [_figure(release) for release in releases],
    }
    return written_page("plan.html", "plan.js", names)


def _bins(contract: Contract) -> list[int | None]:
    """As declared, first; then the others, if there is a column that has bins of equal width."""
    return [None, *BINS] if any(_binned(column) for column in contract.columns) else [None]


def _binned(column: object) -> bool:
    return isinstance(column, Number) and column.edges is None


def _with_bins(contract: Contract, bins: int | None) -> Contract:
    if bins is None:
        return contract
    columns = tuple(
        replace(column, bins=bins) if isinstance(column, Number) and column.edges is None else column
        for column in contract.columns
    )
    return replace(contract, columns=columns)


def _scaled(planned: Planned, contract: Contract, factor: float) -> Planned:
    """The same release for a multiple of its price."""
    price, delta = planned.price(contract.budget)
    return replace(planned, epsilon=price * factor, delta=None if planned.pure else delta, share=None)


def _release(
    planned: Planned, contract: Contract, bins: list[int | None], progress: Callable[[str], None]
) -> dict[str, Any]:
    progress(f"{planned.name}: what other prices would buy")
    request = planned.request(contract)
    declared = [_point(planned, contract, factor) for factor in FACTORS]
    rows = [declared] * len(bins)
    counted = request.statistic.answers != "records"  # the price of records does not depend on bins
    if counted and any(_binned(column) for column in contract.select(request.statistic.columns)):
        others = [[_point(planned, _with_bins(contract, number), factor) for factor in FACTORS] for number in bins[1:]]
        rows = [declared, *others]
    return {"name": planned.name, "title": shown(request.statistic.title, 120), "rows": rows}


def _point(planned: Planned, contract: Contract, factor: float) -> dict[str, Any] | None:
    """What a price buys; nothing where that price or that many bins are refused."""
    try:
        request = _scaled(planned, contract, factor).request(contract)
        forecast = Forecast.of(request, contract)
    except ReaedpError:
        return None
    expected = forecast.expected
    point: dict[str, Any] = {
        "epsilon": forecast.epsilon,
        "cells": forecast.cells,
        "unit": expected.unit,
        "error": expected.mean_error,
        "bound": expected.bound,
        "all": expected.bound_all,
    }
    rows = contract.unit.at_least
    if expected.unit == "rows" and rows is not None and request.statistic.answers == "vector":
        # In a cell of average size, if there are no more rows than is promised.
        point["relative"] = expected.mean_error / (rows / forecast.cells)
    if isinstance(request.mechanism, Deniable):
        point["records"] = Purchase.of(request.mechanism, contract).records(PLAUSIBLE)
    return point


def _total(plan: Plan, factor: float) -> dict[str, Any]:
    """What all releases cost together, and what attackers can reach at most."""
    contract = plan.contract
    try:
        requests = [_scaled(planned, contract, factor).request(contract) for planned in plan.releases]
        prices = [request.calibrated(contract).price for request in requests]
    except DeclarationError:
        return {"epsilon": None}
    total = epsilon(tally(prices), contract.budget.delta)
    allowed = permitted(total, contract.budget.delta)
    return {
        "epsilon": total,
        "fits": total <= contract.budget.epsilon,
        "odds": written(math.exp(total), 3) if total < 50 else "anything",
        "belief": frequency(posterior(0.01, min(total, 700.0))),
        "accuracy": allowed.accuracy,
        "auc": allowed.auc,
        "caught": float(allowed.true_positives(0.01)),
    }


def _figure(release: dict[str, Any]) -> Figure:
    """Error against ε, with the chosen price marked; both axes are logarithmic."""
    points = list(_points(release))
    unit = points[0]["unit"] if points else ""
    said = hover(epsilon=("ε", _NUMBER), error=("mean error", _NUMBER), bound=("95 % within", _NUMBER))
    scale = {"scale": {"type": "log"}}
    error = {"y": quantity("bound", f"95 % within ({unit})") | scale, "tooltip": said}
    chosen: Specification = {
        "mark": {"type": "rule", "color": GREY, "strokeDash": [4, 4]},
        "transform": [{"filter": "datum.step == chosen"}],
        "encoding": {"x": quantity("epsilon", "ε") | scale},
    }
    line: Specification = {
        "mark": {"type": "line", "color": BLUE, "point": {"filled": True, "color": BLUE, "size": 45}},
        "encoding": {"x": quantity("epsilon", "ε") | scale} | error,
    }
    chart: Specification = {
        "data": {"values": points},
        "height": 180,
        "params": [{"name": "chosen", "value": FACTORS.index(1.0)}, {"name": "bins", "value": 0}],
        "transform": [{"filter": "datum.bins == bins"}],
        "layer": [line, chosen],
    }
    return Figure(drawn(chart), f"{release['name']}: expected error against ε.", small=True)


def _points(release: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for bins, row in enumerate(release["rows"]):
        for step, point in enumerate(row):
            if point is not None and point["bound"] > 0 and math.isfinite(point["bound"]):
                kept = {key: point[key] for key in ("epsilon", "error", "bound", "unit")}
                yield kept | {"bins": bins, "step": step}
