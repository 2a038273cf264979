"""`reaedp evaluate`: a finished release against the truth, for the custodian's eyes only."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reaedp.cli.data import Engine, limited
from reaedp.cli.output import writing

if TYPE_CHECKING:
    from reaedp.evaluation.line import Line


@limited
def evaluate(
    *,
    folder: Annotated[Path, typer.Argument(help="A release folder.")],
    data: Annotated[str, typer.Option(help="The data the release was made from.")],
    out: Annotated[Path, typer.Option(help="A new folder for the results, outside the release folder.")],
    others: Annotated[str | None, typer.Option(help="People from the same population who are not in the data.")] = None,
    label: Annotated[str | None, typer.Option(help="A column to predict from the synthetic records.")] = None,
    shadows: Annotated[int, typer.Option(help="Shadow-model attack: remake the release this many times.")] = 0,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes to use for --shadows. Default: all cores.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the attacks. The release itself never changes.")] = 0,
    engine: Engine = None,
) -> None:
    """Compare a release with the true data and attack it. Never publish the results."""
    import numpy as np

    from reaedp.attacks.rounds import cores
    from reaedp.cli.progress import counted_steps
    from reaedp.errors import DeclarationError
    from reaedp.evaluation.evaluate import evaluate as measure
    from reaedp.evaluation.results import write_results
    from reaedp.release.place import outside_releases

    outside_releases(out, secret=True)
    with writing(out):
        if out.exists():
            raise DeclarationError(f"--out must be a new folder; {out} exists already.")
    with counted_steps() as (progress, counted):
        lines = measure(
            folder,
            data,
            rng=np.random.default_rng(seed),
            others=others,
            label=label,
            shadows=shadows,
            workers=workers or cores(),
            engine=engine,
            progress=progress,
            counted=counted,
        )
    with writing(out):
        write_results(out, lines)
    _show(lines)
    typer.echo(f"Wrote {out}. NOT TO BE PUBLISHED: these figures were computed from the data without noise.")


def _show(lines: "Sequence[Line]") -> None:
    from rich.table import Table

    from reaedp.cli.screen import console

    table = Table()
    for heading in ("release", "what", "measure", "value", "interval", "not in data", "blind guess", "allowed"):
        table.add_column(heading, justify="left" if heading in ("release", "what", "measure") else "right")
    for line in lines:
        ends = "" if line.low is None else f"{line.low:.3f} to {line.high:.3f}"
        numbers = (line.control, line.baseline, line.permitted)
        shown = ("" if number is None else f"{number:.3f}" for number in numbers)
        table.add_row(line.release, line.subject, line.measure, f"{line.value:.4g}", ends, *shown)
    console.print(table)
