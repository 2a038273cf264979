"""Processes that use one ledger at the same time, are killed, or run out of disk; started by the tests.

Everything is imported once, before the first fork; each child opens the ledger for itself. They wait for each other at
pipes, and nothing that they do or say depends on a clock: however slow the machine, the outcome is the same.
"""

import json
import os
import random
import resource
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import reaedp.ledger.postgres_server
import reaedp.ledger.sqlite_file  # noqa: F401  otherwise each child would import it
from reaedp.errors import BudgetRefused, LedgerBusy, LedgerError, ReaedpError
from reaedp.ledger import book as book_module
from reaedp.ledger import schema, statements
from reaedp.ledger.ledger import Charge, Ledger
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import Price, PureDP
from reaedp.privacy.unit import Unit

ROWS = Unit("add-remove")
CONTRACT = "0" * 64


def release(epsilon: float = 0.1, dataset: str = "census", part: str | None = None, price: Price = ()) -> Charge:
    return Charge(dataset, "count of rows", "discrete Laplace", price or (PureDP(epsilon),), ROWS, CONTRACT, part)


def forked(work: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    return child


def patiently(address: str, budget: Budget) -> Ledger:
    """Open a ledger while others do the same and its server may be away, however long that takes."""
    while True:
        try:
            book = Ledger.open(address)
            book.register("census", budget, ROWS)
            return book
        except LedgerBusy:
            os.sched_yield()


def charge_until_refused(book: Ledger, epsilon: float, most: int) -> dict[str, object]:
    """Charge up to a number of times, again whenever the ledger was busy."""
    numbers: list[int] = []
    refused = busy = 0
    while len(numbers) < most and not refused:
        try:
            numbers += book.charge([release(epsilon)])
        except BudgetRefused:
            refused += 1
        except LedgerBusy:
            busy += 1
            os.sched_yield()
    return {"numbers": numbers, "refused": refused, "busy": busy}


def crowd(address: str, folder: str, processes: int, *, epsilon: float, most: int, budget: Budget) -> None:
    """Let processes open a ledger at the same moment and then charge it; tell how they ended."""
    gate, opener = os.pipe()
    ready, announcer = os.pipe()

    def work(name: int) -> None:
        os.close(opener)
        with patiently(address, budget) as book:
            os.write(announcer, b".")
            os.read(gate, 1)
            result = charge_until_refused(book, epsilon, most)
        Path(folder, f"{name}.json").write_text(json.dumps(result))

    children = [forked(lambda name=name: work(name)) for name in range(processes)]  # type: ignore[misc]
    os.close(announcer)
    for _ in children:
        os.read(ready, 1)
    os.close(opener)
    print(json.dumps({"codes": [os.waitpid(child, 0)[1] for child in children]}))


def creators(address: str, processes: int) -> None:
    """Let processes make the same ledger at the same moment; how many did, and what the others were told."""
    gate, opener = os.pipe()
    said, teller = os.pipe()

    def work() -> None:
        os.close(opener)
        os.read(gate, 1)
        try:
            Ledger.create(address).close()
            os.write(teller, b"made\n")
        except ReaedpError as error:
            os.write(teller, f"{type(error).__name__}\n".encode())

    children = [forked(work) for _ in range(processes)]
    os.close(opener)
    os.close(teller)
    for child in children:
        os.waitpid(child, 0)
    with os.fdopen(said) as lines:
        print(json.dumps(Counter(line.strip() for line in lines)))


def publish(address: str, folder: str, announcer: int) -> None:
    """Charge, publish a file, finish, again and again; tell of each file."""
    with Ledger.open(address) as ledger:
        ledger.register("census", Budget(1e6, 1e-6), ROWS)
        while True:
            (number,) = ledger.charge([release(0.001)])
            Path(folder, str(number)).touch()
            os.write(announcer, b".")
            ledger.finish([number])


#: So many turns of an empty loop take about as long as a few charges.
TURNS = 300_000


def killed(address: str, folder: str, times: int, seed: int) -> None:
    """Kill a publishing process at a random moment, again and again; of every four, one has not begun for sure."""
    chance = random.Random(seed)
    for number in range(times):
        told, announcer = os.pipe()
        child = forked(lambda announcer=announcer: publish(address, folder, announcer))  # type: ignore[misc]
        os.close(announcer)
        for _ in range(number % 4):
            os.read(told, 1)
        for _ in range(chance.randrange(TURNS)):
            pass
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        os.close(told)
        if not os.WIFSIGNALED(status):
            sys.exit("the publishing process ended by itself")


def fill(address: str, largest: int) -> None:
    """Charge until nothing more can be written; files may have this many bytes (0: no limit but the disk)."""
    if largest:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    charged = 0
    try:
        with Ledger.open(address) as ledger:
            while True:
                charged += len(ledger.charge([release(0.001)]))
    except LedgerError as error:
        print(json.dumps({"charged": charged, "error": type(error).__name__}))


def powerless(address: str) -> None:
    """Charge as a user who may read, but not write."""
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
        os.environ["REAEDP_STATE"] = tempfile.mkdtemp()
    try:
        with (Ledger.open if Path(address).exists() else Ledger.create)(address) as ledger:
            ledger.charge([release()])
        print(json.dumps("charged"))
    except LedgerError as error:
        print(json.dumps(type(error).__name__))


def writer(address: str, name: str) -> None:
    """Make one charge that can be told from others."""
    with Ledger.open(address) as ledger:
        ledger.charge([replace(release(0.1), statistic=f"count {name}")])


def versions(address: str, folder: str, processes: int, charges: int) -> None:
    """Let a program of the next version open and charge a ledger that processes of this one are writing to."""
    begun, announcer = os.pipe()

    def older(name: int) -> None:
        numbers: list[int] = []
        stopped = ""
        with Ledger.open(address) as book:
            while not stopped:
                try:
                    numbers += book.charge([release(0.001)])
                    os.write(announcer, b"." if len(numbers) == 1 else b"")
                except LedgerError as error:
                    stopped = str(error)
        Path(folder, f"{name}.json").write_text(json.dumps({"numbers": numbers, "stopped": stopped}))

    children = [forked(lambda name=name: older(name)) for name in range(processes)]  # type: ignore[misc]
    for _ in children:
        os.read(begun, 1)
    # Its layout has another number, and nothing else changed.
    book_module.VERSION = schema.VERSION = 3
    schema.MIGRATIONS[2] = lambda connection: connection.change(statements.MOVE_VERSION, {"version": 3})
    with Ledger.open(address) as ledger:
        numbers = [number for _ in range(charges) for number in ledger.charge([release(0.001)])]
    for child in children:
        os.waitpid(child, 0)
    print(json.dumps({"numbers": numbers}))


MODES: dict[str, Callable[[list[str]], None]] = {
    "crowd": lambda words: crowd(
        *words[:2],
        int(words[2]),
        epsilon=float(words[3]),
        most=int(words[4]),
        budget=Budget(float(words[5]), float(words[6])),
    ),
    "versions": lambda words: versions(*words[:2], int(words[2]), int(words[3])),
    "writer": lambda words: writer(*words),
    "creators": lambda words: creators(words[0], int(words[1])),
    "killed": lambda words: killed(words[0], words[1], int(words[2]), int(words[3])),
    "fill": lambda words: fill(words[0], int(words[1])),
    "powerless": lambda words: powerless(words[0]),
}

if __name__ == "__main__":
    MODES[sys.argv[1]](sys.argv[2:])
