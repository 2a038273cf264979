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


def gate(
    contract: Contract,
    requests: Sequence[Request],
    *,
    rng: np.random.Generator,
    runs: int = QUICK,
    most_pairs: int = FEW_PAIRS,
) -> tuple[Finding, ...]:
    """The findings, if none of them is a violation; else an error that names the witness. Opens no data."""
    findings = replay(contract, requests, rng, most_pairs=most_pairs)
    for request in requests:
        findings += audit_request(request, contract, rng=rng, runs=runs)
    violations = [str(finding) for finding in findings if finding.verdict is Verdict.VIOLATED]
    if violations:
        raise DeclarationError("The audit before the release found a promise broken; nothing was charged.", *violations)
    return findings
