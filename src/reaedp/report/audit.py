"""The audit panel: the verdict of the tests on made-up data in words, then a chart and a table of them."""

from typing import Any

from reaedp.label import shown
from reaedp.report.charts.drawing import drawn
from reaedp.report.charts.promises import Marks, three_marks
from reaedp.report.number import written
from reaedp.report.panel import Figure, Grid, Panel
from reaedp.report.published import PublishedFolder

#: Verdicts as manifests spell them; audits lie beside records, which no public page may reach.
WEAK, VIOLATED, NOT_COVERED = "CONSISTENT, WEAK TEST", "VIOLATED", "NOT COVERED"


def audit(folder: PublishedFolder) -> Panel:
    """What the pre-release audit found; it opened no data."""
    findings: list[dict[str, Any]] = folder.record["audit"] or []
    if not findings:
        return Panel(
            anchor="audit",
            title="How it was tested",
            words=("No audit was run before this release. `reaedp audit plan.toml` tests the same plan.",),
        )
    marks = [_marks(finding) for finding in findings if finding["accuracy"] is not None]
    rows = tuple(
        (
            finding["verdict"],
            shown(finding["subject"], 120),
            shown(finding["pair"], 120),
            "" if finding["claimed"] is None else finding["claimed"],
            "" if finding["shown"] is None else finding["shown"],
            shown(finding["method"], 400),
        )
        for finding in findings
    )
    words = (
        verdict(findings),
        (
            "Before any budget was spent, the same mechanisms ran thousands of times on made-up data, with and without"
            " one person. An attacker who knows everything else had to tell which was which from the output. Had the"
            " attacker done better than the promise allows, nothing would have been released."
        ),
        (
            "A blind guess is right half the time. The chart shows how often the best known attack was right, with its"
            " confidence interval, and the highest rate that the promise allows any attacker on average. By chance a"
            " measured rate can land slightly above that limit; a test fails only if chance cannot explain it. Passing"
            " shows that nothing was found, not that nothing is there: the promise itself rests on proofs."
        ),
    )
    figures = (Figure(drawn(three_marks(marks, "share of correct guesses")), _told(marks)),) if marks else ()
    heads = ("verdict", "what was tested", "neighbouring data sets", "claimed ε", "measured ε, at least", "method")
    return Panel(
        anchor="audit",
        title="How it was tested",
        words=words,
        figures=figures,
        grids=(Grid("All tests", heads, rows, folded=True),),
    )


def verdict(findings: list[dict[str, Any]]) -> str:
    """One sentence for all tests, and one each for those that were weak or could not be made."""
    weak, broken, left_out = (
        sum(finding["verdict"] == each for finding in findings) for each in (WEAK, VIOLATED, NOT_COVERED)
    )
    made = len(findings) - left_out
    if broken:
        return f"Failed: {broken} of {made} tests found more than the promise allows."
    parts = [f"Passed: none of {made} tests found more than the promise allows."]
    if weak:
        parts.append(f"{weak} of them were weak and could have missed a violation.")
    if left_out:
        parts.append(f"{left_out} more could not be run; the table says why.")
    return " ".join(parts)


def _marks(finding: dict[str, Any]) -> Marks:
    accuracy = finding["accuracy"]
    return Marks(
        finding["subject"], 0.5, accuracy["value"], accuracy["low"], accuracy["high"], finding["allowed_accuracy"]
    )


def _told(marks: list[Marks]) -> str:
    told = "; ".join(
        f"{shown(mark.name, 80)}: {written(mark.measured, 3)} measured"
        f" ({written(mark.low, 3)} to {written(mark.high, 3)}), {written(mark.allowed, 3)} allowed"
        for mark in marks[:20]
    )
    return f"Share of correct guesses; a blind guess scores 0.5. {told}."
