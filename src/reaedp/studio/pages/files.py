"""Export: the files as they are, commands, a script and a notebook; nothing of it needs the studio."""

from collections.abc import Callable

from starlette.responses import Response

from reaedp.errors import DeclarationError
from reaedp.studio import contract_file, plan_file
from reaedp.studio.project import CONTRACT, PLAN, Project
from reaedp.studio.step import Handler, State, Step
from reaedp.studio.take_along import commands, init_command, notebook, script
from reaedp.studio.visit import Visit

SCRIPT, NOTEBOOK = "release.py", "release.ipynb"
#: What can be downloaded, by its name.
MADE: dict[str, Callable[[Project], str]] = {
    CONTRACT: contract_file.text_of,
    PLAN: plan_file.text_of,
    SCRIPT: script,
    NOTEBOOK: notebook,
}


def show(visit: Visit) -> Response:
    """Everything as text, to be read, copied or downloaded."""
    project = visit.project
    return visit.page(
        "files",
        folder=project.folder,
        contract=contract_file.text_of(project),
        plan=plan_file.text_of(project),
        script=script(project),
        init=init_command(project),
        commands=commands(project),
        names=tuple(MADE),
    )


def _download(name: str) -> Handler:
    def send(visit: Visit) -> Response:
        content = MADE[name](visit.project)
        if not content:
            raise DeclarationError(f"There is no {name} yet.")
        return visit.download(content, name, "text/plain; charset=utf-8")

    return send


def state(project: Project) -> State:
    """Possible as soon as there is a contract; there is nothing to be done."""
    return "optional" if project.document is not None else "locked"


FILES = Step("files", "Export", state, show, {name: _download(name) for name in MADE}, needed=False)
