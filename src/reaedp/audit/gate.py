"""The quick audit before a release: a replay on a few pairs, and runs of the very mechanisms on made-up worst cases."""

from collections.abc import Sequence

import numpy as np

from reaedp.audit.audit import QUICK
from reaedp.audit.finding import Finding, Verdict
from reaedp.audit.replay import replay
from reaedp.audit.request_audit import audit_request
from reaedp.contract import Contract
from reaedp.errors import DeclarationError
from reaedp.request import Request

#: Pairs that are replayed: with rows as they should be.
FEW_PAIRS = 2
#: Releases with more cells take too long to be written several times.
MOST_CELLS = 100_000


def gate(
    contract: Contract,
    requests: Sequence[Request],
    *,
    rng: np.random.Generator,
    runs: int = QUICK,
    most_pairs: int = FEW_PAIRS,
) -> tuple[Finding, ...]:
    """The findings, if none of them is a violation; else an error that names the witness. Opens no data."""
    short = [request for request in requests if _is_short(request, contract)]
    findings = replay(contract, short, rng, most_pairs=most_pairs)
    findings += tuple(_not_replayed(request) for request in requests if request not in short)
    for request in requests:
        findings += audit_request(request, contract, rng=rng, runs=runs)
    violations = [str(finding) for finding in findings if finding.verdict is Verdict.VIOLATED]
    if violations:
        raise DeclarationError("The audit before the release found a promise broken; nothing was charged.", *violations)
    return findings


def _is_short(request: Request, contract: Contract) -> bool:
    """Of keys only those are written that pass a threshold."""
    return request.statistic.answers == "keyed" or request.statistic.cells(contract) <= MOST_CELLS


def _not_replayed(request: Request) -> Finding:
    why = f"a release of more than {MOST_CELLS:,} cells is not replayed in a hurry; `replay` does it"
    return Finding(subject=request.statistic.title, pair="none", verdict=Verdict.NOT_COVERED, method=why)
