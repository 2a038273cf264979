"""OpenDP: noisy counts and noisy clamped sums of all groups, each for half of ε; the mean is their quotient.

Its own mean and variance are of data of a public size, of which a row is replaced; each is for all of ε.
"""

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


def of_public_size(transformation, part: np.ndarray):
    """What a transformation of a group's rows tells, and the least Laplace noise that hides one row replaced."""
    domain = dp.vector_domain(dp.atom_domain(bounds=(lower, upper), nan=False), size=len(part))
    found = transformation(domain, dp.symmetric_distance())
    noise = dp.m.make_laplace(found.output_domain, found.output_metric, scale=found.map(2) / epsilon)
    return found(part.tolist()), noise


def replaced(transformation) -> float:
    """The error of one figure over all groups and runs."""
    made = [of_public_size(transformation, values[group::groups]) for group in range(groups)]
    return float(np.sqrt(np.mean([(noise(exact) - exact) ** 2 for exact, noise in made for _ in range(runs)])))


errors = []
for _ in range(runs):
    total, count = np.array(of_sums(sums.tolist())), np.array(of_counts(counts.tolist()))
    mean = np.clip(total / np.maximum(count, 1.0), lower, upper)
    errors.append([((mean - sums / counts) ** 2).mean(), ((total - sums) ** 2).mean()])
mean, total = np.sqrt(np.mean(errors, axis=0)).tolist()
sized, squares = replaced(dp.t.make_mean), replaced(lambda *space: dp.t.make_variance(*space, ddof=0))
found = {"mean": mean, "sum": total, "mean alone": mean, "variance alone": squares}
found |= {"mean alone, rows replaced": sized, "variance alone, rows replaced": squares}
print(json.dumps(found | {"how": "its noise on exact aggregates; variances with the number of rows public"}))
