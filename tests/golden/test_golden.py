"""Files of every earlier version are opened, read, verified and reported by the program as it is now.

docs/stability.md makes the promise. What these files mean is compared, not how it is written; only what hashes pin
stays byte for byte. A file that no longer passes shows that the code broke the promise, and is not made again.
"""

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from make import parsed
from reaedp import Contract, Curator, Laplace, Ledger, LedgerDamaged, Marginal, Plan, ReaedpError, public_report, verify
from reaedp.ledger.state_folder import state_in
from signatures import broken, signatures

HERE = Path(__file__).parent
#: Before the first version there are ledgers only, as SQL.
VERSIONS = sorted(path.name for path in HERE.glob("[0-9]*") if path.name != "0.0")


@pytest.fixture(params=VERSIONS)
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A copy of what a version wrote, on a machine that has never seen it."""
    shutil.copytree(HERE / request.param, tmp_path / "files")
    with state_in(tmp_path):
        yield tmp_path / "files"


@pytest.fixture
def facts(golden: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((golden / "facts.json").read_text(encoding="utf-8"))
    return found


def test_there_are_files_of_the_first_version() -> None:
    assert "0.1" in VERSIONS
    assert sum(path.stat().st_size for path in HERE.rglob("*") if path.is_file()) < 1_000_000 * len(VERSIONS)


def test_contract_and_plan_mean_what_they_meant(golden: Path, facts: dict[str, Any]) -> None:
    found = parsed(Plan.load(golden / "plan.toml"))
    assert facts["contract"] == found["contract"]
    assert facts["requests"] == found["requests"]
    assert facts["fingerprint"] == found["fingerprint"] == Contract.load(golden / "contract.toml").fingerprint


def test_a_release_folder_is_verified_with_its_ledger_and_its_signature(golden: Path, facts: dict[str, Any]) -> None:
    pytest.importorskip("cryptography")
    found = "\n".join(verify(golden / "published", golden / "budget.sqlite", golden / "keeper.pub"))
    for number, name in enumerate(facts["epsilons"], start=2):
        assert f"{name}: paid for by ledger entry {number}, which confirms this folder" in found
    assert "release.json was signed with the key" in found


def test_a_release_folder_is_still_protected_against_edits(golden: Path) -> None:
    file = golden / "published" / "ages.csv"
    file.write_bytes(file.read_bytes().replace(b"1", b"2", 1))
    with pytest.raises(ReaedpError, match=r"ages\.csv"):
        verify(golden / "published")


@pytest.mark.slow
def test_a_report_is_made_of_a_release_folder(golden: Path, facts: dict[str, Any]) -> None:
    page = public_report(golden / "published")
    assert all(name in page for name in facts["epsilons"])


def test_a_ledger_opens_with_every_entry_and_says_no_more_was_spent(golden: Path, facts: dict[str, Any]) -> None:
    with Ledger.open(golden / "budget.sqlite") as ledger:
        assert len(facts["entries"]) == ledger.verify()
        assert facts["entries"] == [[one.number, one.hash, one.finished is not None] for one in ledger.history()]
        assert ledger.holds("clinic")
        # A better accountant may say less, never more.
        assert max(facts["epsilons"].values()) < ledger.spent("clinic") <= facts["spent"]
        assert facts["remaining"] <= ledger.remaining("clinic") < ledger.budget("clinic").epsilon


def test_a_ledger_goes_on_under_its_contract(golden: Path, facts: dict[str, Any]) -> None:
    data = golden / "data.csv"
    data.write_text("who,age,dose,visits,sex,smokes,seen\n1,40,1,2,f,no,2020-01-01\n", encoding="utf-8")
    curator = Curator(Contract.load(golden / "contract.toml"), data)
    release = curator.release(Marginal("sex"), Laplace(0.5))
    assert len(facts["entries"]) + 1 == release.entry
    assert release.entry + 1 == curator.ledger.verify()


def test_a_ledger_that_lost_what_its_mark_remembers_is_refused(golden: Path) -> None:
    with closing(sqlite3.connect(golden / "budget.sqlite")) as connection, connection:
        connection.execute("DELETE FROM reaedp_entries WHERE number = (SELECT max(number) FROM reaedp_entries)")
    with pytest.raises(LedgerDamaged), Ledger.open(golden / "budget.sqlite") as ledger:
        ledger.verify()


@pytest.mark.parametrize(("layout", "entries"), [(0, 7), (1, 10)])
def test_ledgers_from_before_the_first_version_open_and_verify(layout: int, entries: int, tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((HERE / "0.0" / f"layout_{layout}.sql").read_text(encoding="utf-8"))
    with state_in(tmp_path), Ledger.open(path) as ledger:
        assert entries == ledger.verify()
        assert all(ledger.spent(dataset) > 0 for dataset in ledger.datasets())


def test_what_could_be_called_can_be_called_in_the_same_way(golden: Path) -> None:
    before, now = json.loads((golden / "names.json").read_text(encoding="utf-8")), signatures()
    assert set() == before.keys() - now.keys()
    assert {} == {name: wrong for name in before if (wrong := broken(before[name], now[name]))}


@pytest.mark.parametrize(
    ("before", "now", "wrong"),
    [
        (["a", "b="], ["a", "b=", "c="], []),
        (["a", "*", "b"], ["a", "b", "c=", "*"], []),
        (["a", "b="], ["a", "*", "b="], ["b has moved"]),
        (["a", "b="], ["b=", "a"], ["a has moved", "b has moved"]),
        (["a", "b="], ["a"], ["b is gone"]),
        (["a="], ["a"], ["a can no longer be left out"]),
        (["a"], ["a", "b"], ["b is new and needed"]),
        (["*names"], ["*names", "order="], []),
    ],
)
def test_calls_that_were_right_and_are_wrong_now_are_found(before: list[str], now: list[str], wrong: list[str]) -> None:
    assert wrong == broken(before, now)


def test_golden_files_are_never_made_again() -> None:
    made = {path: path.read_bytes() for path in (HERE / "0.1").rglob("*") if path.is_file()}
    done = subprocess.run([sys.executable, str(HERE / "make.py"), "0.1"], capture_output=True, text=True, check=False)
    assert 1 == done.returncode
    assert "made once" in done.stderr
    assert made == {path: path.read_bytes() for path in (HERE / "0.1").rglob("*") if path.is_file()}
