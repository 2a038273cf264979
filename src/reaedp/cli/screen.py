"""What commands show on a terminal: tables, bars, progress."""

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from reaedp.advice import advice
from reaedp.forecast import Forecast
from reaedp.plan import Plan
from reaedp.privacy.accounting import epsilon, tally
from reaedp.privacy.budget import Budget
from reaedp.readme import factor, hundredths, posterior

#: Where nobody watches, lines are long enough to be searched.
console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """A line that says what is being done and for how long; it vanishes at the end, and only people see it."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("opening")
        yield lambda text: progress.update(task, description=text)


@contextmanager
def counted_steps() -> Iterator[tuple[Callable[[str], None], Callable[[str, int, int], None]]]:
    """The same, and a bar for what is counted, with the time that is left."""
    if not sys.stderr.isatty():
        yield lambda _: None, lambda what, done, of: None  # noqa: ARG005
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("opening", total=None)

        def counted(what: str, done: int, of: int) -> None:
            progress.update(task, description=f"{what}, {done:,} of {of:,}", completed=done, total=of)

        yield lambda text: progress.update(task, description=text), counted


#: Prices around a planned one for which is drawn how many records they buy, and the seeds that each record has.
_FACTORS, _PLAUSIBLE = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0), 1_000


def show_plan(plan: Plan, plot: Path | None = None) -> None:
    """Cost, remaining budget and expected error, from public facts."""
    contract, requests = plan.contract, plan.requests()
    with steps() as progress:
        progress("computing what the plan buys")
        forecasts = [Forecast.of(request, contract) for request in requests]
        told = list(advice(requests, contract))
        if plot is not None:
            _plot_records(plan, plot)
    table = Table(title=f"Plan for {contract.dataset}", title_justify="left")
    for heading in ("release", "what", "ε", "cells", "error", "95 %", "all cells 95 %"):
        table.add_column(heading, justify="left" if heading in ("release", "what") else "right")
    for forecast in forecasts:
        expected = forecast.expected
        numbers = (f"{forecast.epsilon:.4g}", f"{forecast.cells:,}", f"±{expected.mean_error:.2g}")
        bounds = (f"±{expected.bound:,.3g} {expected.unit}", f"±{expected.bound_all:,.3g} {expected.unit}")
        table.add_row(forecast.name, forecast.title, *numbers, *bounds)
    console.print(table)
    for forecast in forecasts:
        console.print(f"{forecast.name}: {forecast.words}", markup=False)
    for line in told:
        console.print(line, markup=False)
    cost = epsilon(tally([request.charge(contract).price for request in requests]), contract.budget.delta)
    console.print(f"All releases together cost ε = {cost:.4g} at δ = {contract.budget.delta:g}.")
    console.print(_left(plan), markup=False)
    if not affordable(plan):
        console.print("The plan does not fit into what is left.")


def write_plan_page(plan: Plan, path: Path) -> None:
    """The page with sliders."""
    from reaedp.report.page import save
    from reaedp.report.plan_page import plan_page

    with steps() as progress:
        save(path, plan_page(plan, progress))
    console.print(f"Wrote {path}.", markup=False)


def _plot_records(plan: Plan, path: Path) -> None:
    from reaedp.cli.chart import write_chart
    from reaedp.errors import DeclarationError
    from reaedp.purchase import Purchase
    from reaedp.synthesis.deniability import Deniable

    mechanisms = [request.mechanism for request in plan.requests() if isinstance(request.mechanism, Deniable)]
    if not mechanisms:
        raise DeclarationError("--plot draws the records of method deniable; this plan has no such release.")
    points = Purchase.of(mechanisms[0], plan.contract).curve(_PLAUSIBLE, _FACTORS)
    write_chart(path, points, ("epsilon", f"records_if_{_PLAUSIBLE}_seeds_are_plausible"))


def _left(plan: Plan) -> str:
    """What remains of the budget; a plan may be made before its ledger."""
    from reaedp.errors import LedgerMissing
    from reaedp.privacy.ledger import Ledger

    contract = plan.contract
    try:
        with Ledger.open(contract.ledger) as book:
            known = contract.dataset in book.datasets()
            left = book.remaining(contract.dataset) if known else contract.budget.epsilon
    except LedgerMissing as error:
        return f"The budget is ε = {contract.budget.epsilon:.4g}. {error}"
    return f"The ledger has ε = {left:.4g} left."


def affordable(plan: Plan) -> bool:
    """Whether the ledger would admit a plan now, as one charge; a plan may be made before its ledger."""
    from reaedp.errors import LedgerMissing
    from reaedp.privacy.ledger import Ledger
    from reaedp.privacy.spending import NOTHING, admit

    contract = plan.contract
    charges = [request.charge(contract) for request in plan.requests()]
    with suppress(LedgerMissing), Ledger.open(contract.ledger) as book:
        if contract.dataset in book.datasets():
            return book.admits(charges)
    return admit(NOTHING, tally([charge.price for charge in charges]), contract.budget) is not None


def show_budget(dataset: str, budget: Budget, spent: float, remaining: float) -> None:
    """A bar of what is spent, and what is left in words."""
    share = min(1.0, spent / budget.epsilon)
    filled = math.ceil(share * 40)
    console.print(f"{dataset}: ε = {spent:.4g} of {budget.epsilon:g} spent at δ = {budget.delta:g}", markup=False)
    console.print(f"  {'█' * filled}{'░' * (40 - filled)} {share:.0%}", markup=False)
    odds, after = factor(budget.epsilon), posterior(0.01, budget.epsilon)
    console.print(
        f"  ε = {remaining:.4g} is left. When all is spent, odds about any one of them change by a factor of at most"
        f" {odds}: 1 in 100 can become {hundredths(after)} in 100.",
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
