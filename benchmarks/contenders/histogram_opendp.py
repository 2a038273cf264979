"""OpenDP's Polars context on the same column, as its guide shows it."""

import sys
import time

began = time.perf_counter()
import opendp.prelude as dp  # noqa: E402
import polars as pl  # noqa: E402

from harness.stopwatch import report  # noqa: E402

dp.enable_features("contrib")
EDGES = [100 * i / 30 for i in range(31)]

path, place = sys.argv[1:]
frame = pl.read_parquet(path) if place == "memory" else None


def rows() -> pl.LazyFrame:
    if frame is not None:
        return frame.lazy()
    return pl.scan_parquet(path) if path.endswith(".parquet") else pl.scan_csv(path)


def job() -> None:
    context = dp.Context.compositor(
        data=rows(),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=0.5, delta=1e-7),
        split_evenly_over=1,
        margins=[dp.polars.Margin(max_length=200_000_000, max_groups=40)],
    )
    binned = context.query().with_columns(pl.col("x").cut(EDGES, left_closed=True).alias("bin"))
    binned.group_by("bin").agg(dp.len(signed=True)).release().collect()


report(began, job, "opendp", "polars")
