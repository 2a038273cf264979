"""Tumult Analytics: an average and a sum of each group for half of ε each; an average and a variance for all.

A session on Spark takes many seconds for a run. So the exact aggregates are computed once, and what is repeated is its
own noise, with the scales of its own measurements (tmlt.core.measurements.aggregations): an average is a count and a
sum of distances from the middle of the range, each for half of what it is given, a sum is one of clamped values, a
variance needs a sum of squares besides, and each gets a third.
"""

import json
import sys

import numpy as np
from tmlt.core.domains.numpy_domains import NumpyFloatDomain
from tmlt.core.measurements.noise_mechanisms import AddLaplaceNoise

path, groups, lower, upper, epsilon, runs = sys.argv[1], int(sys.argv[2]), *map(float, sys.argv[3:6]), int(sys.argv[6])
values = np.clip(np.load(path), lower, upper)
place = np.arange(len(values)) % groups
counts, sums = np.bincount(place, minlength=groups).astype(float), np.bincount(place, values, groups)
squares, exact = np.bincount(place, values**2, groups), np.array([values[place == one].var() for one in range(groups)])
# Squares lie between 0 and the largest one, as 0 lies within the bounds.
middle, half, half_square = (lower + upper) / 2, (upper - lower) / 2, max(lower**2, upper**2) / 2


def hidden(exact: np.ndarray, width: float, part: float) -> np.ndarray:
    """Numbers of which one row moves one by this width at most, for this part of ε."""
    noise = AddLaplaceNoise(NumpyFloatDomain(), f"{width / (epsilon * part):.17g}")
    return np.array([noise(np.float64(number)) for number in exact])


def averages(part: float) -> np.ndarray:
    distances = hidden(sums - middle * counts, half, part / 2)
    return distances / np.maximum(hidden(counts, 1.0, part / 2), 1.0) + middle


def variances() -> np.ndarray:
    """The mean of squares less the square of the mean, from noisy distances from the middle of each range."""
    rows = np.maximum(hidden(counts, 1.0, 1 / 3), 1.0)
    centre = hidden(sums - middle * counts, half, 1 / 3) / rows + middle
    return hidden(squares - half_square * counts, half_square, 1 / 3) / rows + half_square - centre**2


errors = []
for _ in range(runs):
    found = averages(0.5) - sums / counts, hidden(sums, max(abs(lower), abs(upper)), 0.5) - sums
    errors.append([(one**2).mean() for one in (*found, averages(1.0) - sums / counts, variances() - exact)])
mean, total, alone, squared = np.sqrt(np.mean(errors, axis=0)).tolist()
found = {"mean": mean, "sum": total, "mean alone": alone, "variance alone": squared}
print(json.dumps(found | {"how": "its noise on exact aggregates"}))
