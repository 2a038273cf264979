"""Requests: an analyst's plan as a file; the custodian sees what it costs and risks, and answers with a reason."""

from pathlib import Path
from typing import Any

from starlette.responses import Response

from reaedp.drafting.analyst_package import package
from reaedp.drafting.plan_request import SUFFIX, PlanRequest, waiting, write_request
from reaedp.errors import DeclarationError, ReaedpError, mistakes_of, unknown
from reaedp.ledger.admission import shown
from reaedp.plan.forecast import Forecast
from reaedp.studio.project import Project
from reaedp.studio.step import State, Step
from reaedp.studio.visit import Visit

_DONE = {
    "approved": "Approved and recorded in the ledger. The requested plan is now the plan of this project.",
    "refused": "Answered and recorded in the ledger. The answer is next to the request; send it back.",
    "written": "Written. Send the file to the custodian.",
}


def show(visit: Visit) -> Response:
    """What waits for an answer, and what an analyst needs."""
    return _page(visit)


def ask(visit: Visit) -> Response:
    """Write the plan of this project as a request."""
    project, form = visit.project, visit.form
    try:
        if project.plan is None:
            raise DeclarationError("A request needs a complete plan.")
        names = (project.folder / f"{project.name}-{number}{SUFFIX}" for number in range(1, 1_000_000))
        free = next(path for path in names if not path.exists())
        write_request(project.plan_path, form.text("asked_by"), form.text("note"), free)
    except DeclarationError as error:
        return _page(visit, error.mistakes)
    return visit.to("requests", done="written")


def decide(visit: Visit) -> Response:
    """Record the answer in the ledger; an approved plan becomes the plan of the project."""
    project, form = visit.project, visit.form
    approved = form.text("answer") == "approve"
    try:
        request = PlanRequest.read(_chosen(project, form.text("file")), project.contract_path)
        if form.text("seen") != request.digest:
            raise DeclarationError("The request was changed after this page was opened. Check it again.")
        request.decide(project.plan_path, approved=approved, reason=form.text("reason"))
    except DeclarationError as error:
        return _page(visit, error.mistakes)
    return visit.to("requests", done="approved" if approved else "refused")


def for_analysts(visit: Visit) -> Response:
    """What an analyst gets, as one file."""
    return visit.download(package(visit.project.contract_path), "for-analysts.zip", "application/zip")


def _page(visit: Visit, mistakes: tuple[str, ...] = ()) -> Response:
    project = visit.project
    return visit.page(
        "requests",
        mistakes,
        done="" if mistakes else _DONE.get(visit.query.text("done"), ""),
        waiting=[_seen(project, path) for path in waiting(project.folder)],
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
        request = PlanRequest.read(path, project.contract_path)
        request.check_contract()
        left = request.left
    except ReaedpError as error:
        return {**facts, "mistakes": mistakes_of(error)}
    plan = request.plan
    return {
        **facts,
        "request": request,
        "price": shown(request.price, up=True),
        "after": None if left is None else shown(left, up=False),
        "forecasts": [Forecast.of(one, plan.contract) for one in plan.requests()],
    }


def _chosen(project: Project, name: str) -> Path:
    found = {path.name: path for path in waiting(project.folder)}
    if name not in found:
        raise DeclarationError(unknown("request that waits for an answer", name, found))
    return found[name]


def state(project: Project) -> State:
    """Something to do when a request waits."""
    if project.contract is None:
        return "locked"
    return "incomplete" if waiting(project.folder) else "optional"


_ACTS = {"ask": ask, "decide": decide}
REQUESTS = Step("requests", "Requests", state, show, {"package": for_analysts}, _ACTS, needed=False)
