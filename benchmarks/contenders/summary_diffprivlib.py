"""diffprivlib: its mean and its sum of each group, each for half of ε, and a mean and a variance for all of it.

Mean and variance take the number of rows for public, which promises less.
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
        mean = tools.mean(part, epsilon=epsilon / 2, bounds=(lower, upper)) - part.mean()
        total = tools.sum(part, epsilon=epsilon / 2, bounds=(lower, upper)) - part.sum()
        alone = tools.mean(part, epsilon=epsilon, bounds=(lower, upper)) - part.mean()
        squares = tools.var(part, epsilon=epsilon, bounds=(lower, upper)) - part.var()
        errors.append([mean**2, total**2, alone**2, squares**2])
mean, total, alone, squares = np.sqrt(np.mean(errors, axis=0)).tolist()
found = {"mean": mean, "sum": total, "mean alone": alone, "variance alone": squares}
found |= {"mean alone, rows replaced": alone, "variance alone, rows replaced": squares}
print(json.dumps(found | {"how": "whole runs; the number of rows is public"}))
