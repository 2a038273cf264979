"""Files and tables that a Spark session reads, by the rules of the embedded engine."""

from pathlib import PurePosixPath
from typing import Any

from reaedp.curator.embedded import DELIMITERS, LONGEST_LINE, QUOTES
from reaedp.curator.spark import SparkSource, open_frame
from reaedp.curator.spark_session import session_of
from reaedp.errors import DeclarationError

#: Dates as they are written, whatever calendar an old writer may have had in mind.
CALENDAR = {"datetimeRebaseMode": "CORRECTED", "int96RebaseMode": "CORRECTED"}


def open_on_spark(data: str, engine: Any) -> SparkSource:
    """Open a file, folder, glob or table of the catalogue in a session; only names and types are read."""
    session = session_of(engine)
    try:
        return open_frame(_read(session, data))
    except DeclarationError:
        raise
    except Exception as error:  # Spark's and the bridge's errors share no base class
        reason = type(error).__name__
    raise DeclarationError(
        f"Spark cannot open {data!r} ({reason}). Name CSV, TSV or Parquet files that all workers can reach,"
        " or a table of the catalogue."
    )


def _read(session: Any, data: str) -> Any:
    suffixes = [suffix.lower() for suffix in PurePosixPath(data.rstrip("/")).suffixes if suffix.lower() != ".gz"]
    delimiter = DELIMITERS.get(suffixes[-1]) if suffixes else None
    if delimiter is not None:
        return _csv(session, data, delimiter)
    if "/" in data or (suffixes and suffixes[-1] in (".parquet", ".pq")):
        return session.read.options(**CALENDAR).parquet(data)
    return session.table(data)


def _csv(session: Any, data: str, delimiter: str) -> Any:
    """Every cell as text. A line with too few cells is no row."""
    options = {
        "sep": delimiter,
        "quote": QUOTES[delimiter] or "\0",
        "escape": QUOTES[delimiter] or "\0",
        "header": True,
        "encoding": "UTF-8",
        "multiLine": True,  # a quoted cell may hold line breaks
        "mode": "DROPMALFORMED",
        "columnPruning": False,  # or which lines are malformed would depend on which columns are asked for
        "enforceSchema": True,
        "maxCharsPerColumn": LONGEST_LINE,
        "nullValue": "",
        "emptyValue": "",
    }
    return session.read.options(**options).csv(data)
