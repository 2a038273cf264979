"""Locks on files between processes: the only module that calls the operating system for them.

A lock belongs to an open file, not to a process, and ends when that is closed, also by the death of the process.
"""

import errno
import fcntl
import os
import struct
import sys

#: Linux: type, whence, start, length, process; the process must be 0 for a lock that belongs to an open file.
_RANGE = "hhqqi0q"


def try_lock(descriptor: int) -> bool:
    """Lock a whole file; False if another has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def try_lock_bytes(descriptor: int, start: int, length: int) -> bool:
    """Lock some bytes, which need not be there; False if another has one of them."""
    try:
        _set(descriptor, fcntl.LOCK_EX, start, length)
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        return False
    return True


def unlock_bytes(descriptor: int, start: int, length: int) -> None:
    """Let go of some bytes."""
    _set(descriptor, fcntl.LOCK_UN, start, length)


def _set(descriptor: int, kind: int, start: int, length: int) -> None:
    if sys.platform == "linux":
        wanted = fcntl.F_WRLCK if kind == fcntl.LOCK_EX else fcntl.F_UNLCK
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, struct.pack(_RANGE, wanted, os.SEEK_SET, start, length, 0))
    else:
        # These belong to a process: two ledgers opened by one process do not queue behind each other.
        fcntl.lockf(descriptor, kind | (fcntl.LOCK_NB if kind == fcntl.LOCK_EX else 0), length, start, os.SEEK_SET)
