# ruff: noqa: SLF001
"""SmartNoise SQL: SUM and AVG of each group in one query; its ε is for each noisy column, of which there are two.

Its rewritten query, the exact aggregates of that and the scale of its noise are found once, by itself, and are kept for
all runs: it looks for the scale for most of its time.
"""

import json
import sys

import numpy as np
import pandas as pd
from snsql import Privacy, from_df

path, groups, lower, upper, epsilon, runs = sys.argv[1], int(sys.argv[2]), *map(float, sys.argv[3:6]), int(sys.argv[6])
values = np.clip(np.load(path), lower, upper)
place = np.arange(len(values)) % groups
counts, sums = np.bincount(place, minlength=groups), np.bincount(place, values, groups)
frame = pd.DataFrame({"g": place, "x": values})
table = {
    "row_privacy": True,
    "rows": len(frame),
    "censor_dims": False,
    "g": {"type": "int", "lower": 0, "upper": max(groups - 1, 1)},
    "x": {"type": "float", "lower": lower, "upper": upper},
}
# The mean is the sum by the count: each of these two columns gets half.
reader = from_df(frame, privacy=Privacy(epsilon=epsilon / 2, delta=1e-9), metadata={"": {"data": {"rows": table}}})
query = reader.parse_query_string("SELECT g, SUM(x) AS s, AVG(x) AS m FROM data.rows GROUP BY g")
rewritten = reader._rewrite_ast(query)
mechanisms = reader._get_mechanisms(rewritten[0])
exact = reader._get_reader(rewritten[0])._execute_ast(rewritten[0])
reader._rewrite_ast, reader._get_mechanisms = lambda _: rewritten, lambda _: mechanisms
errors = []
for _ in range(runs):
    told = {int(row[0]): row for row in list(reader._execute_ast(query, pre_aggregated=exact))[1:]}
    mean = np.clip([float(told[group][2]) for group in range(groups)], lower, upper)
    total = np.array([float(told[group][1]) for group in range(groups)])
    errors.append([((mean - sums / counts) ** 2).mean(), ((total - sums) ** 2).mean()])
mean, total = np.sqrt(np.mean(errors, axis=0)).tolist()
print(json.dumps({"mean": mean, "sum": total, "mean alone": mean, "how": "its noise on exact aggregates"}))
