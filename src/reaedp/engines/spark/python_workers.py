"""Our own code on Spark's workers: it travels with the query, so that they need Python, NumPy and PyArrow only."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from reaedp.engines.spark.patience import WorkersLost, waiting_for_workers

#: Batches of Arrow in, batches of Arrow out.
Task = Callable[[Iterator[Any]], Iterator[Any]]
#: What is sent in which way is known once in a process.
_TRAVELLING = threading.Lock()


def workers_run_python(session: Any) -> bool:
    """Whether a worker can add up with NumPy and answer in Arrow."""

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        import numpy
        import pyarrow

        for batch in batches:
            yield pyarrow.record_batch([pyarrow.array(numpy.ones(batch.num_rows, numpy.int64))], names=["one"])

    try:
        with waiting_for_workers(session):
            return bool(session.range(1).mapInArrow(task, "one bigint").count() == 1)
    except WorkersLost:
        raise
    except Exception:  # Spark's, the bridge's and the system's errors share no base class
        return False


@contextmanager
def travelling() -> Iterator[None]:
    """Let functions of this package be sent as they are rather than by their names."""
    from pyspark import cloudpickle

    import reaedp

    with _TRAVELLING:
        cloudpickle.register_pickle_by_value(reaedp)
        try:
            yield
        finally:
            cloudpickle.unregister_pickle_by_value(reaedp)
