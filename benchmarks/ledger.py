"""How fast the ledger charges, and whether that depends on how long it is: python benchmarks/ledger.py."""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from reaedp.errors import BudgetRefused
from reaedp.privacy.budget import Budget
from reaedp.privacy.ledger import Charge, Ledger
from reaedp.privacy.loss import Approximate, Gaussian, Loss, Pure
from reaedp.privacy.unit import Unit

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from postgres import running_server

ROWS = Unit("add-remove")
#: A folder on the same disk as the project, where nothing is kept.
DATA = Path(__file__).parent / "data"
LONG = 100_000
MIX: tuple[Loss, ...] = (Pure(0.001), Gaussian(0.002), Approximate(0.001, 1e-13), Pure(0.0005))


def charge(dataset: str, loss: Loss) -> Charge:
    return Charge(dataset, "histogram of age × sex", "some noise", (loss,), ROWS, "0" * 64)


def per_second(work: Callable[[], object], seconds: float = 3.0) -> float:
    """Repeat something for some time."""
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        work()
        done += 1
    return done / (time.perf_counter() - start)


def duration(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def disk_rate(folder: Path) -> float:
    """Append a page and sync it, again and again, as a database's log does."""
    descriptor = os.open(folder / "pages", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    try:
        return per_second(lambda: (os.write(descriptor, b"x" * 4096), os.fdatasync(descriptor)))
    finally:
        os.close(descriptor)


def fill(book: Ledger, dataset: str) -> None:
    for start in range(0, LONG, 1000):
        book.charge([charge(dataset, MIX[number % len(MIX)]) for number in range(start, start + 1000)])


def show(book: Ledger) -> list[tuple[object, ...]]:
    """What `reaedp ledger show` asks for."""
    return [(name, book.budget(name), book.spent(name), book.remaining(name)) for name in book.datasets()]


def exhaust(book: Ledger, dataset: str, loss: Loss) -> tuple[int, float]:
    """Charge until refused: how many charges fitted, and how many a second."""
    done, start = 0, time.perf_counter()
    try:
        while True:
            done += len(book.charge([charge(dataset, loss)]))
    except BudgetRefused:
        return done, done / (time.perf_counter() - start)


def line(what: str, figure: float, digits: int = 0) -> None:
    print(f"  {what:50} {figure:10,.{digits}f}")


def measure(address: str | Path) -> None:
    with Ledger.open(address) as book:
        book.register("short", Budget(1e6, 1e-6), ROWS)
        line("charges a second, empty ledger", per_second(lambda: book.charge([charge("short", MIX[0])])))
        book.register("long", Budget(20.0, 1e-6), ROWS)
        line("charges a second, 1,000 at once", LONG / duration(lambda: fill(book, "long")))
        line("charges a second, after 100,000 entries", per_second(lambda: book.charge([charge("long", MIX[0])])))
        for name, loss in (("pure", Pure(0.002)), ("Gaussian", Gaussian(0.003))):
            book.register(name, Budget(0.5, 1e-6), ROWS)
            done, rate = exhaust(book, name, loss)
            line(f"charges a second, to the last of {done:,} {name} ones", rate)
    with Ledger.open(address) as book:
        line("show, seconds", duration(lambda: show(book)), 3)
        line("show again, seconds", duration(lambda: show(book)), 3)
        line("history of all entries, seconds", duration(lambda: list(book.history())), 3)
        line("verify, seconds", duration(book.verify), 3)


def main() -> None:
    DATA.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=DATA) as folder:
        print(f"This disk syncs {disk_rate(Path(folder)):.0f} appended pages a second.")
        print("SQLite")
        measure(Path(folder) / "ledger.db")
    with running_server() as server:
        if server is None:
            print("PostgreSQL was not found and could not be installed.")
        else:
            print("PostgreSQL on loopback")
            measure(server.new_database())


if __name__ == "__main__":
    main()
