"""What the ledger promises when processes collide or die, disks fill up, bits flip and servers stop."""

import ast
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import ledger_worker
from ledger_worker import ROWS, release
from postgres import Server
from reaedp.errors import BudgetRefused, DeclarationError, LedgerBusy, LedgerDamaged, LedgerError
from reaedp.ledger import storage
from reaedp.ledger.ledger import Ledger
from reaedp.ledger.state_folder import state_in
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import PureDP
from reaedp.privacy.spending import NOTHING, copies
from tests_support import unwatched

#: So small a δ leaves composition of a thousand pure losses no better than their sum.
ONE = Budget(1.0, 1e-300)


def start(*words: object) -> "subprocess.Popen[str]":
    command = [sys.executable, ledger_worker.__file__, *map(str, words)]
    environment = unwatched() | {"OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def result(process: "subprocess.Popen[str]") -> Any:
    output, errors = process.communicate()
    assert ("", 0) == (errors, process.returncode)
    return json.loads(output or "null")


def run(*words: object) -> Any:
    return result(start(*words))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "PATIENCE_SECONDS", 0.3)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with Ledger.create(path) as book:
        book.register("census", ONE, ROWS)
        book.charge([release(0.1)])
    return path


def test_commits_are_synced_to_the_disk(file: Path) -> None:
    with Ledger.open(file) as book, book._writing() as connection:
        settings = [connection.first(f"PRAGMA {name}")[0] for name in ("journal_mode", "synchronous")]
    assert ["wal", 2] == settings


# Many processes


def check_crowd(address: str | Path, folder: Path, charges: int, epsilon: float, budget: Budget = ONE) -> None:
    """The budget is for fewer charges than 32 processes together would like to make."""
    processes = 32
    folder.mkdir()
    Ledger.create(address).close()
    ended = run("crowd", address, folder, processes, epsilon, charges, budget.epsilon, budget.delta)
    results = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    numbers = sorted(number for one in results for number in one["numbers"])
    allowed = copies(NOTHING, {PureDP(epsilon): 1}, budget, 10**6)
    with Ledger.open(address) as book:
        assert allowed + 1 == book.verify()
        assert [one.number for one in book.history() if one.charge] == numbers == list(range(2, allowed + 2))
        assert book.spent("census") <= budget.epsilon
    assert allowed < processes * charges
    assert (processes, [0] * processes) == (len(results), ended["codes"])
    assert any(one["refused"] for one in results)


@pytest.mark.slow
def test_32_processes_never_spend_a_unit_too_much(address: str | Path, tmp_path: Path) -> None:
    check_crowd(address, tmp_path / "results", 5, 1 / 128)


@pytest.mark.slow
@pytest.mark.parametrize("budget", [ONE, Budget(0.1, 1e-6)])
def test_32_processes_never_spend_a_unit_too_much_in_a_long_run(
    address: str | Path, tmp_path: Path, budget: Budget
) -> None:
    check_crowd(address, tmp_path / "results", 60, 1 / 1024, budget)


def test_of_many_who_create_a_ledger_at_the_same_moment_one_does(address: str | Path) -> None:
    said = run("creators", address, 8)
    assert {"made": 1, "DeclarationError": 7} == said
    with Ledger.open(address) as book:
        assert 0 == book.verify()


