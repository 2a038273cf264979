"""The commands of `reaedp`."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from reaedp.cli import keys, learn, ledger, request
from reaedp.cli.algorithm1 import algorithm1
from reaedp.cli.ask import ask
from reaedp.cli.audit import audit
from reaedp.cli.calibrate import calibrate
from reaedp.cli.data import Data, Engine, limited
from reaedp.cli.demo import demo
from reaedp.cli.entropies import entropies
from reaedp.cli.evaluate import evaluate
from reaedp.cli.init import init
from reaedp.cli.look import look
from reaedp.cli.report import report
from reaedp.cli.reproduce import reproduce
from reaedp.cli.studio import studio
from reaedp.cli.synthesize import synthesize

#: The order in which people need them.
ORDER = (
    *("demo", "studio", "init", "check", "look", "learn", "plan", "calibrate", "audit", "release", "report", "verify"),
    *("ask", "synthesize"),
    *("evaluate", "keys", "sign", "request", "ledger", "algorithm1", "entropies", "reproduce"),
)


class Commands(TyperGroup):
    """Commands in the order of work; `reaedp --help` is often the first page that people read."""

    def list_commands(self, ctx: Any) -> list[str]:
        """All names, as they are listed."""
        return sorted(super().list_commands(ctx), key=lambda name: (*ORDER, name).index(name))


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help starts in half the time
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Publish statistics and synthetic data from sensitive records with differential privacy.",
)
app.add_typer(ledger.app, name="ledger")
app.add_typer(learn.app, name="learn")
app.add_typer(keys.app, name="keys")
app.add_typer(request.app, name="request")
app.command()(init)
app.command()(look)
app.command()(calibrate)
app.command()(evaluate)
app.command()(ask)
app.command()(synthesize)
app.command()(audit)
app.command()(report)
app.command()(algorithm1)
app.command()(entropies)
app.command()(reproduce)
app.command()(keys.sign)
app.command()(demo)
app.command()(studio)


def _say_version(wanted: bool) -> None:
    if wanted:
        from reaedp import __version__

        typer.echo(f"reaedp {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None: ...


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="A contract or a plan.")],
) -> None:
    """List every mistake in a contract or a plan."""
    from reaedp.contract.document import Document

    if "release" in Document.read(file).data:
        from reaedp.plan.plan import Plan

        Plan.load(file).requests()
    else:
        from reaedp.contract import Contract
        from reaedp.synthesis.ruled import check_rules

        check_rules(Contract.load(file))
    typer.echo(f"{file} is complete and consistent.")


Plot = Annotated[Path | None, typer.Option(help="Also plot how many deniable records each ε buys (.svg or .csv).")]
Page = Annotated[Path | None, typer.Option(help="Also write an HTML page with sliders for ε and the number of bins.")]


@app.command()
def plan(
    file: Annotated[Path, typer.Argument(help="The plan.")],
    plot: Plot = None,
    html: Page = None,
) -> None:
    """Show cost and accuracy of each planned release. No data is opened."""
    from reaedp.cli import screen
    from reaedp.plan.plan import Plan
    from reaedp.release.place import outside_releases

    for path in (plot, html):
        if path is not None:
            outside_releases(path)
    wanted = Plan.load(file)
    screen.show_plan(wanted, plot)
    if html is not None:
        screen.write_plan_page(wanted, html)


@app.command()
@limited
def release(
    file: Annotated[Path, typer.Argument(help="The plan.")],
    *,
    data: Data,
    out: Annotated[Path, typer.Option(help="The folder to create. It must be new or empty.")],
    engine: Engine = None,
) -> None:
    """Make the releases of a plan. Charges the ledger, counts, adds noise and writes the release folder."""
    from reaedp.cli.progress import steps
    from reaedp.cli.stopping import stoppable
    from reaedp.plan.plan import Plan
    from reaedp.release.folder import REPORT
    from reaedp.release.manifest import read_manifest
    from reaedp.release.place import outside_releases
    from reaedp.release.publication import publish

    outside_releases(out)
    with stoppable(), steps() as progress:
        wanted = Plan.load(file)
        publish(wanted, data, out, progress, engine=engine)
    page = out / REPORT
    start = f"Open {page}" if page.exists() else f"The report could not be drawn; try: reaedp report {out}"
    typer.echo(f"Wrote {out}. {start}; check with: reaedp verify {out}")
    paid_by = read_manifest(out)["ledger"]["identity"]
    typer.echo(f"Charged to the ledger {wanted.contract.ledger}, identity {paid_by}.")


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(help="A release folder.")],
    ledger: Annotated[str | None, typer.Option(help="Also check the ledger entries that paid for the release.")] = None,
    public_key: Annotated[Path | None, typer.Option(help="Also check the signature against this public key.")] = None,
) -> None:
    """Check a release folder. Compares files, arithmetic, numbers, ledger entries and signature."""
    from reaedp.cli.progress import steps
    from reaedp.release.verification import verify as check_folder

    with steps() as progress:
        progress("checking")
        checked = check_folder(folder, ledger, public_key)
    for line in checked:
        typer.echo(f"✓ {line}")
