"""The same GROUP BY as one would type it into DuckDB: no noise, no ledger, no files."""

import sys
import time

began = time.perf_counter()
import duckdb  # noqa: E402

from harness.stopwatch import report  # noqa: E402

QUERY = """
SELECT CASE WHEN x IS NULL THEN 30 WHEN isnan(x) THEN 31 WHEN x <= 0 THEN 0 WHEN x >= 100 THEN 29
            ELSE floor((x - 0) / (100 - 0) * 30)::INTEGER END AS bin, count(*)
FROM {} GROUP BY bin
"""

path, place = sys.argv[1:]
frame = duckdb.read_parquet(path).df() if place == "memory" else None
source = "frame" if place == "memory" else f"'{path}'"
report(began, lambda: duckdb.connect().execute(QUERY.format(source)).fetchall(), "duckdb")
