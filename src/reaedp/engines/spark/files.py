"""Files and tables that a Spark session reads, by the rules of the embedded engine."""

import re
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from pyspark.sql import functions as f

from reaedp.engines.csv_files import DELIMITERS, LONGEST_LINE, QUOTES
from reaedp.engines.embedded import refuse_header
from reaedp.engines.spark.patience import WorkersLost, waiting_for_workers
from reaedp.engines.spark.session import session_of
from reaedp.engines.spark.source import SparkSource, open_frame
from reaedp.errors import DeclarationError

#: Dates as they are written, whatever calendar an old writer may have had in mind; and files whose types disagree are
#: refused by their schemas, before anything is charged.
PARQUET = {"datetimeRebaseMode": "CORRECTED", "int96RebaseMode": "CORRECTED", "mergeSchema": True}
#: One character for each byte, so that nothing is replaced on the way.
BYTES = "ISO-8859-1"
#: A mark of UTF-8 at the beginning of a file.
MARK = "\ufeff".encode().decode(BYTES)


def open_on_spark(data: str, engine: Any) -> SparkSource:
    """Open a file, folder, glob or table of the catalogue in a session; only names and types are read."""
    session = session_of(engine)
    try:
        with waiting_for_workers(session):
            return _opened(session, data)
    except (DeclarationError, WorkersLost):
        raise
    except Exception as error:  # Spark's and the bridge's errors share no base class
        reason = type(error).__name__
    raise DeclarationError(
        f"Spark cannot open {data!r} ({reason}). Name CSV, TSV or Parquet files that all workers can reach,"
        " or a table of the catalogue."
    )


def _opened(session: Any, data: str) -> SparkSource:
    suffixes = [suffix.lower() for suffix in PurePosixPath(data.rstrip("/")).suffixes if suffix.lower() != ".gz"]
    delimiter = DELIMITERS.get(suffixes[-1]) if suffixes else None
    if delimiter is not None:
        return _csv(session, _literally(data), delimiter)
    if "/" in data or (suffixes and suffixes[-1] in (".parquet", ".pq")):
        return open_frame(session.read.options(**PARQUET).parquet(_literally(data)))
    return open_frame(session.table(data))


def _quote(delimiter: str) -> str:
    return QUOTES.get(delimiter, '"')


def _literally(data: str) -> str:
    """A path that exists is that file, whatever signs are in its name; Spark takes every path for a pattern."""
    return re.sub(r"([\\\[\]{}*?])", r"\\\1", data) if Path(data).exists() else data


def _csv(session: Any, data: str, delimiter: str) -> SparkSource:
    """Every cell as text. A line with too few cells, one that is not UTF-8 and one over 8 MiB are no rows.

    Cells beyond the header are not looked at.
    """
    options = {
        "sep": delimiter,
        "quote": _quote(delimiter) or "\0",
        "escape": _quote(delimiter) or "\0",
        "encoding": BYTES,
        "multiLine": True,  # a quoted cell may hold line breaks
        "mode": "PERMISSIVE",
        "columnPruning": False,  # or which lines are malformed would depend on which columns are asked for
        "enforceSchema": True,
        "maxCharsPerColumn": 4 * LONGEST_LINE,
        "maxColumns": 100_000,
        "nullValue": "",
        "emptyValue": "",
        "columnNameOfCorruptRecord": "line",
    }
    reader = session.read.options(**options)
    names = _header(reader, data)
    cells = [f"c{place}" for place in range(len(names))]
    schema = ", ".join(f"{cell} string" for cell in [*cells, "line"])
    rows = reader.option("header", True).schema(schema).csv(data)
    whole = f.concat_ws(delimiter, *cells)
    kept = (f.length(whole) <= LONGEST_LINE) & f.is_valid_utf8(_decoded(whole))
    kept &= f.col("line").isNull() | (_cells_of(f.col("line"), delimiter) >= len(names))
    return SparkSource(rows.filter(kept).select(*(_decoded(f.col(cell)).alias(cell) for cell in cells)), names)


def _decoded(cell: Any) -> Any:
    """The bytes that were read, as the text that they are if they are UTF-8."""
    return f.encode(cell, BYTES).cast("string")


def _cells_of(line: Any, delimiter: str) -> Any:
    """How many cells a line has, by what lies between cells and outside quotes."""
    quote = _quote(delimiter)
    bare = (
        f.regexp_replace(f.replace(line, f.lit(quote * 2), f.lit("")), f"{quote}[^{quote}]*{quote}", "")
        if quote
        else line
    )
    return f.length(bare) - f.length(f.replace(bare, f.lit(delimiter), f.lit(""))) + 1


def _header(reader: Any, data: str) -> tuple[str, ...]:
    """The first line of every file, which must be the same; headers are public."""
    first = reader.option("header", False)
    headers = set()
    for path in first.csv(data).inputFiles():
        row = first.csv(_pattern(path)).first()
        headers.add(
            tuple((cell or "").removeprefix(MARK if place == 0 else "") for place, cell in enumerate(row or ()))
        )
    if len(headers) != 1:
        raise DeclarationError(f"The headers of the files of {data!r} differ, or there is no file.")
    try:
        names = tuple(name.encode(BYTES).decode() for name in headers.pop())
    except UnicodeError:
        raise DeclarationError(f"{data} does not begin with a line of column names in UTF-8.") from None
    refuse_header(data, names)
    return names


def _pattern(address: str) -> str:
    """The address of a file, as Spark gives it, as a pattern."""
    return re.sub(r"([\\\[\]{}*?])", r"\\\1", unquote(address))
