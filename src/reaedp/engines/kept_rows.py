"""Rows of cell numbers that stay in memory while they are counted in several ways.

The embedded engine keeps them. If there are few, they are counted here: to plan a query takes longer than to add up.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from typing import Any
from uuid import uuid4

import duckdb
import numpy as np
from numpy.typing import NDArray

#: Groupings counted by one statement: enough to leave no core idle and to make planning cheap.
TOGETHER = 64
#: Cell numbers that are few, and cells of a table of their counts: some tens of megabytes of either.
FEW_NUMBERS, FEW_CELLS = 2**25, 2**20

Groups = Sequence[tuple[str, ...]]
#: Runs a statement in an engine; what a SELECT gives can be fetched.
Ask = Callable[[str], Any]


@contextmanager
def kept(
    rows: duckdb.DuckDBPyRelation, source: duckdb.DuckDBPyRelation, connection: duckdb.DuckDBPyConnection | None
) -> Iterator[tuple[Ask, str]]:
    """Who to ask about a temporary table that holds the rows meanwhile, and its name.

    Where the connection is not known, `source` is asked, a simple relation of the same engine, whose whole query goes
    into every statement.
    """
    name = f"reaedp_{uuid4().hex}"
    if connection is None:
        rows.query(f"{name}_rows", f"CREATE TEMP TABLE {name} AS FROM {name}_rows")
    else:
        connection.execute(f"CREATE TEMP TABLE {name} AS {rows.sql_query()}")
    ask: Ask = connection.execute if connection else lambda statement: source.query(f"{name}_source", statement)
    try:
        yield ask, name
    finally:
        with suppress(duckdb.Error):  # an engine that failed within itself holds nothing any more
            ask(f"DROP TABLE {name}")


def grouped(ask: Ask, table: str, groups: Groups, sizes: Mapping[str, int]) -> Iterator[dict[str, NDArray[np.generic]]]:
    """How many rows of the table there are for each combination of values, for each group of columns."""
    codes = _few(ask, table, sizes)
    for dense, some in groupby(groups, lambda group: codes is not None and _cells(group, sizes) <= FEW_CELLS):
        if dense and codes is not None:
            yield from (added_up(codes, group, sizes) for group in some)
        else:
            yield from _by_engine(ask, table, list(some))


def _few(ask: Ask, table: str, sizes: Mapping[str, int]) -> dict[str, NDArray[np.generic]] | None:
    """The cell numbers, if they are few, in few bytes each."""
    rows = int(ask(f"SELECT count(*) AS rows FROM {table}").fetchnumpy()["rows"][0])
    if rows * len(sizes) > FEW_NUMBERS:
        return None
    codes: dict[str, NDArray[np.generic]] = ask(f"SELECT {in_few_bytes(sizes)} FROM {table}").fetchnumpy()
    return codes


def in_few_bytes(sizes: Mapping[str, int]) -> str:
    """Columns of so many cells each, to be selected in as few bytes as hold them."""
    return ", ".join(f"{key}::{'USMALLINT' if size <= 2**16 else 'INTEGER'} AS {key}" for key, size in sizes.items())


def _cells(group: tuple[str, ...], sizes: Mapping[str, int]) -> int:
    return math.prod(sizes[key] for key in group)


def added_up(
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


def _by_engine(ask: Ask, table: str, groups: Groups) -> Iterator[dict[str, NDArray[np.generic]]]:
    for start in range(0, len(groups), TOGETHER):
        some = groups[start : start + TOGETHER]
        found = ask(_statement(table, some)).fetchnumpy()
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
