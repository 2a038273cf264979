"""High-water marks: the last entry of a ledger, noted outside of it, so that a ledger that lost entries is found.

SQLite drops the tail of its log when a byte of it is wrong, and a person may put an old copy back; either would forget
charges. One mark, the witness, lies beside a ledger file and finds the first. A backup brings it back together with
the ledger, so a second mark lies in the state folder, under the ledger's identity. A mark is written after a commit
and never runs ahead of the ledger, so a ledger behind its mark has lost something.
"""

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reaedp.disk.file_lock import try_lock
from reaedp.disk.system import PLAIN, read_at, write_at
from reaedp.errors import LedgerDamaged
from reaedp.ledger.canonical_json import digest, write

#: Less than a sector, so that a power cut leaves the old text or the new one.
SIZE = 400
#: The charge is on disk already; a mark that is one entry behind is weaker, not wrong, and the next charge notes more.
PATIENCE_SECONDS = 0.1
#: Whoever reads while another writes sees a text that is none, a moment long.
READINGS = 20


@dataclass(frozen=True, slots=True)
class HighWaterMark:
    """A small file that records the last entry of a ledger.

    `keeper` is what errors call it.
    """

    path: Path
    keeper: str

    def recall(self) -> dict[str, Any] | None:
        """Give the checkpoint that was noted, or None when nothing ever was; wait for nobody."""
        for _ in range(READINGS):
            try:
                return _parsed(self.path.read_bytes()[: SIZE + 1])
            except FileNotFoundError:
                return None
            except (ValueError, PermissionError):  # Windows hides what another has locked
                time.sleep(0.001)
        remedy = "Verify the ledger against a checkpoint kept elsewhere, then delete this file."
        raise LedgerDamaged(f"{self.path}, the high-water mark of the ledger, is damaged. {remedy}")

    def advance(self, checkpoint: Mapping[str, object]) -> None:
        """Note a newer checkpoint, unless others keep the file for long; another may have noted a still newer one."""
        self._note(checkpoint, only_forward=True)

    def reset(self, checkpoint: Mapping[str, object]) -> None:
        """Note a checkpoint whatever was noted before."""
        self._note(checkpoint, only_forward=False)

    def _note(self, checkpoint: Mapping[str, object], *, only_forward: bool) -> None:
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | PLAIN, 0o666)
        try:
            if not lock_within(descriptor, PATIENCE_SECONDS):
                return
            noted = _parsed(read_at(descriptor, SIZE + 1, 0)) if only_forward else None
            if noted is None or noted["number"] < checkpoint["number"]:
                body = write(dict(checkpoint))
                write_at(descriptor, f"{digest(body)} {body}".ljust(SIZE).encode("ascii"), 0)
        except ValueError:
            return  # damaged: the next who opens the ledger is told
        finally:
            os.close(descriptor)


def lock_within(descriptor: int, patience: float) -> bool:
    """Lock a file within this many seconds; False if others keep it."""
    deadline = time.monotonic() + patience
    while not try_lock(descriptor):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return True


def _parsed(content: bytes) -> dict[str, Any] | None:
    text = content.strip(b"\0")
    if not text:
        return None
    seal, _, body = text.decode("ascii").rstrip().partition(" ")
    if digest(body) != seal:
        raise ValueError("the seal is wrong")
    checkpoint: dict[str, Any] = json.loads(body)
    return checkpoint
