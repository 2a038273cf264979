"""OpenDP: noisy counts and noisy clamped sums of all groups, each for half of ε; the mean is their quotient."""

import json
import sys

import numpy as np
import opendp.prelude as dp

dp.enable_features("contrib", "floating-point")
path, groups, lower, upper, epsilon, runs = sys.argv[1], int(sys.argv[2]), *map(float, sys.argv[3:6]), int(sys.argv[6])
values = np.clip(np.load(path), lower, upper)
place = np.arange(len(values)) % groups
sums, counts = np.bincount(place, values, groups), np.bincount(place, minlength=groups).astype(float)


def hidden(scale: float):
    """Laplace noise on a number for each group, of which one person changes one."""
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
    return dp.m.make_laplace(*space, scale=scale)


of_sums, of_counts = hidden(max(abs(lower), abs(upper)) * 2 / epsilon), hidden(2 / epsilon)
errors = []
for _ in range(runs):
    total, count = np.array(of_sums(sums.tolist())), np.array(of_counts(counts.tolist()))
    mean = np.clip(total / np.maximum(count, 1.0), lower, upper)
    errors.append([((mean - sums / counts) ** 2).mean(), ((total - sums) ** 2).mean()])
mean, total = np.sqrt(np.mean(errors, axis=0)).tolist()
print(json.dumps({"mean": mean, "sum": total, "mean alone": mean, "how": "sums and counts computed once"}))
