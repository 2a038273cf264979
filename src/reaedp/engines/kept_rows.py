"""Rows of cell numbers that stay in the embedded engine's memory while they are counted in several ways."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

#: Groupings counted by one statement: enough to leave no core idle and to make planning cheap.
TOGETHER = 64

Groups = Sequence[tuple[str, ...]]
#: A DuckDB relation; its query may also yield nothing, but not for a SELECT.
Relation = Any


@contextmanager
def kept(rows: Relation, source: Relation) -> Iterator[str]:
    """The name of a temporary table that holds the rows meanwhile; `source` is a simple relation of the same engine."""
    name = f"reaedp_{uuid4().hex}"
    rows.query(f"{name}_rows", f"CREATE TEMP TABLE {name} AS FROM {name}_rows")
    try:
        yield name
    finally:
        source.query(f"{name}_source", f"DROP TABLE {name}")


def grouped(source: Relation, table: str, groups: Groups) -> Iterator[dict[str, NDArray[np.generic]]]:
    """How many rows of the table there are for each combination of values, for each group of columns.

    `source` is any relation of the same engine: a simple one, as its whole query goes into every statement.
    """
    for start in range(0, len(groups), TOGETHER):
        some = groups[start : start + TOGETHER]
        found = source.query(f"{table}_source", _statement(table, some)).fetchnumpy()
        for part, group in enumerate(some):
            here = found["part"] == part
            keys = {key: found[f"key{place}"][here] for place, key in enumerate(group)}
            yield keys | {"rows": found["rows"][here]}


def _statement(table: str, groups: Groups) -> str:
    """Rows of the result that belong to one group have its number as `part`."""
    width = max(map(len, groups))
    return " UNION ALL ".join(
        f"SELECT {part}::SMALLINT AS part, {_keys(group, width)}, count(*) AS rows"
        f" FROM {table} GROUP BY {', '.join(group)}"
        for part, group in enumerate(groups)
    )


def _keys(group: tuple[str, ...], width: int) -> str:
    filled = [*(f"{key}::INTEGER" for key in group), *["0"] * (width - len(group))]
    return ", ".join(f"{key} AS key{place}" for place, key in enumerate(filled))
