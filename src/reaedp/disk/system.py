"""What operating systems do differently; apart from locks, the only module that minds which one it runs on."""

import getpass
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_WINDOWS = os.name == "nt"
#: For every file that is opened by a number: bytes as they are, and not for programs that this one starts.
PLAIN = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
#: Where a path must be a regular file: a link is not followed, and a pipe is not waited for.
REGULAR = PLAIN | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def read_at(descriptor: int, length: int, place: int) -> bytes:
    """Bytes of a file that one thread uses; as many as there are."""
    os.lseek(descriptor, place, os.SEEK_SET)
    return os.read(descriptor, length)


def write_at(descriptor: int, content: bytes, place: int) -> None:
    """Write bytes over those of a file that one thread uses."""
    os.lseek(descriptor, place, os.SEEK_SET)
    os.write(descriptor, content)


def sync(path: Path) -> None:
    """Force a file, or the names in a folder, to the disk; Windows writes the names of folders by itself."""
    if _WINDOWS and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR if _WINDOWS else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def rename_folder(folder: Path, target: Path) -> None:
    """Give a folder another name, which an empty folder may have had."""
    if _WINDOWS and target.is_dir():  # elsewhere it is replaced in one step
        target.rmdir()
    folder.rename(target)


@contextmanager
def silent_libraries() -> Iterator[None]:
    """Nothing is written to the standard error: compiled libraries say there what failed, and may quote a row."""
    try:
        kept = os.dup(2)
    except OSError:  # it is closed
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def is_own_folder(path: Path) -> bool:
    """Whether this is a folder, and no link, of the user who runs this process; Windows does not say whose it is."""
    found = path.lstat()
    return stat.S_ISDIR(found.st_mode) and (not hasattr(os, "getuid") or found.st_uid == os.getuid())


def for_owner_alone(descriptor: int) -> None:
    """Take the rights on an open file from all others, where files have such rights."""
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, 0o600)


def path_in(address: str) -> str:
    """The path that follows the scheme of an address: duckdb:///srv/a.db, or duckdb:///C:/a.db with a drive."""
    path = address.partition("://")[2]
    return path[1:] if re.match("/[A-Za-z]:", path) else path


def user_name() -> str:
    """Who runs this process: by the system's list of users where it has one, whatever the environment says."""
    try:
        import pwd
    except ImportError:
        return _name_in_environment()
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _name_in_environment() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # which of them, depends on the version of Python
        return "unknown"
