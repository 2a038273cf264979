"""Audit: the plan's mechanisms on made-up neighbours; the verdict in words, then the picture. No data is opened."""

import hashlib
from typing import Any

from starlette.responses import Response

from reaedp.audits.audit import FULL, QUICK
from reaedp.audits.finding import Verdict, not_covered
from reaedp.audits.plan_audit import audit_plan
from reaedp.mechanisms.noise import fresh_generator
from reaedp.plan.plan import Plan
from reaedp.report.audit import verdict
from reaedp.studio.audit_picture import AuditPicture
from reaedp.studio.project import Project
from reaedp.studio.step import State, Step
from reaedp.studio.visit import Visit
from reaedp.studio.work import Work
from reaedp.studio.workplace import Workplace

RUNS = {"quick": QUICK, "full": FULL}
AUDITS = Workplace("audit")


def show(visit: Visit) -> Response:
    """What was found, how far it is, or how to begin."""
    return _page(visit)


def begin(visit: Visit) -> Response:
    """Audit the plan as it is now; between two of its tests it can be stopped."""
    plan = visit.project.plan
    if plan is None:
        return _page(visit, ("An audit needs a complete plan.",))
    runs = RUNS.get(visit.form.text("runs"), QUICK)
    work = Work(_version(visit.project), "Stopped. The audit costs nothing and can be run at any time.")
    return AUDITS.begin(visit, work, lambda work: _audit(plan, runs, work))


def _audit(plan: Plan, runs: int, work: Work) -> Any:
    """All findings; each release is a test of its own, and between two of them it can be stopped."""
    told, many = iter(range(1, 1_000_000)), len(plan.releases) + 1
    return audit_plan(
        plan, rng=fresh_generator(), runs=runs, progress=lambda said: work.say(f"Test {next(told)} of {many}: {said}")
    )


def _page(visit: Visit, mistakes: tuple[str, ...] = ()) -> Response:
    work = AUDITS.at(visit)
    if work is not None and work.error is not None:
        AUDITS.over(visit)
        mistakes = mistakes or work.mistakes
    findings = [] if work is None or work.answer is None else work.answer
    return visit.page(
        "audit",
        mistakes,
        ready=visit.project.plan is not None,
        work=AUDITS.running(visit),
        runs=RUNS,
        findings=[*findings, *(not_covered() if findings else ())],
        verdict=verdict([finding.record for finding in findings]) if findings else "",
        broken=any(finding.verdict is Verdict.VIOLATED for finding in findings),
        picture=AuditPicture.of(findings),
        stale=bool(findings) and work is not None and work.about != _version(visit.project),
    )


def _version(project: Project) -> str:
    """What was audited: contract and plan, to the byte."""
    paths = (project.contract_path, project.plan_path)
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths if path.is_file())).hexdigest()


def state(project: Project) -> State:
    """Possible with a plan; before a release a quick one is made in any case."""
    return "locked" if project.plan is None else "optional"


AUDIT = Step("audit", "Audit", state, show, AUDITS.parts, {"": begin, **AUDITS.acts}, needed=False)
