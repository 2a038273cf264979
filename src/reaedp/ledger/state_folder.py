"""Where this user, or a team, keeps what must not be restored together with a ledger."""

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from reaedp.errors import LedgerBusy, LedgerDamaged, LedgerWarning
from reaedp.ledger.high_water_mark import HighWaterMark

#: The environment variable with the folder that a team shares; whoever sets it wants it to be used.
STATE = "REAEDP_STATE"
_INSTEAD: ContextVar[Path | None] = ContextVar("instead", default=None)


@contextmanager
def state_in(folder: Path) -> Iterator[None]:
    """Use another folder within a block, for ledgers that do not outlive it."""
    before = _INSTEAD.set(folder)
    try:
        yield
    finally:
        _INSTEAD.reset(before)


def is_chosen() -> bool:
    """Whether somebody said which folder to use."""
    return _INSTEAD.get() is not None or bool(os.environ.get(STATE))


def state_folder() -> Path:
    """Give the folder that was chosen, or the user's own for the state of programs, as the platform has it."""
    if is_chosen():
        return _INSTEAD.get() or Path(os.environ[STATE]).absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "reaedp"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "reaedp"
    chosen = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (chosen if chosen.is_absolute() else Path.home() / ".local" / "state") / "reaedp"


def kept_marks(identity: str) -> tuple[HighWaterMark, ...]:
    """Give the mark of a ledger in that folder; none where there can be no such folder, which is said."""
    if not re.fullmatch("[0-9a-f]{32}", str(identity)):
        raise LedgerDamaged("The identity of the ledger is malformed: it must be one that `reaedp ledger create` drew.")
    try:
        path = state_folder() / f"ledger-{identity}"
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch()
    except (OSError, RuntimeError) as error:  # the latter without a home
        _complain(error)
        return ()
    return (HighWaterMark(path, f"the high-water mark {path}"),)


def _complain(error: Exception) -> None:
    """Refuse where the folder was chosen; go on without it where it was not, because many machines have no home."""
    reason = getattr(error, "strerror", None) or error
    place = f" {state_folder()}" if isinstance(error, OSError) else ""
    said = f"The ledger's high-water mark cannot be written to the state folder{place} ({reason})"
    if is_chosen():
        raise LedgerBusy(f"{said}. {STATE} names that folder: repair it, or choose another one.") from error
    warnings.warn(
        f"{said}; restoring an older copy of the ledger would go unnoticed. Set {STATE} to a folder that lasts.",
        LedgerWarning,
        stacklevel=2,
    )
