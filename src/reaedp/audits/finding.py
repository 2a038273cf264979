"""What an examination found: a verdict, the numbers behind it, and how they were got."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from reaedp.audits.ceilings import Ceilings
from reaedp.audits.claim import Claim
from reaedp.audits.power import Power
from reaedp.frames.number import about
from reaedp.rate import Rate
from reaedp.release.readme import posterior

#: A test that shows less than this share of what can be shown is called weak.
STRONG = 0.8
#: What floating-point arithmetic may add to a number that is compared with a claim.
ROUNDING = 1e-9


class Verdict(StrEnum):
    """What evidence says of a claim; none of these says that a release can do no harm."""

    CONSISTENT = "CONSISTENT"
    WEAK = "CONSISTENT, WEAK TEST"
    VIOLATED = "VIOLATED"
    NOT_COVERED = "NOT COVERED"


@dataclass(frozen=True, slots=True)
class LowerBounds:
    """Lower bounds that hold with this confidence, and how often the best guess was right.

    `epsilon` belongs to the claim's δ, `delta` to its ε. `runs` counts those that the bounds were computed from.
    """

    epsilon: float
    delta: float | None
    confidence: float
    runs: int
    accuracy: Rate
    auc: Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was examined."""

    subject: str
    pair: str
    verdict: Verdict
    #: How it was examined, and why so.
    method: str
    #: For a violation: the event and how often it was seen, or what differed.
    witness: str = ""
    claim: Claim | None = None
    measured: LowerBounds | None = None
    ceilings: Ceilings | None = None
    #: What would not have passed; none where nothing was sampled.
    power: Power | None = None

    @property
    def record(self) -> dict[str, Any]:
        """What a manifest keeps of it: plain numbers and words."""
        claim, measured, ceilings = self.claim, self.measured, self.ceilings
        return {
            "verdict": str(self.verdict),
            "subject": self.subject,
            "pair": self.pair,
            "method": self.method,
            "witness": self.witness,
            "claimed": None if claim is None else claim.epsilon,
            "claimed_delta": None if claim is None else claim.delta,
            "shown": None if measured is None else measured.epsilon,
            "runs": None if measured is None else measured.runs,
            "accuracy": None if measured is None else asdict(measured.accuracy),
            "attainable": None if ceilings is None else ceilings.attainable,
            "allowed_accuracy": None if ceilings is None else ceilings.accuracy,
        }

    @property
    def promise(self) -> str:
        """The claim as what it means for somebody of whom an attacker thought 1 in 100."""
        if self.claim is None:
            return ""
        after = 100 * posterior(0.01, self.claim.epsilon)
        return f"An attacker's belief of 1 in 100 can become {after:.2g} in 100 at most ({self.claim})."

    @property
    def bar(self) -> tuple[float, float, float] | None:
        """Three marks: the chance of a blind guess, the measured one, and the largest that is allowed."""
        if self.measured is None or self.ceilings is None:
            return None
        return 0.5, self.measured.accuracy.value, self.ceilings.accuracy

    def __str__(self) -> str:
        parts = [f"{self.verdict}: {self.subject}; {self.pair}"]
        if self.claim is not None:
            shown = "" if self.measured is None else f", measured at least {self.measured.epsilon:.4g}"
            parts.append(f"claimed {self.claim}{shown}")
        if self.ceilings is not None:
            parts.append(str(self.ceilings))
        if self.power is not None and self.verdict is not Verdict.VIOLATED:
            parts.append(str(self.power))
        return "; ".join(part for part in (*parts, self.witness) if part) + "."


def judge(claim: Claim, shown: float, violated: bool, ceilings: Ceilings) -> Verdict:
    """The verdict on a claim from what was shown and what could have been."""
    if violated:
        return Verdict.VIOLATED
    best = claim.epsilon if ceilings.attainable is None else min(claim.epsilon, ceilings.attainable)
    return Verdict.CONSISTENT if shown >= STRONG * best else Verdict.WEAK


def conclusion(findings: Sequence[Finding]) -> str:
    """All findings in one line: whether the audit was passed, and how strong it was."""
    broken, weak, left_out = (
        sum(finding.verdict is each for finding in findings)
        for each in (Verdict.VIOLATED, Verdict.WEAK, Verdict.NOT_COVERED)
    )
    made = len(findings) - left_out
    if broken:
        return f"NOT PASSED: {broken} of {made} tests found more than is promised. Do not release."
    parts = [f"PASSED: none of {made} tests found more than is promised.", _strength(findings)]
    parts += [f"Weak tests: {weak}."] * bool(weak)
    parts += [f"Tests that could not be run: {left_out}."] * bool(left_out)
    return " ".join(filter(None, parts))


def _strength(findings: Sequence[Finding]) -> str:
    """How much more than its charge a release would have to reveal to be caught by the tests that sample."""
    multiples = [finding.power.multiple for finding in findings if finding.power is not None]
    seen = [multiple for multiple in multiples if math.isfinite(multiple)]
    if not multiples:
        return "Strength: nothing was sampled; everything that was compared is equal."
    if not seen:
        return "Strength: too few runs to detect anything."
    least, most = about(min(seen), 2), about(max(seen), 2)
    between = f"{least} times" if least == most else f"{least} to {most} times"
    blind = f"; {len(multiples) - len(seen)} more had too few runs" if len(seen) < len(multiples) else ""
    return f"Strength: {len(seen)} of them would have detected a release that reveals {between} its charge{blind}."


_NOT_COVERED = {
    "timing and memory": "tests see outputs only, not how long counting takes or what other users of the machine see",
    "insiders": "anyone who can read the data, the running process or the ledger's disk needs no attack",
    "future releases": "later releases, and releases charged to another ledger, are not part of this test",
    "groups": "k people together are protected with about k times the ε; that is proved, not tested",
}


def not_covered() -> tuple[Finding, ...]:
    """What no run of a mechanism can show."""
    return tuple(
        Finding(subject=subject, pair="none", verdict=Verdict.NOT_COVERED, method=why)
        for subject, why in _NOT_COVERED.items()
    )
