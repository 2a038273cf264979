"""Levels of categories as numbers, found by joins in the embedded engine."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from reaedp.contract import Column
from reaedp.contract.meaning import meaning
from reaedp.engines import canonical
from reaedp.engines.notation import quoted

#: A category's levels by what they mean: the SQL type of the key, and how a cell's key is found.
KEYS: dict[str, tuple[str, Callable[[str, str], str]]] = {
    "number": ("DOUBLE", canonical.number),
    "moment": ("BIGINT", canonical.moment),
}


#: Numbers of names: DuckDB 1 looks a name up when a query runs, and would find what had it last.
_VIEWS = count()


def numbered(rows: Any, categories: Mapping[int, tuple[Column, str]], names: Sequence[str]) -> Any:
    """The canonical form, in which a category is the number of its level, -1 if it has none, null for an empty cell.

    Found by hash joins, whose time hardly depends on how many levels there are: texts as they are written first, then
    what is left by what it means. One query looks up all categories, as the engine plans it anew for each.
    """
    written = [_by_text(number, column) for number, (column, kind) in categories.items() if kind in canonical.TEXT]
    meant = [lookup for number, category in categories.items() for lookup in _by_meaning(number, *category)]
    found: dict[int, list[str]] = {number: [] for number in categories}
    for lookup in (*written, *meant):
        found[lookup.number].append(lookup.name)
    made = {}
    for number, lookups in found.items():
        levels = ", ".join([*lookups, f"CASE WHEN filled{number} THEN -1.0::DOUBLE END"])
        made[f"v{number}"] = f"coalesce({levels}) AS v{number}"
    listed = ", ".join(made.get(name, name) for name in names)
    name = f"reaedp_rows{next(_VIEWS)}"
    return rows.query(name, f"SELECT {listed} FROM {_joined(_joined(name, written), meant)}")


@dataclass(frozen=True, slots=True)
class Lookup:
    """The number of the level of category `number` whose key a cell's `key` is, as a column `name`."""

    number: int
    name: str
    key: str
    levels: str

    @property
    def join(self) -> str:
        """The levels, joined to rows that have the cell's key."""
        return f"LEFT JOIN {self.levels} ON x_{self.name} = k_{self.name}"


def _by_text(number: int, column: Column) -> Lookup:
    name = f"n{number}"
    return Lookup(number, name, f"CAST(r{number} AS VARCHAR)", _levels(name, "VARCHAR", list(column.labels)))


def _by_meaning(number: int, column: Column, kind: str) -> Iterator[Lookup]:
    levels = [(*meaning(level), place) for place, level in enumerate(column.labels)]
    for sort, (key_type, convert) in KEYS.items():
        keys = {meant: place for found_sort, meant, place in levels if found_sort == sort}
        key, name = convert(f"r{number}", kind), f"{sort}{number}"
        if keys and not key.startswith("NULL"):
            left = f"CASE WHEN n{number} IS NULL THEN {key} END" if kind in canonical.TEXT else key
            yield Lookup(number, name, left, _levels(name, key_type, list(keys), list(keys.values())))


def _joined(rows: str, lookups: Sequence[Lookup]) -> str:
    """Rows with a column for each lookup."""
    if not lookups:
        return rows
    keys = ", ".join(f"{lookup.key} AS x_{lookup.name}" for lookup in lookups)
    joins = " ".join(lookup.join for lookup in lookups)
    return f"(SELECT * FROM (SELECT *, {keys} FROM {rows}) {joins})"


def _levels(name: str, key_type: str, keys: Sequence[str], places: Sequence[int] | None = None) -> str:
    """Keys of levels and their numbers as a table, from two texts: a list of so many expressions is slow to plan."""
    numbers = ",".join(map(str, range(len(keys)) if places is None else places))
    mark = next(mark for mark in map(chr, count(1)) if not any(mark in key for key in keys))
    listed = f"string_split({quoted(mark.join(keys))}, {quoted(mark)})::{key_type}[]"
    return f"(SELECT unnest({listed}) AS k_{name}, unnest(string_split('{numbers}', ',')::DOUBLE[]) AS {name}) t_{name}"
