"""A query waits for workers, but not for ever: a cluster that has lost all of them ends in words."""

import math
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

from reaedp.errors import DeclarationError, ReaedpError, sentence

#: The environment variable and the setting of Spark with the seconds that a query waits while its cluster has no worker
#: at all, and their number where neither is given: clusters that sleep while nobody asks take minutes to wake.
WAIT, SETTING, USUALLY = "REAEDP_SPARK_WAIT", "spark.reaedp.wait", 300.0
#: Seconds between two looks at the cluster.
BETWEEN_LOOKS = 1.0
#: Masters whose workers are the driver itself.
ALONE = re.compile(r"local(\[.*\])?")


class WorkersLost(ReaedpError):
    """No worker is left; another query would only wait as long again."""


def patience(session: Any) -> float:
    """How many seconds a cluster may be without any worker: by the environment, or else by the session's settings."""
    for name, said in ((WAIT, os.environ.get(WAIT)), (SETTING, session.conf.get(SETTING, None))):
        if said:
            return _seconds(name, said)
    return USUALLY


def _seconds(name: str, said: str) -> float:
    try:
        seconds = float(said)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise DeclarationError(sentence(f"{name} must be a number of seconds above 0", given=said))
    return seconds


@contextmanager
def waiting_for_workers(session: Any) -> Iterator[None]:
    """Give up what runs in this block once the cluster has had no worker for as long as it may.

    Nothing of the session can run then, so that all of its jobs are given up. On one machine, and where the session
    is elsewhere, nothing is watched: workers are not told apart from the session there.
    """
    context = getattr(session, "sparkContext", None)
    if context is None or ALONE.fullmatch(context.master):
        yield
        return
    over, lost, seconds = threading.Event(), threading.Event(), patience(session)

    def watch() -> None:
        seen = monotonic()
        while not over.wait(BETWEEN_LOOKS):
            if _has_workers(context):
                seen = monotonic()
            elif monotonic() - seen >= seconds:
                lost.set()
                with suppress(Exception):  # the session may be gone, too
                    context.cancelAllJobs()
                return

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    except Exception:
        if not lost.is_set():
            raise
        failure = WorkersLost(
            f"All workers of Spark were lost, and none came back within {seconds:g} s. Start workers and try again;"
            " --spark-wait says how many seconds to wait."
        )
    else:
        return
    finally:
        over.set()
        thread.join()
    raise failure


def _has_workers(context: Any) -> bool:
    """Whether anybody but the driver holds blocks; if the bridge does not answer, its own error will come."""
    try:
        return bool(context._jsc.sc().getExecutorMemoryStatus().size() > 1)  # noqa: SLF001 - nothing public tells it
    except Exception:  # Spark's, the bridge's and the system's errors share no base class
        return True
