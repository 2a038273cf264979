"""The audit of a whole plan: made-up neighbours are replayed, and the mechanism of each release is run many times."""

from collections.abc import Callable

import numpy as np

from reaedp.audits.finding import Finding
from reaedp.audits.replay import replay
from reaedp.audits.request_audit import audit_request
from reaedp.plan.plan import Plan


def audit_plan(
    plan: Plan, *, rng: np.random.Generator, runs: int, progress: Callable[[str], None] = lambda _: None
) -> list[Finding]:
    """What all tests found; no data is opened. `progress` is told what is tested."""
    progress("replaying made-up neighbours")
    findings = list(replay(plan.contract, plan, rng))
    for request in plan.requests():
        progress(f"{request.name}: {request.statistic.title}")
        findings += audit_request(request, plan.contract, rng=rng, runs=runs)
    return findings
