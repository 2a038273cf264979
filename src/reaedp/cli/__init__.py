"""The command line: arguments → one call → exit code. Slow libraries are imported inside the commands."""

import sys

from reaedp.errors import ReaedpError


def main() -> None:
    """Run a command; report what went wrong in the project's voice, with its exit code."""
    from reaedp.cli.app import app

    try:
        app(standalone_mode=True)
    except ReaedpError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_code)
