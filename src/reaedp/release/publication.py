"""From a plan to a folder: charge, count, add noise, write."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from reaedp.audits.kept_audit import audited as audited_before
from reaedp.curator.curator import Curator, charged
from reaedp.engines.data import Data, Engine
from reaedp.mechanisms.noise import Noise
from reaedp.plan.plan import Plan
from reaedp.plan.registration import check_registered
from reaedp.release.folder import expected_bytes, new_folder
from reaedp.release.release import Release
from reaedp.report.public import public_report

#: What is said of the work before the charge and after the last number.
AUDITING, WRITING = "auditing the plan on made-up data", "writing numbers and report"


def publish(
    plan: Plan,
    data: Data,
    out: str | Path,
    progress: Callable[[str], None] = lambda _: None,
    *,
    noise: Noise | None = None,
    engine: Engine | None = None,
    audited: bool = True,
    page: bool = True,
) -> tuple[Release, ...]:
    """Release everything in a plan into a new folder, which appears complete or not at all.

    Everything that can be wrong is found before the ledger is charged, as far as that is possible without looking at
    rows; if `audited`, that includes an audit of the mechanisms on made-up worst cases. With `page`, the folder
    contains a report for readers. Neither takes longer for some data than for others. `plan` says what to release,
    `out` is the new folder.

    >>> releases = publish(plan, "data.csv", "quickly", audited=False, page=False)
    >>> [release.name for release in releases]
    ['ages']
    """
    requests = plan.requests()
    check_registered(plan.contract, requests)
    curator = Curator(plan.contract, data, noise=noise, engine=engine)
    facts: dict[str, Any] = {"wording": plan.wording} if plan.wording else {}
    if audited:
        progress(AUDITING)
        facts["audit"] = audited_before(plan.contract, requests)
    size = expected_bytes(plan.contract, [request.statistic for request in requests])
    with new_folder(Path(out), size) as folder:
        releases = curator.release_all(requests, progress)
        entries = [release.entry for release in releases]
        with charged(entries):
            facts["ledger"] = {
                "name": curator.ledger.name,
                "identity": curator.ledger.identity,
                "spent": curator.ledger.spent(plan.contract.dataset),
                "remaining": curator.ledger.remaining(plan.contract.dataset),
            }
            progress(WRITING)
            written = folder.write(plan.contract, releases, facts, public_report if page else None, progress)
    with charged(entries):
        # The folder is in its place: what the ledger now remembers of it cannot be edited any more.
        curator.ledger.finish(entries, written)
    return releases