def test_threads_share_one_ledger(file: Path) -> None:
    refused: list[BudgetRefused] = []

    def work(book: Ledger) -> None:
        try:
            for _ in range(4):
                book.charge([release(0.05)])
        except BudgetRefused as error:
            refused.append(error)

    with Ledger.open(file) as book:
        threads = [threading.Thread(target=work, args=(book,)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (1.0, 20) == (book.spent("census"), book.verify())
    assert refused


def test_workers_wait_for_each_other_and_for_no_clock() -> None:
    imported = {alias.name for node in ast.walk(ast.parse(Path(ledger_worker.__file__).read_text(encoding="utf-8")))
                if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names}  # fmt: skip
    assert {"os", "signal"} < imported
    assert imported.isdisjoint({"time", "datetime", "threading", "asyncio"})


# Sudden death


def check_killed(address: str | Path, folder: Path, times: int) -> int:
    folder.mkdir()
    Ledger.create(address).close()
    run("killed", address, folder, times, 7)
    published = {int(path.name) for path in folder.iterdir()}
    with Ledger.open(address) as book:
        book.verify()
        charged = {one.number: one.finished for one in book.history() if one.charge}
    assert len(published) > 5
    assert published <= charged.keys()
    assert {number for number, finished in charged.items() if finished} <= published
    # A process dies between charging and publishing at most once.
    assert len(charged.keys() - published) <= times
    return len(charged)


def test_whatever_was_published_before_a_kill_was_charged_before(address: str | Path, tmp_path: Path) -> None:
    check_killed(address, tmp_path / "published", 20)


@pytest.mark.slow
def test_whatever_was_published_before_500_kills_was_charged_before(
    address: str | Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    charged = check_killed(address, tmp_path / "published", 500)
    with capsys.disabled():
        print(f"\n{type(address).__name__}: 500 kills among {charged} charges")


def test_a_server_that_stops_in_the_middle_loses_no_charge(postgres: Server, tmp_path: Path) -> None:
    address = postgres.new_schema()
    with Ledger.create(address) as book:
        book.register("census", Budget(1000.0, 1e-12), ROWS)
        crowd = start("crowd", address, tmp_path, 3, 0.001, 40, 1000.0, 1e-12)
        while len(list(book.history())) < 4:  # soon, so that far more of 120 charges are still to be made
            time.sleep(0.01)
        postgres.stop("immediate")
        with pytest.raises(LedgerBusy):
            book.charge([release(0.001)])
        postgres.start()
        result(crowd)
        results = [json.loads(path.read_text()) for path in tmp_path.glob("*.json")]
        numbers = {number for one in results for number in one["numbers"]}
        charged = {one.number for one in book.history() if one.charge}
        book.verify()
        (last,) = book.charge([release(0.001)])
    assert len(numbers) == 120
    assert numbers <= charged
    # A commit may have been on disk before its confirmation was lost, once for each process.
    assert len(charged - numbers) <= 3
    assert last == max(charged) + 1
    assert any(one["busy"] for one in results)


def test_the_driver_of_a_server_leaves_words_to_us(postgres: Server) -> None:
    """It warns of connections that are lost while several statements are under way."""
    address = postgres.new_schema()
    Ledger.create(address).close()
    opened = "import logging, sys, reaedp; reaedp.Ledger.open(sys.argv[1]).close()"
    program = f"{opened}; logging.getLogger('psycopg').warning('lost')"
    done = subprocess.run([sys.executable, "-c", program, address], capture_output=True, text=True, check=True)
    assert "" == done.stderr


# Disks


def test_a_full_disk_is_an_error_and_what_was_charged_stays(file: Path) -> None:
    said = run("fill", file, 2**16)
    assert said["error"] == "LedgerBusy"
    with Ledger.open(file) as book:
        assert 2 + said["charged"] == book.verify()
        assert book.charge([release(0.1)]) == (3 + said["charged"],)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(disk)]
    if not shutil.which("mount") or subprocess.run(mounting, check=False, capture_output=True).returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_disk_without_space_is_an_error_and_space_heals_it(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 2**16)
    path = small_disk / "ledger.db"
    with Ledger.create(path) as book:
        book.register("census", Budget(1000.0, 1e-12), ROWS)
    said = run("fill", path, 0)
    assert said["error"] == "LedgerBusy"
    ballast.unlink()
    with Ledger.open(path) as book:
        assert 1 + said["charged"] == book.verify()
        book.charge([release(0.1)])


def test_a_disk_too_small_for_a_ledger_leaves_none(small_disk: Path) -> None:
    (small_disk / "ballast").write_bytes(b"x" * 290_000)
    for _ in range(2):
        with pytest.raises(LedgerBusy):
            Ledger.create(small_disk / "ledger.db")
    assert not (small_disk / "ledger.db").exists()


@pytest.mark.parametrize("existing", [True, False])
def test_without_the_right_to_write_nothing_is_charged(file: Path, existing: bool) -> None:
    folder = Path("/tmp") / f"reaedp-{os.getpid()}"
    folder.mkdir()
    try:
        for path in file.parent.glob("ledger.db*") if existing else ():
            shutil.copy(path, folder)
            (folder / path.name).chmod(0o444)
        folder.chmod(0o555)
        assert run("powerless", folder / "ledger.db") == "LedgerBusy"
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_a_folder_that_is_missing_or_a_folder_in_its_place_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path / "missing" / "ledger.db", tmp_path / ("x" * 300)):
        with pytest.raises(LedgerBusy):
            Ledger.create(path)
    with pytest.raises(LedgerBusy):
        Ledger.open(tmp_path)
    with pytest.raises(DeclarationError, match="already"):
        Ledger.create(tmp_path)


@pytest.mark.usefixtures("impatient")
def test_a_locked_file_is_busy_for_writers_and_open_for_readers(file: Path) -> None:
    with Ledger.open(file) as book, closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerBusy, match="locked"):
            book.charge([release(0.1)])
        assert book.spent("census") == 0.1
        other.execute("ROLLBACK")
        assert book.charge([release(0.1)]) == (3,)


