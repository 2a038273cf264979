"""The embedded engine: DuckDB, set up so that it fetches nothing and leaves nothing behind."""

import tempfile
import weakref

import duckdb


def connect(file: str = ":memory:") -> duckdb.DuckDBPyConnection:
    """Start an engine that downloads nothing and spills to a private folder, never beside the user's files.

    A database file is only read.
    """
    spill = tempfile.TemporaryDirectory(prefix="reaedp-")
    connection = duckdb.connect(
        file,
        read_only=file != ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": spill.name,
            "preserve_insertion_order": "false",
            # Tables of up to 2^18 cells are counted in an array, which takes half the time of a hash table.
            "perfect_ht_threshold": "18",
        }
    )
    weakref.finalize(connection, spill.cleanup)
    connection.execute("SET TimeZone = 'UTC'")
    return connection
