"""The commands of `reaedp`."""

from pathlib import Path
from typing import Annotated

import typer

from reaedp.cli import keys, learn, ledger
from reaedp.cli.audit import audit
from reaedp.cli.calibrate import calibrate
from reaedp.cli.data import Data, Engine, Memory
from reaedp.cli.evaluate import evaluate
from reaedp.cli.output import writing
from reaedp.cli.report import report
from reaedp.cli.reproduce import reproduce

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help starts in half the time
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Release sensitive data with differential privacy, and keep account of what it cost.",
)
app.add_typer(ledger.app, name="ledger")
app.add_typer(learn.app, name="learn")
app.add_typer(keys.app, name="keys")
app.command()(calibrate)
app.command()(evaluate)
app.command()(audit)
app.command()(report)
app.command()(reproduce)
app.command()(keys.sign)


@app.command()
def init(
    data: Annotated[str, typer.Argument(help="The data to draft a contract for; only names and types are read.")],
    out: Annotated[Path, typer.Option(help="The contract file to write.")] = Path("contract.toml"),
    with_ledger: Annotated[
        str | None,
        typer.Option("--ledger", help="Also make this ledger: a file beside the contract, or a postgresql:// address."),
    ] = None,
    engine: Engine = None,
) -> None:
    """Draft a contract from column names and types; no value is read."""
    from reaedp.contract.draft import draft
    from reaedp.curator.source import open_source
    from reaedp.errors import DeclarationError
    from reaedp.place import outside_releases

    outside_releases(out)
    source = open_source(data, engine)
    with writing(out):
        if out.exists():
            raise DeclarationError(f"{out} exists already. Choose another --out.")
        text = draft(source.types, with_ledger)
        if with_ledger is not None:
            ledger.make(with_ledger if "://" in with_ledger else out.parent / with_ledger)
        out.write_text(text, encoding="utf-8")
    typer.echo(f"Wrote {out}. Fill in what is marked, then run: reaedp check {out}")


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="A contract or a plan.")],
) -> None:
    """Say every mistake in a contract or a plan at once."""
    from reaedp.contract import Contract
    from reaedp.contract.document import Document
    from reaedp.plan import Plan

    if "release" in Document.read(file).data:
        Plan.load(file).requests()
    else:
        Contract.load(file)
    typer.echo(f"{file} is complete and consistent.")


@app.command()
def plan(
    file: Annotated[Path, typer.Argument(help="The plan.")],
    plot: Annotated[
        Path | None, typer.Option(help="Also write deniable records against ε: a .svg or .csv file.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Also write a page with sliders for ε and the number of bins.")
    ] = None,
) -> None:
    """Show cost and expected error of every release before any data is opened."""
    from reaedp.cli import screen
    from reaedp.place import outside_releases
    from reaedp.plan import Plan

    for path in (plot, html):
        if path is not None:
            outside_releases(path)
    wanted = Plan.load(file)
    screen.show_plan(wanted, plot)
    if html is not None:
        screen.write_plan_page(wanted, html)


@app.command()
def release(
    file: Annotated[Path, typer.Argument(help="The plan.")],
    data: Data,
    out: Annotated[Path, typer.Option(help="The folder to make; it must not exist or be empty.")],
    engine: Engine = None,
    memory: Memory = None,  # noqa: ARG001 - it has taken effect by then
) -> None:
    """Charge the ledger, count, add noise, and write the release folder."""
    from reaedp.cli.screen import steps
    from reaedp.cli.stopping import stoppable
    from reaedp.folder import REPORT
    from reaedp.manifest import read_manifest
    from reaedp.place import outside_releases
    from reaedp.plan import Plan
    from reaedp.publication import publish

    outside_releases(out)
    with stoppable(), steps() as progress:
        wanted = Plan.load(file)
        publish(wanted, data, out, progress, engine=engine)
    page = out / REPORT
    start = f"Open {page}" if page.exists() else f"Draw its report with: reaedp report {out}"
    typer.echo(f"Released into {out}. {start}; check with: reaedp verify {out}")
    paid_by = read_manifest(out)["ledger"]["identity"]
    typer.echo(f"Charged to the ledger {wanted.contract.ledger}, identity {paid_by}.")


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(help="A release folder.")],
    ledger: Annotated[str | None, typer.Option(help="Also check that the ledger paid for it, and knows it.")] = None,
    public_key: Annotated[
        Path | None, typer.Option(help="Also check that the holder of this key's private half signed it.")
    ] = None,
) -> None:
    """Check files, arithmetic, numbers, ledger entries and signature of a release folder."""
    from reaedp.cli.screen import steps
    from reaedp.verification import verify as check_folder

    with steps() as progress:
        progress("checking")
        checked = check_folder(folder, ledger, public_key)
    for line in checked:
        typer.echo(f"✓ {line}")
