# ruff: noqa: SLF001
"""SmartNoise SQL: SUM and AVG of each group in one query, VAR in another.

Its ε is for each noisy column: a sum and a count; for VAR a sum of squares too.

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


def asked(figures: str, columns: int):
    """A query whose exact aggregates and mechanisms are kept, so that each call draws noise alone."""
    privacy = Privacy(epsilon=epsilon / columns, delta=1e-9)
    reader = from_df(frame, privacy=privacy, metadata={"": {"data": {"rows": table}}})
    query = reader.parse_query_string(f"SELECT g, {figures} FROM data.rows GROUP BY g")
    rewritten = reader._rewrite_ast(query)
    mechanisms = reader._get_mechanisms(rewritten[0])
    exact = reader._get_reader(rewritten[0])._execute_ast(rewritten[0])
    reader._rewrite_ast, reader._get_mechanisms = lambda _: rewritten, lambda _: mechanisms

    def told() -> np.ndarray:
        found = {int(row[0]): row for row in list(reader._execute_ast(query, pre_aggregated=exact))[1:]}
        return np.array([[float(cell) for cell in found[group][1:]] for group in range(groups)]).T

    return told


# The mean is the sum by the count: each of these two columns gets half.
both, squares = asked("SUM(x) AS s, AVG(x) AS m", 2), asked("VAR(x) AS v", 3)
variances = np.array([values[place == group].var() for group in range(groups)])
errors = []
for _ in range(runs):
    total, mean = both()
    mean, (square,) = np.clip(mean, lower, upper), squares()
    exact = (mean - sums / counts, total - sums, np.clip(square, 0, (upper - lower) ** 2 / 4) - variances)
    errors.append([(one**2).mean() for one in exact])
mean, total, square = np.sqrt(np.mean(errors, axis=0)).tolist()
found = {"mean": mean, "sum": total, "mean alone": mean, "variance alone": square}
print(json.dumps(found | {"how": "its noise on exact aggregates"}))
