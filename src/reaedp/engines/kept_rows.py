"""Rows of cell numbers that stay in memory while they are counted in several ways.

The embedded engine keeps them. If there are few, they are counted here: to plan a query takes longer than to add up.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

#: Groupings counted by one statement: enough to leave no core idle and to make planning cheap.
TOGETHER = 64
#: Cell numbers that are few, and cells of a table of their counts: some tens of megabytes of either.
FEW_NUMBERS, FEW_CELLS = 2**25, 2**20

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


def grouped(
    source: Relation, table: str, groups: Groups, sizes: Mapping[str, int]
) -> Iterator[dict[str, NDArray[np.generic]]]:
    """How many rows of the table there are for each combination of values, for each group of columns.

    `source` is any relation of the same engine: a simple one, as its whole query goes into every statement.
    """
    codes = _few(source, table, sizes)
    for dense, some in groupby(groups, lambda group: codes is not None and _cells(group, sizes) <= FEW_CELLS):
        if dense and codes is not None:
            yield from (_added_up(codes, group, sizes) for group in some)
        else:
            yield from _by_engine(source, table, list(some))


def _few(source: Relation, table: str, sizes: Mapping[str, int]) -> dict[str, NDArray[np.generic]] | None:
    """The cell numbers, if they are few, in few bytes each."""
    rows = int(source.query(f"{table}_source", f"SELECT count(*) AS rows FROM {table}").fetchnumpy()["rows"][0])
    if rows * len(sizes) > FEW_NUMBERS:
        return None
    small = ", ".join(f"{key}::{'USMALLINT' if size <= 2**16 else 'INTEGER'} AS {key}" for key, size in sizes.items())
    codes: dict[str, NDArray[np.generic]] = source.query(f"{table}_source", f"SELECT {small} FROM {table}").fetchnumpy()
    return codes


def _cells(group: tuple[str, ...], sizes: Mapping[str, int]) -> int:
    return math.prod(sizes[key] for key in group)


def _added_up(
    codes: Mapping[str, NDArray[Any]], group: tuple[str, ...], sizes: Mapping[str, int]
) -> dict[str, NDArray[np.generic]]:
    """The combinations of values that occur, and their rows."""
    cell = codes[group[0]].astype(np.int32)
    for key in group[1:]:
        cell *= sizes[key]
        cell += codes[key]
    rows = np.bincount(cell)
    found = np.flatnonzero(rows)
    keys = np.unravel_index(found, [sizes[key] for key in group])
    return {**dict(zip(group, keys, strict=True)), "rows": rows[found]}


def _by_engine(source: Relation, table: str, groups: Groups) -> Iterator[dict[str, NDArray[np.generic]]]:
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
