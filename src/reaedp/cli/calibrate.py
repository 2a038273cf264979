"""`reaedp calibrate`: start from the error that one can accept."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from reaedp.contract import Contract
    from reaedp.plan.calibration import Calibration

#: Prices around the one in question that the table shows: halves and doubles.
_AROUND = range(-4, 5)
Declared = Annotated[Path | None, typer.Option(help="Take the privacy unit from this contract, and check its ledger.")]
Share = Annotated[float | None, typer.Option(help="Largest acceptable error of a share of --rows, between 0 and 1.")]
Ranks = Annotated[
    float | None, typer.Option(help="Largest acceptable rank error of a median among --bins cells, in rows.")
]


def calibrate(
    *,
    change: Annotated[str | None, typer.Option(help="Neighbouring data sets: add-remove or replace.")] = None,
    contract: Declared = None,
    error_bits: Annotated[float | None, typer.Option(help="Largest acceptable error of the entropy, in bits.")] = None,
    error_count: Annotated[float | None, typer.Option(help="Largest acceptable error of any count, in rows.")] = None,
    error_mean: Annotated[float | None, typer.Option(help="Largest acceptable error of a mean, in its unit.")] = None,
    width: Annotated[float | None, typer.Option(help="For --error-mean: upper minus lower bound.")] = None,
    error_rate: Share = None,
    error_ranks: Ranks = None,
    epsilon: Annotated[float | None, typer.Option(help="ε of the release. Leave out to solve for it.")] = None,
    rows: Annotated[int | None, typer.Option(help="Public lower bound on rows. Leave out to solve for it.")] = None,
    bins: Annotated[int | None, typer.Option(help="Cells in the histogram. Leave out to solve for it.")] = None,
    confidence: Annotated[float, typer.Option(help="How often the error must stay within the bound.")] = 0.95,
    route: Annotated[str, typer.Option(help="For --error-bits: direct (noisy entropy) or histogram.")] = "direct",
    max_rows: Annotated[int, typer.Option(help="Contribution bound: the most rows used per person.")] = 1,
    mechanism: Annotated[str, typer.Option(help="laplace or gaussian.")] = "laplace",
    delta: Annotated[float | None, typer.Option(help="δ, for gaussian.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Also plot the error against ε (.svg or .csv).")] = None,
) -> None:
    """Find the ε that an acceptable error needs. Also solves for the number of rows or bins. No data is opened."""
    from reaedp.contract import Contract
    from reaedp.errors import DeclarationError
    from reaedp.plan.calibration import Calibration
    from reaedp.release.place import outside_releases

    if plot is not None:
        outside_releases(plot)
    if (change is None) == (contract is None):
        raise DeclarationError("Give --change, or a --contract that says it; not both.")
    declared = None if contract is None else Contract.load(contract)
    if declared is not None:
        change, max_rows = declared.unit.change, declared.unit.rows
    noise: dict[str, Any] = {"change": change, "max_rows": max_rows, "mechanism": mechanism, "delta": delta}
    facts: dict[str, Any] = {"epsilon": epsilon, "rows": rows, "bins": bins, "confidence": confidence}
    errors = {"bits": error_bits, "count": error_count, "mean": error_mean, "rate": error_rate, "ranks": error_ranks}
    asked = Calibration(kind=_kind(errors, route), **noise, **facts, width=width)
    error = next(given for given in errors.values() if given is not None)
    solved = asked.solve(error)
    _show(solved, _answer(asked, solved, error), plot)
    if declared is not None:
        typer.echo(_afforded(solved, declared))


def _kind(errors: dict[str, float | None], route: str) -> Any:
    from reaedp.errors import DeclarationError, unknown

    given = [name for name, error in errors.items() if error is not None]
    if len(given) != 1:
        raise DeclarationError("Give one of --error-bits, --error-count, --error-mean, --error-rate and --error-ranks.")
    kinds = {"direct": "entropy", "histogram": "histogram-entropy"}
    if route not in kinds:
        raise DeclarationError(unknown("route", route, kinds))
    return {"count": "counts", "mean": "mean", "rate": "rate", "ranks": "median"}.get(given[0], kinds[route])


def _answer(asked: "Calibration", solved: "Calibration", error: float) -> str:
    """The result in a sentence."""
    found = {
        "epsilon": f"ε = {solved.epsilon:g}",
        "rows": f"{solved.rows or 0:,} rows",
        "bins": f"At most {solved.bins or 0:,} bins",
    }[asked.open]
    what = {
        "median": f"a median's rank within {error:g} rows",
        "counts": f"all counts within {error:g} rows",
        "rate": f"the share of a group's rows within {error:g}",
        "mean": f"the mean of a group within {error:g}",
        "entropy": f"the entropy within {error:g} bits",
        "histogram-entropy": f"the entropy derived from the counts within {error:g} bits (predicted)",
    }[solved.kind]
    verb = "keeps" if asked.open == "epsilon" else "keep"
    return f"{found} {verb} {what} with {100 * solved.confidence:.4g} % confidence."


def _afforded(solved: "Calibration", contract: "Contract") -> str:
    """Whether the ledger would admit it, and what it would admit at most."""
    from reaedp.plan.affordable import rest_of
    from reaedp.privacy.accounting import tally

    rest = rest_of(contract)
    most = solved.within(rest)
    if most is None:
        return "The ledger would not admit it, nor any other such release."
    verdict = "would" if rest.admits(tally([solved.price()])) else "would not"
    return (
        f"The ledger {verdict} admit it. All that is left buys ε = {most.epsilon:g}, an error of"
        f" ±{most.bound():.4g} {most.unit}."
    )


def _show(solved: "Calibration", answer: str, plot: Path | None) -> None:
    """The sentence, the error at prices around, and the curve as a file."""
    from dataclasses import replace

    from rich.table import Table

    from reaedp.cli.chart import bar, write_chart
    from reaedp.cli.screen import console

    assert solved.epsilon is not None
    prices = [float(f"{solved.epsilon * 2.0**power:.4g}") for power in _AROUND]
    points = [(price, replace(solved, epsilon=price).bound()) for price in prices]
    if plot is not None:
        write_chart(plot, points, ("epsilon", f"error_{solved.unit}"))
    console.print(answer, markup=False)
    table = Table()
    for heading, side in (("ε", "right"), (f"error ({solved.unit})", "right"), ("", "left")):
        table.add_column(heading, justify=side)  # type: ignore[arg-type]
    for price, error in points:
        mark = " ◀" if price == solved.epsilon else ""
        table.add_row(f"{price:g}", f"±{error:.4g}", bar(error, [number for _, number in points]) + mark)
    console.print(table)
