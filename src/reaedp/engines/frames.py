"""Data frames as tables of the embedded engine: what a container's type depends on is taken out of the values.

One null turns a column of pandas from integers into floats, one text turns it into objects. The engine would guess the
type of objects from rows, and fails on some values that Arrow can hold; so both are brought into forms that it reads
without looking.
"""

import math
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np

from reaedp.contract.files import Files
from reaedp.disk.duckdb_engine import connect, connect_for_rows
from reaedp.disk.system import path_in, silent_libraries
from reaedp.engines.arrays import blocks_of
from reaedp.engines.embedded import EmbeddedSource, Part, described, refuse_duplicates, refuse_points
from reaedp.errors import DeclarationError, ReaedpError

#: Integers with more bits are beyond all doubles; Python refuses to print very long ones.
MOST_BITS = 1100
#: What is said if neither a type nor a row is to blame.
MACHINE = "The data could not be read: check memory, disk and files."
#: An object that has no text.
NO_TEXT = "?"


def open_frame(data: Any, files: Files | None = None) -> EmbeddedSource:
    """Let the engine scan a pandas, Polars or Arrow frame in place."""
    refuse_points(files, "Frames and tables")
    return EmbeddedSource(lambda: [_opened(data)], files)


def open_relation(relation: duckdb.DuckDBPyRelation, files: Files | None = None) -> EmbeddedSource:
    """A relation of the caller's own engine, which is believed to fail on no row."""
    refuse_points(files, "Frames and tables")
    return EmbeddedSource(lambda: [described(relation)], files)


def open_table(name: str, engine: Any, files: Files | None = None) -> EmbeddedSource:
    """Open a table of a DuckDB connection, or of the database file that an address names, which is only read."""
    refuse_points(files, "Frames and tables")
    return EmbeddedSource(lambda: [_opened_table(name, engine)], files)


