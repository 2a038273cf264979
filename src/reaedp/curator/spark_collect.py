"""What Spark counted, as arrays on the driver."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


@contextmanager
def _silence() -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in LOGGERS]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, was in zip(loggers, before, strict=True):
            logger.disabled = was
