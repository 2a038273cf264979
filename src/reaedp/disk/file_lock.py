"""Locks on files between processes: the only module that asks the operating system for them.

A lock belongs to an open file, not to a process, and ends when that is closed, also by the death of the process.
"""

import errno
import os
import struct
from types import ModuleType

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

#: Type, whence, start, length, process; the process must be 0 for a lock that belongs to an open file.
_RANGE = "hhqqi0q"
#: Linux alone has locks on bytes that belong to an open file.
HAS_BYTES = hasattr(fcntl, "F_OFD_SETLK")
#: What the system says of a lock that another has.
HELD = (errno.EAGAIN, errno.EACCES)


def try_lock(descriptor: int) -> bool:
    """Lock a whole file; False if another has it."""
    try:
        return _lock_where_posix(descriptor) if fcntl else _lock_elsewhere(descriptor)
    except OSError as error:
        # A disk that cannot lock is no other process.
        raise OSError(error.errno or errno.ENOLCK, "cannot be locked") from error


def _lock_where_posix(descriptor: int) -> bool:
    """What portalocker does there, which takes a twentieth of a second to import."""
    assert fcntl is not None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in HELD:
            raise
        return False
    return True


def _lock_elsewhere(descriptor: int) -> bool:
    import portalocker

    try:
        portalocker.lock(descriptor, portalocker.LOCK_EX | portalocker.LOCK_NB)
    except portalocker.AlreadyLocked:
        return False
    except portalocker.LockException as error:
        raise OSError(getattr(error.__cause__, "errno", None) or errno.ENOLCK, "cannot be locked") from error
    return True


def try_lock_bytes(descriptor: int, start: int, length: int) -> bool:
    """Lock some bytes, which need not be there; False if another has one of them."""
    try:
        _set(descriptor, start, length, locked=True)
    except OSError as error:
        if error.errno not in HELD:
            raise
        return False
    return True


def unlock_bytes(descriptor: int, start: int, length: int) -> None:
    """Let go of some bytes."""
    _set(descriptor, start, length, locked=False)


def _set(descriptor: int, start: int, length: int, *, locked: bool) -> None:
    assert fcntl is not None
    kind = fcntl.F_WRLCK if locked else fcntl.F_UNLCK
    fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, struct.pack(_RANGE, kind, os.SEEK_SET, start, length, 0))
