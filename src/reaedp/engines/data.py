"""What is taken for data, and where it may be counted: the types that public functions name."""

from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray


class Frame(Protocol):
    """A table that knows its columns: of pandas, Polars (lazy too), PyArrow or Spark, or a relation of DuckDB."""

    @property
    def columns(self) -> object:
        """The columns or their names."""


class ArrowStream(Protocol):
    """Whatever hands out its rows as Arrow does, through the PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule with a stream of rows."""


class Session(Protocol):
    """A connection of DuckDB or a session of Spark."""

    def sql(self, query: str, /) -> object:
        """What a query gives."""


#: Rows, wherever they lie. A text or path names a CSV, TSV or Parquet file or many by a pattern (`data/*.parquet`), a
#: database's table by its address (`postgresql://…?table=visits`), or a table in an engine that is given beside it.
#: Frames are read in place. A picture is a file or an array of whole numbers.
#:
#: >>> import duckdb
#: >>> rows: Data = duckdb.sql("FROM 'data.csv'")
#: >>> Curator(contract, rows).release(Marginal("sex"), Laplace(1.0)).counts.names
#: ('sex',)
Data: TypeAlias = str | Path | Frame | ArrowStream | NDArray[np.generic]

#: Where rows are counted, if not by DuckDB in this process: a Spark master (`local[*]`, `spark://host:port`), a
#: database's address, or a session that is open.
#:
#: >>> import duckdb
#: >>> engine: Engine = duckdb.connect()
#: >>> _ = engine.sql("CREATE TABLE visits AS FROM 'data.csv'")
#: >>> Curator(contract, "visits", engine=engine).release(Marginal("sex"), Laplace(1.0)).counts.names
#: ('sex',)
Engine: TypeAlias = str | Session
