"""A second release in a running process, of a frame in memory: charge, count and noise, beside the bare query.

Both are asked again in turns, of an engine that is started; the ledger is in a file, as it is for a custodian.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import duckdb

import reaedp
from harness.stopwatch import best, peak_megabytes, versions

ROUNDS = 20
QUERY = """
SELECT CASE WHEN x IS NULL THEN 30 WHEN isnan(x) THEN 31 WHEN x <= 0 THEN 0 WHEN x >= 100 THEN 29
            ELSE floor((x - 0) / (100 - 0) * 30)::INTEGER END AS bin, count(*)
FROM frame GROUP BY bin
"""
X = reaedp.Number(name="x", lower=0, upper=100, bins=30, provenance="public")

frame = duckdb.read_parquet(sys.argv[1]).df()
with tempfile.TemporaryDirectory() as folder:
    contract = reaedp.Contract(
        dataset="bench",
        unit=reaedp.Unit("add-remove"),
        budget=reaedp.Budget(1000.0, 1e-6),
        ledger=str(Path(folder) / "budget.sqlite"),
        columns=(X,),
    )
    reaedp.Ledger.create(contract.ledger).close()
    curator, connection = reaedp.Curator(contract, frame), duckdb.connect()
    jobs = {
        "release": lambda: curator.release(reaedp.Marginal("x"), reaedp.Laplace(0.5)),
        "query": lambda: connection.execute(QUERY).fetchall(),
    }
    for job in jobs.values():  # the first time of each is not the second
        job()
    processor = best(jobs, ROUNDS, time.process_time)
print(json.dumps(processor | {"peak_mb": peak_megabytes(), "versions": versions("reaedp", "duckdb", "opendp")}))
