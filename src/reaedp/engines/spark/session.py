"""Sessions of Spark: found, or started with a bounded wait, and never changed for others."""

import os
import re
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from reaedp.errors import DeclarationError

#: A Spark master, as Spark itself writes it.
MASTER = re.compile(r"local(\[[0-9*, ]+\])?|local-cluster\[.*\]|spark://.+|k8s://.+|yarn")
#: How long a master, and then a worker, may take to answer.
SECONDS_TO_CONNECT = 10
SECONDS_TO_START = 90
PARTITIONS = "spark.sql.shuffle.partitions"
#: Words in Spark's log may quote rows; what depends on no row is said by errors.
SETTINGS = {
    "spark.log.level": "OFF",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    # Where in our code an expression was made would be sent to Spark with each one: half of a release's fixed time.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
}
#: Java compiles no method that is longer, and runs it many times as slowly: Spark then writes several.
FASTER = {"spark.sql.codegen.hugeMethodLimit": "8000", "spark.sql.execution.arrow.maxRecordsPerBatch": "65536"}
#: Says that a session is our own, so that settings may change from query to query.
OWN = "spark.reaedp.own"
#: How many bytes a batch for Python may have; nothing is weighed if it is this many.
WEIGHT, ANY = "spark.sql.execution.arrow.maxBytesPerBatch", str(2**31 - 1)


def is_master(engine: str) -> bool:
    """Whether this text names a Spark master."""
    return MASTER.fullmatch(engine) is not None


def session_of(engine: Any) -> Any:
    """A session of its own for our settings, on the master that is named or beside the session that is given."""
    if not isinstance(engine, str):
        return _tuned(engine.newSession()) if hasattr(engine, "newSession") else engine
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise DeclarationError('Spark is not installed: pip install "reaedp[spark]".') from None
    running = SparkSession.getActiveSession()
    if running is None:
        _check_reachable(engine)
        return _started(SparkSession, engine)
    master = running.conf.get("spark.master", "")
    if master != engine:
        raise DeclarationError(
            f"This process has a Spark session on {master} already; the engine is {engine}."
            " Stop it, or give that session as the engine."
        )
    return _tuned(running.newSession())


def _check_reachable(master: str) -> None:
    """Spark itself would try for minutes; nothing is charged yet."""
    if not master.startswith("spark://"):
        return
    places = master.removeprefix("spark://").split(",")
    if not any(_answers(place) for place in places):
        raise DeclarationError(
            f"No Spark master answers at {master}. Check host and port, or run locally with the engine 'local[*]'."
        )


def _answers(place: str) -> bool:
    host, _, port = place.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), SECONDS_TO_CONNECT):
            return True
    except (OSError, ValueError, OverflowError):
        return False


def _started(builder: Any, master: str) -> Any:
    session = None
    try:
        settings = SETTINGS | ({"spark.driver.host": "127.0.0.1"} if _is_here(master) else {})
        session = builder.builder.master(master).appName("reaedp").config(map=settings).getOrCreate()
        if master.startswith("local") and "PYSPARK_PYTHON" not in os.environ:
            session.sparkContext.pythonExec = sys.executable  # not whatever python3 the path begins with
        if _works(session):
            return _tuned(session)
        reason = f"no worker took up work within {SECONDS_TO_START} s"
    except Exception as error:  # Spark's, the bridge's and the system's errors share no base class
        reason = f"{type(error).__name__}; it needs Java 17 or newer, and settings in spark-defaults.conf that it knows"
    if session is not None:
        session.stop()
    raise DeclarationError(f"Spark could not be started on {master} ({reason}).")


def _tuned(session: Any) -> Any:
    """A session of our own with what makes it faster, unless settings say otherwise.

    On one machine, rows that meet are divided among its cores, not into 200 parts.
    """
    context = getattr(session, "sparkContext", None)  # none where Spark is reached by Connect
    if context is None:
        return session
    wanted = FASTER | {OWN: "true"}
    if context.master.startswith("local"):
        wanted[PARTITIONS] = str(4 * context.defaultParallelism)
    for name, value in wanted.items():
        if not context.getConf().contains(name):
            session.conf.set(name, value)
    return session


@contextmanager
def unweighed(session: Any) -> Iterator[None]:
    """Meanwhile batches for Python are bounded by their rows alone, in a session of our own; for rows of a few numbers.

    Spark weighs a batch anew with every row, which takes longer than to write that row.
    """
    if session.conf.get(OWN, None) is None or session.conf.get(WEIGHT, None) is not None:
        yield
        return
    session.conf.set(WEIGHT, ANY)
    try:
        yield
    finally:
        session.conf.unset(WEIGHT)


def _is_here(master: str) -> bool:
    return master.startswith(("local", "spark://127.0.0.1:", "spark://localhost:"))


def _works(session: Any) -> bool:
    """Whether some worker counts to one in time; without any worker Spark would wait for ever."""
    done: list[int] = []

    def count() -> None:
        with suppress(Exception):  # the session was stopped meanwhile
            done.append(session.range(1).count())

    attempt = threading.Thread(target=count, daemon=True)
    attempt.start()
    attempt.join(SECONDS_TO_START)
    return done == [1]
