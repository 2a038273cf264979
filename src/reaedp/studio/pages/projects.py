"""The first page: the projects of the folder, and how to begin one."""

from collections.abc import Iterator
from typing import Any

from starlette.responses import RedirectResponse, Response

from reaedp.errors import DeclarationError, ReaedpError
from reaedp.studio import clinic
from reaedp.studio.bar import bar_of
from reaedp.studio.project import Project
from reaedp.studio.visit import Visit


def show(visit: Visit) -> Response:
    """The list, with what is to be done next in each."""
    return _page(visit)


def create(visit: Visit) -> Response:
    """Begin a project, with the made-up clinic or with a file of one's own."""
    made_up = visit.form.text("start") == "clinic"
    name = _free(visit, "clinic") if made_up else visit.form.text("name")
    try:
        address, project = visit.workspace.create(name)
    except DeclarationError as error:
        return _page(visit, error.mistakes, name)
    if made_up:
        project.write(project.folder / clinic.FILE, clinic.visits())
        project.remember(clinic.FILE)
    return RedirectResponse(f"/p/{address}/data", 303)


def _page(visit: Visit, mistakes: tuple[str, ...] = (), name: str = "") -> Response:
    names: dict[str, Any] = {"listed": list(_listed(visit)), "folder": visit.workspace.folder, "name": name}
    return visit.page(mistakes=mistakes, template="projects.html", **names)


def enter(visit: Visit) -> Response:
    """On to the first step of a project that is not done; to its releases, if all are."""
    waiting = [step.key for step in visit.steps if step.state(visit.project) in ("empty", "incomplete")]
    return visit.to(next(iter(waiting), [step.key for step in visit.steps if step.needed][-1]))


def _free(visit: Visit, name: str) -> str:
    """The name, or the first with a number behind it that no folder has."""
    names = (name, *(f"{name}-{number}" for number in range(2, 10_000)))
    return next(one for one in names if not (visit.workspace.folder / one).exists())


def _listed(visit: Visit) -> Iterator[dict[str, Any]]:
    for address, project in visit.workspace.projects().items():
        inside = Visit(visit.workspace, visit.steps, address, visit.query, visit.form, visit.csrf)
        yield {"name": project.name, "place": inside.place(), **_state(inside, project)}


def _state(visit: Visit, project: Project) -> dict[str, Any]:
    """Where a project stands; one that cannot be read must not hide the others."""
    try:
        waiting = [step.title for step in visit.steps if step.state(project) in ("empty", "incomplete")]
        return {
            "next": waiting[0] if waiting else "",
            "bar": bar_of(project, released=project.plan_released),
            "trouble": "",
        }
    except ReaedpError as error:
        return {"next": "", "bar": None, "trouble": str(error)}
