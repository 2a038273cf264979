"""`reaedp look`: what the contract makes of the data, for the custodian's eyes only; printed, and written nowhere."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reaedp.cli.data import Engine, limited

if TYPE_CHECKING:
    from reaedp.evaluation.look import Look

#: Causes that are shown; the others explain less.
MOST_CAUSES = 5
WARNING = (
    "FOR YOUR EYES ONLY: these figures were counted from the data without noise. Nothing was charged or written. Do not"
    " copy them anywhere, and never into the contract."
)


@limited
def look(
    data: Annotated[str, typer.Argument(help="The data: files, a database address, or a table.")],
    contract: Annotated[Path, typer.Argument(help="The contract.")],
    engine: Engine = None,
) -> None:
    """Look at the data before paying: which cells cannot be read, and why. For the custodian's eyes only."""
    from reaedp.cli.progress import steps
    from reaedp.contract import Contract
    from reaedp.evaluation.look import HARMFUL, HARMLESS
    from reaedp.evaluation.look import look as see

    declared = Contract.load(contract)
    with steps() as progress:
        seen = see(declared, data, engine=engine, progress=progress)
    typer.echo(WARNING)
    _show_columns(seen)
    for line in seen.words:
        typer.echo(line)
    _show_causes(seen)
    typer.echo(f"\nHarmless after looking: {HARMLESS}")
    typer.echo(f"\nNot harmless, and not covered by the promise: {HARMFUL}")


def _show_columns(seen: "Look") -> None:
    from rich.table import Table
    from rich.text import Text

    from reaedp.cli.screen import console

    table = Table()
    for heading in ("column", *(seen.columns[0].shares if seen.columns else ())):
        table.add_column(heading, justify="left" if heading == "column" else "right")
    for one in seen.columns:
        table.add_row(Text(one.column.name), *one.shares.values())
    console.print(table)


def _no_cause(seen: "Look") -> str:
    """How to go on where no other way of reading helps."""
    if not any(one.share("unparsable", "unseen") for one in seen.columns):
        return "Found no likely problem."
    words = "None of the other ways of reading that were tried helps."
    if any(one.share("unparsable") for one in seen.columns):
        words += (
            " Numbers must be digits with a decimal mark or an exponent; other signs next to them can be declared:"
            ' [files] signs = ["€"]. Remove words from the columns in the file.'
        )
    if any(one.share("unseen") for one in seen.columns):
        words += " Levels must be written as in the contract; a value that it does not list counts as unseen."
    return words


def _show_causes(seen: "Look") -> None:
    if not seen.causes:
        typer.echo(_no_cause(seen))
        return
    typer.echo("\nLikely causes, found by reading the cells in other ways:")
    for cause in seen.causes[:MOST_CAUSES]:
        typer.echo(f"  {cause.words}")
