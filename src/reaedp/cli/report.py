"""`reaedp report`: a release folder as a page for people, to publish or for the custodian alone."""

from pathlib import Path
from typing import Annotated

import typer

from reaedp.cli.data import Engine, Memory


def report(
    *,
    folder: Annotated[Path, typer.Argument(help="A release folder.")],
    out: Annotated[
        Path | None, typer.Option(help="The page to write; by default beside the folder, never inside it.")
    ] = None,
    custodian: Annotated[
        bool, typer.Option("--custodian", help="The edition with the truth in it, which is not to be published.")
    ] = False,
    data: Annotated[str | None, typer.Option(help="The data it was made from; with --custodian only.")] = None,
    others: Annotated[str | None, typer.Option(help="People of the same population who are not in the data.")] = None,
    label: Annotated[str | None, typer.Option(help="A column to predict from synthetic records.")] = None,
    evaluation: Annotated[
        Path | None, typer.Option(help="A folder that `reaedp evaluate` wrote, instead of evaluating anew.")
    ] = None,
    seed: Annotated[int, typer.Option(help="For repeatable attacks; the release itself is never made anew.")] = 0,
    engine: Engine = None,
    memory: Memory = None,  # noqa: ARG001 - it has taken effect by then
) -> None:
    """Write a release folder as one HTML page."""
    from reaedp.cli.screen import steps
    from reaedp.errors import DeclarationError, NotDisclosable
    from reaedp.place import outside_releases
    from reaedp.report.page import save
    from reaedp.report.public import public_report

    page = out or _default(folder, custodian)
    outside_releases(page, secret=custodian)
    if not custodian:
        if data is not None or evaluation is not None:
            raise NotDisclosable(
                "A public report must not contain what was computed from the data without noise; given --data or"
                " --evaluation. Add --custodian for the edition that is not to be published."
            )
        with steps() as progress:
            progress("drawing")
            save(page, public_report(folder))
        typer.echo(f"Wrote {page}.")
        return
    if data is None:
        raise DeclarationError("The custodian's edition needs the data: add --data.")
    with steps() as progress:
        import numpy as np

        from reaedp.evaluation.custodian_report import custodian_report
        from reaedp.evaluation.line import read_lines

        lines = None if evaluation is None else read_lines(evaluation)
        rng = np.random.default_rng(seed)
        text = custodian_report(
            folder, data, rng=rng, lines=lines, others=others, label=label, engine=engine, progress=progress
        )
        save(page, text, secret=True)
    typer.echo(f"Wrote {page}. NOT TO BE PUBLISHED: parts of it were computed from the data without noise.")


def _default(folder: Path, custodian: bool) -> Path:
    """The custodian's edition has a folder of its own, whose name says what it is."""
    name = folder.resolve().name
    if custodian:
        return folder.resolve().parent / f"{name}-not-to-be-published" / "custodian-report.html"
    return folder.resolve().parent / f"{name}-report.html"
