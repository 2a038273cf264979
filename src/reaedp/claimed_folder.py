"""Folders of one process: locked while it lives, and cleared away by a later one if it was killed.

What is being made lies in such a folder until it is whole, and so does what an engine spills. A process that is killed
cannot tidy up; the next one that comes to the same place does it.
"""

import contextlib
import os
import shutil
import stat
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from reaedp.privacy.file_lock import try_lock

#: The file that is locked, and what it says, so that nothing else is taken for ours.
LOCK, WORDS = "lock", b"A folder of reaedp, to be removed when its process is gone.\n"


@dataclass(frozen=True, slots=True)
class ClaimedFolder:
    """A new folder at `path`, in another whose lock lasts as long as the process."""

    around: Path
    descriptor: int
    process: int = field(default_factory=os.getpid)

    @classmethod
    def make(cls, parent: Path, purpose: str) -> Self:
        """Clear away what killed processes left in the same place for the same purpose; then make a folder."""
        clear(parent, purpose)
        around = Path(tempfile.mkdtemp(prefix=_prefix(purpose), dir=parent))
        try:
            # Others look for the lock by its name, which it gets when it is locked.
            claim = around / "claim"
            descriptor = os.open(claim, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try_lock(descriptor)
            os.write(descriptor, WORDS)
            claim.rename(around / LOCK)
            made = cls(around, descriptor)
            made.path.mkdir(mode=0o700)
        except BaseException:
            shutil.rmtree(around, ignore_errors=True)
            raise
        return made

    @property
    def path(self) -> Path:
        """The folder to use; it may be renamed to where it is wanted."""
        return self.around / "files"

    def remove(self) -> None:
        """Remove what is left; a process that was forked from the owner leaves it alone."""
        if os.getpid() == self.process:
            shutil.rmtree(self.around, ignore_errors=True)
            with contextlib.suppress(OSError):
                os.close(self.descriptor)


def clear(parent: Path, purpose: str) -> None:
    """Remove the folders that this user's processes left there when they were killed."""
    for around in parent.glob(f"{_prefix(purpose)}*"):
        with contextlib.suppress(OSError):
            if _is_own(around) and _is_abandoned(around / LOCK):
                shutil.rmtree(around, ignore_errors=True)


def _prefix(purpose: str) -> str:
    return f".reaedp-{purpose}-"


def _is_own(around: Path) -> bool:
    found = around.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


def _is_abandoned(lock: Path) -> bool:
    """Whether nobody holds the lock; a folder without one is just being made."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        return os.pread(descriptor, len(WORDS) + 1, 0) == WORDS and try_lock(descriptor)
    finally:
        os.close(descriptor)
