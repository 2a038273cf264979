"""Look: what the contract makes of the data, without noise, behind a barrier that is an act; nothing of it is kept."""

from starlette.responses import Response

from reaedp.evaluation.look import HARMFUL, HARMLESS, look
from reaedp.studio.project import Project
from reaedp.studio.step import State, Step
from reaedp.studio.visit import Visit
from reaedp.studio.work import Work
from reaedp.studio.workplace import Workplace

#: Causes that are shown; the others explain less.
MOST_CAUSES = 5
NEEDS = "A look needs a complete contract with columns, and the place of the data."
GONE = "There is nothing to show: a result is shown only once."
LOOKS = Workplace("look")


def show(visit: Visit) -> Response:
    """The barrier, which no address goes around, or how far a look is: what is found is the answer to an act."""
    work = LOOKS.at(visit)
    if work is not None and work.error is not None:
        LOOKS.over(visit)
        return _barrier(visit, work.mistakes)
    return _barrier(visit)


def begin(visit: Visit) -> Response:
    """Count without noise, for the session that asks."""
    contract, data = visit.project.contract, visit.project.data_address
    if visit.form.text("custodian") != "yes":
        return _barrier(visit, ("Tick that you are allowed to see the data.",))
    if contract is None or not data:
        return _barrier(visit, (NEEDS,))
    LOOKS.over(visit)
    work = Work(visit.csrf, "Stopped. Nothing was kept.")
    LOOKS.begin(visit, work, lambda work: look(contract, data, progress=work.say))
    return visit.to("look", begun="yes")


def see(visit: Visit) -> Response:
    """Show the result, once, to the session that asked for it."""
    work = LOOKS.at(visit)
    if work is None or work.about != visit.csrf or LOOKS.running(visit) is not None:
        return _barrier(visit, (GONE,))
    LOOKS.over(visit)
    if work.answer is None:
        return _barrier(visit, work.mistakes)
    seen = work.answer
    return visit.page(
        "look",
        template="looked.html",
        seen=seen,
        causes=seen.causes[:MOST_CAUSES],
        harmless=HARMLESS,
        harmful=HARMFUL,
    )


def _barrier(visit: Visit, mistakes: tuple[str, ...] = ()) -> Response:
    work = LOOKS.at(visit)
    mine = work is not None and work.about == visit.csrf
    ready = mine and work is not None and work.answer is not None
    needs = "" if visit.project.contract is not None and visit.project.data else NEEDS
    return visit.page("look", mistakes, needs=needs, work=LOOKS.running(visit), mine=mine, ready=ready)


def state(project: Project) -> State:
    """Possible with a contract, and never needed."""
    return "optional" if project.contract is not None and project.data else "locked"


LOOK = Step("look", "Look", state, show, LOOKS.parts, {"": begin, "see": see, **LOOKS.acts}, needed=False)
