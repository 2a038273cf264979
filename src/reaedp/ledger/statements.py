"""Every question and change that the ledger puts to its database; integers are counts and entry numbers only.

Numbers that decide about privacy are stored as canonical text.
"""

from typing import Final

from reaedp.ledger.database import POSTGRESQL

#: The tables; `{number}` is an integer of 64 bits. The head is one row: the layout's version, which ledger this is, and
#: its last entry; every version keeps its columns. Entries are the chain: `dataset` repeats the body for search, and
#: `finished` is the number of the entry that finished this one. Accounts are what can be computed from the chain, kept
#: so that a charge need not. Tallies say how often each loss was charged to all rows (part "") and to each part.
TABLES: Final = (
    """CREATE TABLE reaedp_ledger (
        version INTEGER NOT NULL, identity TEXT NOT NULL, number {number} NOT NULL, hash TEXT NOT NULL)""",
    """CREATE TABLE reaedp_entries (
        number {number} NOT NULL, dataset TEXT, body TEXT NOT NULL, hash TEXT NOT NULL, finished {number},
        PRIMARY KEY (number))""",
    "CREATE INDEX reaedp_entries_by_dataset ON reaedp_entries (dataset, number)",
    """CREATE TABLE reaedp_accounts (
        dataset TEXT NOT NULL, state TEXT NOT NULL, seal TEXT NOT NULL, PRIMARY KEY (dataset))""",
    """CREATE TABLE reaedp_tallies (
        dataset TEXT NOT NULL, part TEXT NOT NULL, loss TEXT NOT NULL, count {number} NOT NULL,
        PRIMARY KEY (dataset, part, loss))""",
)
HEAD_TABLE: Final = "reaedp_ledger"

MAKE_HEAD: Final = (
    "INSERT INTO reaedp_ledger (version, identity, number, hash) VALUES (:version, :identity, :number, :hash)"
)
READ_HEAD: Final = "SELECT version, identity, number, hash FROM reaedp_ledger"
READ_VERSION: Final = "SELECT version FROM reaedp_ledger"
MOVE_HEAD: Final = "UPDATE reaedp_ledger SET number = :number, hash = :hash"
MOVE_VERSION: Final = "UPDATE reaedp_ledger SET version = :version"

_ENTRIES = "SELECT number, dataset, body, hash, finished FROM reaedp_entries"
NEWEST_ENTRY: Final = f"{_ENTRIES} ORDER BY number DESC LIMIT 1"
ONE_ENTRY: Final = f"{_ENTRIES} WHERE number = :number"
NEXT_ENTRIES: Final = f"{_ENTRIES} WHERE number >= :first ORDER BY number LIMIT :many"
NEXT_ENTRIES_OF: Final = f"{_ENTRIES} WHERE number >= :first AND dataset = :dataset ORDER BY number LIMIT :many"
#: Recoveries, and what else may be about several data sets and speaks of one.
RECOVERIES: Final = f"{_ENTRIES} WHERE dataset IS NULL AND body LIKE :pattern ORDER BY number"
ADD_ENTRY: Final = "INSERT INTO reaedp_entries (number, dataset, body, hash) VALUES (:number, :dataset, :body, :hash)"
FINISH_ENTRY: Final = "UPDATE reaedp_entries SET finished = :by WHERE number = :number"
LAST_ENTRY_OF: Final = "SELECT max(number) AS last FROM reaedp_entries WHERE dataset = :dataset"

ALL_ACCOUNTS: Final = "SELECT dataset, state, seal FROM reaedp_accounts"
ONE_ACCOUNT: Final = (
    f"SELECT dataset, state, seal, ({LAST_ENTRY_OF}) AS last FROM reaedp_accounts WHERE dataset = :dataset"
)
REGISTERED: Final = "SELECT dataset FROM reaedp_accounts"
MENTIONED: Final = "SELECT DISTINCT dataset FROM reaedp_entries WHERE dataset IS NOT NULL"
ADD_ACCOUNT: Final = "INSERT INTO reaedp_accounts (dataset, state, seal) VALUES (:dataset, :state, :seal)"
SAVE_ACCOUNT: Final = "UPDATE reaedp_accounts SET state = :state, seal = :seal WHERE dataset = :dataset"

ONE_TALLY: Final = "SELECT loss, count FROM reaedp_tallies WHERE dataset = :dataset AND part = :part"
ALL_COUNTS: Final = "SELECT count(*) AS many FROM reaedp_tallies"
#: Count a loss, on top of what was counted before, and give the new count.
ADD_COUNT: Final = (
    "INSERT INTO reaedp_tallies (dataset, part, loss, count) VALUES (:dataset, :part, :loss, :count)"
    " ON CONFLICT (dataset, part, loss) DO UPDATE SET count = reaedp_tallies.count + excluded.count"
    " RETURNING loss, count"
)

#: Version 0: one table, no chain, no parts; every row repeats the terms of its data set as JSON.
CHARGES_0: Final = "reaedp_charges"
READ_CHARGES_0: Final = (
    "SELECT number, dataset, budget, unit, statistic, mechanism, price, contract, time, author"
    " FROM reaedp_charges ORDER BY number"
)
LOCK_CHARGES_0: Final = "LOCK TABLE reaedp_charges IN ACCESS EXCLUSIVE MODE"
DROP_CHARGES_0: Final = "DROP TABLE reaedp_charges"

#: Lets one process after another make or change tables on a server.
TAKE_TURN: Final = "SELECT pg_advisory_xact_lock(:key)"

_TABLE_NAMES_THERE = (
    "SELECT relname AS name FROM pg_catalog.pg_class"
    " WHERE relkind IN ('r', 'p') AND pg_catalog.pg_table_is_visible(oid)"
)


def tables(dialect: str) -> tuple[str, ...]:
    """What makes the tables of an empty ledger."""
    number = "BIGINT" if dialect == POSTGRESQL else "INTEGER"
    return tuple(table.format(number=number) for table in TABLES)


def table_names(dialect: str) -> str:
    """What lists the tables that are found under their bare names."""
    return _TABLE_NAMES_THERE if dialect == POSTGRESQL else "SELECT name FROM sqlite_master WHERE type = 'table'"


def lock_head(dialect: str) -> str:
    """Read the head and hold it until the end; SQLite has one writer anyhow."""
    return f"{READ_HEAD} FOR UPDATE" if dialect == POSTGRESQL else READ_HEAD
