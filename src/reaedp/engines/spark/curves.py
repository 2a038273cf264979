"""Curves on Spark: workers turn them into lattice points by the code that the embedded engine uses, and add them up."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import Window
from pyspark.sql import functions as f

from reaedp.answer import Integers
from reaedp.contract import Contract, Curve
from reaedp.curves.lattice import CurveLattice
from reaedp.curves.mean_curve import share_of_a_person
from reaedp.engines.curve_order import mixed
from reaedp.engines.lattice_points import long_points, wide_points
from reaedp.engines.spark.collect import collected
from reaedp.engines.spark.python_workers import Task, travelling


def curve_sums(rows: Any, contract: Contract, curve: Curve) -> tuple[Integers, int]:
    """Sums of lattice points and of what was cut off, and how many curves; totals of tasks reach Spark only."""
    found = _run(rows, contract, curve, _totals, "place int, total bigint", added=True)
    totals = np.zeros(CurveLattice.of(curve).rows + 1, dtype=np.int64)
    totals[found["place"].astype(np.intp)] = found["total"]
    return totals[:-1], int(totals[-1])


def curve_points(rows: Any, contract: Contract, curve: Curve) -> NDArray[np.int32]:
    """Lattice points of all curves on the driver, a row for each."""
    found = _run(rows, contract, curve, _points, "point array<int>", added=False)
    points = [np.asarray(point, dtype=np.int32)[: curve.rank] for point in found["point"]]
    return np.stack(points) if points else np.empty((0, curve.rank), dtype=np.int32)


def _run(
    rows: Any, contract: Contract, curve: Curve, make: Callable[[Any, CurveLattice], Task], kind: str, *, added: bool
) -> dict[str, NDArray[Any]]:
    chosen, read = _FORMS[curve.form](rows, contract, curve)
    with travelling():
        found = chosen.mapInArrow(make(read, CurveLattice.of(curve)), kind)
        return collected(found.groupBy("place").agg(f.sum("total").alias("total")) if added else found)


def _wide_rows(rows: Any, contract: Contract, curve: Curve) -> tuple[Any, Any]:
    """One row of doubles for each curve, not-a-number where there is none."""
    names = [f"v{place}" for place in range(len(curve.points))]
    values = {name: f.coalesce(f.col(name), f.lit(float("nan"))) for name in names}
    known = rows.withColumns(values)
    if contract.unit.person is not None:
        known = known.filter(f.col("person").isNotNull())
        digest = _digest(_mixed_text(names))
        window = Window.partitionBy("person").orderBy(digest, f.array(*names))
        known = known.withColumn("place", f.row_number().over(window)).filter(f.col("place") <= contract.unit.rows)
    return known.select(*names), _read_wide


def _digest(text: Any) -> Any:
    """What orders a person's curves."""
    return f.md5(f.concat_ws("/", f.col("hash0").cast("string"), f.col("hash1").cast("string"), text).cast("binary"))


def _mixed_text(names: list[str]) -> Any:
    from reaedp.engines.spark.values import parts_of_number

    finite = [f.when(f.isnan(name) | (f.abs(name) == float("inf")), 0.0).otherwise(f.col(name)) for name in names]
    return parts_of_number(mixed(finite))


def _long_rows(rows: Any, contract: Contract, curve: Curve) -> tuple[Any, Any]:
    """One list of (time, value) for each curve; a row without a person or an id belongs to none."""
    nan = f.lit(float("nan"))
    point = f.struct(f.coalesce(f.col("v1"), nan).alias("t"), f.coalesce(f.col("v2"), nan).alias("x"))
    known = rows.filter(f.col("person").isNotNull() & f.col("v0").isNotNull())
    known = known.withColumn("digest", _digest(f.col("h0").cast("string")))
    curves = known.groupBy("person", "v0").agg(
        f.any_value("digest").alias("digest"), f.collect_list(point).alias("points")
    )
    window = Window.partitionBy("person").orderBy("digest", "v0")
    most = share_of_a_person(contract, curve).curves
    chosen = curves.withColumn("place", f.row_number().over(window)).filter(f.col("place") <= most)
    return chosen.select("points"), _read_long


def _read_wide(lattice: CurveLattice, batch: Any) -> Iterator[Integers]:
    return wide_points(lattice, [column.to_numpy(zero_copy_only=False) for column in batch.columns])


def _read_long(lattice: CurveLattice, batch: Any) -> Iterator[Integers]:
    (lists,) = batch.columns
    bounds = lists.offsets.to_numpy().astype(np.int64)
    times, values = (lists.values.field(place).to_numpy(zero_copy_only=False) for place in range(2))
    owners = np.repeat(np.arange(len(lists)), np.diff(bounds))
    inside = slice(bounds[0], bounds[-1])
    return long_points(lattice, owners, times[inside], values[inside], len(lists))


def _totals(read: Any, lattice: CurveLattice) -> Task:
    """A task that says, once, the sums of its curves, and last their number."""
    numbers = lattice.rows

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        totals = np.zeros(numbers + 1, dtype=np.int64)
        for batch in batches:
            for points in read(lattice, batch):
                totals[:-1] += points.sum(axis=1)
                totals[-1] += points.shape[1]
        places = np.arange(numbers + 1, dtype=np.int32)
        yield pa.record_batch([pa.array(places), pa.array(totals)], names=["place", "total"])

    return task


def _points(read: Any, lattice: CurveLattice) -> Task:
    def task(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            for points in read(lattice, batch):
                rows = [row.tolist() for row in points.T]
                yield pa.record_batch([pa.array(rows, pa.list_(pa.int32()))], names=["point"])

    return task


_FORMS: dict[str, Callable[[Any, Contract, Curve], tuple[Any, Any]]] = {"wide": _wide_rows, "long": _long_rows}
