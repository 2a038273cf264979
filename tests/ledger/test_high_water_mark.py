"""A ledger that lost entries is found by what lies elsewhere, and its loss is entered before it goes on."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger_worker import ROWS, release
from postgres import Server
from reaedp.disk.file_lock import try_lock
from reaedp.errors import BudgetRefused, DeclarationError, LedgerBusy, LedgerDamaged, LedgerWarning
from reaedp.ledger import high_water_mark
from reaedp.ledger.high_water_mark import HighWaterMark
from reaedp.ledger.ledger import Ledger
from reaedp.ledger.state_folder import STATE, state_folder, state_in
from reaedp.privacy.budget import Budget

#: So small a δ leaves composition of a few pure losses no better than their sum.
ONE = Budget(1.0, 1e-12)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE, str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with Ledger.create(path) as book:
        book.register("census", ONE, ROWS)
        book.charge([release(0.1)])
    return path


def backup(file: Path) -> Callable[[], None]:
    """A copy of the whole folder's ledger, witness included, and how it is put back."""
    kept = {path: path.read_bytes() for path in file.parent.glob(f"{file.name}*")}

    def restore() -> None:
        for path in file.parent.glob(f"{file.name}*"):
            path.unlink()
        for path, content in kept.items():
            path.write_bytes(content)

    return restore


def test_a_backup_put_back_together_with_its_witness_is_found(file: Path, state: Path) -> None:
    restore = backup(file)
    with Ledger.open(file) as book:
        book.charge([release(0.5)])
        mark = state / f"ledger-{book.identity}"
    restore()
    with pytest.raises(LedgerDamaged, match="ends with entry 2 and lacks entry 3") as caught:
        Ledger.open(file)
    assert str(mark) in str(caught.value)
    assert "reaedp ledger recover" in str(caught.value)
    mark.unlink()
    with Ledger.open(file) as book:  # what nobody remembers, nobody misses
        assert 0.1 == book.spent("census")


