"""One request as pages see it, and the answers that they give."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from jinja2 import Environment
from starlette.responses import HTMLResponse, RedirectResponse, Response

from reaedp.frames.number import about, written
from reaedp.label import shown
from reaedp.report.compiled_templates import environment_of
from reaedp.studio.form import Form
from reaedp.studio.project import Project
from reaedp.studio.workspace import Workspace

if TYPE_CHECKING:
    from reaedp.studio.step import Step


#: Pages on which the price of a plan matters, also if it was released before.
_PLANNING = ("plan", "release", "audit")
#: The scale of noise as audits and ledgers write it: in steps of a lattice, which say nothing to people.
_SCALE = re.compile(r", scale [\d.e+-]+")


@dataclass(frozen=True)
class Visit:
    """Who asks for what: the folder, the address of a project ("" for none), the query, and the form of an act."""

    workspace: Workspace
    steps: Sequence["Step"]
    address: str
    query: Form
    form: Form
    csrf: str

    @cached_property
    def project(self) -> Project:
        """The project that the address names, as it is at this moment."""
        return self.workspace.project(self.address)

    def page(
        self, step: str = "", mistakes: Sequence[str] = (), *, template: str = "", status: int = 0, **names: Any
    ) -> Response:
        """The page of a step, with what is not right; that is an error where somebody sent something."""
        sent = bool(self.form.fields or self.query.fields)
        frame = {"csrf": self.csrf, "here": step, "address": self.address, "query": self.query, "mistakes": mistakes}
        content = _environment().get_template(template or f"{step}.html").render(frame | self._around(step) | names)
        return HTMLResponse(content, status or (400 if mistakes and sent else 200))

    @staticmethod
    def download(content: str | bytes, name: str, kind: str) -> Response:
        """A file to be saved."""
        return Response(content, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})

    def part(self, template: str, **names: Any) -> Response:
        """A piece of a page, for a script that puts it into its place."""
        return HTMLResponse(_environment().get_template(template).render(csrf=self.csrf, address=self.address, **names))

    def to(self, step: str = "", **query: str) -> Response:
        """On to another page after an act, so that loading it again repeats nothing."""
        return RedirectResponse(self.place(step, **query), 303)

    def place(self, step: str = "", **query: str) -> str:
        """The address of a step."""
        asked = f"?{urlencode(query)}" if query else ""
        return f"/p/{quote(self.address, safe='~')}/{step}{asked}" if self.address else f"/{asked}"

    def _around(self, here: str) -> dict[str, Any]:
        """Rail and bar, for pages of a project."""
        if not self.address:
            return {"project": None, "rail": (), "bar": None, "following": None}
        from reaedp.studio.bar import bar_of
        from reaedp.studio.step import WORDS

        rail = [(step, state, WORDS[state]) for step in self.steps for state in (step.state(self.project),)]
        waiting = [step for step, state, _ in rail if state in ("empty", "incomplete")]
        done_here = all(step.key != here for step in waiting)  # the form of the page comes first
        return {
            "project": self.project,
            "rail": rail,
            "bar": bar_of(self.project, released=here not in _PLANNING and self.project.plan_released),
            "following": next(iter(waiting), None) if done_here else None,
            "place": self.place,
        }


@cache
def _environment() -> Environment:
    environment = environment_of("reaedp.studio", lstrip_blocks=True)
    environment.filters |= {
        "about": about,
        "written": written,
        "shown": shown,
        "unscaled": lambda text: _SCALE.sub("", text),
    }
    return environment
