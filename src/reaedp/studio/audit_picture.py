"""The audit as a picture: right guesses of an attacker from 50 % on, their interval, and the line that is allowed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from reaedp.audits.finding import Finding
from reaedp.frames.number import about

#: Room to the right of the largest mark, as a share of all.
MARGIN = 1.1


class Mark(NamedTuple):
    """One test: places are in percent of the width."""

    name: str
    dot: float
    low: float
    high: float
    allowed: float
    words: str


@dataclass(frozen=True, slots=True)
class AuditPicture:
    """All tests that count guesses on one axis, which begins with blind guessing and ends at `end` percent."""

    marks: tuple[Mark, ...]
    end: float

    @classmethod
    def of(cls, findings: Sequence[Finding]) -> "AuditPicture":
        """The findings that were measured and have a line."""
        counted = [finding for finding in findings if finding.measured is not None and finding.ceilings is not None]
        largest = max((_largest(finding) for finding in counted), default=0.5)
        span = min(0.5, (largest - 0.5) * MARGIN) or 0.5
        return cls(tuple(_mark(finding, span) for finding in counted), 100 * (0.5 + span))


def _largest(finding: Finding) -> float:
    assert finding.measured is not None
    assert finding.ceilings is not None
    return max(finding.measured.accuracy.high, finding.ceilings.accuracy)


def _mark(finding: Finding, span: float) -> Mark:
    assert finding.measured is not None
    assert finding.ceilings is not None
    rate, allowed = finding.measured.accuracy, finding.ceilings.accuracy
    values = {"dot": rate.value, "low": rate.low, "high": rate.high, "allowed": allowed}
    places = {name: min(100.0, max(0.0, 100 * (value - 0.5) / span)) for name, value in values.items()}
    words = (
        f"{about(100 * rate.value)} % correct guesses in {finding.measured.runs:,} trials, interval"
        f" {about(100 * rate.low)} to {about(100 * rate.high)} %; allowed on average {about(100 * allowed)} %"
    )
    return Mark(f"{finding.subject}; {finding.pair}", **places, words=words)
