"""Levels of categories as numbers, found by Spark."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pyspark.sql import functions as f

from reaedp.contract import Column
from reaedp.contract.meaning import meaning

#: What a category's levels are compared by: the type of the keys, and how one is made of a text.
KEYS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "text": ("string", str),
    "number": ("double", float),
    "moment": ("bigint", int),
}
#: Longer lists of levels are joined; shorter ones are searched, which needs no second table.
MOST_SEARCHED = 64


def numbered(rows: Any, categories: Mapping[int, Column]) -> Any:
    """The number of the level, -1 for any other cell that is filled, null for none.

    Texts are compared as they are written first, then by what they mean. All categories are looked up together, as
    Spark's time to plan grows with the number of selects.
    """
    there = set(rows.columns)
    named = {
        (number, sort): _keys(column, sort)
        for number, column in categories.items()
        for sort in KEYS
        if f"{sort}{number}" in there
    }
    checked: dict[int, Any] = {}
    found: dict[int, list[Any]] = {number: [] for number in categories}
    for (number, sort), keys in named.items():
        name, kind = f"{sort}{number}", KEYS[sort][0]
        cell = f.col(name) + 0.0 if sort == "number" else f.col(name)  # no negative zero
        if len(keys) > MOST_SEARCHED:
            rows = _joined(rows, name, cell, keys, kind)
            found[number].append(f.col(name))
        elif sort == "text" and (places := places_by_checksum(keys)) is not None:
            checked[number] = _checked(cell, keys, places)
        else:
            found[number].append(_searched(cell, keys, kind))
    levels = {}
    for number, some in found.items():
        level = checked.get(number)
        if level is None or some:
            first = [] if level is None else [f.nullif(level, f.lit(-1.0))]
            level = f.coalesce(*first, *some, f.when(f.col(f"filled{number}"), -1.0))
        levels[f"v{number}"] = level
    return rows.withColumns(levels).drop(*(f"{sort}{number}" for number, sort in named))


def places_by_checksum(keys: Sequence[str]) -> list[int] | None:
    """Places of keys by the remainder of their checksum, -1 where there is none.

    The list is long enough for all remainders to differ; nothing where two keys have the same checksum.
    """
    sums = [zlib.crc32(key.encode()) for key in keys]
    if len(set(sums)) < len(sums):
        return None
    length = len(sums)
    while len({one % length for one in sums}) < len(sums):
        length += 1
    places = [-1] * length
    for place, one in enumerate(sums):
        places[one % length] = place
    return places


def _keys(column: Column, sort: str) -> list[Any]:
    """What levels are compared by, null for those of another sort."""
    key_of = KEYS[sort][1]
    meant = [(sort, level) if sort == "text" else meaning(level) for level in column.labels]
    return [key_of(key) if other == sort else None for other, key in meant]


def _checked(cell: Any, keys: Sequence[str], places: Sequence[int]) -> Any:
    """The place of the only key that a text can be, -1 if it is another text, null for none.

    A checksum instead of a comparison with every key. Arithmetic instead of a choice: what every row needs twice, Spark
    computes once, in a method of its own, so that Java compiles what is left of more columns.
    """
    listed = f.split(f.lit(",".join(map(str, places))), ",").cast("array<int>")  # one call of Java, however long
    guess = f.get(listed, (f.crc32(cell.cast("binary")) % len(places)).cast("int"))
    same = f.coalesce((f.get(_array(keys, "string"), guess) == cell).cast("double"), f.lit(0.0))
    return same * (guess + 1.0) - 1.0


def _searched(cell: Any, keys: Sequence[Any], kind: str) -> Any:
    """The place of a key, null where it is none of them.

    One loop over an array: comparisons written out one by one make a method that Java no longer compiles.
    """
    place = f.array_position(_array(keys, kind), cell)
    return f.nullif(place, f.lit(0).cast("bigint")).cast("double") - 1.0


def _array(keys: Sequence[Any], kind: str) -> Any:
    return f.array(*(f.lit(key).cast(kind) for key in keys))


def _joined(rows: Any, name: str, cell: Any, keys: Sequence[Any], kind: str) -> Any:
    """The rows with places of keys instead of cells."""
    named = [(key, float(place)) for place, key in enumerate(keys) if key is not None]
    levels = rows.sparkSession.createDataFrame(named, f"key {kind}, level double")
    joined = rows.join(f.broadcast(levels), cell == f.col("key"), "left")
    return joined.withColumn(name, f.col("level")).drop("key", "level")
