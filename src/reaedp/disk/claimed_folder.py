"""Folders of one process: locked while it lives, and cleared away by a later one if it was killed.

What is being made lies in such a folder until it is whole, and so does what an engine spills. A process that is killed
cannot tidy up; the next one that comes to the same place does it.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from reaedp.disk.file_lock import try_lock
from reaedp.disk.system import PLAIN, REGULAR, is_own_folder, read_at

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
            # Others look for the words, which are written when it is locked.
            descriptor = os.open(around / LOCK, os.O_RDWR | os.O_CREAT | PLAIN, 0o600)
            try_lock(descriptor)
            os.write(descriptor, WORDS)
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
            with contextlib.suppress(OSError):
                os.close(self.descriptor)  # first, since Windows keeps what is open
            shutil.rmtree(self.around, ignore_errors=True)


@contextmanager
def claimed(parent: Path, purpose: str) -> Iterator[Path]:
    """A folder for the length of a block; whatever is in it may be moved away before the end."""
    made = ClaimedFolder.make(parent, purpose)
    try:
        yield made.path
    finally:
        made.remove()


def clear(parent: Path, purpose: str) -> None:
    """Remove the folders that this user's processes left there when they were killed."""
    for around in parent.glob(f"{_prefix(purpose)}*"):
        with contextlib.suppress(OSError):
            if is_own_folder(around) and _is_abandoned(around / LOCK):
                shutil.rmtree(around, ignore_errors=True)


def _prefix(purpose: str) -> str:
    return f".reaedp-{purpose}-"


def _is_abandoned(lock: Path) -> bool:
    """Whether nobody holds the lock; one without words is just being made."""
    descriptor = os.open(lock, os.O_RDWR | REGULAR)
    try:
        return read_at(descriptor, len(WORDS) + 1, 0) == WORDS and try_lock(descriptor)
    finally:
        os.close(descriptor)
