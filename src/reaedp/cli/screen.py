"""What commands show on a terminal: tables and bars."""

import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from reaedp.cli.progress import steps

if TYPE_CHECKING:
    from reaedp.plan.plan import Plan
    from reaedp.privacy.budget import Budget

#: Where nobody watches, lines are long enough to be searched.
console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)

#: Prices around a planned one for which is drawn how many records they buy, and the seeds that each record has.
_FACTORS, _PLAUSIBLE = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0), 1_000


def show_plan(plan: "Plan", plot: Path | None = None) -> None:
    """Cost, remaining budget and expected error, from public facts."""
    from reaedp.frames.number import about
    from reaedp.ledger.admission import shown
    from reaedp.plan.advice import advice
    from reaedp.plan.forecast import Forecast
    from reaedp.plan.usefulness import unused, useless
    from reaedp.privacy.accounting import epsilon

    contract = plan.contract
    requests = [replace(one, name=two.called) for one, two in zip(plan.requests(), plan.releases, strict=True)]
    with steps() as progress:
        progress("computing costs and expected errors")
        forecasts = [Forecast.of(request, contract) for request in requests]
        told = [*advice(requests, contract), *unused(plan)]
        warnings = [str(found) for found in useless(plan)]
        if plot is not None:
            _plot_records(plan, plot)
    table = Table(title=f"Plan for {contract.dataset}", title_justify="left")
    for heading in ("release", "what", "ε", "cells", "mean error", "95 % error", "all cells, 95 %"):
        table.add_column(heading, justify="left" if heading in ("release", "what") else "right")
    for forecast in forecasts:
        expected = forecast.expected
        numbers = (about(forecast.epsilon), f"{forecast.cells:,}", f"±{about(expected.mean_error)}")
        bounds = (f"±{about(bound)} {expected.unit}".rstrip() for bound in (expected.bound, expected.bound_all))
        table.add_row(*map(Text, (forecast.name, forecast.title, *numbers, *bounds)))
    console.print(table)
    for forecast in forecasts:
        console.print(f"{forecast.name}: {forecast.words}", markup=False)
    for line in (*told, *warnings):
        console.print(line, markup=False)
    cost = shown(epsilon(plan.prices(), contract.budget.delta), up=True)
    console.print(f"All releases together cost ε = {cost} at δ = {contract.budget.delta:g}.")
    for line in _left(plan):
        console.print(line, markup=False)


def write_plan_page(plan: "Plan", path: Path) -> None:
    """Write the HTML page with sliders."""
    from reaedp.report.page import save
    from reaedp.report.plan_page import plan_page

    with steps() as progress:
        save(path, plan_page(plan, progress))
    console.print(f"Wrote {path}.", markup=False)


def _plot_records(plan: "Plan", path: Path) -> None:
    from reaedp.cli.chart import write_chart
    from reaedp.errors import DeclarationError
    from reaedp.plan.purchase import Purchase
    from reaedp.synthesis.deniability import Deniable

    mechanisms = [request.mechanism for request in plan.requests() if isinstance(request.mechanism, Deniable)]
    if not mechanisms:
        raise DeclarationError(
            '--plot needs a release of synthetic records with method = "deniable"; the plan has none.'
        )
    points = Purchase.of(mechanisms[0], plan.contract).curve(_PLAUSIBLE, _FACTORS)
    write_chart(path, points, ("epsilon", f"records_if_{_PLAUSIBLE}_seeds_are_plausible"))


def _left(plan: "Plan") -> Iterator[str]:
    """What the ledger has left, and whether it would admit the plan; a plan may be made before its ledger."""
    from reaedp.errors import LedgerMissing
    from reaedp.ledger.admission import shown
    from reaedp.ledger.ledger import Ledger
    from reaedp.plan.affordable import largest_factor, rest_of

    contract = plan.contract
    rest = rest_of(contract)
    try:
        with Ledger.open(contract.ledger) as book:
            known = contract.dataset in book.datasets()
            left = book.remaining(contract.dataset) if known else contract.budget.epsilon
        yield f"The ledger has ε = {shown(left, up=False)} left for a release with Laplace noise."
    except LedgerMissing as error:
        yield f"The budget is ε = {contract.budget.epsilon:.4g}. {error}"
    if rest.admits(plan.prices()):
        return
    factor = largest_factor(plan, rest)
    if factor is None:
        yield "The plan costs more than is left, even with a smaller ε. Spend less δ, or choose other releases."
    else:
        yield f"The plan costs more than is left. It would fit with every ε multiplied by {factor:g}."


def show_budget(dataset: str, budget: "Budget", spent: float, remaining: float) -> None:
    """A bar of what is spent, and what is left in words."""
    from reaedp.ledger.admission import shown
    from reaedp.release.readme import factor, hundredths, posterior

    share = min(1.0, spent / budget.epsilon)
    filled = math.ceil(share * 40)
    gone, left = shown(spent, up=True), shown(remaining, up=False)
    console.print(f"{dataset}: ε = {gone} of {budget.epsilon:g} spent at δ = {budget.delta:g}", markup=False)
    console.print(f"  {'█' * filled}{'░' * (40 - filled)} {share:.0%}", markup=False)
    odds, after = factor(budget.epsilon), posterior(0.01, budget.epsilon)
    console.print(f"  ε = {left} is left for a release with Laplace noise.", markup=False)
    console.print(
        f"  Once all is spent, the odds of any guess about one person or row have changed by a factor of at most"
        f" {odds}: a chance of 1 in 100 can become {hundredths(after)} in 100.",
        markup=False,
    )


def show_history(records: list[dict[str, Any]]) -> None:
    """One line for each entry."""
    table = Table()
    for heading in ("entry", "time", "user", "what", "data set", "details", "state"):
        table.add_column(heading, overflow="fold")
    for record in records:
        act = record["act"]
        details = act.get("statistic") or act.get("reason") or ""
        state = {True: "finished", False: "charged, not finished", None: ""}[record.get("finished")]
        cells = (
            record["number"],
            record["time"],
            record["user"],
            record["kind"],
            act.get("dataset", ""),
            details,
            state,
        )
        table.add_row(*(Text(str(cell)) for cell in cells))
    console.print(table)
