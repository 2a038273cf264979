"""How long a charge waits when many processes write to one ledger file at once.

    python benchmarks/ledger_writers.py [--processes 32] [--charges 20]

Every process makes its charges one after another, all processes at once. Beside it the same without the queue: SQLite
alone lets go first whoever asks at the right moment. In a queue everyone waits for all the others once, so that the
median grows with their number; what counts is the slowest, which must stay far from the 30 seconds of patience.
"""

import argparse
import dataclasses
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import numpy as np

import reaedp.privacy.sqlite_file  # noqa: F401 - otherwise each process would import it while it is measured
from harness.ledger import ledger_in
from harness.peer import DATA
from harness.row import Row
from harness.script import parser, present
from reaedp.privacy.budget import Budget
from reaedp.privacy.ledger import Charge, Ledger
from reaedp.privacy.loss import Pure
from reaedp.privacy.unit import Unit

ROWS = Unit("add-remove")
ONE = Charge("crowd", "histogram of age", "some noise", (Pure(0.001),), ROWS, "0" * 64)
SHARES = {"median": 50, "95 % are done after": 95, "slowest": 100}


def work(place: str, charges: int, fair: bool, gate: int, out: Path) -> None:
    """Wait for the gate to open, then charge, and write down how long each charge took."""
    taken = []
    with Ledger.open(place) as book:
        if not fair:
            book._storage = dataclasses.replace(book._storage, turn=nullcontext)  # noqa: SLF001
        os.read(gate, 1)
        for _ in range(charges):
            start = time.perf_counter()
            book.charge([ONE])
            taken.append(time.perf_counter() - start)
    out.write_text(json.dumps(taken))


def crowd(folder: Path, processes: int, charges: int, *, fair: bool) -> list[float]:
    """The seconds of every charge of all processes."""
    place = ledger_in(folder)
    with Ledger.open(place) as book:
        book.register("crowd", Budget(1e6, 1e-6), ROWS)
    gate, opener = os.pipe()
    children = []
    for number in range(processes):
        child = os.fork()
        if child == 0:
            os.close(opener)
            try:
                work(place, charges, fair, gate, folder / f"{number}.json")
            except BaseException as error:
                print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
                os._exit(1)
            os._exit(0)
        children.append(child)
    time.sleep(0.1 * processes)  # all have opened it by then; who has not comes a little later
    os.close(opener)
    failed = sum(os.waitpid(child, 0)[1] != 0 for child in children)
    if failed:
        print(f"{failed} of {processes} processes gave up", file=sys.stderr)
    return [taken for path in folder.glob("*.json") for taken in json.loads(path.read_text())]


def rows(options: argparse.Namespace) -> Iterator[Row]:
    DATA.mkdir(parents=True, exist_ok=True)
    charges = 5 if options.quick else options.charges
    found = {}
    for fair in (True, False):
        with tempfile.TemporaryDirectory(dir=DATA) as folder:
            found[fair] = crowd(Path(folder), options.processes, charges, fair=fair)
    for what, share in SHARES.items():
        ours, theirs = (float(np.percentile(found[fair], share)) * 1000 for fair in (True, False))
        yield Row(section=f"{options.processes} processes with {charges} charges each on one file", what=what,
                  against="without a queue", ours=ours, theirs=theirs, unit="ms", limit=True)  # fmt: skip


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--processes", type=int, default=32)
    options.add_argument("--charges", type=int, default=20)
    present(options.parse_args(), rows)


if __name__ == "__main__":
    main()
