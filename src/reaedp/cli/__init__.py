"""The command line: arguments → one call → exit code. Slow libraries are imported inside the commands."""

import atexit
import contextlib
import gc
import os
import sys
import warnings

from reaedp.errors import LedgerWarning, ReaedpError

_FORMAT = warnings.formatwarning
#: Objects that are made before the collector looks for garbage; at Python's own 700 it spends a tenth of a short
#: command looking through what was just imported, in vain.
_PATIENT = 200_000


def main() -> None:
    """Run a command; report what went wrong in the project's voice, with its exit code."""
    gc.set_threshold(_PATIENT)
    # To start threads for linear algebra takes longer than all that a command multiplies.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    atexit.register(_leave)  # the first to be registered is the last to be called
    warnings.formatwarning = _sentence
    # What concerns the ledger is said once, whatever Python was told to do with warnings.
    warnings.filterwarnings("once", category=LedgerWarning)
    try:
        from reaedp.cli.app import app

        app(standalone_mode=True)
    except (SystemExit, KeyboardInterrupt):
        raise
    except ReaedpError as error:
        _end(error)
    except BaseException as error:  # panics of libraries that are not written in Python are no Exceptions
        from reaedp.cli.guard import defect

        _end(defect(error, sys.argv[1:]))


def _leave() -> None:
    """When all is said and done, nothing is cleared away one by one that the system takes back at once.

    Python would look through everything for garbage, which takes as long as to check a plan. DuckDB may still list
    parts of itself that were not cleared away.
    """
    gc.freeze()
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr is not None:
            sys.stderr.flush()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _end(error: ReaedpError) -> None:
    sys.stderr.write(f"{error}\n")
    sys.exit(error.exit_code)


def _sentence(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    """Our own warnings are for people; all others say where in the program they come from."""
    return f"Warning: {message}\n" if category is LedgerWarning else _FORMAT(message, category, filename, lineno, line)
