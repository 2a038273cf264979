"""The last line of defence: what nobody foresaw becomes a sentence, an exit code, and a file for whoever mends it.

The file holds the types of the exceptions, the lines of this program that they passed, versions, and the name of the
command. It holds no message of another library, no local variable and no argument: any of these may quote a row or a
password.
"""

import os
import platform
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType

from reaedp.errors import Defect

#: Libraries whose version can matter.
_LIBRARIES = ("reaedp", "duckdb", "narwhals", "numpy", "opendp", "scipy", "typer", "pandas", "pyspark")
_HERE = Path(__file__).resolve().parents[1]
#: Lines at each end of a chain of calls; a recursion has thousands.
_MOST_LINES = 30


def defect(error: BaseException, arguments: Sequence[str]) -> Defect:
    """The error that a user sees in place of this one, whose details are written to a file of their own."""
    place = _written("\n".join(_details(error, arguments)) + "\n")
    kept = (
        "The details could not be saved."
        if place is None
        else f"Please report it and attach {place}, which contains no data, values or arguments."
    )
    charged = "Anything already charged stays charged; see `reaedp ledger history`."
    return Defect(f"reaedp stopped because of an error of its own. {kept} {charged}")


def _details(error: BaseException, arguments: Sequence[str]) -> Iterator[str]:
    yield f"command: {_command(arguments)}"
    yield f"python: {platform.python_version()} on {platform.system()} {platform.machine()}"
    for name in _LIBRARIES:
        yield f"{name}: {_version(name)}"
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield f"exception: {type(cause).__module__}.{type(cause).__qualname__}"
        yield from _shortened([f"  {line}" for line in _lines(cause.__traceback__)])
        cause = cause.__cause__ or cause.__context__


def _lines(trace: TracebackType | None) -> Iterator[str]:
    """The lines of this program that an exception passed; files are named from its folder on."""
    while trace is not None:
        code = trace.tb_frame.f_code
        path = Path(code.co_filename)
        if path.is_relative_to(_HERE):
            yield f"{path.relative_to(_HERE.parent)}:{trace.tb_lineno} in {code.co_name}"
        trace = trace.tb_next


def _shortened(lines: list[str]) -> list[str]:
    if len(lines) <= 2 * _MOST_LINES:
        return lines
    return [*lines[:_MOST_LINES], f"  … {len(lines) - 2 * _MOST_LINES} lines more …", *lines[-_MOST_LINES:]]


def _command(arguments: Sequence[str]) -> str:
    """The names of the command, as far as they are ours; whatever follows them belongs to the user."""
    try:
        from typer.main import get_command

        from reaedp.cli.app import app

        known, names = get_command(app), []
        for word in arguments:
            found = getattr(known, "commands", {}).get(word)
            if found is None:
                break
            known = found
            names.append(word)
        return " ".join(names) or "none"
    except Exception:  # the defect may be just there
        return "unknown"


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"


def _written(text: str) -> Path | None:
    """A new file for its owner alone, among the user's states of programs or, if need be, temporary files."""
    from reaedp.ledger.state_folder import state_folder

    for place in (state_folder, tempfile.gettempdir):
        try:
            folder = Path(place())
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor, name = tempfile.mkstemp(prefix="reaedp-defect-", suffix=".txt", dir=folder)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            return Path(name)
        except (OSError, RuntimeError):  # the latter without a home
            continue
    return None