@pytest.mark.usefixtures("impatient")
def test_a_locked_table_is_busy(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg

    address = postgres.new_schema()
    with Ledger.create(address) as book:
        book.register("census", ONE, ROWS)
        with psycopg.connect(address) as other:
            other.execute("SELECT * FROM reaedp_ledger FOR UPDATE")
            with pytest.raises(LedgerBusy, match="lock timeout"):
                book.charge([release(0.1)])
        assert book.charge([release(0.1)]) == (2,)


def wait_for_fsync(address: str, expected: str) -> None:
    """Until new connections have the setting that the server was told to read again."""
    import psycopg

    for _ in range(3_000):
        with psycopg.connect(address) as connection:
            if connection.execute("SHOW fsync").fetchone() == (expected,):
                return
        time.sleep(0.05)
    pytest.fail("the server did not read its settings again")


def test_a_server_that_does_not_sync_is_refused(postgres: Server) -> None:
    import psycopg

    address = postgres.new_schema()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")
        try:
            wait_for_fsync(address, "off")
            with pytest.raises(LedgerBusy, match="fsync = off"):
                Ledger.create(address)
        finally:
            connection.execute("ALTER SYSTEM RESET fsync")
            connection.execute("SELECT pg_reload_conf()")
            wait_for_fsync(address, "on")


def test_a_server_with_careless_defaults_is_asked_for_durable_serial_commits(postgres: Server) -> None:
    import psycopg

    address = postgres.new_database()
    name = address.rpartition("/")[2]
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
        connection.execute(f"ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'")
    with Ledger.create(address) as first, Ledger.open(address) as second:
        first.register("census", ONE, ROWS)
        for book in (first, second) * 3:
            book.charge([release(0.1)])
        assert first.verify() == 7
        with first._writing() as connection:
            settings = [connection.first(f"SHOW {name}")[0] for name in ("synchronous_commit", "transaction_isolation")]
        assert ["on", "read committed"] == settings


# Files that are not what they were


@pytest.mark.parametrize("size", [0, 1, 99, 100, 4096, 20_000])
def test_a_cut_off_file_is_damaged(file: Path, size: int) -> None:
    os.truncate(file, size)
    with pytest.raises(LedgerDamaged), Ledger.open(file) as book:
        book.charge([release(0.1)])


@pytest.mark.parametrize("content", [b"", b"hello", b"\0" * 8192, b"SQLite format 3\0" + b"\0" * 4080])
def test_a_file_that_is_no_ledger_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(LedgerDamaged):
        Ledger.open(path)
    assert content == path.read_bytes()


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE cookies (name TEXT)")
    with pytest.raises(LedgerDamaged, match="not a ledger"):
        Ledger.open(path)


@pytest.mark.parametrize("act", ["replace", "delete", "link", "delete the log"])
def test_a_file_that_changes_under_a_running_ledger_is_found(file: Path, act: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    shutil.copy(file, copy)
    log = file.with_name("ledger.db-wal")
    acts = {
        "replace": lambda: copy.replace(file),
        "delete": file.unlink,
        "link": lambda: (tmp_path / "second.db").hardlink_to(file),
        "delete the log": log.unlink,
    }
    with Ledger.open(file) as book:
        acts[act]()
        for ask in (lambda: book.charge([release(0.1)]), lambda: book.spent("census")):
            with pytest.raises(LedgerDamaged, match="moved, replaced, deleted or linked"):
                ask()


def test_an_old_copy_put_back_is_found(file: Path) -> None:
    old = file.read_bytes()
    with Ledger.open(file) as book:
        book.charge([release(0.5)])
    file.write_bytes(old)
    with pytest.raises(LedgerDamaged, match="ends with entry 2 and lacks entry 3"):
        Ledger.open(file)


def test_a_ledger_that_is_gone_is_not_begun_anew(file: Path) -> None:
    kept = file.read_bytes()
    file.unlink()
    for act in (Ledger.open, Ledger.create):
        with pytest.raises(LedgerDamaged, match="delete the high-water mark"):
            act(file)
    file.write_bytes(kept)
    with Ledger.open(file) as book:
        assert book.spent("census") == 0.1


def test_a_ledger_may_be_moved_without_its_witness(file: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere" / "my ledger?#%.db"
    moved.parent.mkdir()
    file.rename(moved)
    with Ledger.open(moved) as book:
        assert (0.1, (3,)) == (book.spent("census"), book.charge([release(0.1)]))


def crashed(file: Path, folder: Path) -> Path:
    """A copy of a ledger as a power cut leaves it: the newest entries are in the log only."""
    with Ledger.open(file) as book:
        book.charge([release(0.2)])
        book.charge([release(0.3)])
        folder.mkdir()
        for ending in ("", "-wal", "-witness"):
            shutil.copy(f"{file}{ending}", folder)
    return folder / file.name


def test_a_log_that_is_left_over_from_a_crash_is_read(file: Path, tmp_path: Path) -> None:
    with Ledger.open(crashed(file, tmp_path / "crashed")) as book:
        assert (0.6, 4) == (book.spent("census"), book.verify())


def test_a_log_that_is_lost_in_a_crash_is_missed(file: Path, tmp_path: Path) -> None:
    path = crashed(file, tmp_path / "crashed")
    path.with_name("ledger.db-wal").unlink()
    with pytest.raises(LedgerDamaged, match="lacks entry 4"):
        Ledger.open(path)


def check_flipped(path: Path) -> str:
    """Open, ask, charge and verify: whatever happens, no more than 0.4 is left."""
    try:
        with Ledger.open(path) as book:
            assert book.spent("census") >= 0.6
            with pytest.raises(BudgetRefused):
                book.charge([release(0.5)])
            try:
                book.verify()
            except LedgerDamaged:
                return "found by verification"
            numbers = [one.number for one in book.history()]
            assert [1, 2, 3, 4] == numbers
            assert (book.charge([release(0.4)]), book.remaining("census")) == ((5,), 0.0)
            return "harmless"
    except LedgerError as error:
        return type(error).__name__


def flips(content: bytes, header: int, many: int, seed: int) -> Iterator[tuple[int, bytes]]:
    """Flip one bit: in some bytes of the header, and in bytes at random."""
    chance = random.Random(seed)
    for place in [*(2 * byte for byte in range(header)), *(chance.randrange(len(content)) for _ in range(many))]:
        flipped = bytearray(content)
        flipped[place] ^= 1 << chance.randrange(8)
        yield place, bytes(flipped)


def kept_files(file: Path, folder: Path, *, log: bool = True) -> dict[str, bytes]:
    """What a crash leaves behind, by its names; without its log if that is brought home first."""
    whole = crashed(file, folder / "crashed")
    if not log:
        with Ledger.open(whole):
            pass  # closing brings the log home
    return {path.name: path.read_bytes() for path in whole.parent.iterdir()}


def outcome_of(files: dict[str, bytes], folder: Path) -> str:
    work = folder / "work"
    work.mkdir()
    for name, content in files.items():
        (work / name).write_bytes(content)
    with state_in(work):
        outcome = check_flipped(work / "ledger.db")
    assert outcome in {"found by verification", "harmless", "LedgerDamaged", "LedgerBusy"}
    shutil.rmtree(work)
    return outcome


def check_flips(file: Path, folder: Path, target: str, header: int, many: int) -> dict[str, int]:
    kept = kept_files(file, folder, log=target != "")
    assert "harmless" == outcome_of(kept, folder)
    outcomes: dict[str, int] = {}
    for _, content in flips(kept[f"ledger.db{target}"], header, many, 11):
        outcome = outcome_of({**kept, f"ledger.db{target}": content}, folder)
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    return outcomes


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("target", "header", "many"), [("", 40, 40), ("-wal", 20, 30), ("-witness", 0, 20)])
def test_a_flipped_bit_never_gives_budget_back(file: Path, tmp_path: Path, target: str, header: int, many: int) -> None:
    outcomes = check_flips(file, tmp_path, target, header, many)
    assert outcomes["LedgerDamaged"] > 0


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("name", ["number", "body", "hash", "finished", "dataset", "state", "seal", "loss", "count"])
def test_a_column_in_other_letters_is_the_same_column(file: Path, tmp_path: Path, name: str) -> None:
    """SQLite takes `Body` for `body`, as one flipped bit makes of it, and calls the column so."""
    kept = kept_files(file, tmp_path, log=False)
    content = kept["ledger.db"]
    places = [place for place in range(len(content)) if content.startswith(f" {name} ".encode(), place)]
    assert places
    for place in places:
        changed = content[: place + 1] + name[:1].upper().encode() + content[place + 2 :]
        assert "harmless" == outcome_of({**kept, "ledger.db": changed}, tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("target", "many"), [("", 6000), ("-wal", 3000), ("-witness", 500)])
def test_many_flipped_bits_never_give_budget_back(
    file: Path, tmp_path: Path, target: str, many: int, capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes = check_flips(file, tmp_path, target, 0, many)
    with capsys.disabled():
        print(f"\nledger.db{target}: {outcomes}")
