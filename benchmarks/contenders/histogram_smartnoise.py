"""SmartNoise SQL: a noisy GROUP BY of a data frame whose bins pandas computed."""

import sys
import time

began = time.perf_counter()
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from snsql import Privacy, from_df  # noqa: E402

from harness.stopwatch import report  # noqa: E402

path, place = sys.argv[1:]


def read() -> pd.DataFrame:
    if path.endswith(".parquet"):
        return pd.read_parquet(path, columns=["x"])
    return pd.read_csv(path, usecols=["x"], engine="pyarrow")


frame = read() if place == "memory" else None


def job() -> None:
    rows = read() if frame is None else frame
    bins = pd.DataFrame({"bin": np.clip(rows["x"].to_numpy() * 0.3, 0, 29).astype(np.int64)})
    table = {"row_privacy": True, "rows": len(bins), "bin": {"type": "int", "lower": 0, "upper": 29}}
    reader = from_df(bins, privacy=Privacy(epsilon=0.5, delta=1e-7), metadata={"": {"data": {"rows": table}}})
    reader.execute("SELECT bin, COUNT(*) AS n FROM data.rows GROUP BY bin")


report(began, job, "smartnoise-sql", "pandas")
