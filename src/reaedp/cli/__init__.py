"""The command line: arguments → one call → exit code. Slow libraries are imported inside the commands."""

import sys
import warnings

from reaedp.errors import LedgerWarning, ReaedpError

_FORMAT = warnings.formatwarning


def main() -> None:
    """Run a command; report what went wrong in the project's voice, with its exit code."""
    from reaedp.cli.app import app

    warnings.formatwarning = _sentence
    try:
        app(standalone_mode=True)
    except ReaedpError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_code)


def _sentence(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    """Our own warnings are for people; all others say where in the program they come from."""
    return f"{message}\n" if category is LedgerWarning else _FORMAT(message, category, filename, lineno, line)
