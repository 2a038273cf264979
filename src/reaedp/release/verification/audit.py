"""What is stated of the audit before a release: verdicts, claims and rates that follow from the rest."""

from math import isclose
from typing import Any

from reaedp.audits.finding import STRONG, Verdict
from reaedp.audits.request_audit import claimed
from reaedp.errors import ReaedpError
from reaedp.rate import share
from reaedp.release.manifest import understood
from reaedp.release.verification.derived import CLOSE, COMPOSED, Rebuilt


def check_audit(record: dict[str, Any], releases: list[Rebuilt]) -> list[str]:
    """Every release is spoken of, no claim is another one, and rates have the range that their runs give them."""
    findings: list[dict[str, Any]] | None = record["audit"]
    if findings is None:
        return ["no audit was run before the release"]
    with understood("its audit"):
        for release in releases:
            _check_claims(release, findings)
        for finding in findings:
            if not (_rate_follows(finding) and _verdict_follows(finding)):
                raise ReaedpError(f"In release.json, the audit finding on {finding['subject']!r} contradicts itself.")
    return [f"{len(findings)} audit findings are consistent with the claims (the audit is not run again)"]


def _check_claims(release: Rebuilt, findings: list[dict[str, Any]]) -> None:
    title = str(release.record["title"])
    own = [finding for finding in findings if finding["subject"].startswith(title)]
    if not own:
        raise ReaedpError(f"The audit in release.json does not cover the release {release.name!r}.")
    claim = claimed(release.noise, release.contract)
    for finding in own:
        if finding["subject"] == f"{title}, {release.noise.title}" and finding["claimed"] is not None:
            stated = (finding["claimed"], finding["claimed_delta"], finding["allowed_accuracy"])
            expected = (claim.epsilon, claim.delta, claim.permitted.accuracy)
            if not all(isclose(a, b, rel_tol=COMPOSED) for a, b in zip(stated, expected, strict=True)):
                raise ReaedpError(
                    f"The audit in release.json states a different cost for {release.name!r} than it has."
                )


def _rate_follows(finding: dict[str, Any]) -> bool:
    """A share of this many runs, with the range of Clopper and Pearson."""
    rate, runs, measured = finding["accuracy"], finding["runs"], finding["shown"]
    if rate is None or runs is None or measured is None:
        return rate is None and runs is None and measured is None
    again = share(round(rate["value"] * runs), runs, rate["confidence"])
    return all(isclose(rate[key], getattr(again, key), rel_tol=CLOSE, abs_tol=CLOSE) for key in rate)


def _verdict_follows(finding: dict[str, Any]) -> bool:
    """Whether the verdict is the one that `judge` reaches from what was shown and what could have been."""
    claim, measured = finding["claimed"], finding["shown"]
    if (claim is None) != (finding["claimed_delta"] is None) or (claim is None) != (
        finding["allowed_accuracy"] is None
    ):
        return False
    if measured is None:
        return claim is not None or finding["attainable"] is None
    if claim is None:
        return False
    best = claim if finding["attainable"] is None else min(claim, finding["attainable"])
    wanted = Verdict.CONSISTENT if measured >= STRONG * best else Verdict.WEAK
    return bool(finding["verdict"] == wanted)
