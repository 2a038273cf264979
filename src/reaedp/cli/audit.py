"""`reaedp audit`: what a plan's mechanisms do to made-up neighbours, and whether the audit itself can be trusted."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from numpy.random import Generator

    from reaedp.audits.finding import Finding


def audit(
    plan: Annotated[Path | None, typer.Argument(help="The plan to audit. No data is opened.")] = None,
    *,
    self_test: Annotated[
        bool, typer.Option("--self-test", help="Audit mechanisms that are broken on purpose, next to sound ones.")
    ] = False,
    whole_release: Annotated[
        bool,
        typer.Option("--whole-release", help="Run whole releases, from file to folder, thousands of times."),
    ] = False,
    door: Annotated[bool, typer.Option("--door", hidden=True)] = False,
    runs: Annotated[
        int | None,
        typer.Option(help="Runs per mechanism. Default: 100,000, or 5,000 with --whole-release.", show_default=False),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Repeat an earlier audit.")] = None,
) -> None:
    """Test the privacy promise on made-up data. Shows a lower bound on what the releases of a plan reveal."""
    import numpy as np

    from reaedp.errors import DeclarationError

    if (plan is None) != self_test:
        raise DeclarationError("Give either a plan or --self-test.")
    rng = np.random.default_rng(seed)
    if plan is None:
        _self_test(rng)
    else:
        whole = whole_release or door  # the older name
        findings = _whole_releases(plan, runs, rng) if whole else _audit_plan(plan, runs, rng)
        _conclude(findings)


def _self_test(rng: "Generator") -> None:
    from reaedp.audits.self_check import self_test
    from reaedp.cli.progress import steps
    from reaedp.cli.screen import console

    with steps() as progress:
        panel = self_test(rng, progress)
    console.print(str(panel), markup=False)
    if panel.missed or panel.false_alarms:
        raise typer.Exit(1)


def _whole_releases(path: Path, runs: int | None, rng: "Generator") -> "list[Finding]":
    from reaedp.audits.whole_release import RUNS, audit_whole_releases
    from reaedp.cli.progress import counted_steps
    from reaedp.plan.plan import Plan

    plan = Plan.load(path)
    with counted_steps() as (_, counted):
        return list(audit_whole_releases(plan, rng=rng, runs=runs or RUNS, progress=counted))


def _audit_plan(path: Path, runs: int | None, rng: "Generator") -> "list[Finding]":
    from reaedp.audits.audit import FULL
    from reaedp.audits.plan_audit import audit_plan
    from reaedp.cli.progress import steps
    from reaedp.plan.plan import Plan

    plan = Plan.load(path)
    with steps() as progress:
        return audit_plan(plan, rng=rng, runs=runs or FULL, progress=progress)


def _conclude(findings: "list[Finding]") -> None:
    from reaedp.audits.finding import Verdict, conclusion, not_covered
    from reaedp.cli.screen import console

    _show([*findings, *not_covered()])
    console.print(conclusion(findings), markup=False, soft_wrap=True)
    if any(finding.verdict is Verdict.VIOLATED for finding in findings):
        raise typer.Exit(1)


def _show(findings: "Sequence[Finding]") -> None:
    from rich.table import Table

    from reaedp.cli.screen import console

    table = Table()
    for heading in (
        "verdict",
        "what",
        "neighbours",
        "claimed",
        "shown",
        "largest ε missed",
        "blind, measured, allowed",
    ):
        table.add_column(heading, overflow="fold")
    for finding in findings:
        claimed = "" if finding.claim is None else str(finding.claim)
        shown = "" if finding.measured is None else f"ε ≥ {finding.measured.epsilon:.4g}"
        bar = "" if finding.bar is None else " · ".join(f"{mark:.3f}" for mark in finding.bar)
        about = "; ".join(part for part in (finding.subject, finding.witness) if part)
        power = "" if finding.power is None else finding.power.missed
        table.add_row(str(finding.verdict), about, finding.pair, claimed, shown, power, bar)
    console.print(table)
