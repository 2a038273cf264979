"""Processor time, peak memory and file sizes of releases of neighbours.

    python benchmarks/neighbours.py [--rows 1000000]

Each table is released in a process of its own, so that peaks are its own. Sizes are those of all files in the release
folder, made with noise that forgets its input: files whose sizes differ then would tell about rows.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OTHERS = 1_000


def main() -> None:
    """One line for each neighbour."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the person who has many")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measured(Path(options.measure))))
        return
    print("| one person more | seconds of the processor | peak, MB | bytes in the folder |")
    print("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        for label, rows in neighbours(options.rows).items():
            path = Path(name) / "table.csv"
            path.write_text("person,age,job\n" + "".join(f"p{i},{i % 100},clerk\n" for i in range(OTHERS)) + rows)
            found = json.loads(subprocess.check_output([sys.executable, __file__, "--measure", str(path)]))
            print(f"| {label} | {found['seconds']:.2f} | {found['peak']:.0f} | {found['bytes']:,} |", flush=True)


def neighbours(rows: int) -> dict[str, str]:
    """What one person adds to the file."""
    return {
        "nobody": "",
        "one row": "q,50,clerk\n",
        f"{rows:,} rows": "q,50,clerk\n" * rows,
        f"{rows:,} different rows": "".join(f"q,{i % 100},clerk\n" for i in range(rows)),
        "a text of 1 MB": f"q,50,{'x' * 1_000_000}\n",
        "an outlier": "q,1e308,clerk\n",
        "null": "q,,\n",
        "unparsable": 'q,"1,2;3",\n',
    }


def measured(path: Path) -> dict[str, float]:
    """One release of a histogram of two columns, after another that is not counted, which loads the libraries."""
    import numpy as np

    from reaedp import Budget, Category, Contract, Laplace, Ledger, Marginal, Number, Unit
    from reaedp.audits.constant_noise import ConstantNoise
    from reaedp.curator.curator import Curator
    from reaedp.plan.request import Request
    from reaedp.release.folder import expected_bytes, new_folder

    columns = (
        Number(name="age", lower=0, upper=100, bins=10, provenance="public"),
        Category(name="job", levels=("clerk", "nurse"), provenance="public"),
    )
    request = Request("audited", Marginal("age", "job"), Laplace(1.0))
    started = 0.0
    for turn in ("first", "second"):
        contract = Contract(
            dataset="made up",
            unit=Unit("add-remove", person="person", max_rows=3),
            budget=Budget(10.0, 1e-6),
            ledger=str(path.parent / f"{path.stem}.{turn}.{time.time_ns()}.sqlite"),
            columns=columns,
        )
        Ledger.create(contract.ledger).close()
        data = path if turn == "second" else _small(path)
        started = time.process_time()
        curator = Curator(contract, data, noise=ConstantNoise(7, np.random.default_rng(0)))
        out = path.parent / f"{turn}.{time.time_ns()}"
        with new_folder(out, expected_bytes(contract, [request.statistic])) as folder:
            folder.write(contract, curator.release_all([request]))
        curator.ledger.close()
    return {
        "seconds": time.process_time() - started,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "bytes": sum(file.stat().st_size for file in out.iterdir()),
    }


def _small(path: Path) -> Path:
    small = path.with_name("small.csv")
    small.write_text("person,age,job\np,1,clerk\n")
    return small


if __name__ == "__main__":
    main()
