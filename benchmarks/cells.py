"""Large histograms: one column of a million cells, and six columns with a million cells in all.

    python benchmarks/cells.py

The limit is the noise library's own time for that many draws, in one thread and shared among the cores.
"""

import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import numpy as np
import opendp.prelude as dp

from reaedp import Budget, Contract, Curator, Integer, Laplace, Marginal, Unit

CELLS = 1_000_000
ROWS = 1_000_000


def library(threads: int) -> float:
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    sample = dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale=2.0)
    chunks = [chunk.tolist() for chunk in np.array_split(np.zeros(CELLS, dtype=np.int64), threads)]
    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(sample, chunks))
    return time.perf_counter() - start


def ours(columns: tuple[Integer, ...], data: Path, folder: str) -> float:
    contract = Contract(
        dataset="cells",
        unit=Unit("add-remove"),
        budget=Budget(100.0, 1e-6),
        ledger=f"{folder}/budget.sqlite",
        columns=columns,
    )
    curator = Curator(contract, data)
    start = time.perf_counter()
    curator.release(Marginal(*(column.name for column in columns)), Laplace(0.5))
    return time.perf_counter() - start


def integer(name: str, size: int) -> Integer:
    return Integer(name=name, lower=0, upper=size - 1, provenance="public", null="drop", nan="drop", unparsable="drop")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "cells.parquet"
        digits = ", ".join(f"(random() * 10)::INTEGER % 10 AS d{i}" for i in range(6))
        duckdb.execute(f"COPY (SELECT (random() * {CELLS})::INTEGER AS x, {digits} FROM range({ROWS})) TO '{data}'")
        one, two = (min(library(threads) for _ in range(2)) for threads in (1, 2))
        print(f"noise library, {CELLS:,} draws: {one:.1f} s on one core, {two:.1f} s on two")
        for title, columns in {
            "one column, 1,000,000 cells": (integer("x", CELLS),),
            "six columns, 10^6 cells": tuple(integer(f"d{i}", 10) for i in range(6)),
        }.items():
            seconds = min(ours(columns, data, folder) for _ in range(2))
            print(f"{title}: {seconds:.1f} s = {seconds / two:.2f} × the library on two cores (goal: at most 1.2)")


if __name__ == "__main__":
    main()
