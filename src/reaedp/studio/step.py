"""A step of the journey: a page with acts, and a state that the rail shows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from starlette.responses import Response

from reaedp.studio.project import Project
from reaedp.studio.visit import Visit

State = Literal["empty", "incomplete", "done", "locked", "optional"]
Handler = Callable[[Visit], Response]
#: The states in words, which no colour replaces.
WORDS: Mapping[State, str] = {
    "empty": "not begun",
    "incomplete": "something is open",
    "done": "done",
    "locked": "not yet possible",
    "optional": "if you like",
}


@dataclass(frozen=True, slots=True)
class Step:
    """A page at /p/PROJECT/`key`: `show` answers there, `parts` below it, `acts` do what its forms ask for.

    Acts are posted to /p/PROJECT/KEY/ACT, "" being the page itself, and answer with a redirection, so that loading a
    page again does nothing twice. Handlers run in threads of their own and may take long.
    """

    key: str
    title: str
    state: Callable[[Project], State]
    show: Handler
    parts: Mapping[str, Handler] = field(default_factory=dict)
    acts: Mapping[str, Handler] = field(default_factory=dict)
    #: Whether a release needs it; the rail lists the others apart.
    needed: bool = True
