"""The quick audit before a release: a replay on a few pairs, and runs of the very mechanisms on made-up worst cases."""

from collections.abc import Sequence

import numpy as np

from reaedp.audits.audit import QUICK
from reaedp.audits.finding import Finding, Verdict
from reaedp.audits.made_up_rows import small
from reaedp.audits.replay import replay
from reaedp.audits.request_audit import audit_request
from reaedp.contract import Contract
from reaedp.errors import DeclarationError
from reaedp.plan.request import Request

#: Pairs that are replayed: with rows as they should be.
FEW_PAIRS = 2
#: Releases with more cells take too long to be written several times.
MOST_CELLS = 100_000
#: Wider tables take too long to be written and read.
MOST_COLUMNS = 1_000
#: Independent audits, each wrong about a sound plan once in 1,000 times, that must agree before a release is stopped.
CONVICTIONS = 3
_INSTEAD = "run `reaedp audit` for that"


def pre_release_audit(
    contract: Contract,
    requests: Sequence[Request],
    *,
    rng: np.random.Generator,
    runs: int = QUICK,
    most_pairs: int = FEW_PAIRS,
) -> tuple[Finding, ...]:
    """The findings, if none of them is a violation; else an error that names the witness. Opens no data.

    A violation that runs showed by accident does not show again: what is convicted is audited anew, and stops the
    release only if every audit convicts it. Sound requests are all let through but for a probability of 10⁻⁹.
    """
    reasons = [_too_wide(contract) or _why_not(request, contract) for request in requests]
    short = [request for request, why in zip(requests, reasons, strict=True) if not why]
    findings = replay(contract, short, rng, most_pairs=most_pairs, show_keys=False)
    findings += tuple(_not_replayed(request, why) for request, why in zip(requests, reasons, strict=True) if why)
    for request in requests:
        findings += _audited(request, contract, rng, runs, len(requests))
    violations = [str(finding) for finding in findings if finding.verdict is Verdict.VIOLATED]
    if violations:
        raise DeclarationError(
            "The pre-release audit found that the plan reveals more than it promises; nothing was charged.", *violations
        )
    return findings


def _audited(
    request: Request, contract: Contract, rng: np.random.Generator, runs: int, requests: int
) -> tuple[Finding, ...]:
    """The first audit without a violation, or the last of a few that all found one."""
    for _ in range(CONVICTIONS):
        findings = audit_request(request, contract, rng=rng, runs=runs, requests=requests)
        if all(finding.verdict is not Verdict.VIOLATED for finding in findings):
            break
    return findings


def _why_not(request: Request, contract: Contract) -> str:
    """What takes too long to be replayed; of keys only those are written that pass a threshold."""
    statistic = request.statistic
    if statistic.answers == "records":
        return f"before a release, whole releases of synthetic records are not replayed, only their steps; {_INSTEAD}"
    if statistic.answers not in ("keyed", "grouped") and statistic.cells(small(contract)) > MOST_CELLS:
        return f"before a release, releases of more than {MOST_CELLS:,} cells are not replayed; {_INSTEAD}"
    return ""


def _too_wide(contract: Contract) -> str:
    """Made-up tables have all columns that the contract speaks of."""
    columns = len(contract.columns) + sum(len(curve.columns) for curve in contract.curves)
    return f"before a release, tables of more than {MOST_COLUMNS:,} columns are not replayed; {_INSTEAD}" * (
        columns > MOST_COLUMNS
    )


def _not_replayed(request: Request, why: str) -> Finding:
    return Finding(subject=request.statistic.title, pair="none", verdict=Verdict.NOT_COVERED, method=why)
