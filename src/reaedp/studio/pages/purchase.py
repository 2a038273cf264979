"""Bounds or levels that are not public are bought: the price is on the page before anything is spent."""

from typing import Any

from starlette.responses import Response

from reaedp.contract import Contract, Number
from reaedp.contract.document import write_column
from reaedp.curator.learning import learn_bounds, learn_levels
from reaedp.errors import BudgetRefused, DeclarationError, ReaedpError, mistakes_of
from reaedp.ledger.admission import shown
from reaedp.mechanisms.laplace import Laplace
from reaedp.mechanisms.threshold import Threshold
from reaedp.plan.affordable import rest_of
from reaedp.privacy.accounting import tally
from reaedp.privacy.loss import positive
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.studio.contract_file import ContractFile
from reaedp.studio.form import Form
from reaedp.studio.project import Project
from reaedp.studio.spending import spending, state
from reaedp.studio.visit import Visit

WHAT = {"bounds": "Bounds", "levels": "Frequent words"}


def show(visit: Visit) -> Response:
    """What is to be bought, then its price, then the confirmation."""
    return _page(visit, visit.query)


def buy(visit: Visit) -> Response:
    """Charge, find, and write what was found into the contract; once, however often it is clicked."""
    form, project = visit.form, visit.project
    try:
        contract = Contract.load_without_columns(project.contract_path)
        order = _order(form, contract)
        if form.text("confirmed") != contract.dataset.strip():
            raise DeclarationError(f"Type the name of the data set, {contract.dataset}, to confirm.")
        with spending(project, form.text("state")) as now:
            facts, entry = _found(contract, now, order)
            write_column(now.contract_path, order["column"], {**facts, "provenance": "dp", "entry": entry})
    except ReaedpError as error:
        refused = isinstance(error, DeclarationError | BudgetRefused)
        return _page(visit, form, mistakes_of(error), status=400 if refused else 409)
    return visit.to("columns")


def _found(contract: Contract, project: Project, order: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """What `reaedp learn` would write."""
    name, data = order["column"], project.data_address
    if order["what"] == "levels":
        levels, release = learn_levels(contract, data, name, order["epsilon"], order["delta"])
        return {"kind": "category", "levels": list(levels)}, release.entry
    lower, upper, release = learn_bounds(contract, data, name, order["epsilon"])
    return {"kind": "number", "lower": lower, "upper": upper, "bins": order["bins"]}, release.entry


def _order(form: Form, contract: Contract) -> dict[str, Any]:
    """What is asked for, complete; all that is wrong with it costs nothing."""
    what = form.text("what") if form.text("what") in WHAT else "bounds"
    order: dict[str, Any] = {"what": what, "column": form.raw("column")}
    order["epsilon"] = positive("epsilon", form.number("epsilon", "ε"))
    if what == "levels":
        order["delta"] = positive("delta", form.number("delta", "δ"), below=1.0)
    else:
        order["bins"] = form.whole("bins", "The number of bars")
        Number(name=order["column"] or "x", lower=0, upper=1, bins=order["bins"], provenance="public")
    mechanism = Threshold(order["epsilon"], order["delta"]) if what == "levels" else Laplace(order["epsilon"])
    price = tally([mechanism.price(counting_sensitivity(contract.unit))])
    after = rest_of(contract).after(price)
    order |= {"fits": after is not None, "after": "" if after is None else f"ε {shown(after, up=False)}"}
    return order


def _page(visit: Visit, form: Form, mistakes: tuple[str, ...] = (), status: int = 0) -> Response:
    project = Project(visit.project.folder, visit.project.name)
    order: dict[str, Any] | None = None
    left, dataset = "", ""
    try:
        contract = Contract.load_without_columns(project.contract_path)
        dataset, left = contract.dataset, _left(project)
        if form.text("epsilon"):
            order = _order(form, contract)
    except DeclarationError as error:
        mistakes = mistakes or error.mistakes
    if order is not None and not order["fits"]:
        mistakes = mistakes or (f"ε = {order['epsilon']:g} does not fit into what is left: {left}. Nothing was spent.",)
    names = [column.name for column in ContractFile.read(project).draft.columns]
    return visit.page(
        "columns",
        mistakes,
        template="purchase.html",
        status=status,
        names=names,
        form=form,
        what=WHAT,
        order=order if order and order["fits"] else None,
        left=left,
        dataset=dataset,
        state=state(project),
    )


def _left(project: Project) -> str:
    """What is left, in words, also while columns are open and no contract can be loaded."""
    from reaedp.ledger.ledger import Ledger

    contract = Contract.load_without_columns(project.contract_path)
    with Ledger.open(contract.ledger) as book:
        known = contract.dataset in book.datasets()
        left = book.remaining(contract.dataset) if known else contract.budget.epsilon
    return f"ε = {shown(left, up=False)}"


def noun(project: Project) -> str:
    """Whose bounds they are: those of people, or of rows where only rows are protected."""
    person = project.document.table("unit").get("person") if project.document else None
    return "person" if person else "row"
