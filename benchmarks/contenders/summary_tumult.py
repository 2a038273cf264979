"""Tumult Analytics on a local Spark: an average and a sum of each group, each for half of ε."""

import json
import math
import os
import sys

os.environ["PYSPARK_PYTHON"] = sys.executable
import numpy as np
import pandas as pd
from pyspark.sql import SparkSession
from tmlt.analytics import AddOneRow, KeySet, PureDPBudget, QueryBuilder, Session

path, groups, lower, upper, epsilon, runs = sys.argv[1], int(sys.argv[2]), *map(float, sys.argv[3:6]), int(sys.argv[6])
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.sql.shuffle.partitions", "1")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")
values = np.clip(np.load(path), lower, upper)
place = np.arange(len(values)) % groups
counts, sums = np.bincount(place, minlength=groups), np.bincount(place, values, groups)
rows = spark.createDataFrame(pd.DataFrame({"g": place.astype("int64"), "x": values})).coalesce(1).cache()
rows.count()
keys, budget = KeySet.from_dict({"g": list(range(groups))}), PureDPBudget(epsilon / 2)
errors = []
for _ in range(runs):
    session = Session.from_dataframe(PureDPBudget(epsilon), "rows", rows, protected_change=AddOneRow())
    told = {}
    for name in ("average", "sum"):
        query = getattr(QueryBuilder("rows").groupby(keys), name)("x", low=lower, high=upper, name="found")
        found = session.evaluate(query, budget).toPandas().set_index("g")["found"]
        told[name] = found.loc[list(range(groups))].to_numpy(float)
    errors.append([((told["average"] - sums / counts) ** 2).mean(), ((told["sum"] - sums) ** 2).mean()])
mean, total = np.mean(errors, axis=0)
print(json.dumps({"mean": math.sqrt(mean), "sum": math.sqrt(total), "runs": runs}))
