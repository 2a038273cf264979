"""diffprivlib: its mean and its sum of each group, each for half of ε, and a mean for all of it.

Its mean takes the number of rows for public, which promises less.
"""

import json
import sys

import numpy as np
from diffprivlib import tools

path, groups, lower, upper, epsilon, runs = sys.argv[1], int(sys.argv[2]), *map(float, sys.argv[3:6]), int(sys.argv[6])
values = np.clip(np.load(path), lower, upper)
parts = [values[group::groups] for group in range(groups)]
errors = []
for _ in range(runs):
    for part in parts:
        mean = tools.mean(part, epsilon=epsilon / 2, bounds=(lower, upper))
        total = tools.sum(part, epsilon=epsilon / 2, bounds=(lower, upper))
        alone = tools.mean(part, epsilon=epsilon, bounds=(lower, upper))
        errors.append([(mean - part.mean()) ** 2, (total - part.sum()) ** 2, (alone - part.mean()) ** 2])
mean, total, alone = np.sqrt(np.mean(errors, axis=0)).tolist()
print(json.dumps({"mean": mean, "sum": total, "mean alone": alone, "how": "whole runs; the number of rows is public"}))
