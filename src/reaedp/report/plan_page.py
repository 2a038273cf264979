"""The plan page: sliders for ε and the number of bins, and what they do to errors, records and attackers.

Everything is computed from the contract and the plan, before any data is opened; the page only looks it up.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from reaedp.contract import Contract, Number
from reaedp.errors import DeclarationError, ReaedpError
from reaedp.frames.number import about, frequency, written
from reaedp.label import shown
from reaedp.plan.affordable import rest_of
from reaedp.plan.forecast import Forecast
from reaedp.plan.kinds.kind import Planned
from reaedp.plan.labelled import labelled
from reaedp.plan.plan import Plan
from reaedp.plan.purchase import Purchase
from reaedp.plan.usefulness import resolution_of, useless
from reaedp.privacy.accounting import epsilon
from reaedp.privacy.permitted import permitted
from reaedp.privacy.rest import Rest
from reaedp.release.readme import posterior
from reaedp.report.charts.drawing import BLUE, GREY, Specification, drawn, hover, quantity
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
    """The plan page as HTML: a `plan`, with its cost and expected quality at this and at other prices.

    >>> plan_page(plan)[:15]
    '<!doctype html>'
    """
    bins, rest = _bins(plan.contract), rest_of(plan.contract)
    releases = [_release(planned, plan.contract, bins, progress) for planned in plan.releases]
    totals = [_total(plan, rest, factor) for factor in FACTORS]
    data = {
        "bins": bins,
        "start": {"factor": FACTORS.index(1.0), "bins": 0},
        "totals": totals,
        "releases": releases,
        "records": any("records" in (point or {}) for release in releases for row in release["rows"] for point in row),
    }
    ends = [total["epsilon"] for total in totals if total["epsilon"] is not None]
    names = {
        "title": f"{shown(plan.contract.dataset, 120)}: privacy and error of the plan",
        "unit": plan.contract.unit,
        "budget": plan.contract.budget,
        "data": data,
        "ends": (about(min(ends)), about(max(ends))),
        "warnings": [str(found) for found in useless(plan)],
        "figures": [_figure(release) for release in releases],
    }
    return written_page("plan.html", "plan.js", names)


def _bins(contract: Contract) -> list[int | None]:
    """The choices for the number of bins: as declared first, then others if a column has bins of equal width."""
    return [None, *BINS] if any(_binned(column) for column in contract.columns) else [None]


def _binned(column: object) -> bool:
    return isinstance(column, Number) and column.edges is None


def _with_bins(contract: Contract, bins: int | None) -> Contract:
    if bins is None:
        return contract
    columns = tuple(
        replace(column, bins=bins, step=None) if isinstance(column, Number) and column.edges is None else column
        for column in contract.columns
    )
    return replace(contract, columns=columns)


def _release(
    planned: Planned, contract: Contract, bins: list[int | None], progress: Callable[[str], None]
) -> dict[str, Any]:
    progress(f"{planned.name}: what other prices would buy")
    request = planned.request(contract)
    declared = [_point(planned, contract, factor) for factor in FACTORS]
    rows = [declared] * len(bins)
    counted = request.statistic.answers != "records"  # the price of records does not depend on bins
    if counted and any(_binned(column) for column in contract.select(request.statistic.columns)):
        others = (_with_bins(contract, number) for number in bins[1:])
        rows = [declared, *([_point(planned, other, factor) for factor in FACTORS] for other in others)]
    title = shown(labelled(request.statistic, contract).title, 120)
    return {"name": shown(planned.called, 100), "title": planned.description or title, "rows": rows}


def _point(planned: Planned, contract: Contract, factor: float) -> dict[str, Any] | None:
    """What a price buys; nothing where that price or that many bins are refused."""
    try:
        request = planned.times(factor, contract.budget).request(contract)
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
    resolution = resolution_of(request, contract)
    if resolution is not None and resolution.useless:
        point["reading"] = "mostly noise"
    rows = contract.unit.at_least
    if expected.unit == "rows" and rows is not None and resolution is not None:
        # In a cell of average size, if there are no more rows than is promised.
        point["relative"] = expected.mean_error / (rows / forecast.cells)
    if isinstance(request.mechanism, Deniable):
        point["records"] = Purchase.of(request.mechanism, contract).records(PLAUSIBLE)
    return point


def _total(plan: Plan, rest: Rest, factor: float) -> dict[str, Any]:
    """What all releases cost together, whether the ledger would admit it, and what attackers can reach at most."""
    contract = plan.contract
    try:
        prices = plan.times(factor).prices()
    except DeclarationError:
        return {"epsilon": None}
    total = epsilon(prices, contract.budget.delta)
    allowed = permitted(total, contract.budget.delta)
    return {
        "epsilon": total,
        "fits": rest.admits(prices),
        "odds": written(math.exp(total), 3) if total < 50 else "anything",
        "belief": frequency(posterior(0.01, min(total, 700.0))),
        "accuracy": allowed.accuracy,
        "auc": allowed.auc,
        "caught": float(allowed.true_positives(0.01)),
    }


def _figure(release: dict[str, Any]) -> Figure:
    """Error against ε, with the chosen price marked; both axes are logarithmic."""
    planned = release["rows"][0][FACTORS.index(1.0)]
    unit = planned["unit"] if planned else ""
    points = [point for point in _points(release) if point["unit"] == unit]  # too little money buys another figure
    counted = f" ({unit})" if unit else ""
    said = hover(epsilon=("ε", _NUMBER), error=("mean error", _NUMBER), bound=("error at 95 % confidence", _NUMBER))
    scale = {"scale": {"type": "log"}}
    error = {"y": quantity("bound", f"error at 95 % confidence{counted}") | scale, "tooltip": said}
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
    return Figure(drawn(chart), f"{release['name']}: how the expected error falls as ε grows.", small=True)


def _points(release: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for bins, row in enumerate(release["rows"]):
        for step, point in enumerate(row):
            if point is not None and point["bound"] > 0 and math.isfinite(point["bound"]):
                kept = {key: point[key] for key in ("epsilon", "error", "bound", "unit")}
                yield kept | {"bins": bins, "step": step}
