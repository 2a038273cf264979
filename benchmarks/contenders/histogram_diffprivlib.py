"""diffprivlib's histogram of the same column."""

import sys
import time

began = time.perf_counter()
import pandas as pd  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from diffprivlib.tools import histogram  # noqa: E402

from harness.stopwatch import report  # noqa: E402

path, place, *repeats = sys.argv[1:]


def read():
    """The column as an array, by the fastest reader that its users have."""
    if path.endswith(".parquet"):
        return pq.read_table(path, columns=["x"])["x"].to_numpy()
    return pd.read_csv(path, usecols=["x"], engine="pyarrow")["x"].to_numpy()


values = read() if place == "memory" else None
report(
    began,
    lambda: histogram(read() if values is None else values, epsilon=0.5, bins=30, range=(0, 100)),
    "diffprivlib",
    "numpy",
    repeats=int(repeats[0]) if repeats else 3,
)
