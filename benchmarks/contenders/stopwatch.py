"""Times one job inside its own process and reports seconds, import time and peak memory as JSON."""

import json
import resource
import sys
import time
from collections.abc import Callable


def report(begin: float, job: Callable[[], object], repeats: int = 3) -> None:
    """`begin` is when the process started to import; the best of several runs counts."""
    imported = time.perf_counter() - begin
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    json.dump({"seconds": min(seconds), "import": imported, "peak_mb": peak}, sys.stdout)
