"""Look: what the contract makes of the data, without noise, behind a barrier that is an act; nothing of it is kept."""

from starlette.responses import Response

from reaedp.errors import DeclarationError
from reaedp.evaluation.look import HARMFUL, HARMLESS, look
from reaedp.studio.project import Project
from reaedp.studio.step import State, Step
from reaedp.studio.visit import Visit

#: Causes that are shown; the others explain less.
MOST_CAUSES = 5
NEEDS = "A look needs a complete contract with columns, and the place of the data."


def show(visit: Visit) -> Response:
    """The barrier, which no address goes around: what is behind it is the answer to an act."""
    return _barrier(visit)


def see(visit: Visit) -> Response:
    """Count without noise, and show it once."""
    project = visit.project
    if visit.form.text("custodian") != "yes":
        return _barrier(visit, ("Tick that you may see what is in the data.",))
    try:
        if project.contract is None or not project.data:
            raise DeclarationError(NEEDS)
        seen = look(project.contract, project.data_address)
    except DeclarationError as error:
        return _barrier(visit, error.mistakes)
    return visit.page(
        "looked.html", step="look", seen=seen, causes=seen.causes[:MOST_CAUSES], harmless=HARMLESS, harmful=HARMFUL
    )


def _barrier(visit: Visit, mistakes: tuple[str, ...] = ()) -> Response:
    ready = visit.project.contract is not None and bool(visit.project.data)
    return visit.page(
        "look.html", step="look", status=400 if mistakes else 200, mistakes=mistakes, needs="" if ready else NEEDS
    )


def state(project: Project) -> State:
    """Possible with a contract, and never needed."""
    return "optional" if project.contract is not None and project.data else "locked"


LOOK = Step(key="look", title="Look", state=state, show=show, acts={"": see})
