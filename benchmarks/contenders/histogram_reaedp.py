"""Our release: charge, count, noise; of a file also the release folder, of a frame in memory the numbers alone.

The ledger exists before the clock starts, as it does for a custodian. The audit on made-up data and the page for people
are left out, which no peer has: they take a fixed second or two, whatever the data.
"""

import sys
import tempfile
import time
from pathlib import Path

began = time.perf_counter()
import duckdb  # noqa: E402
import numpy as np  # noqa: E402

import reaedp  # noqa: E402
from harness.stopwatch import report  # noqa: E402
from reaedp.mechanisms.noise import SecretNoise  # noqa: E402

path, place = sys.argv[1:]
X = reaedp.Number(name="x", lower=0, upper=100, bins=30, provenance="public")
HISTOGRAM = reaedp.PlannedRelease(name="x", kind="histogram", columns=("x",), mechanism="laplace", epsilon=0.5)

with tempfile.TemporaryDirectory() as folder:
    contract = reaedp.Contract(
        dataset="bench",
        unit=reaedp.Unit("add-remove"),
        budget=reaedp.Budget(1000.0, 1e-6),
        ledger=f"{folder}/budget.sqlite",
        columns=(X,),
    )
    plan = reaedp.Plan(contract, (HISTOGRAM,))

    def from_file() -> None:
        with tempfile.TemporaryDirectory(dir=folder) as out:
            reaedp.publish(plan, path, Path(out) / "release", audited=False, page=False)

    def from_memory() -> None:
        reaedp.Curator(contract, frame).release(reaedp.Marginal("x"), reaedp.Laplace(0.5))

    reaedp.Ledger.create(contract.ledger).register(contract.dataset, contract.budget, contract.unit)
    SecretNoise().laplace(np.zeros(1, dtype=np.int64), 1.0)  # imports the noise library
    frame = duckdb.read_parquet(path).df() if place == "memory" else None
    report(began, from_memory if place == "memory" else from_file, "reaedp", "duckdb", "opendp")
