"""Our release of a mean by groups: charge, sums, noise, intervals and the release folder.

The ledger exists before the clock starts; the audit on made-up data and the page for people are left out: they take a
fixed second or two, whatever the data.
"""

import sys
import tempfile
import time
from pathlib import Path

began = time.perf_counter()
import numpy as np  # noqa: E402

import reaedp  # noqa: E402
from harness.stopwatch import report  # noqa: E402
from reaedp.mechanisms.noise import SecretNoise  # noqa: E402

(path,) = sys.argv[1:]
MEAN = reaedp.PlannedSummary(
    name="x", kind="summary", of=("x",), by=("g",), statistics=("mean",), mechanism="laplace", epsilon=0.5
)

with tempfile.TemporaryDirectory() as folder:
    contract = reaedp.Contract(
        dataset="bench",
        unit=reaedp.Unit("add-remove"),
        budget=reaedp.Budget(1000.0, 1e-6),
        ledger=f"{folder}/budget.sqlite",
        columns=(
            reaedp.Number(name="x", lower=0, upper=100, bins=1, provenance="public"),
            reaedp.Integer(name="g", lower=1, upper=20, provenance="public"),
        ),
    )
    plan = reaedp.Plan(contract, (MEAN,))

    def released() -> None:
        with tempfile.TemporaryDirectory(dir=folder) as out:
            reaedp.publish(plan, path, Path(out) / "release", audited=False, page=False)

    reaedp.Ledger.create(contract.ledger).register(contract.dataset, contract.budget, contract.unit)
    SecretNoise().laplace(np.zeros(1, dtype=np.int64), 1.0)  # imports the noise library
    report(began, released, "reaedp", "duckdb", "opendp")
