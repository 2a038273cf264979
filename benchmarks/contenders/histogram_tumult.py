"""Tumult Analytics on a local Spark with all cores; the session of Spark is started before the clock."""

import os
import sys
import time

began = time.perf_counter()
os.environ["PYSPARK_PYTHON"] = sys.executable  # its noise is drawn by Python processes of the same environment
from pyspark.sql import SparkSession  # noqa: E402
from tmlt.analytics import AddOneRow, BinningSpec, KeySet, PureDPBudget, QueryBuilder, Session  # noqa: E402

from harness.stopwatch import report  # noqa: E402

path, place = sys.argv[1:]
spark = (
    SparkSession.builder.master("local[*]")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.driver.memory", "8g")
    .config("spark.sql.shuffle.partitions", "4")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")
EDGES = BinningSpec([100 * i / 30 for i in range(31)], right=False, names=list(range(30)))
KEYS = KeySet.from_dict({"bin": list(range(30))})


def read():
    return spark.read.parquet(path) if path.endswith(".parquet") else spark.read.csv(path, header=True, schema=SCHEMA)


SCHEMA = "x DOUBLE, y INT"
frame = read().cache() if place == "memory" else None
if frame is not None:
    frame.count()


def job() -> None:
    rows = (read() if frame is None else frame).select("x")
    session = Session.from_dataframe(PureDPBudget(0.5), "rows", rows, protected_change=AddOneRow())
    query = QueryBuilder("rows").bin_column("x", EDGES, name="bin").groupby(KEYS).count()
    session.evaluate(query, PureDPBudget(0.5)).collect()


report(began, job, "tmlt.analytics", "pyspark")
