"""`reaedp studio`: the whole journey in a browser, on this machine alone."""

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from reaedp.cli.output import writing

#: The project that --demo makes.
DEMO = "rand"


def studio(
    folder: Annotated[
        Path, typer.Argument(help="The folder of your projects: contracts, plans, ledgers and releases.")
    ] = Path(),
    *,
    port: Annotated[int, typer.Option(help="The port; 0 picks a free one.")] = 0,
    host: Annotated[
        str, typer.Option(help="The address to serve at. Serving other machines needs TLS and a password.")
    ] = "127.0.0.1",
    certificate: Annotated[Path | None, typer.Option(help="The TLS certificate (PEM).")] = None,
    key: Annotated[Path | None, typer.Option(help="The private key of the certificate (PEM).")] = None,
    password_file: Annotated[
        Path | None, typer.Option(help="A file that contains the password, at least 12 characters.")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the browser.")] = True,
    demo: Annotated[bool, typer.Option("--demo", help="Start with a real data set about people.")] = False,
) -> None:
    """Do all of this in a browser. Serves only this machine and keeps everything as files in the folder."""
    from reaedp.cli.guard import defect
    from reaedp.errors import DeclarationError
    from reaedp.release.place import outside_releases

    try:
        from reaedp.studio.server import Beyond, Server
    except ModuleNotFoundError as error:
        raise DeclarationError(f"The studio needs {error.name}: pip install 'reaedp[studio]'") from None
    beyond = Beyond.asked(host, certificate, key, password_file)
    outside_releases(folder)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if demo:
            _begin_demo(folder / DEMO)
    server = Server.over(
        folder.absolute(),
        port,
        lambda error: defect(error, ["studio"]),
        lambda address: typer.echo(f"To open another browser: {address}"),
        beyond,
    )
    typer.echo(f"Open {server.entrance}\nThe address works once. Stop with Ctrl-C; nothing is lost.")
    if browser:
        webbrowser.open(server.entrance)
    server.run()


def _begin_demo(folder: Path) -> None:
    """The demo's data, contract and plan as a project; one that is there already is left as it is."""
    from reaedp.cli.demo import write_files
    from reaedp.studio.project import Project

    if not folder.exists():
        folder.mkdir()
        write_files(folder)
        Project(folder, folder.name).remember("rand_hie.csv")
