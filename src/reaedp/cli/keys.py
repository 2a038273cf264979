"""`reaedp keys` and `reaedp sign`: who a release is from."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Create keys for signing releases.")

#: A passphrase for programs; people are asked.
VARIABLE = "REAEDP_PASSPHRASE"


@app.command()
def create(
    path: Annotated[Path, typer.Argument(help="The private key to write; the public key is written next to it.")],
    passphrase: Annotated[
        bool, typer.Option("--passphrase", help=f"Ask for a passphrase, or take the one in {VARIABLE}.")
    ] = False,
) -> None:
    """Create a private key, readable by its owner only, and the public key that others check signatures with."""
    from reaedp.release.signature import create_keys

    public = create_keys(path, _passphrase(confirm=True) if passphrase else None)
    typer.echo(f"Wrote {path}, which must stay secret, and {public}, which may be published.")


def sign(
    folder: Annotated[Path, typer.Argument(help="A release folder.")],
    key: Annotated[Path, typer.Option(help="The private key from `reaedp keys create`.")],
) -> None:
    """Check a release folder, then sign its manifest."""
    from reaedp.release.signature import is_encrypted
    from reaedp.release.signature import sign as sign_manifest
    from reaedp.release.verification import verify

    encrypted = is_encrypted(key)
    verify(folder)
    signature = sign_manifest(folder, key, _passphrase(confirm=False) if encrypted else None)
    typer.echo(f"Wrote {signature}. Check with: reaedp verify {folder} --public-key {key.with_suffix('.pub')}")


def _passphrase(*, confirm: bool) -> bytes:
    import os

    from reaedp.errors import DeclarationError

    found = os.environ.get(VARIABLE) or typer.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm)
    if not found:
        raise DeclarationError("The passphrase must not be empty.")
    return str(found).encode()
