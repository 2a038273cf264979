"""The same means as one would type them into DuckDB, clipped, missing values told: no noise, ledger or files."""

import sys
import time

began = time.perf_counter()
import duckdb  # noqa: E402

from harness.stopwatch import report  # noqa: E402

QUERY = """
SELECT CASE WHEN g IS NULL THEN 20 WHEN g < 1 THEN 0 WHEN g > 20 THEN 19 ELSE g - 1 END AS cell,
       count(*) FILTER (WHERE x IS NOT NULL AND NOT isnan(x)) AS rows,
       sum(CASE WHEN x < 0 THEN 0 WHEN x > 100 THEN 100 ELSE x END)
           FILTER (WHERE x IS NOT NULL AND NOT isnan(x)) AS total,
       count(*) FILTER (WHERE x IS NULL) AS nulls,
       count(*) FILTER (WHERE isnan(x)) AS nans
FROM '{}' GROUP BY cell
"""

(path,) = sys.argv[1:]
report(began, lambda: duckdb.connect().execute(QUERY.format(path)).fetchall(), "duckdb")
