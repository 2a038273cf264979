"""`reaedp entropies`: histograms and entropies of every column of every file of a folder."""

from pathlib import Path
from typing import Annotated

import typer


def entropies(
    folder: Annotated[Path, typer.Argument(help="A folder of data files, each next to a contract of the same name.")],
    *,
    out: Annotated[Path, typer.Option(help="The folder to create. It must not exist.")],
    epsilon: Annotated[float, typer.Option(help="ε of each column.")],
    order: Annotated[list[float] | None, typer.Option(help="Orders of the entropies. Default: 1, Shannon's.")] = None,
) -> None:
    """Release the histogram and entropies of every declared column of many files, each charged to its own ledger."""
    from reaedp.cli.progress import steps
    from reaedp.cli.stopping import stoppable
    from reaedp.paper.many_files import FIGURE, TABLE, release_all
    from reaedp.release.place import outside_releases

    outside_releases(out)
    with stoppable(), steps() as progress:
        rows = release_all(folder, out, epsilon=epsilon, orders=order or (1.0,), progress=progress)
    for row in rows:
        name, value = next((name, value) for name, value in row.items() if name.startswith("H_"))
        typer.echo(f"{row['data']}, {row['column']}: {name} = {value:.4g} bits")
    typer.echo(f"Wrote {out}: {TABLE}, {FIGURE}, and a release folder for each file.")
