"""`reaedp report`: a release folder as a page for people, to publish or for the custodian alone."""

from pathlib import Path
from typing import Annotated

import typer

from reaedp.cli.data import Engine, limited

Out = Annotated[
    Path | None, typer.Option(help="The page to write. Default: next to the release folder, never inside it.")
]
Custodian = Annotated[bool, typer.Option("--custodian", help="Include the true values. Never publish this edition.")]


@limited
def report(
    *,
    folder: Annotated[Path, typer.Argument(help="A release folder.")],
    out: Out = None,
    custodian: Custodian = False,
    data: Annotated[str | None, typer.Option(help="The data the release was made from. Only with --custodian.")] = None,
    others: Annotated[str | None, typer.Option(help="People from the same population who are not in the data.")] = None,
    label: Annotated[str | None, typer.Option(help="A column to predict from the synthetic records.")] = None,
    evaluation: Annotated[
        Path | None, typer.Option(help="Results of an earlier `reaedp evaluate`, to save time.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the attacks. The release itself never changes.")] = 0,
    engine: Engine = None,
) -> None:
    """Write an HTML report of a release folder."""
    from reaedp.cli.progress import steps
    from reaedp.errors import DeclarationError, NotDisclosable
    from reaedp.release.place import outside_releases
    from reaedp.report.page import save
    from reaedp.report.public import public_report

    page = out or _default(folder, custodian)
    outside_releases(page, secret=custodian)
    if not custodian:
        if data is not None or evaluation is not None:
            raise NotDisclosable(
                "A public report must not contain anything computed from the data without noise, but --data or"
                " --evaluation was given. Add --custodian for the edition that must not be published."
            )
        with steps() as progress:
            progress("drawing")
            save(page, public_report(folder))
        typer.echo(f"Wrote {page}.")
        return
    if data is None:
        raise DeclarationError("The custodian's edition needs the data. Add --data.")
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
