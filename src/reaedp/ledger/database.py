"""One connection to the database of a ledger, in the few words that the drivers of SQLite and PostgreSQL share.

Statements are written once, with parameters `:so`, and rows have the names of their columns.
"""

import contextlib
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

SQLITE: Final = "sqlite"
POSTGRESQL: Final = "postgresql"


class Connection:
    """What one transaction asks and changes."""

    def __init__(self, driver: Any, dialect: str) -> None:
        self._driver = driver
        self.dialect = dialect

    def rows(self, statement: str, values: Mapping[str, object] | None = None) -> list[Any]:
        """All rows of an answer."""
        found: list[Any] = self._run(statement, values).fetchall()
        return found

    def first(self, statement: str, values: Mapping[str, object] | None = None) -> Any:
        """The first row, or None."""
        return self._run(statement, values).fetchone()

    def column(self, statement: str, values: Mapping[str, object] | None = None) -> list[Any]:
        """The first cell of every row."""
        return [row[0] for row in self._run(statement, values).fetchall()]

    def change(self, statement: str, values: Mapping[str, object] | None = None) -> int:
        """Change rows; how many there were."""
        changed: int = self._run(statement, values).rowcount
        return changed

    def change_each(self, statement: str, each: Sequence[Mapping[str, object]]) -> None:
        """Make the same change with one set of values after another."""
        self._driver.cursor().executemany(_in_words_of(self.dialect, statement), each)

    def _run(self, statement: str, values: Mapping[str, object] | None) -> Any:
        return self._driver.execute(_in_words_of(self.dialect, statement), values or {})


class Database:
    """A connection that is opened when it is first used, kept, and lent to one thread at a time."""

    def __init__(
        self,
        dialect: str,
        connect: Callable[[], Any],
        *,
        reading: str,
        writing: str,
        alive: Callable[[Any], bool] = lambda _: True,
    ) -> None:
        self.dialect = dialect
        self._connect, self._alive = connect, alive
        #: How a transaction begins.
        self._begin = {False: reading, True: writing}
        self._driver: Any = None
        self._lent = threading.Lock()

    @contextmanager
    def transaction(self, patience: float, *, write: bool) -> Iterator[Connection]:
        """Lend the connection for work that is done as a whole or not at all."""
        if not self._lent.acquire(timeout=patience):
            raise TimeoutError("another thread is using it")
        try:
            driver = self._open()
            try:
                driver.execute(self._begin[write])
                yield Connection(driver, self.dialect)
                driver.commit()
            except BaseException:
                self._roll_back()
                raise
        finally:
            self._lent.release()

    def close(self) -> None:
        """Let go of the file or the server; whoever needs it again opens it again."""
        driver, self._driver = self._driver, None
        if driver is not None:
            driver.close()

    def _open(self) -> Any:
        if self._driver is not None and not self._alive(self._driver):
            self._drop()
        if self._driver is None:
            self._driver = self._connect()
        return self._driver

    def _roll_back(self) -> None:
        """A connection that cannot even do that is of no more use; the database forgets what was not committed."""
        try:
            self._driver.rollback()
        except Exception:
            self._drop()

    def _drop(self) -> None:
        with contextlib.suppress(Exception):
            self.close()


@cache
def _in_words_of(dialect: str, statement: str) -> str:
    return re.sub(r":(\w+)", r"%(\1)s", statement) if dialect == POSTGRESQL else statement
