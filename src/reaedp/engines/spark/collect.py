"""What Spark counted, as arrays on the driver."""

import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.logger import PySparkLogger

from reaedp.engines.source import Unreadable
from reaedp.engines.spark.patience import waiting_for_workers
from reaedp.errors import ReaedpError

#: Where PySpark writes the words of an error, which may quote a row.
LOGGERS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")

#: How the names begin of Spark's conditions and of Java's exceptions that a row can cause.
ROWS = (
    "ARITHMETIC_OVERFLOW",
    "BINARY_ARITHMETIC_OVERFLOW",
    "CANNOT_PARSE",
    "CAST_",
    "CONVERSION_INVALID_INPUT",
    "DATETIME_",
    "DIVIDE_BY_ZERO",
    "FAILED_EXECUTE_UDF",
    "FAILED_READ_FILE",
    "INTERVAL_",
    "INVALID_",
    "MALFORMED_",
    "MAP_KEY",
    "NULL_MAP_KEY",
    "NUMERIC_",
    "PYTHON_EXCEPTION",
    "REMAINDER_BY_ZERO",
    "ROW_",
    "SCALAR_SUBQUERY_TOO_MANY_ROWS",
    "USER_RAISED_EXCEPTION",
    *["ArithmeticException", "DateTimeException", "NumberFormatException", "MalformedInputException"],
    *["CharacterCodingException", "TextParsingException", "ParquetDecodingException", "BadRecordException"],
    *["PythonException", "ZipException", "EOFException"],
)
#: What says that a worker or a session was lost, or that memory or disk failed it, whatever else was said.
MACHINES = (
    *["OutOfMemoryError", "ExecutorLostFailure", "FetchFailed", "No space left", "SparkContext was shut down"],
    *["SparkContext has been", "cancelled", "ConnectException", "FileNotFoundException", "AccessControlException"],
    *["FAILED_READ_FILE.FILE_NOT_EXIST", "MemoryError", "ModuleNotFoundError", "Connection refused"],
)


def collected(counts: Any) -> dict[str, NDArray[np.generic]]:
    """Run a query; Spark's own words about a failure could quote a row, so they are not repeated."""
    try:
        with _silence(), waiting_for_workers(counts.sparkSession):
            table = arrow_table(counts)
        return {name: table[name].to_numpy() for name in table.column_names}
    except ReaedpError:  # our own words about lost workers
        raise
    except Exception as error:  # Spark's, the bridge's and the system's errors share no base class
        failure = _failure(error)
    raise failure


def _failure(error: Exception) -> Exception:
    """Whether rows or the machine failed: files, views and functions of the caller may fail on a row.

    Told by Spark's own condition, or by the class of the exception that failed a task as Spark quotes it.
    """
    condition = _condition(error)
    if condition:  # words could quote a row, which must not decide
        by_rows = condition.startswith(ROWS) and not condition.startswith(MACHINES)
    else:
        by_rows = any(one.startswith(ROWS) for one in _named(str(error))) and not any(w in str(error) for w in MACHINES)
    if by_rows:
        return Unreadable()
    reason = type(error).__name__
    return ReaedpError(f"Spark could not count ({reason}).")


def _condition(error: Exception) -> str:
    try:
        return str(error.getCondition() or "")  # type: ignore[attr-defined]
    except Exception:  # not Spark's own, or the bridge is gone
        return ""


def _named(words: str) -> set[str]:
    """What Spark calls `[CONDITION]` or `[CONDITION.DETAIL]`, and classes of Java's exceptions."""
    return set(re.findall(r"\[([A-Z][A-Z0-9_.]+)\]", words)) | set(re.findall(r"\b(?:[a-z0-9]+\.)+([A-Z]\w+)\b", words))


def arrow_table(counts: Any) -> Any:
    """The one place where anything comes from Spark's workers to the driver."""
    return counts.toArrow()


class _Silent(logging.Filter):
    """Lets nothing through that is said by a thread that counts; PySpark logs in the thread that asked."""

    def __init__(self) -> None:
        super().__init__()
        self.here = threading.local()

    def filter(self, record: logging.LogRecord) -> bool:  # noqa: ARG002
        return not getattr(self.here, "counting", False)


_SILENT = _Silent()


@contextmanager
def _silence() -> Iterator[None]:
    for name in LOGGERS:
        PySparkLogger.getLogger(name).addFilter(_SILENT)  # once, however often it is added
    _SILENT.here.counting = True
    try:
        yield
    finally:
        _SILENT.here.counting = False
