"""A checkpoint that lies beside a ledger file, so that a file that lost its newest entries is found.

SQLite drops the tail of its log when a byte of it is wrong, and a person may put an old copy back; either would
forget charges. The witness is written after every commit and never runs ahead of the ledger, so a ledger behind
its witness has lost something. It also serves as the lock under which a ledger file comes into being.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reaedp.errors import LedgerBusy, LedgerDamaged
from reaedp.privacy.canonical import digest, write

#: Less than a sector, so that a power cut leaves the old text or the new one.
SIZE = 400


def witness_of(ledger: Path) -> Path:
    """Where the witness of a ledger file lies."""
    return ledger.with_name(ledger.name + "-witness")


@contextmanager
def held(ledger: Path, patience: float) -> Iterator[int]:
    """Give the witness file, opened and locked against all other processes."""
    descriptor = os.open(witness_of(ledger), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        _lock(descriptor, ledger, time.monotonic() + patience)
        yield descriptor
    finally:
        os.close(descriptor)


def recall(ledger: Path, descriptor: int) -> dict[str, Any] | None:
    """Give the checkpoint in the witness, or None when nothing was ever noted."""
    text = os.pread(descriptor, SIZE + 1, 0).strip(b"\0")
    if not text:
        return None
    try:
        seal, _, body = text.decode("ascii").rstrip().partition(" ")
        if digest(body) != seal:
            raise ValueError("the seal is wrong")
        checkpoint: dict[str, Any] = json.loads(body)
    except ValueError as error:
        remedy = "Verify the ledger against a checkpoint kept elsewhere, then delete the witness."
        raise LedgerDamaged(f"The witness {witness_of(ledger)} of the ledger is damaged. {remedy}") from error
    return checkpoint


def advance(ledger: Path, checkpoint: Mapping[str, object], patience: float) -> None:
    """Note a newer checkpoint; another process may have noted a still newer one."""
    with held(ledger, patience) as descriptor:
        noted = recall(ledger, descriptor)
        if noted is None or noted["number"] < checkpoint["number"]:
            body = write(dict(checkpoint))
            os.pwrite(descriptor, f"{digest(body)} {body}".ljust(SIZE).encode("ascii"), 0)


def _lock(descriptor: int, ledger: Path, deadline: float) -> None:
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > deadline:
                raise LedgerBusy(f"Another process holds the witness of the ledger {ledger}; try again.") from error
            time.sleep(0.001)
