"""SmartNoise SQL: SUM and AVG of each group in one query; its ε is for each noisy column, of which there are two."""

import json
import math
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
errors = []
for _ in range(runs):
    # The mean is the sum by the count: each of these two columns gets half.
    privacy = Privacy(epsilon=epsilon / 2, delta=1e-9)
    reader = from_df(frame, privacy=privacy, metadata={"": {"data": {"rows": table}}})
    rows = reader.execute("SELECT g, SUM(x) AS s, AVG(x) AS m FROM data.rows GROUP BY g")[1:]
    told = {int(row[0]): row for row in rows}
    mean = np.clip([float(told[group][2]) for group in range(groups)], lower, upper)
    total = np.array([float(told[group][1]) for group in range(groups)])
    errors.append([((mean - sums / counts) ** 2).mean(), ((total - sums) ** 2).mean()])
mean, total = np.mean(errors, axis=0)
print(json.dumps({"mean": math.sqrt(mean), "sum": math.sqrt(total), "runs": runs}))
