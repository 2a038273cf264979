"""How fast the ledger charges, and whether that depends on how long it is.

    python benchmarks/ledger.py [--entries 100000]

A charge must be on the disk before noise is drawn, so that the limit is how many pages a second the disk takes, each
forced down before the next. The same for PostgreSQL on loopback, where it is installed.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness.peer import DATA
from harness.row import Row
from harness.script import parser, present
from harness.stopwatch import per_second, seconds
from reaedp.errors import BudgetRefused
from reaedp.ledger.ledger import Charge, Ledger
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import ApproxDP, GaussianDP, Loss, PureDP
from reaedp.privacy.unit import Unit

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from postgres import running_server

ROWS = Unit("add-remove")
SECONDS, RATE = 3.0, "/s"
MIX: tuple[Loss, ...] = (PureDP(0.001), GaussianDP(0.002), ApproxDP(0.001, 1e-13), PureDP(0.0005))


def charge(dataset: str, loss: Loss) -> Charge:
    return Charge(dataset, "histogram of age × sex", "some noise", (loss,), ROWS, "0" * 64)


def disk_rate(folder: Path) -> float:
    """Append a page and sync it, again and again, as a database's log does."""
    descriptor = os.open(folder / "pages", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    try:
        return per_second(lambda: (os.write(descriptor, b"x" * 4096), os.fdatasync(descriptor)), SECONDS)
    finally:
        os.close(descriptor)


def fill(book: Ledger, dataset: str, entries: int) -> None:
    for start in range(0, entries, 1000):
        book.charge([charge(dataset, MIX[number % len(MIX)]) for number in range(start, start + 1000)])


def show(book: Ledger) -> list[tuple[object, ...]]:
    """What `reaedp ledger show` asks for."""
    return [(name, book.budget(name), book.spent(name), book.remaining(name)) for name in book.datasets()]


def exhaust(book: Ledger, dataset: str, loss: Loss) -> int:
    """Charge until refused: how many charges fitted."""
    done = 0
    try:
        while True:
            done += len(book.charge([charge(dataset, loss)]))
    except BudgetRefused:
        return done


def measured(address: str | Path, entries: int) -> Iterator[tuple[str, float, str]]:
    """What, how much, and in which unit."""
    with Ledger.create(address) as book:
        book.register("short", Budget(1e6, 1e-6), ROWS)
        yield "empty ledger", per_second(lambda: book.charge([charge("short", MIX[0])]), SECONDS), RATE
        book.register("long", Budget(20.0, 1e-6), ROWS)
        yield "1,000 at once", entries / seconds(lambda: fill(book, "long", entries)), RATE
        after = per_second(lambda: book.charge([charge("long", MIX[0])]), SECONDS)
        yield f"after {entries:,} entries", after, RATE
        for name, loss in (("pure", PureDP(0.002)), ("Gaussian", GaussianDP(0.003))):
            book.register(name, Budget(0.5, 1e-6), ROWS)
            fitted: list[int] = []
            taken = seconds(lambda name=name, loss=loss, fitted=fitted: fitted.append(exhaust(book, name, loss)))
            yield f"to the last of {fitted[0]:,} {name} ones", fitted[0] / taken, RATE
    with Ledger.open(address) as book:
        yield "show", seconds(lambda: show(book)), "s"
        yield "history of all entries", seconds(lambda: list(book.history())), "s"
        yield "verify", seconds(book.verify), "s"


def compared(kind: str, address: str | Path, entries: int, disk: float) -> Iterator[Row]:
    for what, value, unit in measured(address, entries):
        theirs, against = (disk, "pages forced to disk") if unit == RATE else (None, "")
        yield Row(section=f"Ledger, charges a second, {kind}", what=what, against=against, ours=value, theirs=theirs,
                  unit=unit, limit=True, more=unit == RATE)  # fmt: skip


def rows(options: argparse.Namespace) -> Iterator[Row]:
    entries = options.entries or (10_000 if options.quick else 100_000)
    DATA.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=DATA) as folder:
        disk = disk_rate(Path(folder))
        yield from compared("SQLite", Path(folder) / "ledger.db", entries, disk)
    if options.quick:
        return
    with running_server() as server:
        if server is not None:
            yield from compared("PostgreSQL on loopback", server.new_database(), entries, disk)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--entries", type=int)
    present(options.parse_args(), rows)


if __name__ == "__main__":
    main()
