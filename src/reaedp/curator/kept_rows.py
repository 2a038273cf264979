"""Rows of cell numbers that stay in the embedded engine's memory while they are counted in several ways."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import uuid4

import duckdb
import numpy as np
from numpy.typing import NDArray

#: Groupings counted by one statement: enough to leave no core idle and to make planning cheap.
TOGETHER = 64


@contextmanager
def kept(rows: duckdb.DuckDBPyRelation) -> Iterator[str]:
    """The name of a temporary table that holds the rows meanwhile."""
    name = f"reaedp_{uuid4().hex}"
    rows.query(f"{name}_rows", f"CREATE TEMP TABLE {name} AS FROM {name}_rows")
    try:
        yield name
    finally:
        rows.query(f"{name}_rows", f"DROP TABLE {name}")


def statement(table: str, groups: Sequence[tuple[str, ...]]) -> str:
    """Count a table by several groups of columns; rows of one result are told apart by `part`."""
    width = max(map(len, groups))
    return " UNION ALL ".join(
        f"SELECT {part}::SMALLINT AS part, {_keys(group, width)}, count(*) AS rows FROM {table} GROUP BY {', '.join(group)}"
        for part, group in enumerate(groups)
    )


def _keys(group: tuple[str, ...], width: int) -> str:
    filled = [*(f"{key}::INTEGER" for key in group), *["0"] * (width - len(group))]
    return ", ".join(f"{key} AS key{place}" for place, key in enumerate(filled))


def parts(
    found: dict[str, NDArray[np.generic]], groups: Sequence[tuple[str, ...]]
) -> Iterator[dict[str, NDArray[np.generic]]]:
    """The result for each group under the names of its columns."""
    for part, group in enumerate(groups):
        here = found["part"] == part
        keys = {key: found[f"key{place}"][here] for place, key in enumerate(group)}
        yield keys | {"rows": found["rows"][here]}
