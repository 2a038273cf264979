"""Made-up tables for a contract: rows as anybody could have them, and rows as nobody should.

Tables are CSV files, so that every value, however broken, takes the way that a real one takes.
"""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from reaedp.contract import Boolean, Category, Column, Contract, Date, Integer, Number

#: Rows of everyone else: enough for every check, few enough for a moment.
OTHERS = 40
#: Ways in which one row can be unlike the others.
VARIANTS = ("other", "extreme", "unseen", "nan", "infinite", "null", "unparsable")
_ANYTHING = {
    "unseen": "a level that nobody declared",
    "nan": "NaN",
    "infinite": "-inf",
    "null": "",
    "extreme": "9" * 40,
}
Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TablePair:
    """Two neighbouring tables."""

    label: str
    first: tuple[Row, ...]
    second: tuple[Row, ...]


def small(contract: Contract) -> Contract:
    """The same contract for a made-up number of rows: the promise is computed for these."""
    unit = contract.unit
    few = None if unit.at_least is None else min(unit.at_least, OTHERS)
    return replace(contract, unit=replace(unit, at_least=few))


def table_pairs(contract: Contract, rng: np.random.Generator) -> Iterator[TablePair]:
    """Neighbours under the contract's unit, from harmless to broken."""
    sides = rng.integers(0, 2, OTHERS).tolist()
    others = tuple(_row(contract, ("ordinary", "other")[side], f"p{place}") for place, side in enumerate(sides))
    equal = tuple(_row(contract, "ordinary", f"p{place}") for place in range(OTHERS))
    base = _unit_rows(contract, "ordinary") if contract.unit.change == "replace" else ()
    for variant in ("ordinary", *VARIANTS):
        if not base or variant != "ordinary":
            yield TablePair(
                f"one {contract.unit.noun}: {variant}", others + base, others + _unit_rows(contract, variant)
            )
    yield TablePair("all equal, and one not", equal + base, equal + _unit_rows(contract, "other"))
    yield TablePair("hardly anybody", base, _unit_rows(contract, "other"))
    if contract.unit.person is not None:
        many = _unit_rows(contract, "other", more=2)
        yield TablePair("more rows than are used", others + base, others + many)


def write_table(path: Path, contract: Contract, rows: tuple[Row, ...]) -> None:
    """Write a header and the rows."""
    person = () if contract.unit.person is None else (contract.unit.person,)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*person, *(column.name for column in contract.columns if column.name not in person)])
        writer.writerows(rows)


def _unit_rows(contract: Contract, variant: str, more: int = 0) -> tuple[Row, ...]:
    return (_row(contract, variant, "somebody"),) * (contract.unit.rows + more)


def _row(contract: Contract, variant: str, person: str) -> Row:
    """One cell for each column; a column without such a variant gets a value of its other end."""
    owner = () if contract.unit.person is None else (person,)
    columns = [column for column in contract.columns if column.name != contract.unit.person]
    return (*owner, *(_value(column, variant) for column in columns))


def _value(column: Column, variant: str) -> str:
    values = _VALUES.get(type(column), lambda _: {})(column)
    return (_ANYTHING | values).get(variant, values.get("other", "made up"))


def _number(column: Any) -> dict[str, str]:
    edges = column.boundaries
    ends = {"ordinary": float(edges[0]), "other": float(edges[-1])}
    return {name: repr(end) for name, end in ends.items()} | {"extreme": "-1e308", "unparsable": "1,2;3"}


_VALUES: dict[type[Column], Callable[[Any], dict[str, str]]] = {
    Number: _number,
    Integer: lambda c: {"ordinary": str(c.lower), "other": str(c.upper), "extreme": str(2**53), "unparsable": "1.5"},
    Category: lambda c: {"ordinary": c.levels[0], "other": c.levels[-1], "extreme": "x" * 10_000},
    Boolean: lambda _: {"ordinary": "false", "other": "true", "unparsable": "perhaps"},
    Date: lambda c: {
        "ordinary": c.lower.isoformat(),
        "other": c.upper.isoformat(),
        "extreme": "9999-12-31",
        "unparsable": "2020-13-45",
    },
}
