"""`reaedp demo`: the whole path on a real data set about people, which is part of this package.

Plan, audit, ledger, release, verification, and a look at the truth, each by the command that a custodian would type.
"""

import gzip
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from reaedp.cli.output import writing

HERE = Path(__file__).parent
COMMANDS = (
    "check plan.toml",
    "plan plan.toml --html plan.html",
    "audit plan.toml",
    "ledger create budget.sqlite",
    "release plan.toml --data rand_hie.csv --out published",
    "verify published --ledger budget.sqlite",
    "ledger show budget.sqlite",
    "evaluate published --data rand_hie.csv --out not-to-be-published",
    (
        "report published --custodian --data rand_hie.csv --evaluation not-to-be-published"
        " --out not-to-be-published/custodian-report.html"
    ),
)


def demo(
    folder: Annotated[Path, typer.Argument(help="The folder to create. It must be new or empty.")] = Path("demo"),
) -> None:
    """Release a real data set about people, command by command. All files go into one folder."""
    from reaedp.errors import DeclarationError
    from reaedp.release.place import outside_releases

    outside_releases(folder)
    with writing(folder):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise DeclarationError(f"{folder} exists already. Choose another folder.")
        folder.mkdir(parents=True, exist_ok=True)
        write_files(folder)
    for command in COMMANDS:
        typer.echo(f"\n$ reaedp {command}")
        done = subprocess.run([sys.executable, "-m", "reaedp", *command.split()], cwd=folder, check=False)
        if done.returncode:
            raise typer.Exit(done.returncode)
    typer.echo(f"\nTo play with before spending: {folder / 'plan.html'}")
    typer.echo(f"For the custodian alone:      {folder / 'not-to-be-published' / 'custodian-report.html'}")
    typer.echo(f"To publish, open it first:    {folder / 'published' / 'report.html'}")


def write_files(folder: Path) -> None:
    """The data set, its contract and its plan, as they lie beside this file."""
    for name in ("contract.toml", "plan.toml"):
        shutil.copyfile(HERE / name, folder / name)
    with gzip.open(HERE / "rand_hie.csv.gz") as rows, (folder / "rand_hie.csv").open("wb") as file:
        shutil.copyfileobj(rows, file)
