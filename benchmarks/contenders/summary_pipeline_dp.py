"""PipelineDP's local backend: sums and means of public partitions, from its own accountant; one row a person."""

import json
import math
import sys

import numpy as np
import pipeline_dp

path, groups, lower, upper, epsilon, runs = sys.argv[1], int(sys.argv[2]), *map(float, sys.argv[3:6]), int(sys.argv[6])
values = np.clip(np.load(path), lower, upper)
rows = list(zip((np.arange(len(values)) % groups).tolist(), values.tolist(), strict=True))
counts = np.bincount(np.arange(len(values)) % groups, minlength=groups)
sums = np.bincount(np.arange(len(values)) % groups, values, groups)
EXTRACTORS = pipeline_dp.DataExtractors(partition_extractor=lambda row: row[0], value_extractor=lambda row: row[1])
WANTED = pipeline_dp.AggregateParams(
    metrics=[pipeline_dp.Metrics.SUM, pipeline_dp.Metrics.MEAN],
    noise_kind=pipeline_dp.NoiseKind.LAPLACE,
    max_partitions_contributed=1,
    max_contributions_per_partition=1,
    min_value=lower,
    max_value=upper,
    contribution_bounds_already_enforced=True,
)
errors = []
for _ in range(runs):
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=1e-9)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    found = engine.aggregate(rows, WANTED, EXTRACTORS, public_partitions=list(range(groups)))
    accountant.compute_budgets()
    told = dict(found)
    mean = np.array([told[group].mean for group in range(groups)])
    total = np.array([told[group].sum for group in range(groups)])
    errors.append([((mean - sums / counts) ** 2).mean(), ((total - sums) ** 2).mean()])
mean, total = np.mean(errors, axis=0)
print(json.dumps({"mean": math.sqrt(mean), "sum": math.sqrt(total), "runs": runs}))
