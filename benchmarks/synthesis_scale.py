"""How long synthetic records take: Adult from file to rows, wide tables, many rows in and many rows out.

    REAEDP_DATA=folder python benchmarks/synthesis_scale.py [--jobs adult "100 columns" …] [--against SRC]

The folder holds adult.csv and adult-domain.json. Each job runs in a process of its own, so that imports count; seconds
are of the processor, of all cores. With --against the same jobs run in turns with the package of another folder, such
as the src of an earlier commit. Wide tables are made up, as in benchmarks/synthesis_shapes.py. ε = 1, δ = 10^-6.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from harness.table import show

SOURCE = Path(__file__).resolve().parent.parent / "src"
MANY = 10_000_000


def adult() -> None:
    """From the file to as many synthetic rows."""
    from reaedp import Budget, Contract, Unit
    from reaedp.curator.records import Records
    from reaedp.mechanisms.noise import SecretNoise
    from reaedp.statistics.marginal import counting_sensitivity
    from reaedp.synthesis.marginal_model import MarginalModel
    from reaedp.synthesis.synthetic import RecordsToAsk
    from synthesis import DELTA, ORDERED, declared

    folder = Path(os.environ["REAEDP_DATA"])
    domain = json.loads((folder / "adult-domain.json").read_text())
    columns = tuple(declared(name, size, name in ORDERED) for name, size in domain.items())
    terms = Contract(
        dataset="adult", unit=Unit("add-remove"), budget=Budget(100.0, 1e-5), ledger="unused", columns=columns
    )
    network = MarginalModel.within(1.0, DELTA, terms, tuple(domain))
    records = Records(terms, folder / "adult.csv")
    with records.at_once(tuple(domain)):  # as the curator does
        network.apply(RecordsToAsk(records, tuple(domain), 48_842), counting_sensitivity(terms.unit), SecretNoise())


def wide(columns: int, rows: int) -> None:
    """A model of a made-up table, and as many rows."""
    from synthesis_shapes import factors, released

    released(factors(columns, rows, np.random.default_rng(1)), 1.0, 0)


def rows_in() -> None:
    """A model of ten columns of so many rows of a Parquet file."""
    import duckdb

    from growth import contract, digit
    from reaedp.curator.records import Records
    from reaedp.mechanisms.noise import SecretNoise
    from reaedp.statistics.marginal import counting_sensitivity
    from reaedp.synthesis.marginal_model import MarginalModel

    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "rows.parquet"
        made = ", ".join(f"(hash(i // {3 + place}) % 10)::TINYINT AS c{place}" for place in range(10))
        duckdb.execute(f"COPY (SELECT {made} FROM range({MANY}) t(i)) TO '{data}'")
        terms = contract(tuple(digit(f"c{place}", 10) for place in range(10)), Path(folder))
        names = tuple(column.name for column in terms.columns)
        network = MarginalModel.within(1.0, 1e-6, terms, names)
        network.learn(
            Records(terms, data), names, counting_sensitivity(terms.unit), SecretNoise(), lambda _: None, refine=True
        )


def rows_out() -> None:
    """So many rows of cells drawn from a model of ten columns; the model's own time is in it."""
    from growth import learned

    with tempfile.TemporaryDirectory() as folder:
        learned(10, Path(folder))().rows(MANY, np.random.default_rng(1))


#: Each job with the seconds that it may take.
JOBS: dict[str, tuple[Callable[[], None], float | None]] = {
    "adult": (adult, 2.0),
    "50 columns": (lambda: wide(50, 20_000), None),
    "100 columns": (lambda: wide(100, 20_000), 60.0),
    "100 columns, 2,000 rows": (lambda: wide(100, 2_000), 60.0),
    "300 columns, 2,000 rows": (lambda: wide(300, 2_000), None),
    "300 columns": (lambda: wide(300, 20_000), None),
    "ten million rows in": (rows_in, None),
    "ten million rows out": (rows_out, 10.0),
}


def measured(job: str, source: Path) -> tuple[float, float]:
    """Seconds of the processor and megabytes of a process of its own."""
    path = os.pathsep.join([str(source), str(Path(__file__).parent)])
    done = subprocess.run(
        [sys.executable, __file__, "--only", job],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        check=True,
    )
    seconds, megabytes = json.loads(done.stdout.decode().strip().splitlines()[-1])
    return seconds, megabytes


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--jobs", nargs="+", choices=JOBS, default=list(JOBS))
    options.add_argument("--against", type=Path, metavar="SRC")
    options.add_argument("--only", choices=JOBS, help="this job, in this process")
    chosen = options.parse_args()
    if chosen.only:
        JOBS[chosen.only][0]()
        print(json.dumps([time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
        return
    lines: list[list[object]] = []
    for job in chosen.jobs:
        before = f"{measured(job, chosen.against)[0]:.1f}" if chosen.against else ""
        seconds, megabytes = measured(job, SOURCE)
        lines.append([job, before, f"{seconds:.1f}", JOBS[job][1] or "", f"{megabytes:,.0f}"])
        # Long jobs follow: what is known by now shall not be lost with them.
        print(*lines[-1], sep="\t", file=sys.stderr, flush=True)
    load = os.getloadavg()[0]
    show(
        f"Seconds of the processor, {os.cpu_count()} cores, load {load:.1f}", ["", "before", "now", "goal", "MB"], lines
    )


if __name__ == "__main__":
    main()
