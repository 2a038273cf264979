"""`reaedp reproduce`: every figure and table of the paper, as claimed and as measured."""

import os
from pathlib import Path
from typing import Annotated

import typer


def reproduce(
    names: Annotated[list[str] | None, typer.Argument(help="Items to reproduce. Default: all.")] = None,
    *,
    out: Annotated[Path, typer.Option(help="The folder to create. It must not exist.")] = Path("reproduction"),
    data: Annotated[
        Path | None,
        typer.Option(
            help="A folder with the public data sets, by the paper's names (docs/paper.md). Default: REAEDP_DATA."
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer runs.")] = False,
) -> None:
    """Repeat the paper's experiments. Uses its formulas and ours, and judges each claim."""
    import numpy as np

    from reaedp.cli.progress import steps
    from reaedp.paper.items import ITEMS
    from reaedp.paper.reproduction import SEED, reproduce
    from reaedp.release.place import outside_releases

    outside_releases(out)
    found = data or (Path(os.environ["REAEDP_DATA"]) if "REAEDP_DATA" in os.environ else None)
    with steps() as progress:
        done = reproduce(
            ITEMS, out, rng=np.random.default_rng(SEED), names=names or (), quick=quick, data=found, progress=progress
        )
    for each in done:
        typer.echo(f"{each.item.number:2}. {each.item.title}: {each.result.verdict}")
    typer.echo(f"Wrote {out}. Start with {out / 'index.html'} or {out / 'RESULTS.md'}.")
