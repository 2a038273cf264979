"""Requests: an analyst's plan as a file; the custodian sees what it costs and risks, and answers with a reason."""

from pathlib import Path
from typing import Any

from starlette.responses import Response

from reaedp.drafting.toml_text import text
from reaedp.errors import DeclarationError, LedgerMissing, ReaedpError, unknown
from reaedp.ledger.admission import shown
from reaedp.ledger.ledger import Ledger
from reaedp.plan.affordable import rest_of
from reaedp.plan.forecast import Forecast
from reaedp.release.readme import hundredths, posterior
from reaedp.studio.analyst_package import package
from reaedp.studio.bar import cost
from reaedp.studio.plan_request import SUFFIX, PlanRequest, answer_path, waiting, written
from reaedp.studio.project import Project
from reaedp.studio.step import State, Step
from reaedp.studio.visit import Visit

_DONE = {
    "approved": "Approved, and recorded in the ledger. The plan of this project is now the one that was asked for.",
    "refused": "Answered, and recorded in the ledger. The answer lies beside the request, to be sent back.",
    "written": "Written. Send the file to the custodian.",
}


def show(visit: Visit) -> Response:
    """What waits for an answer, and what an analyst needs."""
    return _page(visit)


def ask(visit: Visit) -> Response:
    """Write the plan of this project as a request."""
    project, form = visit.project, visit.form
    try:
        content = written(project, form.text("asked_by"), form.text("note"))
        names = (f"{project.name}-{number}{SUFFIX}" for number in range(1, 1_000_000))
        name = next(name for name in names if not (project.folder / name).exists())
        project.write(project.folder / name, content)
    except DeclarationError as error:
        return _page(visit, error.mistakes)
    return visit.to("requests", done="written")


def decide(visit: Visit) -> Response:
    """Record the answer in the ledger; an approved plan becomes the plan of the project."""
    project, form = visit.project, visit.form
    approved = form.text("answer") == "approve"
    try:
        path = _chosen(project, form.text("file"))
        request = PlanRequest.read(path, project)
        contract = request.plan.contract
        if approved:
            request.check_contract(contract)
        with Ledger.open(contract.ledger) as book:
            book.register(contract.dataset, contract.budget, contract.unit)
            number = book.decide(
                contract.dataset, request.requests, request.asked_by, approved=approved, reason=form.text("reason")
            )
        if approved:
            project.write(project.plan_path, request.text)
        project.write(answer_path(path), _answer(approved, form.text("reason"), number))
    except DeclarationError as error:
        return _page(visit, error.mistakes)
    return visit.to("requests", done="approved" if approved else "refused")


def for_analysts(visit: Visit) -> Response:
    """What an analyst gets, as one file."""
    return visit.download(package(visit.project), "for-analysts.zip", "application/zip")


def _answer(approved: bool, reason: str, entry: int) -> str:
    """The answer as a file: what was decided, why, and under which entry of the ledger."""
    words = "# The answer to a request for releases.\n"
    return f"{words}approved = {str(approved).lower()}\nreason = {text(reason)}\nentry = {entry}\n"


def _page(visit: Visit, mistakes: tuple[str, ...] = ()) -> Response:
    project = visit.project
    return visit.page(
        "requests",
        mistakes,
        done="" if mistakes else _DONE.get(visit.query.text("done"), ""),
        waiting=[_seen(project, path) for path in waiting(project)],
        complete=project.contract is not None,
        planned=project.plan is not None,
        suffix=SUFFIX,
        folder=str(project.folder),
        form=visit.form,
    )


def _seen(project: Project, path: Path) -> dict[str, Any]:
    """A request as the custodian sees it: price, errors, risk and what would be left; or what is wrong with it."""
    facts: dict[str, Any] = {"file": path.name, "mistakes": (), "request": None}
    try:
        request = PlanRequest.read(path, project)
        plan = request.plan
        request.check_contract(plan.contract)
        after = rest_of(plan.contract).after(plan.prices())
    except (DeclarationError, LedgerMissing) as error:
        return {**facts, "mistakes": error.mistakes}
    except ReaedpError as error:
        return {**facts, "mistakes": (str(error),)}
    price = cost(plan)
    return {
        **facts,
        "request": request,
        "price": shown(price, up=True),
        "after": None if after is None else shown(after, up=False),
        "belief": hundredths(posterior(0.1, price)),
        "forecasts": [Forecast.of(one, plan.contract) for one in plan.requests()],
    }


def _chosen(project: Project, name: str) -> Path:
    found = {path.name: path for path in waiting(project)}
    if name not in found:
        raise DeclarationError(unknown("request that waits for an answer", name, found))
    return found[name]


def state(project: Project) -> State:
    """Something to do when a request waits."""
    if project.contract is None:
        return "locked"
    return "incomplete" if waiting(project) else "optional"


REQUESTS = Step("requests", "Requests", state, show, {"package": for_analysts}, {"ask": ask, "decide": decide})
