"""PipelineDP's local backend: a noisy count for each of 30 public partitions."""

import sys
import time

began = time.perf_counter()
import pandas as pd  # noqa: E402
import pipeline_dp  # noqa: E402

from harness.stopwatch import report  # noqa: E402

path, place = sys.argv[1:]


def read() -> list[float]:
    if path.endswith(".parquet"):
        return pd.read_parquet(path, columns=["x"])["x"].tolist()
    return pd.read_csv(path, usecols=["x"], engine="pyarrow")["x"].tolist()


values = read() if place == "memory" else None
EXTRACTORS = pipeline_dp.DataExtractors(
    partition_extractor=lambda x: min(max(int(x * 0.3), 0), 29), value_extractor=lambda _: 0
)
COUNT = pipeline_dp.AggregateParams(
    metrics=[pipeline_dp.Metrics.COUNT],
    noise_kind=pipeline_dp.NoiseKind.LAPLACE,
    max_partitions_contributed=1,
    max_contributions_per_partition=1,
    contribution_bounds_already_enforced=True,  # every row is a person, which spares it the sampling by person
)


def job() -> None:
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=0.5, total_delta=1e-7)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    rows = read() if values is None else values
    found = engine.aggregate(rows, COUNT, EXTRACTORS, public_partitions=list(range(30)))
    accountant.compute_budgets()
    assert len(list(found)) == 30


report(began, job, "pipeline-dp", "python-dp")
