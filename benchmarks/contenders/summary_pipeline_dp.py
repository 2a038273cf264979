"""PipelineDP: sums and means of public partitions, and variances alone, by its combiner and accountant.

A person has one row. Its local backend takes seconds to bring rows to the combiner, so that the combiner gets each
partition once and is asked for its noisy metrics again and again.
"""

import json
import sys

import numpy as np
import pipeline_dp
from pipeline_dp import combiners

path, groups, lower, upper, epsilon, runs = sys.argv[1], int(sys.argv[2]), *map(float, sys.argv[3:6]), int(sys.argv[6])
values = np.clip(np.load(path), lower, upper)
parts = [values[group::groups] for group in range(groups)]


def combined(*metrics):
    """The combiner of these metrics for all of ε, and what it holds of each group."""
    wanted = pipeline_dp.AggregateParams(
        metrics=list(metrics),
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
        min_value=lower,
        max_value=upper,
        contribution_bounds_already_enforced=True,
    )
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=1e-9)
    combiner = combiners.create_compound_combiner(wanted, accountant)
    accountant.compute_budgets()
    return combiner, [combiner.create_accumulator(part) for part in parts]


both, held = combined(pipeline_dp.Metrics.SUM, pipeline_dp.Metrics.MEAN)
squares, squared = combined(pipeline_dp.Metrics.VARIANCE)
errors = []
for _ in range(runs):
    told = [both.compute_metrics(one) for one in held]
    mean = np.mean([(one.mean - part.mean()) ** 2 for one, part in zip(told, parts, strict=True)])
    total = np.mean([(one.sum - part.sum()) ** 2 for one, part in zip(told, parts, strict=True)])
    found = [squares.compute_metrics(one).variance for one in squared]
    errors.append([mean, total, np.mean([(one - part.var()) ** 2 for one, part in zip(found, parts, strict=True)])])
mean, total, square = np.sqrt(np.mean(errors, axis=0)).tolist()
# A mean is made of a count and a sum for half of ε each, of which the sum is told without a charge.
found = {"mean": mean, "sum": total, "mean alone": mean, "variance alone": square}
print(json.dumps(found | {"how": "its combiner on each group's rows"}))
