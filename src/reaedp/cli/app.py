"""The commands of `reaedp`; what belongs to one of them is imported when it is asked for."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from reaedp.cli.data import Data, Engine, limited

#: The functions of commands and the families of commands, in the order in which people need them.
HOMES = {
    "demo": "reaedp.cli.demo:demo",
    "studio": "reaedp.cli.studio:studio",
    "init": "reaedp.cli.init:init",
    "check": "reaedp.cli.app:check",
    "look": "reaedp.cli.look:look",
    "learn": "reaedp.cli.learn:app",
    "plan": "reaedp.cli.app:plan",
    "calibrate": "reaedp.cli.calibrate:calibrate",
    "audit": "reaedp.cli.audit:audit",
    "release": "reaedp.cli.app:release",
    "report": "reaedp.cli.report:report",
    "verify": "reaedp.cli.app:verify",
    "ask": "reaedp.cli.ask:ask",
    "synthesize": "reaedp.cli.synthesize:synthesize",
    "evaluate": "reaedp.cli.evaluate:evaluate",
    "keys": "reaedp.cli.keys:app",
    "sign": "reaedp.cli.keys:sign",
    "request": "reaedp.cli.request:app",
    "ledger": "reaedp.cli.ledger:app",
    "algorithm1": "reaedp.cli.algorithm1:algorithm1",
    "entropies": "reaedp.cli.entropies:entropies",
    "reproduce": "reaedp.cli.reproduce:reproduce",
}
#: Plain help starts in half the time.
_PLAIN: dict[str, Any] = {"rich_markup_mode": None, "add_completion": False}


class _Commands(Mapping[str, Any]):
    """Commands by name; each is made when it is asked for."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            module, _, place = HOMES[name].partition(":")
            self._made[name] = _command(name, getattr(import_module(module), place))
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(HOMES)

    def __len__(self) -> int:
        return len(HOMES)


def _command(name: str, found: Any) -> Any:
    """A command of a function, or of a family of commands."""
    if isinstance(found, typer.Typer):
        family = get_group(found)
        family.name = name
        return family
    alone = typer.Typer(**_PLAIN)
    alone.command(name)(found)
    return get_command(alone)


class _Group(TyperGroup):
    """Commands in the order of work; `reaedp --help` is often the first page that people read."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = _Commands()  # type: ignore[assignment]

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """All names, as they are listed."""
        return list(HOMES)


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    **_PLAIN,
    pretty_exceptions_enable=False,
    help="Publish statistics and synthetic data from sensitive records with differential privacy.",
)


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
