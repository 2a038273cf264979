"""Release: what will be spent, a confirmation that must be typed, the stages, and what came of it."""

import re
from pathlib import Path
from typing import Any

from starlette.responses import HTMLResponse, Response

from reaedp.disk.system import user_name
from reaedp.drafting.plan_request import requests_of
from reaedp.errors import BudgetRefused, DeclarationError, LedgerMissing, ReaedpError, mistakes_of, sentence, unknown
from reaedp.ledger.admission import shown
from reaedp.ledger.ledger import Ledger
from reaedp.plan.affordable import rest_of
from reaedp.plan.forecast import Forecast
from reaedp.plan.plan import Plan
from reaedp.release.folder import REPORT
from reaedp.release.place import read_plain
from reaedp.release.verification import verify
from reaedp.report.published import PublishedFolder
from reaedp.studio.bar import bar_of, cost
from reaedp.studio.project import Project
from reaedp.studio.releasing import STAGES, Confirmed, Released, check_affordable
from reaedp.studio.spending import SPENT_MEANWHILE
from reaedp.studio.spending import state as spending_state
from reaedp.studio.step import State, Step
from reaedp.studio.unfinished import unfinished
from reaedp.studio.visit import Visit
from reaedp.studio.work import Work
from reaedp.studio.workplace import Workplace

_FOLDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
#: A report runs its own script, which its own policy names by a hash; here it can neither ask nor act.
REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def _stages(work: Work | None) -> dict[str, Any]:
    """Each stage with how far it is; nothing where no release runs."""
    running = work is not None and not work.ended.is_set()
    reached = list(STAGES).index(work.stage) if work is not None and work.stage in STAGES else 0
    listed = [(words, "done" if place < reached else "now" if place == reached else "to come")
              for place, words in enumerate(STAGES.values())]  # fmt: skip
    return {
        "running": running,
        "stages": listed,
        "stoppable": running and work is not None and work.stoppable,
        "stopping": running and work is not None and work.stopping,
    }


RELEASES = Workplace("release", "stages.html", _stages)


def show(visit: Visit) -> Response:
    """The confirmation; or the stages of a release that runs; or what is in a folder that is asked for."""
    if visit.query.text("folder"):
        return _released(visit, chosen(visit.project, visit.query.text("folder")), ())
    return _page(visit)


def release(visit: Visit) -> Response:
    """Begin the release that was confirmed; a form that was sent before begins nothing."""
    if RELEASES.running(visit) is not None:
        return visit.to("release")
    try:
        confirmed = _confirmed(visit)
        check_affordable(confirmed.plan)
    except (DeclarationError, BudgetRefused) as error:
        return _page(visit, mistakes_of(error), 409 if isinstance(error, BudgetRefused) else 400)
    work = Work(confirmed.folder.name, "Stopped before the charge. Nothing was charged, and nothing was released.")
    return RELEASES.begin(visit, work, confirmed.release, finish=True)


def check(visit: Visit) -> Response:
    """Verify a folder once more, with the ledger."""
    folder = chosen(visit.project, visit.form.text("folder"))
    ledger = None if visit.project.contract is None else visit.project.contract.ledger
    try:
        checked = verify(folder, ledger)
    except ReaedpError as error:
        return _released(visit, folder, (), mistakes_of(error))
    return _released(visit, folder, tuple(checked))


def report(visit: Visit) -> Response:
    """The report of a folder as it was written, in a sandbox: whatever it holds, it cannot ask the studio anything."""
    content = read_plain(chosen(visit.project, visit.query.text("folder")) / REPORT)
    return HTMLResponse(content, headers={"content-security-policy": REPORT_POLICY})


def chosen(project: Project, name: str) -> Path:
    """A release folder of the project by its name, found in the list of them."""
    found = {folder.name: folder for folder in project.releases}
    if name not in found:
        raise DeclarationError(unknown("release folder", name, found))
    return found[name]


