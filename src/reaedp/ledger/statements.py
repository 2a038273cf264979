"""Every question and change that the ledger puts to its database, built once."""

from functools import cache
from typing import Any

from sqlalchemy import Insert, bindparam, func, insert, select, update
from sqlalchemy.dialects import sqlite

from reaedp.ledger.storage import ACCOUNTS, ENTRIES, HEAD, TALLIES

READ_HEAD = select(HEAD)
LOCK_HEAD = select(HEAD).with_for_update()
MOVE_HEAD = update(HEAD).values(number=bindparam("to_number"), hash=bindparam("to_hash"))

NEWEST_ENTRY = select(ENTRIES).order_by(ENTRIES.c.number.desc()).limit(1)
ONE_ENTRY = select(ENTRIES).where(ENTRIES.c.number == bindparam("wanted"))
ALL_ENTRIES = select(ENTRIES).order_by(ENTRIES.c.number)
NEXT_ENTRIES = ALL_ENTRIES.where(ENTRIES.c.number > bindparam("after")).limit(bindparam("many"))
NEXT_ENTRIES_OF = NEXT_ENTRIES.where(ENTRIES.c.dataset == bindparam("of"))
ADD_ENTRIES = insert(ENTRIES)
FINISH_ENTRY = update(ENTRIES).where(ENTRIES.c.number == bindparam("wanted")).values(finished=bindparam("by"))

#: Recoveries, and what else may be about several data sets and speaks of one.
RECOVERIES = ALL_ENTRIES.where(ENTRIES.c.dataset.is_(None), ENTRIES.c.body.contains("recover"))

LAST_ENTRY_OF = select(func.max(ENTRIES.c.number)).where(ENTRIES.c.dataset == bindparam("of"))
ONE_ACCOUNT = select(ACCOUNTS, LAST_ENTRY_OF.scalar_subquery().label("last")).where(
    ACCOUNTS.c.dataset == bindparam("of")
)
REGISTERED = select(ACCOUNTS.c.dataset)
MENTIONED = select(ENTRIES.c.dataset).where(ENTRIES.c.dataset.is_not(None)).distinct()
ADD_ACCOUNT = insert(ACCOUNTS)
SAVE_ACCOUNT = (
    update(ACCOUNTS)
    .where(ACCOUNTS.c.dataset == bindparam("of"))
    .values(state=bindparam("new_state"), seal=bindparam("new_seal"))
)

ONE_TALLY = select(TALLIES.c.loss, TALLIES.c.count).where(
    TALLIES.c.dataset == bindparam("of"), TALLIES.c.part == bindparam("within")
)
ALL_COUNTS = select(func.count()).select_from(TALLIES)


@cache
def add_counts(dialect: str) -> Insert:
    """Count losses, on top of what was counted before, and return the new counts; in a database's own dialect."""
    insert_into = _on_server() if dialect == "postgresql" else sqlite.insert
    adding = insert_into(TALLIES)
    total = {"count": TALLIES.c.count + adding.excluded["count"]}
    return adding.on_conflict_do_update(index_elements=list(TALLIES.primary_key), set_=total).returning(
        TALLIES.c.loss, TALLIES.c.count
    )


def _on_server() -> Any:
    """What needs the dialect of a server, which takes a while to import."""
    from sqlalchemy.dialects.postgresql import insert as insert_there

    return insert_there
