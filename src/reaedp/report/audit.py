"""The audit panel: what was tried on made-up data, with three marks for each examination."""

from typing import Any

from reaedp.charts.drawing import drawn
from reaedp.charts.promises import Marks, three_marks
from reaedp.label import shown
from reaedp.report.number import written
from reaedp.report.panel import Figure, Grid, Panel
from reaedp.report.published import PublishedFolder


def audit(folder: PublishedFolder) -> Panel:
    """What the audit before the release found; it opened no data."""
    findings: list[dict[str, Any]] = folder.record["audit"] or []
    if not findings:
        return Panel(
            anchor="audit",
            title="How it was tested",
            words=("These releases were made without an audit. `reaedp audit plan.toml` examines the same plan.",),
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
        (
            "Before anything was spent, the same mechanisms ran thousands of times on made-up data: with a person, and"
            " without. An attacker who knows everything else guessed which it was. Guessing better than the promise"
            " allows would have stopped the release."
        ),
        (
            "A blind guess is right half of the time. The measured share is what the best known attack reached here,"
            " and the line through it is how sure that is: by luck it may lie a little beyond what is allowed, as"
            " dice do. No attack can pass the allowed share on average. No test can show that a release is harmless."
        ),
    )
    figures = (Figure(drawn(three_marks(marks, "share of right guesses")), _told(marks)),) if marks else ()
    heads = ("verdict", "what", "made-up neighbours", "claimed ε", "shown at least", "how")
    return Panel(
        anchor="audit",
        title="How it was tested",
        words=words,
        figures=figures,
        grids=(Grid("All examinations", heads, rows, folded=True),),
    )


def _marks(finding: dict[str, Any]) -> Marks:
    accuracy = finding["accuracy"]
    return Marks(
        finding["subject"], 0.5, accuracy["value"], accuracy["low"], accuracy["high"], finding["allowed_accuracy"]
    )


def _told(marks: list[Marks]) -> str:
    told = "; ".join(
        f"{shown(mark.name, 80)}: {written(mark.measured, 3)} measured, {written(mark.allowed, 3)} allowed"
        for mark in marks[:20]
    )
    return f"Share of right guesses, 0.5 for a blind guess. {told}."
