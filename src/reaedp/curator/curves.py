"""Curves are read in batches, turned into lattice points, and added up; only sums leave this file.

At most `max_rows` curves of a person are used, chosen by an order that depends on that person's rows and name alone.
"""

from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import narwhals as nw
import numpy as np

from reaedp.answer import Integers
from reaedp.contract import Column, Contract, Curve, Number
from reaedp.contract.category import Undeclared
from reaedp.curator.stream import batches, doubles, pairs
from reaedp.curves.lattice import CurveLattice
from reaedp.curves.mean_curve import share_of_a_person
from reaedp.errors import DeclarationError

#: Numbers of a block: few enough to stay near the processor while they are multiplied.
BLOCK = 2**19


#: Columns in canonical form, with that of the person if there is one.
Canonical = Callable[[tuple[Column, ...]], nw.LazyFrame[Any]]


def check_curve(canonical: Canonical, contract: Contract, name: str) -> None:
    """Refuse missing columns, types that cannot be meant, and sources that give no rows; reads none."""
    curve = contract.curve(name)
    _RELATIONS[curve.form](canonical, contract, curve)


def curve_sums(canonical: Canonical, contract: Contract, name: str) -> tuple[Integers, int]:
    """Sums of lattice points, and how many curves there are."""
    curve = contract.curve(name)
    relation = _RELATIONS[curve.form](canonical, contract, curve)
    sums, count = np.zeros(curve.rank, dtype=np.int64), 0
    for points in _READERS[curve.form](CurveLattice.of(curve), relation):
        sums += points.sum(axis=1)
        count += points.shape[1]
    return sums, count


def _embedded(frame: nw.LazyFrame[Any]) -> Any:
    """The embedded engine's own view of a frame."""
    relation = frame.to_native()
    if not isinstance(relation, duckdb.DuckDBPyRelation):
        raise DeclarationError(
            "Curves are read from files, data frames and DuckDB relations; given a database's address."
            " Export the table to Parquet, or attach the database to DuckDB and pass a relation."
        )
    return relation


def _wide_relation(canonical: Canonical, contract: Contract, curve: Curve) -> Any:
    """One row of doubles for each curve, not-a-number where there is none."""
    rows = _embedded(canonical(tuple(map(_number, curve.points))))
    values = [f"v{place}" for place in range(len(curve.points))]
    if contract.unit.person is not None:
        rows = _first_rows(rows, contract.unit.rows, ", ".join(values))
    return rows.project(", ".join(f"coalesce({value}, 'nan'::DOUBLE) AS {value}" for value in values))


def _first_rows(rows: Any, limit: int, values: str) -> Any:
    """The first rows of each person in the order of a digest of their values; rows that tie in all are alike."""
    place = f"row_number() OVER (PARTITION BY person ORDER BY hash({values}), [{values}])"
    ranked = rows.filter("person IS NOT NULL").project(f"{values}, {place} AS place")
    return ranked.filter(f"place <= {limit}")


def _long_relation(canonical: Canonical, contract: Contract, curve: Curve) -> Any:
    """One list of (time, value) for each curve; a row without a person or an id belongs to none."""
    columns = (Undeclared(name=str(curve.id), provenance="public"), _number(str(curve.time)), _number(str(curve.value)))
    rows = _embedded(canonical(columns))
    pair = "{'t': coalesce(v1, 'nan'::DOUBLE), 'x': coalesce(v2, 'nan'::DOUBLE)}"
    known = rows.filter("person IS NOT NULL AND v0 IS NOT NULL").project(f"person, v0 AS curve, {pair} AS point")
    # A person's curve is a person's: an id that two people share names two curves.
    curves = known.aggregate("person, curve, list(point) AS points", "person, curve")
    place = "row_number() OVER (PARTITION BY person ORDER BY md5(person || '/' || curve), curve)"
    most = share_of_a_person(contract, curve).curves
    return curves.project(f"points, {place} AS place").filter(f"place <= {most}").project("points")


def _number(name: str) -> Number:
    """A column that is read as doubles; its only bin is of no interest."""
    return Number(name=name, lower=0, upper=1, bins=1, provenance="public")


def _wide(lattice: CurveLattice, relation: duckdb.DuckDBPyRelation) -> Iterator[Integers]:
    rows = max(1, BLOCK // len(lattice.ticks))
    for batch in batches(relation):
        columns = [doubles(column) for column in batch]
        for start in range(0, len(columns[0]), rows):
            yield lattice.wide(np.stack([column[start : start + rows] for column in columns]))


def _long(lattice: CurveLattice, relation: duckdb.DuckDBPyRelation) -> Iterator[Integers]:
    rows = max(1, BLOCK // len(lattice.ticks))
    for (lists,) in batches(relation):
        owners, times, values = pairs(lists)
        for start in range(0, lists.length, rows):
            first, last = np.searchsorted(owners, (start, start + rows))
            curves = min(rows, lists.length - start)
            yield lattice.long(owners[first:last] - start, times[first:last], values[first:last], curves)


_RELATIONS: dict[str, Callable[[Canonical, Contract, Curve], Any]] = {
    "wide": _wide_relation,
    "long": _long_relation,
}
_READERS: dict[str, Callable[[CurveLattice, duckdb.DuckDBPyRelation], Iterator[Integers]]] = {
    "wide": _wide,
    "long": _long,
}
