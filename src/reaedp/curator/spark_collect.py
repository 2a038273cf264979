"""What Spark counted, as arrays on the driver."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.logger import PySparkLogger

from reaedp.errors import ReaedpError

#: Where PySpark writes the words of an error, which may quote a row.
LOGGERS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")


def collected(counts: Any) -> dict[str, NDArray[np.generic]]:
    """Run a query; Spark's own words about a failure could quote a row, so they are not repeated."""
    try:
        with _silence():
            table = arrow_table(counts)
        return {name: table[name].to_numpy() for name in table.column_names}
    except Exception as error:  # Spark's, the bridge's and the system's errors share no base class
        reason = type(error).__name__
    raise ReaedpError(f"Spark could not count ({reason}). If noise was already charged, the charge stands.")


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