def test_a_second_copy_that_goes_on_beside_the_first_is_found(file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    shutil.copy(file, copy)
    with Ledger.open(copy) as other:
        with Ledger.open(file) as book:
            book.charge([release(0.5)])
        with pytest.raises(LedgerDamaged, match="lacks entry 3"):  # also when it is open already
            other.charge([release(0.5)])
    with pytest.raises(LedgerDamaged, match="lacks entry 3"):
        Ledger.open(copy)


def test_who_only_looks_keeps_a_mark_too(file: Path, tmp_path: Path) -> None:
    restore = backup(file)
    with Ledger.open(file) as book:
        book.charge([release(0.5)])
    with state_in(tmp_path / "auditor"), Ledger.open(file) as book:
        assert 3 == book.verify()
    restore()
    with state_in(tmp_path / "auditor"), pytest.raises(LedgerDamaged, match="lacks entry 3"):
        Ledger.open(file)


def test_a_restored_database_on_a_server_is_found_while_the_ledger_is_open(postgres: Server) -> None:
    import psycopg

    address = postgres.new_schema()
    with Ledger.create(address) as book:
        book.register("census", ONE, ROWS)
        book.charge([release(0.1)])
        tables = ("ledger", "entries", "accounts", "tallies")
        with psycopg.connect(address, autocommit=True) as connection:
            for table in tables:
                connection.execute(f"CREATE TABLE old_{table} AS TABLE reaedp_{table}")
            book.charge([release(0.5)])
            for table in tables:
                connection.execute(f"DELETE FROM reaedp_{table}")
                connection.execute(f"INSERT INTO reaedp_{table} TABLE old_{table}")
        with pytest.raises(LedgerDamaged, match="ends with entry 2 and lacks entry 3"):
            book.charge([release(0.5)])
    with pytest.raises(LedgerDamaged, match="ends with entry 2 and lacks entry 3"):
        Ledger.open(address)
    assert (3, 3) == Ledger.recover(address, {"census": (0.5, 0)}, "the server was restored")
    with Ledger.open(address) as book:
        assert (0.6, 4) == (book.spent("census"), book.verify())


# The way out


def test_lost_spending_is_entered_and_the_ledger_goes_on(file: Path, tmp_path: Path) -> None:
    restore = backup(file)
    with Ledger.open(file) as book:
        numbers = book.charge([release(0.2)]) + book.charge([release(0.3)])
        book.finish(numbers)
    with state_in(tmp_path / "colleague"):
        Ledger.open(file).close()
    restore()
    assert (3, 5) == Ledger.recover(file, {"census": (0.5, 0)}, "the disk died; backup of 3 May")
    for state in (tmp_path / "state", tmp_path / "colleague"):  # it holds for all who remember the lost entries
        with state_in(state), Ledger.open(file) as book:
            assert ["register", "charge", "charge", "recover"] == [one.kind for one in book.history()]
            assert (0.6, 4) == (book.spent("census"), book.verify())
            assert "lost entries 3 to 5" == list(book.history())[2].act.statistic  # type: ignore[union-attr]
    with Ledger.open(file) as book:
        assert (5,) == book.charge([release(0.4)])
        with pytest.raises(BudgetRefused):
            book.charge([release(0.1)])


def test_who_does_not_know_what_was_lost_enters_all_that_is_left(file: Path) -> None:
    restore = backup(file)
    with Ledger.open(file) as book:
        book.charge([release(0.2)])
    restore()
    Ledger.recover(file, {"census": None}, "nobody knows")
    with Ledger.open(file) as book:
        assert (1.0, 0.0) == (book.spent("census"), book.remaining("census"))


def test_a_later_loss_is_not_covered_by_an_earlier_recovery(file: Path) -> None:
    restore = backup(file)
    with Ledger.open(file) as book:
        book.charge([release(0.2)])
    restore()
    Ledger.recover(file, {"census": (0.2, 0)}, "first")
    restore = backup(file)
    with Ledger.open(file) as book:
        book.charge([release(0.3)])
    restore()
    with pytest.raises(LedgerDamaged, match="lacks entry 5"):
        Ledger.open(file)
    Ledger.recover(file, {"census": (0.3, 0)}, "second")
    with Ledger.open(file) as book:
        assert 0.6 == book.spent("census")


def test_a_recovery_states_every_data_set_and_fits_the_budget(file: Path) -> None:
    with pytest.raises(DeclarationError, match="no entry is missing"):
        Ledger.recover(file, {"census": None}, "a mistake")
    with Ledger.open(file) as book:
        book.register("survey", ONE, ROWS)
        restore = backup(file)
        book.charge([release(0.2)])
    restore()
    for lost in ({}, {"census": (0.2, 0.0)}, {"census": (0.2, 0.0), "survey": (0.0, 0.0), "other": (0.0, 0.0)}):
        with pytest.raises(DeclarationError, match="every data set"):
            Ledger.recover(file, lost, "incomplete")
    with pytest.raises(BudgetRefused):
        Ledger.recover(file, {"census": (2.0, 0.0), "survey": (0.0, 0.0)}, "too much")
    with pytest.raises(LedgerDamaged):
        Ledger.open(file)


def test_another_ledger_in_the_place_of_one_is_not_recovered(file: Path, tmp_path: Path) -> None:
    Ledger.create(tmp_path / "other.db").close()
    (tmp_path / "other.db").replace(file)
    with pytest.raises(LedgerDamaged, match="lacks entry 2"):
        Ledger.recover(file, {}, "mixed up")


# The state folder


def test_the_state_folder_is_the_platforms_unless_one_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/keeper")
    monkeypatch.setenv(STATE, "/shared/marks")
    assert Path("/shared/marks") == state_folder()
    monkeypatch.delenv(STATE)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_STATE_HOME", "/var/keeper")
    assert Path("/var/keeper/reaedp") == state_folder()
    monkeypatch.setenv("XDG_STATE_HOME", "not/absolute")
    assert Path("/home/keeper/.local/state/reaedp") == state_folder()
    monkeypatch.setattr("sys.platform", "darwin")
    assert Path("/home/keeper/Library/Application Support/reaedp") == state_folder()


def test_without_a_state_folder_a_ledger_is_used_and_the_user_is_told(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").write_text("not a folder")
    monkeypatch.delenv(STATE)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    with pytest.warns(LedgerWarning, match=f"Set {STATE}"):
        book = Ledger.open(file)
    with book:
        assert (3,) == book.charge([release(0.1)])


def test_a_chosen_state_folder_must_be_usable_before_anything_is_charged(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").write_text("not a folder")
    monkeypatch.setenv(STATE, str(tmp_path / "home"))
    with pytest.raises(LedgerBusy, match=STATE):
        Ledger.open(file)


def test_a_state_folder_that_goes_away_after_the_charge_does_not_undo_it(file: Path, state: Path) -> None:
    with Ledger.open(file) as book:
        shutil.rmtree(state)
        assert (3,) == book.charge([release(0.1)])


# The file


def test_nobody_waits_long_for_a_mark_that_another_holds(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    naps: list[float] = []
    descriptor = os.open(f"{file}-witness", os.O_RDWR)
    try:
        assert try_lock(descriptor)
        with Ledger.open(file) as book:
            monkeypatch.setattr(high_water_mark, "PATIENCE_SECONDS", 0.0)
            monkeypatch.setattr(time, "sleep", naps.append)
            assert (3,) == book.charge([release(0.1)])
            monkeypatch.undo()
    finally:
        os.close(descriptor)
    assert len(naps) <= 2
    witness = HighWaterMark(Path(f"{file}-witness"), "")
    assert 2 == witness.recall()["number"]  # type: ignore[index]
    with Ledger.open(file) as book:  # what was not noted then is noted at the next occasion
        assert 3 == witness.recall()["number"]  # type: ignore[index]
        assert 3 == book.verify()


def test_a_mark_goes_forward_only(tmp_path: Path) -> None:
    mark = HighWaterMark(tmp_path / "mark", "")
    assert mark.recall() is None
    for number, noted in ((3, 3), (2, 3), (5, 5)):
        mark.advance({"ledger": "x", "number": number, "hash": "y"})
        assert noted == mark.recall()["number"]  # type: ignore[index]
    mark.reset({"ledger": "x", "number": 1, "hash": "y"})
    assert 1 == mark.recall()["number"]  # type: ignore[index]


def test_a_damaged_mark_is_an_error(file: Path, state: Path) -> None:
    (mark,) = state.iterdir()
    mark.write_bytes(mark.read_bytes().replace(b"2", b"1"))
    with pytest.raises(LedgerDamaged, match="is damaged"):
        Ledger.open(file)
