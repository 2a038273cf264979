"""Where a step does what takes longer than an answer: one work at a time for each project, seen and stopped by all."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.responses import Response

from reaedp.studio.step import Handler
from reaedp.studio.visit import Visit
from reaedp.studio.work import Work


@dataclass(frozen=True, slots=True)
class Workplace:
    """The works of one step; `template` shows how far one is."""

    step: str
    template: str = "working.html"
    told: Callable[[Work | None], dict[str, Any]] = lambda work: {"work": work}

    def at(self, visit: Visit) -> Work | None:
        """The work of a project, whether it runs or has ended."""
        return visit.workspace.works.at(self._place(visit))

    def running(self, visit: Visit) -> Work | None:
        """The work of a project that has not ended."""
        work = self.at(visit)
        return None if work is None or work.ended.is_set() else work

    def over(self, visit: Visit) -> Work | None:
        """The work of a project that has ended; it is forgotten, so that what is said once is not said again later."""
        work = self.at(visit)
        if work is None or not work.ended.is_set():
            return None
        visit.workspace.works.forget(self._place(visit))
        return work

    def begin(self, visit: Visit, work: Work, doing: Callable[[Work], Any], *, finish: bool = False) -> Response:
        """Begin a work, unless one runs, and go where it is seen."""
        visit.workspace.works.begin(self._place(visit), work, doing, finish=finish)
        return visit.to(self.step)

    def stop(self, visit: Visit) -> Response:
        """Ask a work to stop; it does so where it next tells how far it is."""
        work = self.at(visit)
        if work is not None:
            work.stop()
        return visit.to(self.step)

    def progress(self, visit: Visit) -> Response:
        """How far a work is, for a script that looks again and again."""
        return visit.part(self.template, **self.told(self.at(visit)))

    @property
    def parts(self) -> dict[str, Handler]:
        """What the step answers below its page."""
        return {"progress": self.progress}

    @property
    def acts(self) -> dict[str, Handler]:
        """What can be done with a work of the step."""
        return {"stop": self.stop}

    def _place(self, visit: Visit) -> tuple[Path, str]:
        return visit.project.folder, self.step
