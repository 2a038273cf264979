"""Writers of one ledger file take turns in the order in which they came, and nobody waits for the dead."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import ledger_worker
from ledger_worker import ROWS, release
from reaedp.errors import LedgerBusy
from reaedp.ledger import storage
from reaedp.ledger.ledger import Ledger
from reaedp.ledger.writers_queue import last_drawn, queue_of, turn
from reaedp.privacy import covering
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import PureDP


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with Ledger.create(path) as book:
        book.register("census", Budget(100.0, 1e-12), ROWS)
    return path


def until_drawn(file: Path, number: int) -> None:
    for _ in range(100_000):
        if last_drawn(file) >= number:
            return
        time.sleep(0.001)
    pytest.fail("a writer never came")


def writer(file: Path, name: int) -> "subprocess.Popen[str]":
    command = [sys.executable, ledger_worker.__file__, "writer", str(file), str(name)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_nobody_is_overtaken(file: Path) -> None:
    order: list[int] = []

    def work(name: int) -> None:
        with turn(file):
            order.append(name)

    with turn(file):
        first = last_drawn(file)
        threads = [threading.Thread(target=work, args=(name,)) for name in range(20)]
        for name, thread in enumerate(threads, 1):
            thread.start()
            until_drawn(file, first + name)
        assert [] == order
    for thread in threads:
        thread.join()
    assert list(range(20)) == order


@pytest.mark.slow
def test_charges_of_several_processes_are_entered_in_the_order_in_which_they_came(file: Path) -> None:
    with turn(file):
        first = last_drawn(file)
        processes = []
        for name in range(1, 6):
            processes.append(writer(file, name))
            until_drawn(file, first + name)
    assert [0] * 5 == [process.wait() for process in processes]
    for process in processes:
        process.communicate()
    with Ledger.open(file) as book:
        entered = [one.charge.statistic for one in book.history() if one.charge]
        assert [f"count {name}" for name in range(1, 6)] == entered


def test_a_writer_that_is_killed_while_it_waits_holds_up_nobody(file: Path) -> None:
    with turn(file):
        first = last_drawn(file)
        killed = writer(file, 1)
        until_drawn(file, first + 1)
        after = writer(file, 2)
        until_drawn(file, first + 2)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
    after.communicate()
    assert 0 == after.returncode
    with Ledger.open(file) as book:
        assert ["count 2"] == [one.charge.statistic for one in book.history() if one.charge]


def test_patience_ends_in_the_queue_too_and_nothing_is_charged(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "PATIENCE_SECONDS", 0.05)
    with Ledger.open(file) as book:
        with turn(file), pytest.raises(LedgerBusy, match="other processes are writing to it"):
            book.charge([release(0.1)])
        assert (2,) == book.charge([release(0.1)])


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_bytes(b"nonsense")])
def test_a_queue_that_is_deleted_or_spoilt_does_no_harm(file: Path, spoil: Callable[[Path], object]) -> None:
    with turn(file):
        spoil(queue_of(file))
    with Ledger.open(file) as book:
        assert (2,) == book.charge([release(0.1)])
        assert 2 == book.verify()


def test_what_a_price_costs_is_worked_out_before_others_have_to_wait(file: Path) -> None:
    """Covering a price imports much and may take half a second; nobody waits for that."""
    price = (PureDP(0.0123), PureDP(0.0456))  # of no other test, as covers are remembered
    worked_out: list[int] = []
    with Ledger.open(file) as book:
        ours = book._storage.turn

        @contextmanager
        def watched() -> Iterator[None]:
            with ours():
                before = covering._pure_cover.cache_info().misses
                yield
                worked_out.append(covering._pure_cover.cache_info().misses - before)

        book._storage = replace(book._storage, turn=watched)
        before = covering._pure_cover.cache_info().misses
        book.charge([release(price=price)])
        book.charge([release(0.0789)])
        assert covering._pure_cover.cache_info().misses > before
    assert [0, 0] == worked_out
