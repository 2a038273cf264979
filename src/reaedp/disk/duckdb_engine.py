"""The embedded engine: DuckDB, set up so that it fetches nothing and leaves nothing behind."""

import functools
import os
import tempfile
import threading
import weakref
from pathlib import Path

import duckdb

from reaedp.disk.claimed_folder import ClaimedFolder
from reaedp.disk.memory import engines_share, resident_bytes, size_in_bytes

#: The environment variable with the most memory that a process takes; what is more is spilled to disk.
MEMORY = "REAEDP_MEMORY"
#: With fewer bytes for each, threads leave none to the tables that they fill together.
BYTES_OF_A_THREAD = 2**27


def connect(file: str = ":memory:") -> duckdb.DuckDBPyConnection:
    """Start an engine that downloads nothing and spills to a private folder, never beside the user's files.

    A database file is only read. Memory is limited as the environment variable REAEDP_MEMORY says.
    """
    spill = ClaimedFolder.make(Path(tempfile.gettempdir()), "spill")
    settings: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "temp_directory": str(spill.path),
        # Tables of up to 2^18 cells are counted in an array, which takes half the time of a hash table.
        "perfect_ht_threshold": "18",
    }
    try:
        connection = duckdb.connect(file, read_only=file != ":memory:", config=settings)
    except duckdb.Error:
        spill.remove()
        raise
    weakref.finalize(connection, spill.remove)
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET enable_progress_bar = false")  # it would be printed among our own words
    _limit_memory(connection)
    return connection


def connect_for_released() -> duckdb.DuckDBPyConnection:
    """A connection for numbers that are released, to write them and to read them: rows keep their order."""
    return _connection()


def connect_for_rows() -> duckdb.DuckDBPyConnection:
    """A connection that counts rows, and sees tables that no other does.

    A process keeps one engine for all connections until `forget_engines`, as to start one takes longer than to count
    some ten thousand rows, or to write most files. What is registered in a connection is gone when it is closed.
    """
    return _connection()


def forget_engines() -> None:
    """Start other engines for whoever asks next: one that failed within itself answers nothing more."""
    _kept.cache_clear()


def _connection() -> duckdb.DuckDBPyConnection:
    with _STARTING:
        cursor = _kept(os.environ.get(MEMORY)).cursor()
    cursor.execute("SET TimeZone = 'UTC'")
    cursor.execute("SET enable_progress_bar = false")
    return cursor


@functools.cache
def _kept(limit: str | None) -> duckdb.DuckDBPyConnection:  # noqa: ARG001 - what it started with
    return connect()


_STARTING = threading.Lock()
# A process that is forked from that of an engine crashes when it ends; these are started again when they are wanted.
os.register_at_fork(before=forget_engines)


def _limit_memory(connection: duckdb.DuckDBPyConnection) -> None:
    """Keep the whole process within the limit: the engine gets what the program itself leaves of it."""
    limit = os.environ.get(MEMORY)
    if not limit:
        return
    size = engines_share(size_in_bytes(limit), resident_bytes())
    threads = min(os.cpu_count() or 1, max(1, size // BYTES_OF_A_THREAD))
    connection.execute(f"SET threads = {threads}")
    connection.execute(f"SET memory_limit = '{size}B'")
    for threshold in ("allocator_flush_threshold", "allocator_bulk_deallocation_flush_threshold"):
        connection.execute(f"SET {threshold} = '{size // 16}B'")  # what is freed goes back to the system soon
    connection.execute("SET allocator_background_threads = true")
