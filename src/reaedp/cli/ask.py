"""`reaedp ask`: figures with intervals from a release folder, at no cost."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from reaedp.inference.answer import Answer


def ask(
    folder: Annotated[Path, typer.Argument(help="A release folder.")],
    question: Annotated[str, typer.Argument(help='For example "mean age by sex where smokes = true".')],
    confidence: Annotated[float, typer.Option(help="How often an interval must contain the truth.")] = 0.95,
    replays: Annotated[
        int | None, typer.Option(help="How often to replay the noise of a model; 0 is fastest, with wider intervals.")
    ] = None,
) -> None:
    """Answer a question from a release folder, with intervals. Costs nothing: it uses published numbers only."""
    from reaedp.cli.progress import steps
    from reaedp.release.verification import read

    with steps() as progress:
        progress("reading the folder")
        answer = read(folder).ask(question, confidence=confidence, replays=replays, progress=progress)
    _show(answer)


def _show(answer: "Answer") -> None:
    from rich.table import Table
    from rich.text import Text

    from reaedp.cli.screen import console

    frame = answer.frame()
    if not any(answer.note):
        del frame["note"]
    table = Table()
    for name in frame:
        table.add_column(name, justify="right" if name in ("value", "low", "high") else "left")
    for row in zip(*frame.values(), strict=True):
        table.add_row(*(Text(_cell(cell)) for cell in row))
    console.print(table)
    intervals = f"{100 * answer.confidence:g} % intervals for the rows of the data, from {answer.source}."
    typer.echo(f"{intervals if answer.told else f'From {answer.source}, without intervals.'} Nothing was charged.")


def _cell(cell: Any) -> str:
    """Figures with few digits; nothing where there is none."""
    import numpy as np

    from reaedp.frames.shown import number

    if cell is np.ma.masked:
        return ""
    return number(float(cell)) if isinstance(cell, float | np.floating) else str(cell)
