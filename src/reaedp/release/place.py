"""Where files may be written, and which files are read: plain ones, where they are, and no others."""

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from reaedp.disk.system import PLAIN, REGULAR, for_owner_alone
from reaedp.errors import DeclarationError, NotDisclosable, ReaedpError

#: A folder with this file is a release.
MANIFEST_FILE = "release.json"
#: No manifest is larger.
MOST_BYTES = 256 * 1024 * 1024


def outside_releases(path: Path, *, secret: bool = False) -> Path:
    """The path, if neither it nor a folder around it is a release; nothing but a release writes there.

    What must not be published must not lie where everything is published: for a `secret` the error says so.
    """
    try:
        # A link is written through by some programs, and replaced where it lies by others.
        ways = (path.resolve(), path.parent.resolve() / path.name)
    except ValueError:  # a NUL in its name
        raise DeclarationError(f"{str(path)!r} is not a valid file name. Nothing was charged or written.") from None
    for way in ways:
        for folder in (way, *way.parents):
            if os.path.lexists(folder / MANIFEST_FILE):
                rule = f"{path} lies in {folder}, a release folder, where nothing may be added or changed"
                if secret:
                    raise NotDisclosable(
                        f"{rule}, least of all anything that must not be published. Choose a place outside it."
                    )
                raise DeclarationError(f"{rule}. Choose a place outside it.")
    return path


def write_secret(path: Path, text: str) -> None:
    """Write a file that only its owner can read, from its first moment."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | PLAIN, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        for_owner_alone(descriptor)  # an older file may have had other rights
        file.write(text)


@contextmanager
def open_plain(path: Path) -> Iterator[BufferedReader]:
    """Open a regular file; links are not followed, and nothing else is opened or waited for."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise ReaedpError(f"{path} must be a regular file, not a link, a folder, a pipe or a device.")
        # In between it may have become a FIFO, which would be waited for, or a link, which would lead elsewhere.
        descriptor = os.open(path, os.O_RDONLY | REGULAR)
    except OSError as error:
        if path.name == MANIFEST_FILE:
            raise DeclarationError(f"{path.parent} is not a release folder: release.json {error.strerror}.") from None
        raise ReaedpError(f"{path} cannot be read: {error.strerror}.") from None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ReaedpError(f"{path} must be a regular file.")
        yield file


def read_plain(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content of a regular file that is not larger than any should be."""
    with open_plain(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ReaedpError(f"{path} is larger than {most:,} bytes.")
    return content


def plain_digest(path: Path) -> str:
    """SHA-256 of a regular file of any size."""
    with open_plain(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
