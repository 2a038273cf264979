"""The audit panel: the verdict of the tests on made-up data in words, then a chart and a table of them."""

from typing import Any

from reaedp.frames.number import about
from reaedp.label import shown
from reaedp.report.charts.drawing import drawn
from reaedp.report.charts.promises import Bound, lower_bounds
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
    bounds = [
        Bound(_subject(folder, finding, brief=True), finding["shown"], finding["claimed"])
        for finding in findings
        if finding["shown"] is not None and finding["claimed"] is not None
    ]
    rows = tuple(
        (
            finding["verdict"],
            shown(_subject(folder, finding), 120),
            shown(finding["pair"], 120),
            "" if finding["claimed"] is None else finding["claimed"],
            "" if finding["shown"] is None else finding["shown"],
            _guesses(finding),
            shown(finding["method"], 400),
        )
        for finding in findings
    )
    words = (
        verdict(findings),
        *_strength(findings),
        (
            "Before any budget was spent, the same mechanisms ran thousands of times on made-up data, with and without"
            " one person. From the output, an attacker who knows everything else had to guess which it was. Had the"
            " attacker proved more than the promise allows, nothing would have been released."
        ),
        (
            "The chart shows what each test proves: the outputs reveal at least as much as the bar. The promise is that"
            " they reveal no more than the line. A bar near its line is a strong test. Passing shows that nothing was"
            " found, not that there is nothing to find: the promise itself rests on proofs."
        ),
    )
    figures = (Figure(drawn(lower_bounds(bounds)), _told(bounds)),) if bounds else ()
    heads = (
        *("verdict", "what was tested", "neighbouring data sets", "promised ε", "shown ε, at least"),
        *("correct guesses (a blind guess: 50 %)", "method"),
    )
    return Panel(
        anchor="audit",
        title="How it was tested",
        words=words,
        figures=figures,
        grids=(Grid("All tests", heads, rows, folded=True),),
    )


def _subject(folder: PublishedFolder, finding: dict[str, Any], *, brief: bool = False) -> str:
    """What was tested: the name of its release where it is one, or its title and the noise."""
    subject = str(finding["subject"])
    ordered = sorted(folder.releases, key=lambda release: -len(release.record["title"]))  # one may begin another
    known = [release for release in ordered if subject.startswith(release.record["title"])]
    if not known:
        return subject
    alike = [release for release in known if release.record["title"] == known[0].record["title"]]
    found = next((one for one in alike if subject.endswith(f"scale {one.noise.scale:g}")), alike[0])
    tail, scale = subject[len(found.record["title"]) :], found.noise.scale
    return found.called if brief else found.title + tail.replace(f"scale {scale:g}", f"scale {about(scale)}")


def _guesses(finding: dict[str, Any]) -> str:
    rate = finding["accuracy"]
    if rate is None:
        return ""
    low, value, high = (about(100 * rate[key]) for key in ("low", "value", "high"))
    return f"{value} %, interval {low} to {high} %; allowed on average {about(100 * finding['allowed_accuracy'])} %"


def _strength(findings: list[dict[str, Any]]) -> tuple[str, ...]:
    """How much the strongest and the weakest test proved of what is promised."""
    shares = [
        finding["shown"] / finding["claimed"]
        for finding in findings
        if finding["claimed"] and finding["shown"] is not None
    ]
    if not shares:
        return ()
    ends = [f"{about(100 * min(share, 1.0), 2)} %" for share in (min(shares), max(shares))]
    between = ends[0] if len(shares) == 1 else f"between {ends[0]} and {ends[1]}"
    return (f"Strength: the tests that count guesses proved {between} of the promised ε.",)


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


def _told(bounds: list[Bound]) -> str:
    ranked = sorted(bounds, key=lambda bound: bound.shown / bound.claimed if bound.claimed else 0.0)
    told = [
        f"{shown(bound.name, 80)}, at least {about(bound.shown)} shown, at most {about(bound.claimed)} promised"
        for bound in (ranked[-1], ranked[0])
    ]
    rest = f" Weakest: {told[1]}." if len(bounds) > 1 else ""
    return f"The ε that each test proves, and the promised ε. Strongest: {told[0]}.{rest}"