def _opened_table(name: str, engine: Any) -> Part:
    *schema, table = name.split(".")
    try:
        connection = connect(path_in(engine)) if isinstance(engine, str) else engine
        known = connection.execute(
            "SELECT table_schema, table_name FROM information_schema.tables"
            " WHERE table_catalog = current_database() AND table_name = $1"
            " AND table_schema = coalesce($2, current_schema())",
            [table, ".".join(schema) or None],
        ).fetchall()
        if len(known) == 1:
            return described(connection.sql(f"SELECT * FROM {'.'.join(map(_quoted, known[0]))}"), connection)
        reason = "it has no such table"
    except duckdb.Error as error:
        reason = type(error).__name__
    raise DeclarationError(
        f"DuckDB cannot open the table {name!r} ({reason}). Name a table of the database, and its file as"
        " duckdb:///path/to/file, or duckdb://file in this folder; files such as x.csv are opened without an engine."
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _opened(data: Any) -> Part:
    frame = _prepared(data)
    connection = connect_for_rows()
    try:
        connection.register("frame", frame)
        return replace(described(connection.table("frame"), connection), blocks=blocks_of(frame))
    except (duckdb.Error, TypeError, AttributeError):
        raise DeclarationError(
            f"Data must be a file name, a database address, a data frame or a DuckDB relation; "
            f"given an object of type {type(data).__name__}."
        ) from None


def _prepared(data: Any) -> Any:
    library = type(data).__module__.split(".")[0]
    if library == "pandas" and hasattr(data, "columns"):
        return _pandas(data)
    if library == "polars" and hasattr(data, "lazy"):
        return _arrow(_polars(data.lazy()))
    return _arrow(data) if library == "pyarrow" else data


def _polars(frame: Any) -> Any:
    """The rows of a lazy frame; none if an expression of the caller's fails on one, as in a relation or a view."""
    import polars

    try:
        empty = polars.DataFrame(schema=frame.collect_schema()).to_arrow()
    except (Exception, polars.exceptions.PanicException):  # types alone decide
        raise DeclarationError("The Polars frame has a column that Arrow has no type for. Convert it.") from None
    try:
        with silent_libraries():
            return frame.collect().to_arrow()
    except (MemoryError, OSError):
        raise ReaedpError(MACHINE) from None
    except (Exception, polars.exceptions.PanicException):
        return empty


def _pandas(data: Any) -> Any:
    refuse_duplicates("the data frame", tuple(map(str, data.columns)))
    frame = data.rename(columns=str)
    made = {name: _series(frame[name]) for name in frame.columns}
    frame = frame.assign(**{name: series for name, series in made.items() if series is not frame[name]})
    if any(hasattr(dtype, "pyarrow_dtype") for dtype in frame.dtypes):
        import pyarrow

        return _arrow(pyarrow.Table.from_pandas(frame, preserve_index=False))
    return frame


def _series(series: Any) -> Any:
    """A column that the engine reads by its type alone, with the same values."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        if dtype.kind in "biu" or dtype in (np.float32, np.float64) or dtype.kind == "M":
            return series
        return _doubles(series) if dtype.kind == "f" else _texts(series)
    if hasattr(dtype, "tz"):
        return series.dt.tz_convert("UTC").dt.tz_localize(None)
    if hasattr(dtype, "categories"):
        texts = np.array([*map(text, series.cat.categories.tolist()), None], dtype=object)
        return _strings(texts[series.cat.codes.to_numpy()], series.index)
    if hasattr(dtype, "pyarrow_dtype") or hasattr(dtype, "numpy_dtype"):
        return series
    return _texts(series)


def _doubles(series: Any) -> Any:
    with np.errstate(all="ignore"):  # a number beyond the doubles is infinite, and nothing is said of it
        return series.astype(np.float64)


def _texts(series: Any) -> Any:
    return _strings([text(value) for value in series.tolist()], series.index)


def _strings(texts: Any, index: Any) -> Any:
    import pandas

    return pandas.Series(texts, index=index, dtype=object).astype("string")


def text(value: Any) -> str | None:
    """Any object as a text of its value that every engine can hold; None where it is a null."""
    try:
        return _text(value)
    except Exception:  # an object's own code may raise anything
        return NO_TEXT


def _text(value: Any) -> str | None:
    if isinstance(value, np.generic) and not isinstance(value, np.datetime64 | np.timedelta64):
        value = value.item()
    if isinstance(value, complex) and value.imag == 0:  # one complex number makes the others of its column complex
        value = value.real
    if value is None or _is_nothing(value):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return "inf" if value > 0 else "-inf"
    if isinstance(value, timedelta | np.timedelta64):
        return _span(value)
    return str(value).encode("utf-8", "replace").decode()


#: Nanoseconds of the units of NumPy that have a fixed length.
_NANOSECONDS = {"W": 604_800 * 10**9, "D": 86_400 * 10**9, "h": 3_600 * 10**9, "m": 60 * 10**9, "s": 10**9} | {
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
}


def _span(value: timedelta | np.timedelta64) -> str:
    """The text of a span of time, which objects of Python, NumPy and pandas each write in their own way."""
    if isinstance(value, np.timedelta64):
        unit, count = np.datetime_data(value.dtype)
        length = int(value.astype(np.int64)) * count * _NANOSECONDS[unit]
    else:
        length = (value.days * 86_400 + value.seconds) * 10**9 + value.microseconds * 1_000
        length += getattr(value, "nanoseconds", 0)  # pandas has them
    days, rest = divmod(length, 86_400 * 10**9)
    seconds, fraction = divmod(rest, 10**9)
    digits = f".{fraction:09}".rstrip("0") if fraction else ""
    return f"{days} days {seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{digits}"


def _is_nothing(value: Any) -> bool:
    """Whether this is one of the values that pandas takes for a null."""
    if isinstance(value, float):
        return math.isnan(value)
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return type(value).__name__ in ("NAType", "NaTType")


def readable(schema: Any) -> Any:
    """A schema of Arrow in types that the engine reads without failing; moments are those of UTC."""
    import pyarrow as pa

    return pa.schema([field.with_type(_read_as(field.type)) for field in schema])


def _arrow(data: Any) -> Any:
    """A table of Arrow in types that the engine reads without failing; what can be read once only is read now."""
    import pyarrow as pa

    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if hasattr(data, "read_all") or hasattr(data, "to_table"):
        data = _read_whole(data)
    return readable_table(data) if isinstance(data, pa.Table) else data


def readable_table(data: Any) -> Any:
    """A table of Arrow in types that the engine reads without failing."""
    import pyarrow as pa

    refuse_duplicates("the table", tuple(data.column_names))
    try:
        columns = [_column(column) for column in data.columns]
    except pa.ArrowNotImplementedError:  # types alone decide what Arrow can convert
        raise DeclarationError("The table has a column of a type that cannot be converted. Leave it out.") from None
    return pa.Table.from_arrays(columns, names=data.column_names)


def _read_whole(data: Any) -> Any:
    """The rows of a reader or a data set; none if it fails on one, as a relation or a view."""
    try:
        return data.read_all() if hasattr(data, "read_all") else data.to_table()
    except (MemoryError, OSError):
        raise ReaedpError(MACHINE) from None
    except Exception:  # a reader may run anybody's code
        schema = getattr(data, "projected_schema", data.schema)
        return schema.empty_table()


def _column(column: Any) -> Any:
    """A column of Arrow in another type where the engine could fail on a value."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_run_end_encoded(kind):
        return _column(pa.chunked_array([pc.run_end_decode(chunk) for chunk in column.chunks], kind.value_type))
    if pa.types.is_dictionary(kind):
        return _column(column.cast(kind.value_type))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return _valid(column)
    return column.cast(_read_as(kind))


def _read_as(kind: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_timestamp(kind):
        return pa.timestamp(kind.unit)
    if pa.types.is_date64(kind):
        return pa.timestamp("ms")
    if pa.types.is_null(kind) or pa.types.is_decimal256(kind) or (pa.types.is_decimal(kind) and kind.scale < 0):
        return pa.string()
    return pa.float32() if pa.types.is_float16(kind) else kind


def _valid(column: Any) -> Any:
    """Texts, which Arrow does not promise to be UTF-8, with question marks for what is not."""
    import pyarrow as pa

    try:
        column.validate(full=True)
        return column
    except pa.ArrowInvalid:
        raw = (value.as_py() for value in column.cast(pa.large_binary()))
        return pa.chunked_array([[None if value is None else value.decode("utf-8", "replace") for value in raw]])
