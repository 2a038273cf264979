"""Spending happens once: whoever spends shows which state of contract, plan and ledger was on the page.

A second click, a page that is loaded again or gone back to, and another window all show a state that is no longer. No
memory of the server is needed for that.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reaedp.disk.file_lock import try_lock
from reaedp.disk.system import PLAIN
from reaedp.errors import DeclarationError, LedgerMissing
from reaedp.ledger.ledger import Ledger
from reaedp.studio.project import Project

#: Held by whoever spends for a project, in whatever process.
LOCK = ".spending.lock"
SPENT_MEANWHILE = (
    "The contract, plan or ledger changed after this page was opened, perhaps by a second click. Nothing more was"
    " charged: check the current state."
)
SPENDING_NOW = "Another charge is in progress in this project. Nothing more was charged: try again later."


def state(project: Project) -> str:
    """What tells this moment from others: contract and plan to the byte, and the newest entry of the ledger."""
    contract = project.document.table("budget").get("ledger") if project.document else None
    place = str(contract) if "://" in str(contract) else project.contract_path.parent / str(contract)
    try:
        with Ledger.open(place) as book:
            newest = json.dumps(book.checkpoint(), sort_keys=True)
    except LedgerMissing:
        newest = "none"
    parts = (_content(project.contract_path), _content(project.plan_path), newest.encode())
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


@contextmanager
def spending(project: Project, seen: str) -> Iterator[Project]:
    """The project as it is now, if that is what was on the page; no other studio spends for it meanwhile."""
    descriptor = os.open(project.folder / LOCK, os.O_RDWR | os.O_CREAT | PLAIN, 0o600)
    try:
        if not try_lock(descriptor):
            raise DeclarationError(SPENDING_NOW)
        now = Project(project.folder, project.name)
        if state(now) != seen:
            raise DeclarationError(SPENT_MEANWHILE)
        yield now
    finally:
        os.close(descriptor)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
