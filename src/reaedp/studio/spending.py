"""Spending happens once: whoever spends shows which state of contract and ledger was on the page.

A second click, a page that is loaded again or gone back to, and another window all show a state that is no longer.
"""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from reaedp.errors import DeclarationError, LedgerMissing
from reaedp.ledger.ledger import Ledger
from reaedp.studio.contract_file import text_of
from reaedp.studio.project import Project

#: One at a time in this process; other processes wait at the ledger, which decides by itself.
_ONE = threading.Lock()
SPENT_MEANWHILE = (
    "Contract or ledger have changed since this page was opened, perhaps by a second click. Nothing more was charged:"
    " look at how it is now."
)


def state(project: Project) -> str:
    """What tells this moment from others: the contract, and the newest entry of the ledger."""
    contract = project.document.table("budget").get("ledger") if project.document else None
    place = str(contract) if "://" in str(contract) else project.contract_path.parent / str(contract)
    try:
        with Ledger.open(place) as book:
            newest = json.dumps(book.checkpoint(), sort_keys=True)
    except LedgerMissing:
        newest = "none"
    return hashlib.sha256(f"{text_of(project)}\0{newest}".encode()).hexdigest()[:16]


@contextmanager
def spending(project: Project, seen: str) -> Iterator[Project]:
    """The project as it is now, if that is what was on the page; nobody else spends meanwhile."""
    with _ONE:
        now = Project(project.folder, project.name)
        if state(now) != seen:
            raise DeclarationError(SPENT_MEANWHILE)
        yield now
