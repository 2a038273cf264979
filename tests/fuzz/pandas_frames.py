"""Frames of pandas: cells of any Python object, in every type that pandas chooses for them or is told to choose."""

import datetime as dt
import random
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from fuzz.arrow_tables import text
from fuzz.case import Case, Rows
from fuzz.declared import PERSON, declared


class Hostile:
    """An object whose own code fails."""

    def __str__(self) -> str:
        raise RuntimeError("a row")

    __repr__ = __str__


BERLIN = dt.timezone(dt.timedelta(hours=1))
#: Values of one family, as they stand together in a column.
FAMILIES: dict[str, tuple[Any, ...]] = {
    "whole": (0, 1, 2, -1, 7, 2**31, 2**53 - 1, 10**12),
    "large": (2**53 + 1, 2**63 - 1, -(2**63), 2**64, 2**70, 10**400, -(10**5000)),
    "real": (0.0, -0.0, 0.3, 1.0, 7.5, 1e16, 1e308, float("inf"), float("-inf"), float("nan"), 5e-324),
    "truth": (True, False),
    "exact": (Decimal(1), Decimal("0.30"), Decimal("sNaN"), Decimal("NaN"), Decimal("1e999"), Decimal("-0")),
    "day": (dt.date(2020, 1, 1), dt.date.max, dt.date.min, dt.date(1969, 12, 31)),
    "moment": (dt.datetime(2020, 1, 1), dt.datetime(2020, 2, 29, 12, 30, 15, 250000), pd.Timestamp("1677-09-22")),
    "zoned": (dt.datetime(2020, 1, 1, tzinfo=dt.UTC), dt.datetime(2020, 1, 1, 0, 30, tzinfo=BERLIN)),
    "numpy": (np.int8(1), np.uint64(2**64 - 1), np.float16(0.5), np.float32(0.3), np.bool_(True), np.float64("nan")),
    "stamps": (np.datetime64("2020-01-01"), np.datetime64("NaT"), np.datetime64("2020-01-01T10", "ns"), pd.NaT),
    "spans": (dt.timedelta(1), dt.timedelta.max, np.timedelta64(5, "s"), pd.Timedelta(0)),
    "strange": (
        b"\xff", "\ud800", "\0", [1, [2]], {"a": 1}, {1}, object, 1j, 1 + 0j, Hostile(), pd.Period("2020", "D"), type,
        pd.Interval(0, 1), dt.time(), np.array([1, 2]), Fraction(1, 2), range(3), lambda: None, pd.NA, Ellipsis,
    ),
    "nothing": (None, float("nan"), pd.NA, pd.NaT),
}  # fmt: skip

Dressed = Callable[[pd.Series], pd.Series]


def as_text(cells: pd.Series) -> pd.Series:
    """The texts that pandas makes, which for spans of time depend on the other cells of the column."""
    return cells.astype("string")


#: What is done to a column after pandas chose its type.
DRESSES: tuple[Dressed, ...] = (
    lambda cells: cells,
    lambda cells: cells,
    lambda cells: cells,
    lambda cells: cells.astype(object),
    lambda cells: cells.convert_dtypes(),
    lambda cells: cells.convert_dtypes(dtype_backend="pyarrow"),
    lambda cells: cells.astype("category"),
    as_text,
)
#: Types by name, which not every value takes.
NAMED = (
    "Int64", "UInt8", "Float32", "boolean", "int8", "float16", "float32", "datetime64[s]", "datetime64[ns]", "complex",
    "datetime64[ns, Asia/Tokyo]", "timedelta64[us]", "period[D]", "Sparse[float]", "int64[pyarrow]", "str", "bytes",
    "string[pyarrow]", "timestamp[ns][pyarrow]", "decimal128(20, 2)[pyarrow]", "bool[pyarrow]", "object", "longdouble",
)  # fmt: skip


def cells(families: tuple[str, ...], length: int, chance: random.Random) -> list[Any]:
    """Values of these families."""
    return [
        text(chance) if (family := chance.choice(families)) == "text" else chance.choice(FAMILIES[family])
        for _ in range(length)
    ]


def pandas_case(chance: random.Random, label: str) -> Case:
    """A frame whose columns hold values of one or a few families, under any type."""
    names = [f"c{place}" for place in range(chance.choice((1, 1, 2, 3)))]
    person = chance.random() < 0.25
    families = {name: _families(chance) for name in (*names, *([PERSON] if person else []))}
    dresses = {name: _dress(chance) for name in families}
    lengths = chance.randrange(6), chance.randrange(1, 9)
    lists = [{name: cells(some, length, chance) for name, some in families.items()} for length in lengths]
    lists.append({name: [*lists[0][name], *lists[1][name]] for name in families})
    frames, refused = zip(*(_frame(columns, dresses) for columns in lists), strict=True)
    columns = tuple(declared(name, chance) for name in names)
    rows = [Rows(lambda _, frame=frame: frame, len(frame)) for frame in frames]
    dressed = any(dress not in DRESSES for dress in dresses.values())
    # A type that was asked for by name changes values, and refuses some: what is left is a fact about rows.
    types = {tuple(map(str, frame.dtypes)) for frame in frames}
    # Where pandas refuses a type for one frame and not for another, the two hand over different values of one cell.
    lost = (
        dressed
        or len(set(refused)) > 1
        or any(
            "large" in some or "numpy" in some or ("spans" in some and dresses[name] is as_text)
            for name, some in families.items()
        )
    )
    refusable = any("bytes" in str(one) or "[" in str(one) for one in types)
    return Case(
        f"{label} {families} {types}", columns, rows, person, sound=not (refusable and len(types) > 1), adds=not lost
    )


def _families(chance: random.Random) -> tuple[str, ...]:
    names = [*FAMILIES, "text"]
    main = chance.choice(names)
    return (main,) * 6 + tuple(chance.sample(names, chance.choice((0, 0, 1, 2))))


def _dress(chance: random.Random) -> Dressed:
    if chance.random() < 0.75:
        return chance.choice(DRESSES)
    name = chance.choice(NAMED)
    return lambda one: one.astype(name)


def _frame(columns: dict[str, list[Any]], dresses: dict[str, Dressed]) -> tuple[pd.DataFrame, frozenset[str]]:
    """A frame, and the columns whose type pandas refused to change."""
    made, refused = {}, set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, values in columns.items():
            series = _series(values)
            try:
                made[name] = dresses[name](series)
            except Exception:  # pandas raises of its own, and what it cannot make nobody hands over
                made[name] = series
                refused.add(name)
        return pd.DataFrame(made), frozenset(refused)


def _series(values: list[Any]) -> pd.Series:
    try:
        return pd.Series(values)
    except Exception:
        return pd.Series(values, dtype=object)
