"""A confirmation is given for one state of contract, plan and ledger, and can be used once.

The charge that it makes changes the ledger, so that the same form, sent again by a double click, by Back or from a
second window, is for a state that is gone. No memory of the server is needed for that.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

from reaedp.disk.file_lock import try_lock
from reaedp.disk.system import PLAIN
from reaedp.errors import DeclarationError
from reaedp.ledger.ledger import Ledger
from reaedp.plan.plan import Plan
from reaedp.studio.project import Project

#: Held by whoever spends for a project, so that two servers over one folder take turns.
LOCK = ".spending.lock"
STALE = (
    "The plan, the contract or the ledger is not as it was when this page was opened. It may be that this very form was"
    " sent already. Nothing was charged by it: look at the page as it is now."
)


def state_of(project: Project, plan: Plan) -> str:
    """What tells one state from all others: every byte of contract and plan, and the last entry of the data set."""
    with Ledger.open(plan.contract.ledger) as book:
        entry = f"{book.identity} {book.last(plan.contract.dataset)}"
    files = [path.read_bytes() for path in (project.contract_path, project.plan_path)]
    parts = [entry.encode(), *files]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


@contextmanager
def spending_alone(project: Project) -> Iterator[None]:
    """Nobody else spends for this project by a studio meanwhile, in whatever process."""
    descriptor = os.open(project.folder / LOCK, os.O_RDWR | os.O_CREAT | PLAIN, 0o600)
    try:
        if not try_lock(descriptor):
            raise DeclarationError("Another studio is releasing for this project at this moment. Nothing was charged.")
        yield
    finally:
        os.close(descriptor)
