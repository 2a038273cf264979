"""diffprivlib's histogram of the same column."""

import sys
import time

begin = time.perf_counter()
import pyarrow.parquet as pq  # noqa: E402
from diffprivlib.tools import histogram  # noqa: E402
from stopwatch import report  # noqa: E402

report(begin, lambda: histogram(pq.read_table(sys.argv[1])["x"].to_numpy(), epsilon=0.5, bins=30, range=(0, 100)))
