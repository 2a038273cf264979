"""How long a charge waits when many processes write to one ledger file at once.

    python benchmarks/ledger_writers.py [--processes 32] [--charges 20]

Every process makes its charges one after another, all processes at once. Beside it the same without the queue: SQLite
alone lets go first whoever asks at the right moment. In a queue everyone waits for all the others once, so that the
median is their number times the time of one charge, which is measured first, by a process alone. What counts is the
slowest, which must stay far from the 30 seconds of patience, and that a queue does not make all of them slower.
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

from harness.ledger import ledger_in
from harness.peer import DATA
from harness.row import Row
from harness.script import parser, present
from reaedp.ledger.ledger import Charge, Ledger
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import PureDP
from reaedp.privacy.unit import Unit

ROWS = Unit("add-remove")
ONE = Charge("crowd", "histogram of age", "some noise", (PureDP(0.001),), ROWS, "0" * 64)
SHARES = {"median": 50, "95 % are done after": 95, "slowest": 100}


def work(place: str, charges: int, out: Path, *, fair: bool, ready: int, gate: int) -> None:
    """Open the ledger, wait for the gate, then charge, and write down when each charge began and ended."""
    taken = []
    with Ledger.open(place) as book:
        if not fair:
            book._storage = dataclasses.replace(book._storage, turn=nullcontext)  # noqa: SLF001
        os.write(ready, b".")
        os.read(gate, 1)
        for _ in range(charges):
            start = time.perf_counter()
            book.charge([ONE])
            taken.append((start, time.perf_counter()))
    out.write_text(json.dumps(taken))


@dataclasses.dataclass(frozen=True)
class Crowd:
    """When every charge of all processes began and ended."""

    spans: np.ndarray

    @classmethod
    def watched(cls, folder: Path, processes: int, charges: int, *, fair: bool) -> "Crowd":
        place = ledger_in(folder)
        with Ledger.open(place) as book:
            book.register("crowd", Budget(1e6, 1e-6), ROWS)
            book.charge([ONE])  # so that no process has to import what a first charge needs while it is measured
        (gate, opener), (waiting, ready) = os.pipe(), os.pipe()
        children = []
        for number in range(processes):
            child = os.fork()
            if child == 0:
                os.close(opener)
                try:
                    work(place, charges, folder / f"{number}.json", fair=fair, ready=ready, gate=gate)
                except BaseException as error:
                    print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
                    os._exit(1)
                os._exit(0)
            children.append(child)
        os.close(ready)
        for _ in children:
            os.read(waiting, 1)  # nothing from a child that failed before it was ready
        os.close(opener)
        failed = sum(os.waitpid(child, 0)[1] != 0 for child in children)
        if failed:
            print(f"{failed} of {processes} processes gave up", file=sys.stderr)
        return cls(np.array([span for path in folder.glob("*.json") for span in json.loads(path.read_text())]))

    def milliseconds(self, share: float) -> float:
        """So many per cent of the charges are done after this time."""
        return float(np.percentile(self.spans[:, 1] - self.spans[:, 0], share)) * 1000

    @property
    def each_second(self) -> float:
        """Charges of all processes together."""
        return len(self.spans) / float(self.spans[:, 1].max() - self.spans[:, 0].min())


def crowd(processes: int, charges: int, *, fair: bool) -> Crowd:
    DATA.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=DATA) as folder:
        return Crowd.watched(Path(folder), processes, charges, fair=fair)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    charges = 5 if options.quick else options.charges
    counts = {processes: charges * (options.processes if processes == 1 else 1) for processes in (1, options.processes)}
    for processes, each in counts.items():
        ours, theirs = (crowd(processes, each, fair=fair) for fair in (True, False))
        title = f"{processes} process{'es' if processes > 1 else ''} with {each} charges each on one file"
        about = {"section": title, "against": "without a queue", "limit": True}
        for what, share in SHARES.items():
            yield Row(what=what, ours=ours.milliseconds(share), theirs=theirs.milliseconds(share), unit="ms", **about)
        yield Row(
            what="charges in a second",
            ours=ours.each_second,
            theirs=theirs.each_second,
            unit="charges",
            more=True,
            **about,
        )


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--processes", type=int, default=32)
    options.add_argument("--charges", type=int, default=20)
    present(options.parse_args(), rows)


if __name__ == "__main__":
    main()
