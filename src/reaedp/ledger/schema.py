"""The layout of the tables through the versions of the program: made new, or carried forward, never guessed."""

import json
import secrets
import shlex
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from reaedp.errors import LedgerDamaged
from reaedp.ledger import statements
from reaedp.ledger.account import WHOLE, Account, Scope, read_state
from reaedp.ledger.book import (
    VERSION,
    Head,
    check_version,
    find_account,
    only_head,
    read_head,
    read_terms,
    save_account,
    stated_head,
)
from reaedp.ledger.canonical_json import read_price
from reaedp.ledger.database import POSTGRESQL, Connection
from reaedp.ledger.entry import UNREADABLE, Charge, Raise, Registration, Stamp, genesis
from reaedp.ledger.high_water_mark import HighWaterMark
from reaedp.ledger.posting import change_terms, post, postings, register
from reaedp.ledger.state_folder import kept_marks
from reaedp.ledger.storage import Storage
from reaedp.ledger.verification import replayed
from reaedp.privacy.budget import Budget
from reaedp.privacy.spending import NOTHING
from reaedp.privacy.unit import Unit

#: Two processes that find an empty PostgreSQL database take turns under this number.
MAKING = 0x7265616564700001


def missing(place: str) -> str:
    """Say that there is no ledger where one was looked for, and what to do about it."""
    return (
        f"There is no ledger at {place}. If nothing was ever charged for this data set, create one: "
        f"reaedp ledger create {shlex.quote(place)}. Otherwise use its existing ledger: a second one would give "
        "the data a second budget."
    )


def existing(place: str) -> str:
    """Say that a ledger cannot be made where something is."""
    return f"There already is a ledger, or something else, at {place}. Use it, or choose another place."


def prepare(storage: Storage, *beside: HighWaterMark) -> Storage:
    """Bring an existing ledger to this version, and find its high-water marks."""
    with storage.transaction(write=False) as connection:
        found = _version(connection)
    if found is None:
        raise LedgerDamaged(f"{storage.place} is not a ledger, or its tables are gone.")
    if found != VERSION:
        with storage.transaction(write=True) as connection:
            _bring_forward(connection)
    with storage.transaction(write=False) as connection:
        identity = stated_head(connection).identity
    return replace(storage, marks=(*beside, *kept_marks(identity)))


def create(connection: Connection) -> None:
    """Make an empty ledger."""
    for table in statements.tables(connection.dialect):
        connection.change(table)
    identity = secrets.token_hex(16)
    head = {"version": VERSION, "identity": identity, "number": 0, "hash": genesis(identity)}
    connection.change(statements.MAKE_HEAD, head)


def _version(connection: Connection) -> int | None:
    """Give the layout that is there, or None where there is no ledger."""
    names = {
        name for name in connection.column(statements.table_names(connection.dialect)) if name.startswith("reaedp_")
    }
    if statements.HEAD_TABLE in names:
        found: int = only_head(connection.column(statements.READ_VERSION))
        if found not in range(1, VERSION + 1):
            check_version(found)
        return found
    if statements.CHARGES_0 in names:
        return 0
    if names:
        raise LedgerDamaged(f"The ledger has no table {statements.HEAD_TABLE}; it has {', '.join(sorted(names))}.")
    return None


def holds_ledger(connection: Connection) -> bool:
    """Whether a database has the tables of a ledger, of whichever version."""
    return _version(connection) is not None


def take_turn(connection: Connection) -> None:
    """Let one process after another make or change tables; SQLite has one writer anyhow."""
    if connection.dialect == POSTGRESQL:
        connection.first(statements.TAKE_TURN, {"key": MAKING})


def _bring_forward(connection: Connection) -> None:
    """Unless another process did so meanwhile."""
    take_turn(connection)
    found = _version(connection) or 0
    if found != VERSION:
        MIGRATIONS[found](connection)


def _chain_charges(connection: Connection) -> None:
    """From version 0: link the charges into a chain and count them; none is known to be finished."""
    if connection.dialect == POSTGRESQL:  # SQLite has one writer anyhow
        connection.change(statements.LOCK_CHARGES_0)
    rows = connection.rows(statements.READ_CHARGES_0)
    if [row.number for row in rows] != list(range(1, len(rows) + 1)):
        raise LedgerDamaged("The ledger of version 0 has gaps in its numbers; charges are missing.")
    create(connection)
    head = read_head(connection)
    for row in rows:
        head = _replay(connection, head, row)
    connection.change(statements.DROP_CHARGES_0)


def _sum_up(connection: Connection) -> None:
    """From version 1: let accounts sum up all charges for the filters, whatever was admitted then."""
    connection.change(statements.MOVE_VERSION, {"version": VERSION})
    replay = replayed(connection, stated_head(connection, lock=True))
    rows = connection.rows(statements.ALL_ACCOUNTS)
    if {row.dataset for row in rows} != set(replay.last):
        raise LedgerDamaged("The accounts of the ledger are not those of the data sets in its entries.")
    for row in rows:
        fingerprints = _fingerprints_1(row)
        spent = replay.spent.get(row.dataset, {WHOLE: NOTHING})
        if fingerprints.keys() != spent.keys():
            raise LedgerDamaged(f"The account of data set {row.dataset!r} does not follow from its entries.")
        scopes = {name: Scope(spent[name], fingerprint) for name, fingerprint in fingerprints.items()}
        save_account(connection, row.dataset, Account(replay.last[row.dataset], replay.terms[row.dataset], scopes))


def _fingerprints_1(row: Any) -> dict[str, int]:
    """Give the marks of the tallies from an account of version 1, which had certificates beside them."""
    try:
        scopes = read_state(row.dataset, row.state, row.seal)["scopes"]
        return {name: int(scope["fingerprint"], 16) for name, scope in scopes.items()}
    except UNREADABLE as error:
        raise LedgerDamaged(f"The account of data set {row.dataset!r} cannot be read.") from error


#: Each brings a ledger of its version to the present one.
MIGRATIONS: dict[int, Callable[[Connection], None]] = {0: _chain_charges, 1: _sum_up}


def _replay(connection: Connection, head: Head, row: Any) -> Head:
    terms, charge = _read_charge_0(row)
    stamp = Stamp(row.time, row.author, "0")
    account = find_account(connection, terms.dataset)
    if account is None:
        head = register(connection, head, terms, stamp)
    elif read_terms(connection, account).budget != terms.budget:
        change = Raise(terms.dataset, terms.budget, terms.unit, "As written by version 0.")
        head = change_terms(connection, head, account, change, stamp)
    replay = [(posting, posting.replayed()) for posting in postings(connection, [charge])]
    return post(connection, head, [charge], replay, stamp, plan=False)


def _read_charge_0(row: Any) -> tuple[Registration, Charge]:
    try:
        said = {name: json.loads(getattr(row, name)) for name in ("budget", "unit", "price")}
        plain = {name: getattr(row, name) for name in ("dataset", "statistic", "mechanism", "contract")}
        unit = Unit(**said["unit"])
        terms = Registration(row.dataset, Budget(**said["budget"]), unit)
        charge = Charge(**plain, price=read_price(said["price"]), unit=unit)
    except UNREADABLE as error:
        raise LedgerDamaged(f"Charge {row.number} of the ledger of version 0 cannot be read.") from error
    return terms, charge
