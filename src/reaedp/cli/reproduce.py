"""`reaedp reproduce`: every figure and table of the paper, as claimed and as measured."""

import os
from pathlib import Path
from typing import Annotated

import typer


def reproduce(
    names: Annotated[list[str] | None, typer.Argument(help="Items to reproduce; all if none is named.")] = None,
    *,
    out: Annotated[Path, typer.Option(help="The folder to make; it must not exist.")] = Path("reproduction"),
    data: Annotated[
        Path | None, typer.Option(help="A folder of public data; by default that of REAEDP_DATA, if it is set.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer runs.")] = False,
) -> None:
    """Run the paper's experiments with our mechanisms and the published formulas, and judge each claim."""
    import numpy as np

    from reaedp.cli.screen import steps
    from reaedp.paper.items import ITEMS
    from reaedp.paper.reproduction import SEED, reproduce
    from reaedp.place import outside_releases

    outside_releases(out)
    found = data or (Path(os.environ["REAEDP_DATA"]) if "REAEDP_DATA" in os.environ else None)
    with steps() as progress:
        done = reproduce(
            ITEMS, out, rng=np.random.default_rng(SEED), names=names or (), quick=quick, data=found, progress=progress
        )
    for each in done:
        typer.echo(f"{each.item.number:2}. {each.item.title}: {each.result.verdict}")
    typer.echo(f"Wrote {out}. Start with {out / 'index.html'} or {out / 'RESULTS.md'}.")
