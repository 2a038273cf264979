"""Evaluate: a release beside the truth and under attack, behind a barrier; what is found lies apart from releases."""

import re
from pathlib import Path
from typing import Any

import numpy as np
from starlette.responses import HTMLResponse, Response

from reaedp.errors import DeclarationError, unknown
from reaedp.evaluation.custodian_report import custodian_report
from reaedp.evaluation.evaluate import evaluate
from reaedp.evaluation.results import write_results
from reaedp.release.place import outside_releases, read_plain
from reaedp.report.page import save
from reaedp.studio.form import Form
from reaedp.studio.pages.release import REPORT_POLICY, chosen
from reaedp.studio.project import Project
from reaedp.studio.step import State, Step
from reaedp.studio.visit import Visit
from reaedp.studio.work import Work
from reaedp.studio.workplace import Workplace

#: What folders with truth in them are called after the release, and the page in them.
SECRET, PAGE = "-not-to-be-published", "custodian-report.html"
EVALUATIONS = Workplace("evaluate")
_SECRET_FOLDER = re.compile(rf"[^.].*{SECRET}(-[0-9]+)?")


def show(visit: Visit) -> Response:
    """The barrier, how far an evaluation is, and the names of those that are there."""
    return _page(visit)


def begin(visit: Visit) -> Response:
    """Compare and attack, if the custodian said so; figures and page are written as the commands write them."""
    project, form = visit.project, visit.form
    try:
        if form.text("custodian") != "yes":
            raise DeclarationError("Tick that you are allowed to see the data.")
        if not project.data:
            raise DeclarationError("An evaluation needs the data. Enter its path on the Data page.")
        folder, options = chosen(project, form.text("folder")), _options(project, form)
    except DeclarationError as error:
        return _page(visit, error.mistakes)
    out = _free(project, folder)
    work = Work(out.name, "Stopped. Nothing was written.")
    return EVALUATIONS.begin(visit, work, lambda work: _evaluate(project, folder, out, options, work))


def open_report(visit: Visit) -> Response:
    """The custodian's edition, as the answer to an act; browsers keep nothing of it."""
    found = {folder.name: folder for folder in _evaluations(visit.project)}
    if visit.form.text("folder") not in found:
        raise DeclarationError(unknown("evaluation", visit.form.text("folder"), found))
    content = read_plain(found[visit.form.text("folder")] / PAGE)
    return HTMLResponse(content, headers={"content-security-policy": REPORT_POLICY})


def _options(project: Project, form: Form) -> dict[str, Any]:
    others = form.text("others")
    placed = others if not others or "://" in others else str(project.folder / others)
    shadows = form.whole("shadows", "The number of shadows")
    return {"others": placed or None, "label": form.text("label") or None, "shadows": shadows or 0}


def _evaluate(project: Project, folder: Path, out: Path, options: dict[str, Any], work: Work) -> str:
    """The seed is that of the commands, so that both find the same."""
    outside_releases(out, secret=True)
    lines = evaluate(
        folder,
        project.data_address,
        rng=np.random.default_rng(0),
        progress=work.say,
        counted=lambda what, done, of: work.say(f"{what}, {done:,} of {of:,}"),
        **options,
    )
    page = custodian_report(folder, project.data_address, rng=np.random.default_rng(0), lines=lines, progress=work.say)
    work.say("writing", last_moment=True)
    write_results(out, lines)
    save(out / PAGE, page, secret=True)
    return out.name


def _page(visit: Visit, mistakes: tuple[str, ...] = ()) -> Response:
    project, over = visit.project, EVALUATIONS.over(visit)
    return visit.page(
        "evaluate",
        mistakes or (() if over is None else over.mistakes),
        work=EVALUATIONS.running(visit),
        fresh=None if over is None else over.answer,
        releases=[(folder.name, folder.name) for folder in project.releases],
        chosen=visit.form.text("folder") or visit.query.text("folder"),
        evaluations=[folder.name for folder in _evaluations(project)],
        form=visit.form,
    )


def _evaluations(project: Project) -> list[Path]:
    """Folders with a custodian's page, by their names."""
    return sorted(
        path
        for path in project.folder.iterdir()
        if _SECRET_FOLDER.fullmatch(path.name) and not path.is_symlink() and (path / PAGE).is_file()
    )


def _free(project: Project, release: Path) -> Path:
    names = (f"{release.name}{SECRET}{'' if number == 1 else f'-{number}'}" for number in range(1, 1_000_000))
    return next(project.folder / name for name in names if not (project.folder / name).exists())


def state(project: Project) -> State:
    """Possible after a release, and never needed."""
    return "optional" if project.releases and project.data else "locked"


_ACTS = {"": begin, "open": open_report, **EVALUATIONS.acts}
EVALUATE = Step("evaluate", "Evaluate", state, show, EVALUATIONS.parts, _ACTS, needed=False)
