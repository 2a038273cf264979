"""Many writers race for the last of a budget, on ledgers with a history, of an old version, and of two at once."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ledger_worker
from ledger_worker import ROWS, release
from reaedp.errors import BudgetRefused, LedgerDamaged
from reaedp.ledger.ledger import Ledger
from reaedp.privacy.budget import Budget
from reaedp.privacy.loss import GaussianDP, PureDP
from test_ledger import write_version_0

PROCESSES = 16
BUDGET = Budget(1.0, 1e-6)


def started(*words: object) -> "subprocess.Popen[str]":
    command = [sys.executable, ledger_worker.__file__, *map(str, words)]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def raced(address: str | Path, folder: Path, epsilon: float, most: int, budget: Budget) -> list[dict[str, Any]]:
    """What each of the processes got, that began at the same moment."""
    folder.mkdir()
    process = started("crowd", address, folder, PROCESSES, epsilon, most, budget.epsilon, budget.delta)
    output, errors = process.communicate()
    assert ("", 0) == (errors, process.returncode)
    assert [0] * PROCESSES == json.loads(output)["codes"]
    return [json.loads(path.read_text()) for path in folder.glob("*.json")]


def numbers(results: list[dict[str, Any]]) -> list[int]:
    return sorted(number for one in results for number in one["numbers"])


def with_history(address: str | Path) -> None:
    """Prices of three kinds, chosen one after another."""
    with Ledger.create(address) as book:
        book.register("census", BUDGET, ROWS)
        for price in ((GaussianDP(0.03),), (PureDP(0.02),), (GaussianDP(0.05), PureDP(0.01))):
            book.charge([release(price=price)])


def test_the_last_of_a_budget_goes_to_one_of_many_who_want_all_of_it(address: str | Path, tmp_path: Path) -> None:
    with_history(address)
    with Ledger.open(address) as book:
        rest = book.remaining("census")
    results = raced(address, tmp_path / "results", rest, 2, BUDGET)
    assert [5] == numbers(results)
    assert [1] * PROCESSES == [one["refused"] for one in results]
    with Ledger.open(address) as book:
        assert 5 == book.verify()
        assert book.spent("census") <= 1.0
        with pytest.raises(BudgetRefused):
            book.charge([release(rest / 100)])


@pytest.mark.slow
def test_exactly_as_many_are_admitted_in_a_race_as_were_forecast(address: str | Path, tmp_path: Path) -> None:
    with_history(address)
    with Ledger.open(address) as book:
        allowed = book.copies_left("census", (PureDP(0.03),))
    assert 2 * PROCESSES < allowed < 6 * PROCESSES
    results = raced(address, tmp_path / "results", 0.03, 6, BUDGET)
    assert list(range(5, 5 + allowed)) == numbers(results)
    with Ledger.open(address) as book:
        assert 4 + allowed == book.verify()
        assert 0 == book.copies_left("census", (PureDP(0.03),))


@pytest.mark.slow
def test_writers_who_all_find_a_ledger_of_version_0_carry_it_forward_once(address: str | Path, tmp_path: Path) -> None:
    write_version_0(address)
    results = raced(address, tmp_path / "results", 0.05, 2, Budget(2.0, 1e-12))
    # Of 2.0 the old charges had spent 1.25; fifteen of 0.05 are left, and the chain had seven entries.
    assert list(range(8, 23)) == numbers(results)
    with Ledger.open(address) as book:
        assert (2.0, 0.0, 22) == (book.spent("census"), book.remaining("census"), book.verify())


@pytest.mark.slow
def test_writers_of_an_older_program_stop_when_a_newer_one_migrates_and_no_charge_is_lost(
    address: str | Path, tmp_path: Path
) -> None:
    with Ledger.create(address) as book:
        book.register("census", Budget(1e6, 1e-6), ROWS)
    folder = tmp_path / "results"
    folder.mkdir()
    output, errors = started("versions", address, folder, 8, 5).communicate()
    assert "" == errors
    newer = json.loads(output)
    older = [json.loads(path.read_text()) for path in folder.glob("*.json")]
    assert 8 == len(older)
    for one in older:
        assert one["numbers"]
        assert "The ledger has layout 3; this version of reaedp knows layout 2" in one["stopped"]
    before, after = sorted(n for one in older for n in one["numbers"]), newer["numbers"]
    assert list(range(2, len(before) + 2)) == before
    assert list(range(len(before) + 2, len(before) + 7)) == after
    with pytest.raises(LedgerDamaged, match="layout 3"):
        Ledger.open(address)
