"""Curves are read in batches and turned into lattice points, which are added up or handed to mechanism F.

At most `max_rows` curves of a person are used, chosen by an order that depends on that person's rows and name alone.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import duckdb
import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers
from reaedp.contract import Column, Contract, Curve, Number
from reaedp.contract.category import Undeclared
from reaedp.curves.lattice import CurveLattice, WholeCurves
from reaedp.curves.mean_curve import share_of_a_person
from reaedp.disk.duckdb_engine import connect
from reaedp.engines.canonical import parts_of_number
from reaedp.engines.curve_order import Sql, mixed
from reaedp.engines.embedded import EmbeddedSource, failure
from reaedp.engines.lattice_points import long_points, wide_points
from reaedp.engines.source import CurveCounter
from reaedp.engines.stream import batches, doubles, pairs


class Origin(NamedTuple):
    """Where curves come from: columns in canonical form, with the person if there is one, and how to fetch them."""

    canonical: Callable[[tuple[Column, ...]], nw.LazyFrame[Any]]
    source: Any


def check_curve(origin: Origin, contract: Contract, name: str) -> None:
    """Refuse missing columns, types that cannot be meant and workers that cannot count curves; reads no row."""
    origin.canonical(_columns(contract.curve(name)))
    if isinstance(origin.source, CurveCounter):
        origin.source.check_python()


def curve_sums(origin: Origin, contract: Contract, name: str) -> tuple[Integers, int]:
    """Sums of lattice points, followed by that of what was cut off if bounds are declared; and how many curves."""
    curve = contract.curve(name)
    if isinstance(origin.source, CurveCounter):
        return origin.source.curve_sums(origin.canonical(_columns(curve)), contract, curve)
    sums, count = no_sums(contract, name), 0
    for points in _blocks(origin, contract, name):
        sums += points.sum(axis=1)
        count += points.shape[1]
    return sums, count


def no_sums(contract: Contract, name: str) -> Integers:
    """The sums over no curves."""
    return np.zeros(CurveLattice.of(contract.curve(name)).rows, dtype=np.int64)


def curve_points(origin: Origin, contract: Contract, name: str) -> NDArray[np.int32]:
    """Lattice points, a row for each curve."""
    curve = contract.curve(name)
    if isinstance(origin.source, CurveCounter):
        return origin.source.curve_points(origin.canonical(_columns(curve)), contract, curve)
    rows = [points[: curve.rank].T.astype(np.int32) for points in _blocks(origin, contract, name)]
    return np.concatenate([np.empty((0, curve.rank), dtype=np.int32), *rows])


def mean_of_whole_curves(origin: Origin, contract: Contract, name: str) -> NDArray[np.float64] | None:
    """The exact mean on the grid of the curves that count, neither clipped nor smoothed; for the custodian's eyes.

    Nothing where curves are counted elsewhere, as on a cluster.
    """
    if isinstance(origin.source, CurveCounter):
        return None
    lattice = WholeCurves.of(contract.curve(name))
    sums, count = np.zeros(len(lattice.ticks), dtype=np.int64), 0
    for values in _blocks(origin, contract, name, lattice):
        sums += values.sum(axis=1)
        count += values.shape[1]
    return lattice.mean(sums, count)


def _blocks(origin: Origin, contract: Contract, name: str, lattice: CurveLattice | None = None) -> Iterator[Integers]:
    """Lattice points of some curves, a column each, then of some more."""
    curve = contract.curve(name)
    try:
        relation = _RELATIONS[curve.form](origin, contract, curve)
        yield from _READERS[curve.form](lattice or CurveLattice.of(curve), relation)
        return
    except duckdb.Error as error:
        failed = origin.source.failed(error) if isinstance(origin.source, EmbeddedSource) else failure(error)
    raise failed


def _columns(curve: Curve) -> tuple[Column, ...]:
    """The columns of the data that are read."""
    if curve.form == "wide":
        return tuple(map(_number, curve.points))
    return (Undeclared(name=str(curve.id), provenance="public"), _number(str(curve.time)), _number(str(curve.value)))


def _embedded(origin: Origin, curve: Curve) -> Any:
    """The rows in the embedded engine; those of a database are fetched into it, canonical columns of some at a time."""
    frame = origin.canonical(_columns(curve))
    rows = frame.to_native()
    if isinstance(rows, duckdb.DuckDBPyRelation):
        return rows
    kinds = {name: _KINDS[type(kind)] for name, kind in frame.collect_schema().items()}
    connection = connect()
    connection.register("fetched", {name: np.empty(0, dtype=kind) for name, (kind, _) in kinds.items()})
    types = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, (_, kind) in kinds.items())
    connection.execute(f"CREATE TABLE kept AS SELECT {types} FROM fetched")
    for arrays in origin.source.batches(frame):
        connection.register("fetched", {name: arrays[name].astype(kind) for name, (kind, _) in kinds.items()})
        connection.execute(f"INSERT INTO kept SELECT {', '.join(kinds)} FROM fetched")
    return connection.table("kept")


#: A null becomes not-a-number, which is no point of a curve either.
_KINDS: dict[type[Any], tuple[Any, str]] = {
    nw.Float64: (np.float64, "DOUBLE"),
    nw.Int64: (np.int64, "BIGINT"),
    nw.Boolean: (np.bool_, "BOOLEAN"),
    nw.String: (object, "VARCHAR"),
}


def _wide_relation(origin: Origin, contract: Contract, curve: Curve) -> Any:
    """One row of doubles for each curve, not-a-number where there is none."""
    values = [f"v{place}" for place in range(len(curve.points))]
    rows = _embedded(origin, curve)
    person = "" if contract.unit.person is None else "person, hash0, hash1, "
    known = rows.project(person + ", ".join(f"coalesce({value}, 'nan'::DOUBLE) AS {value}" for value in values))
    return known if contract.unit.person is None else _first_rows(known, contract.unit.rows, values)


def _first_rows(rows: Any, limit: int, values: list[str]) -> Any:
    """The first rows of each person in the order of a digest of their values; rows that tie in all are alike."""
    finite = [Sql(f"(CASE WHEN isfinite({value}) THEN {value} ELSE 0.0::DOUBLE END)") for value in values]
    listed = ", ".join(values)
    mixes = rows.filter("person IS NOT NULL").project(f"person, hash0, hash1, {listed}, {mixed(finite)} AS mix")
    digest = f"md5(hash0 || '/' || hash1 || '/' || {parts_of_number('mix')})"
    place = f"row_number() OVER (PARTITION BY person ORDER BY {digest}, [{listed}])"
    return mixes.project(f"{listed}, {place} AS place").filter(f"place <= {limit}").project(listed)


def _long_relation(origin: Origin, contract: Contract, curve: Curve) -> Any:
    """One list of (time, value) for each curve; a row without a person or an id belongs to none."""
    rows = _embedded(origin, curve)
    pair = "{'t': coalesce(v1, 'nan'::DOUBLE), 'x': coalesce(v2, 'nan'::DOUBLE)}"
    known = rows.filter("person IS NOT NULL AND v0 IS NOT NULL").project(
        f"person, v0 AS curve, md5(hash0 || '/' || hash1 || '/' || h0) AS digest, {pair} AS point"
    )
    # A person's curve is a person's: an id that two people share names two curves.
    curves = known.aggregate("person, curve, any_value(digest) AS digest, list(point) AS points", "person, curve")
    place = "row_number() OVER (PARTITION BY person ORDER BY digest, curve)"
    most = share_of_a_person(contract, curve).curves
    return curves.project(f"points, {place} AS place").filter(f"place <= {most}").project("points")


def _number(name: str) -> Number:
    """A column that is read as doubles; its only bin is of no interest."""
    return Number(name=name, lower=0, upper=1, bins=1, provenance="public")


def _wide(lattice: CurveLattice, relation: duckdb.DuckDBPyRelation) -> Iterator[Integers]:
    for batch in batches(relation):
        yield from wide_points(lattice, [doubles(column) for column in batch])


def _long(lattice: CurveLattice, relation: duckdb.DuckDBPyRelation) -> Iterator[Integers]:
    for (lists,) in batches(relation):
        yield from long_points(lattice, *pairs(lists), lists.length)


_RELATIONS: dict[str, Callable[[Origin, Contract, Curve], Any]] = {
    "wide": _wide_relation,
    "long": _long_relation,
}
_READERS: dict[str, Callable[[CurveLattice, duckdb.DuckDBPyRelation], Iterator[Integers]]] = {
    "wide": _wide,
    "long": _long,
}
