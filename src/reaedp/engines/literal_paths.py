"""Paths for an engine that takes every path for a pattern."""

import glob
from collections.abc import Iterable
from pathlib import Path

import duckdb

from reaedp.errors import DeclarationError


def literally(connection: duckdb.DuckDBPyConnection, paths: Iterable[str]) -> list[str]:
    """Patterns that the engine finds these files by and no others."""
    patterns = []
    for path in paths:
        pattern = glob.escape(path)
        found = [Path(name) for (name,) in connection.execute("SELECT file FROM glob($1)", [pattern]).fetchall()]
        if found != [Path(path)]:
            raise DeclarationError(f"DuckDB cannot open a file of this name: {path}. Rename it.")
        patterns.append(pattern)
    return patterns
