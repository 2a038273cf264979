"""`reaedp synthesize`: more rows of a published model, at no cost."""

from pathlib import Path
from typing import Annotated

import typer


def synthesize(
    *,
    folder: Annotated[Path, typer.Argument(help="A release folder with synthetic records.")],
    rows: Annotated[int, typer.Option(help="Number of rows.")],
    out: Annotated[
        Path | None, typer.Option(help="The .csv or .parquet file to write; NAME-ROWS.csv by default.")
    ] = None,
    given: Annotated[
        list[str] | None, typer.Option(help='A condition that every row meets, such as sex=f or "age >= 40".')
    ] = None,
    name: Annotated[str | None, typer.Option(help="The release, if the folder has several models.")] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same rows.")] = None,
    copies: Annotated[
        int | None, typer.Option(help="Draw the rows from this many copies of the model with other noise, a file each.")
    ] = None,
) -> None:
    """Draw more synthetic rows from a release folder. Costs nothing: the model was paid for."""
    from reaedp.cli.progress import steps
    from reaedp.release.verification.more_rows import write_rows

    with steps() as progress:
        progress("reading the model")
        written = write_rows(folder, rows, out, given=given, name=name, seed=seed, copies=copies, progress=progress)
    files = ", ".join(map(str, written.files))
    typer.echo(f"Wrote {written.rows:,} rows of {written.name} to {files}. Nothing was charged.")