def _confirmed(visit: Visit) -> Confirmed:
    """What was confirmed, all mistakes at once."""
    project, form = visit.project, visit.form
    plan = project.plan
    if plan is None or not project.data:
        raise DeclarationError("A release needs a complete contract, a complete plan, and the place of the data.")
    name, mistakes = form.text("folder"), []
    if not _FOLDER.fullmatch(name):
        mistakes.append(sentence("The name of the folder must be 1 to 100 letters, digits, - or _", given=name))
    elif (project.folder / name).exists():
        mistakes.append(f"There is a folder {name} already. Choose another name.")
    if form.text("typed") != plan.contract.dataset:
        rule = f"Type the name of the data set, {plan.contract.dataset}, to confirm"
        mistakes.append(sentence(rule, given=form.text("typed")))
    if form.text("state") != spending_state(project):
        mistakes.append(SPENT_MEANWHILE)
    if mistakes:
        raise DeclarationError(*mistakes)
    return Confirmed(project, plan, project.folder / name, form.text("state"))


def _page(visit: Visit, mistakes: tuple[str, ...] = (), status: int = 0) -> Response:
    project, over = visit.project, RELEASES.over(visit)
    answer = None if over is None else over.answer
    if isinstance(answer, Released) and not mistakes and answer.folder in project.releases:
        return _released(visit, answer.folder, answer.checked, fresh=True)
    return visit.page(
        "release",
        mistakes or (() if over is None else over.mistakes),
        status=status,
        **_stages(RELEASES.at(visit)),
        **_ready(project),
        folders=[folder.name for folder in project.releases],
        typed=visit.form.text("typed"),
    )


def _ready(project: Project) -> dict[str, Any]:
    """The plan, its price and what will be left, or what is missing for it."""
    plan = project.plan
    facts: dict[str, Any] = {"plan": None, "missing": "", "left_behind": [], "no_ledger": "", "alone": False}
    if plan is None or not project.data:
        return {**facts, "missing": "A release needs a complete contract, a complete plan, and the place of the data."}
    try:
        with Ledger.open(plan.contract.ledger) as book:
            known = plan.contract.dataset in book.datasets()
            behind = unfinished(project, book, plan.contract.dataset) if known else []
            alone = known and book.lacks_approval(plan.contract.dataset, requests_of(plan))
    except LedgerMissing as error:
        return {**facts, "no_ledger": str(error)}
    after = rest_of(plan.contract).after(plan.prices())
    return {
        **facts,
        "plan": plan,
        "dataset": plan.contract.dataset,
        "forecasts": _forecasts(plan),
        "price": shown(cost(plan), up=True),
        "after": None if after is None else shown(after, up=False),
        "delta": plan.contract.budget.delta,
        "state": spending_state(project),
        "folder": _free(project),
        "user": user_name(),
        "left_behind": behind,
        "alone": alone,
    }


def _forecasts(plan: Plan) -> list[tuple[str, Forecast]]:
    made = [Forecast.of(request, plan.contract) for request in plan.requests()]
    return [(one.called, forecast) for one, forecast in zip(plan.releases, made, strict=True)]


def _free(project: Project) -> str:
    """The first name of a folder that is free."""
    numbers = (f"release-{number}" for number in range(1, 1_000_000))
    return next(name for name in numbers if not (project.folder / name).exists())


def _released(
    visit: Visit, folder: Path, checked: tuple[str, ...], mistakes: tuple[str, ...] = (), *, fresh: bool = False
) -> Response:
    """What is in a folder, whether it was checked, and what can be done with it."""
    published = PublishedFolder.read(folder)
    return visit.page(
        "release",
        mistakes,
        template="released.html",
        bar=bar_of(visit.project, released=True),
        folder=folder.name,
        path=str(folder),
        files=sorted(path.name for path in folder.iterdir() if path.is_file()),
        titles=[(one.called, one.labelled.title) for one in published.releases],
        entries=[one.record["entry"] for one in published.releases],
        checked=checked,
        fresh=fresh,
        has_report=(folder / REPORT).is_file(),
        steps_known={step.key for step in visit.steps},
    )


def state(project: Project) -> State:
    """Possible with a plan; done with a folder."""
    if project.releases:
        return "done"
    return "empty" if project.plan is not None and project.data and project.has_ledger else "locked"


_PARTS = {"report": report, **RELEASES.parts}
RELEASE = Step("release", "Release", state, show, _PARTS, {"": release, "check": check, **RELEASES.acts})
