"""The writers of one ledger file take turns in the order in which they came.

SQLite lets go first whoever asks at the right moment, so that a writer may wait long while others come and go. Here
each draws a number and keeps the byte of that number locked, in a file beside the ledger, until it is done; its turn
has come when no byte before its own is locked. The operating system unlocks the byte of a process that dies.

The queue is about order alone. What keeps charges apart is the lock of the database, so a program that does not queue,
or a queue file that is deleted, does no harm. Where bytes cannot be locked so (Windows, macOS) SQLite's own waiting,
which keeps no order, is all there is.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reaedp.disk.file_lock import HAS_BYTES, try_lock_bytes, unlock_bytes
from reaedp.disk.system import PLAIN, read_at, write_at
from reaedp.errors import LedgerBusy
from reaedp.ledger import storage

#: Where the file says which number was drawn last, and whose turn it is; each has this many digits.
DRAWN, SERVED, DIGITS = 0, 32, 20
#: Locked while a number is drawn, and the byte of number 0. Locks lie beyond what is written.
DRAWING, FIRST = 1000, 1001
#: How long a writer sleeps for each one before it, and at most.
NAP, LONGEST_NAP = 0.0005, 0.02


def queue_of(ledger: Path) -> Path:
    """Where the queue of a ledger file lies."""
    return ledger.with_name(ledger.name + "-queue")


@contextmanager
def turn(ledger: Path) -> Iterator[None]:
    """Wait until all who came earlier are done; those who come later wait for the end of the block."""
    if not HAS_BYTES:
        yield
        return
    deadline = time.monotonic() + storage.PATIENCE_SECONDS
    descriptor = os.open(queue_of(ledger), os.O_RDWR | os.O_CREAT | PLAIN, 0o666)
    try:
        number = _draw(descriptor, ledger, deadline)
        while not try_lock_bytes(descriptor, FIRST, number):
            _nap(number - _read(descriptor, SERVED), ledger, deadline)
        _write(descriptor, SERVED, number)
        yield
    finally:
        os.close(descriptor)


def last_drawn(ledger: Path) -> int:
    """Tell how many numbers were drawn so far."""
    descriptor = os.open(queue_of(ledger), os.O_RDONLY | PLAIN)
    try:
        return _read(descriptor, DRAWN)
    finally:
        os.close(descriptor)


def _draw(descriptor: int, ledger: Path, deadline: float) -> int:
    while not try_lock_bytes(descriptor, DRAWING, 1):
        _nap(1, ledger, deadline)
    number = _read(descriptor, DRAWN) + 1
    # Its byte is locked before anyone can come later; a number that is taken, because the file was spoilt, is left out.
    while not try_lock_bytes(descriptor, FIRST + number, 1):
        number += 1
    _write(descriptor, DRAWN, number)
    unlock_bytes(descriptor, DRAWING, 1)
    return number


def _nap(ahead: int, ledger: Path, deadline: float) -> None:
    if time.monotonic() > deadline:
        raise LedgerBusy(f"The ledger {ledger} is busy: other processes are writing to it. Try again.")
    time.sleep(min(NAP * max(1, ahead), LONGEST_NAP))


def _read(descriptor: int, place: int) -> int:
    text = read_at(descriptor, DIGITS, place)
    return int(text) if text.isdigit() else 0


def _write(descriptor: int, place: int, number: int) -> None:
    write_at(descriptor, f"{number:0{DIGITS}d}".encode("ascii"), place)
