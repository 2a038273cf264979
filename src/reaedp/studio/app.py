"""The application: pages are asked for, acts are posted; every act carries the token of a page of this session."""

from collections.abc import Callable, Sequence
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from reaedp.errors import BudgetRefused, DeclarationError, LedgerError, ReaedpError, mistakes_of
from reaedp.studio.form import MOST_BYTES, Form
from reaedp.studio.gate import AccessKeys, Gate, session_of
from reaedp.studio.journey import STEPS
from reaedp.studio.pages import projects
from reaedp.studio.step import Handler, Step
from reaedp.studio.visit import Visit
from reaedp.studio.workspace import Workspace

#: Files of static/, by name; nothing else is served from the package.
STATIC = {
    **dict.fromkeys(("studio.css", "work.css"), "text/css"),
    **dict.fromkeys(("answers.js", "studio.js", "plan.js", "work.js"), "text/javascript"),
}
#: Makes of what nobody foresaw an error without data; the command line has such a function.
Defect = Callable[[BaseException], ReaedpError]
_NOT_DONE = "This form does not belong to the current session, so nothing was done. Load the page again."


def application(
    workspace: Workspace, keys: AccessKeys, hosts: frozenset[str], defect: Defect, steps: Sequence[Step] = STEPS
) -> ASGIApp:
    """The studio over a folder, for browsers that the keys let in."""
    studio = Studio(workspace, keys, defect, {step.key: step for step in steps})
    routes = [
        Route("/", studio.asked, methods=["GET"]),
        Route("/projects", studio.done, methods=["POST"]),
        Route("/static/{name}", _static, methods=["GET"]),
        *(Route(f"/p/{{project}}/{path}", studio.asked, methods=["GET"]) for path in ("", "{step}", "{step}/{part}")),
        *(Route(f"/p/{{project}}/{path}", studio.done, methods=["POST"]) for path in ("{step}", "{step}/{part}")),
    ]
    return Gate(Starlette(routes=routes), keys, hosts)


class Studio:
    """Finds the handler of a request, runs it in a thread, and makes a page of whatever goes wrong."""

    def __init__(self, workspace: Workspace, keys: AccessKeys, defect: Defect, steps: dict[str, Step]) -> None:
        self.workspace, self.keys, self.defect, self.steps = workspace, keys, defect, steps

    async def asked(self, request: Request) -> Response:
        """Answer a request for a page or a part of one; it changes nothing."""
        step = self.steps.get(request.path_params.get("step", ""))
        part = request.path_params.get("part")
        if "project" not in request.path_params:
            handler: Handler | None = projects.show
        elif step is None:
            handler = None if request.path_params.get("step") else projects.enter
        else:
            handler = step.show if part is None else step.parts.get(part)
        return await self._run(handler, self._visit(request, Form()))

    async def done(self, request: Request) -> Response:
        """Do what a form asks for, if it comes from a page of this session."""
        try:
            form = Form.read(await _body(request))
        except DeclarationError as error:
            return PlainTextResponse(str(error), 400)
        if not self.keys.same(session_of(request), form.text("csrf")):
            return PlainTextResponse(_NOT_DONE, 403)
        step = self.steps.get(request.path_params.get("step", ""))
        if "project" not in request.path_params:
            handler: Handler | None = projects.create
        else:
            handler = None if step is None else step.acts.get(request.path_params.get("part", ""))
        return await self._run(handler, self._visit(request, form))

    def _visit(self, request: Request, form: Form) -> Visit:
        query = Form({name: request.query_params.getlist(name) for name in request.query_params})
        address = request.path_params.get("project", "")
        csrf = self.keys.csrf(session_of(request))
        return Visit(self.workspace, tuple(self.steps.values()), address, query, form, csrf)

    async def _run(self, handler: Handler | None, visit: Visit) -> Response:
        """Run a handler where it may take its time; other windows are answered meanwhile."""
        if handler is None:
            return PlainTextResponse("There is no such page.", 404)
        return await run_in_threadpool(self._safely, handler, visit)

    def _safely(self, handler: Handler, visit: Visit) -> Response:
        try:
            return handler(visit)
        except ReaedpError as error:
            return _said(visit, error)
        except Exception as error:
            return _said(visit, self.defect(error))


def _said(visit: Visit, error: ReaedpError) -> Response:
    """An error in the project's own words, on a page without rail or bar, which may be what failed."""
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 500)
    outside = Visit(visit.workspace, (), "", visit.query, Form(), visit.csrf)
    back = visit.address and visit.place()
    return outside.page(mistakes=mistakes_of(error), template="error.html", status=status, back=back)


_STATUS = ((DeclarationError, 400), (BudgetRefused, 409), (LedgerError, 503))


async def _body(request: Request) -> bytes:
    """The body, as far as a form may be long."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            break
    return bytes(body)


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        return PlainTextResponse("There is no such file.", 404)
    content = (Path(__file__).parent / "static" / name).read_bytes()
    return Response(content, media_type=STATIC[name])
