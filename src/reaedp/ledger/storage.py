"""Where a ledger is kept, and transactions that end in a commit on disk or in a ledger error."""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from reaedp.errors import LedgerBusy, LedgerDamaged, LedgerError
from reaedp.ledger.database import Connection, Database
from reaedp.ledger.high_water_mark import HighWaterMark

#: How long to wait for other processes before giving up.
PATIENCE_SECONDS = 30.0


@dataclass(frozen=True)
class Storage:
    """A database that holds one ledger, and what is particular about it."""

    place: str
    #: Readers see one moment, writers wait for each other.
    database: Database
    #: What the driver raises.
    errors: type[Exception]
    #: Whether an error of the driver says that the database cannot be used now, not that its contents are wrong.
    out_of_reach: Callable[[BaseException], bool]
    #: Raises when what was just read or written is not what others will see under the same address.
    guard: Callable[[], None] = lambda: None
    #: Where the last entry is noted outside the database.
    marks: tuple[HighWaterMark, ...] = ()
    #: Lets writers go one after another, where the database does not do that fairly.
    turn: Callable[[], AbstractContextManager[None]] = nullcontext
    process: int = field(default_factory=os.getpid)

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[Connection]:
        """Give a connection whose work is done as a whole or not at all."""
        if os.getpid() != self.process:
            raise LedgerBusy("A ledger opened before a fork cannot be used in the child; open it after the fork.")
        try:
            with (
                self.turn() if write else nullcontext(),
                self.database.transaction(PATIENCE_SECONDS, write=write) as connection,
            ):
                yield connection
        except (self.errors, OSError, MemoryError, UnicodeError) as error:
            # The last two come from damaged pages: lengths and messages that are none.
            raise self._translated(error) from error
        self.guard()

    def noted(self) -> tuple[tuple[str, dict[str, Any]], ...]:
        """Give what the marks remember, each with the name of its keeper; what is the same only once."""
        found: dict[tuple[Any, ...], tuple[str, dict[str, Any]]] = {}
        for mark in self.marks:
            with contextlib.suppress(OSError):  # said when the ledger was opened
                if (checkpoint := mark.recall()) is not None:
                    found.setdefault(tuple(sorted(checkpoint.items())), (mark.keeper, checkpoint))
        return tuple(found.values())

    def remember(self, checkpoint: Mapping[str, object]) -> None:
        """Note the last entry; what is charged stays charged if that fails."""
        for mark in self.marks:
            with contextlib.suppress(OSError):
                mark.advance(checkpoint)

    def close(self) -> None:
        """Let go of the file or the connection."""
        self.database.close()

    @contextmanager
    def closed_on_error(self) -> Iterator[None]:
        """Keep nothing open when the ledger could not be opened."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _translated(self, error: BaseException) -> LedgerError:
        reason = ascii((str(error).splitlines() or [type(error).__name__])[0])[1:-1]
        if isinstance(error, OSError) or self.out_of_reach(error):
            return LedgerBusy(
                f"The ledger {self.place} is locked, read-only, full, or cannot be reached ({reason}); "
                "nothing was released. Fix that and try again."
            )
        return LedgerDamaged(
            f"The ledger {self.place} is damaged or not a ledger ({reason}); nothing more can be charged to it. "
            "Restore it from a copy that is not older than its last release."
        )
