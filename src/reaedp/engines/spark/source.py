"""Tables of Apache Spark, counted on its workers; the driver receives counts."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from pyspark.sql import functions as f

from reaedp.answer import Integers
from reaedp.contract import Category, Column, Contract, Curve
from reaedp.contract.category import Undeclared
from reaedp.engines.canonical import KNOWN, ZONED, refused
from reaedp.engines.source import Hidden
from reaedp.engines.spark import values
from reaedp.engines.spark.cells import SparkCell
from reaedp.engines.spark.collect import collected
from reaedp.engines.spark.groups import REPEATED, grouped_by_python, grouped_by_spark, passes_of_python
from reaedp.engines.spark.levels import numbered
from reaedp.engines.spark.patience import patience
from reaedp.engines.spark.python_workers import workers_run_python
from reaedp.errors import DeclarationError, unknown

#: Spark's types by the names that the embedded engine has for them.
TYPES = {
    "string": "VARCHAR",
    "char": "VARCHAR",
    "varchar": "VARCHAR",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "decimal": "DECIMAL",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": ZONED,
    "timestamp_ntz": "TIMESTAMP",
    "void": "NULL",
}
#: Rows of a large result that are fetched together.
ROWS_OF_A_BATCH = 2**20
#: So few groupings are not worth asking whether workers run Python.
FEW = 8


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SparkSource(Hidden):
    """A data frame of Spark whose columns are called `c0, c1, …`, with the names that the outside uses.

    `tried` holds what workers were found able to run. `made` holds the last canonical form, a query that was
    not run: a release asks for it once to check its columns, and once to count.
    """

    frame: Any
    names: tuple[str, ...]
    tried: set[str] = field(default_factory=set)
    made: dict[tuple[tuple[Column, ...], str | None], Any] = field(default_factory=dict)
    total: ClassVar[bool] = False

    def __post_init__(self) -> None:
        patience(self.frame.sparkSession)  # is refused now, and not after the charge

    @property
    def types(self) -> Mapping[str, str]:
        """The type of every column, by the name that the embedded engine has for it."""
        fields = zip(self.names, self.frame.schema.fields, strict=True)
        return {name: _kind(field) for name, field in fields if name}

    def canonical(self, columns: tuple[Column, ...], person: str | None) -> nw.LazyFrame[Any]:
        """The columns in canonical form; Spark checks the types of expressions as they are made."""
        rows = self.made.get((columns, person))
        if rows is None:
            rows = self._converted(columns, person)
            self.made.clear()
            self.made[columns, person] = rows
        frame: nw.LazyFrame[Any] = nw.from_native(rows)
        return frame

    def _converted(self, columns: tuple[Column, ...], person: str | None) -> Any:
        try:
            return self._canonical(columns, person)
        except DeclarationError:
            raise
        except Exception as error:  # Spark's and the bridge's errors share no base class
            reason = type(error).__name__
            raise DeclarationError(f"Spark cannot convert the declared columns ({reason}).") from None

    def _canonical(self, columns: tuple[Column, ...], person: str | None) -> Any:
        wanted = [(str(place), column, *self._find(column.name)) for place, column in enumerate(columns)]
        if person is not None:
            wanted.insert(0, ("", None, *self._find(person)))  # type: ignore[arg-type]
        rows = self.frame.select(*(cell.alias(f"c{place}") for place, _, cell, _ in wanted))
        cells = [SparkCell(place, column, kind) for place, column, _, kind in wanted]
        for step in (SparkCell.read, SparkCell.named, SparkCell.finished):
            rows = rows.select(*(made for cell in cells for made in step(cell)))
        categories = {number: column for number, column in enumerate(columns) if isinstance(column, Category)}
        rows = numbered(rows, categories) if categories else rows
        if any(isinstance(column, Undeclared) for column in columns):
            self.check_python()
        return rows

    def check_python(self) -> None:
        """Refuse workers that cannot run what is sent to them, before anything is charged."""
        if not self._runs_python():
            raise DeclarationError(
                "Spark's workers cannot run Python code with NumPy and PyArrow, which this release needs."
                " Install them there for the same version of Python, and name it in PYSPARK_PYTHON."
            )

    def _runs_python(self) -> bool:
        if "python" not in self.tried and workers_run_python(self.frame.sparkSession):
            self.tried.add("python")
        return "python" in self.tried

    def collect(self, counts: nw.LazyFrame[Any]) -> dict[str, NDArray[np.generic]]:
        """Run the query; Spark's own words about a failure could quote a row, so they are not repeated."""
        return collected(counts.to_native())

    def batches(self, counts: nw.LazyFrame[Any]) -> Iterator[dict[str, NDArray[np.generic]]]:
        """Keep the result on the workers, and fetch as many rows at a time as the driver holds easily."""
        with _kept(counts) as kept:
            (rows,) = collected(kept.agg(f.count(f.lit(1)).alias("rows")))["rows"].tolist()
            parts = -(-rows // ROWS_OF_A_BATCH)
            part = f.pmod(f.xxhash64(*kept.columns), f.lit(max(parts, 1)))
            for number in range(parts):
                yield collected(kept.filter(part == number))

    def collect_groups(
        self, rows: nw.LazyFrame[Any], groups: Sequence[tuple[str, ...]], sizes: Mapping[str, int]
    ) -> Iterator[dict[str, NDArray[np.generic]]]:
        """Keep the rows on the workers meanwhile, in memory and on disk, unless one pass over them is enough."""
        counted, passes = grouped_by_spark, -(-len(groups) // REPEATED)
        if len(groups) > (1 if "python" in self.tried else FEW) and self._runs_python():
            counted, passes = partial(grouped_by_python, sizes=sizes), len(passes_of_python(groups, sizes))
        with nullcontext(rows.to_native()) if passes == 1 else _kept(rows) as table:
            yield from counted(table, groups)

    @contextmanager
    def held(self, rows: nw.LazyFrame[Any], columns: int) -> Iterator[nw.LazyFrame[Any] | None]:  # noqa: ARG002
        """The same rows on the workers, in memory and on disk; the first question reads and converts them."""
        with _kept(rows) as table:
            found: nw.LazyFrame[Any] = nw.from_native(table)
            yield found

    def cells(self, held: nw.LazyFrame[Any], sizes: Mapping[str, int]) -> None:
        """Rows stay on the workers."""

    def curve_sums(self, rows: nw.LazyFrame[Any], contract: Contract, curve: Curve) -> tuple[Integers, int]:
        """Sums of lattice points, added up on the workers."""
        from reaedp.engines.spark import curves as spark_curves

        return spark_curves.curve_sums(rows.to_native(), contract, curve)

    def curve_points(self, rows: nw.LazyFrame[Any], contract: Contract, curve: Curve) -> NDArray[np.int32]:
        """Lattice points of all curves."""
        from reaedp.engines.spark import curves as spark_curves

        return spark_curves.curve_points(rows.to_native(), contract, curve)

    def _find(self, name: str) -> tuple[Any, str]:
        """A cell, and its type; a text that is not compared by its bytes becomes one that is."""
        types = self.types
        if name not in types:
            raise DeclarationError(f"The data lacks a declared column. {unknown('column', name, types)}")
        kind = types[name].split("(")[0]
        if kind not in KNOWN:
            raise refused(name, types[name])
        place = self.names.index(name)
        cell, stored = f.col(f"c{place}"), self.frame.schema.fields[place].dataType.simpleString()
        return (cell if stored == "string" else values.text(cell, kind)), kind


@contextmanager
def _kept(rows: nw.LazyFrame[Any]) -> Iterator[Any]:
    """Rows that workers keep until the block ends; those that are lost with a worker are read and converted again."""
    table = rows.to_native().persist()
    try:
        yield table
    finally:
        table.unpersist()


def open_frame(frame: Any) -> SparkSource:
    """A data frame of Spark; names that differ in case only are told apart whatever the session's settings."""
    names = tuple(frame.columns)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DeclarationError(f"Column names must differ; the table has more than one {twice[0]!r}.")
    return SparkSource(frame.toDF(*(f"c{number}" for number in range(len(names)))), names)


def _kind(field: Any) -> str:
    """The type of a column; of texts, those of every collation."""
    name: str = field.dataType.simpleString()
    kind = TYPES.get(name.split("(", maxsplit=1)[0].split(" ", maxsplit=1)[0], name.upper())
    return name.upper() if kind == "DECIMAL" else kind
