"""Large histograms: one column of many cells, and six columns with as many cells in all.

    python benchmarks/cells.py

Beside it stands the noise library's own time for that many draws, which it makes one by one, shared among the cores.
"""

import argparse
import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import numpy as np
import opendp.prelude as dp

from harness.ledger import ledger_in
from harness.row import Row
from harness.script import parser, present
from harness.stopwatch import best
from reaedp import Budget, Contract, Curator, Integer, Laplace, Marginal, Unit

ROWS, GOAL = 1_000_000, 1.2


def library(cells: int) -> None:
    """As many draws, in as many threads as there are cores."""
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    sample = dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale=2.0)
    cores = os.cpu_count() or 1
    with ThreadPoolExecutor(cores) as pool:
        list(pool.map(sample, [chunk.tolist() for chunk in np.array_split(np.zeros(cells, dtype=np.int64), cores)]))


def ours(columns: tuple[Integer, ...], data: Path, folder: str) -> None:
    contract = Contract(
        dataset="cells",
        unit=Unit("add-remove"),
        budget=Budget(100.0, 1e-6),
        ledger=ledger_in(folder),
        columns=columns,
    )
    Curator(contract, data).release(Marginal(*(column.name for column in columns)), Laplace(0.5))


def integer(name: str, size: int) -> Integer:
    return Integer(name=name, lower=0, upper=size - 1, provenance="public", null="drop", nan="drop", unparsable="drop")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    digits = 4 if options.quick else 6
    cells = 10**digits
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "cells.parquet"
        columns = ", ".join(f"(random() * 10)::INTEGER % 10 AS d{i}" for i in range(digits))
        duckdb.execute(f"COPY (SELECT (random() * {cells})::INTEGER AS x, {columns} FROM range({ROWS})) TO '{data}'")
        for what, declared in {
            f"one column, {cells:,} cells": (integer("x", cells),),
            f"{digits} columns, {cells:,} cells": tuple(integer(f"d{i}", 10) for i in range(digits)),
        }.items():
            found = best(
                {
                    "library": lambda: library(cells),
                    "ours": lambda declared=declared: ours(declared, data, folder),
                },
                2,
            )
            yield Row(section="Noise for many cells", what=what, against="the noise library, all cores",
                      ours=found["ours"], theirs=found["library"],
                      goal=None if options.quick else GOAL)  # fmt: skip


def main() -> None:
    present(parser(__doc__).parse_args(), rows)


if __name__ == "__main__":
    main()
