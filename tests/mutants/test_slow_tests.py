"""What moved out of `make test` left nothing unguarded there."""

import subprocess
import sys

import pytest

from planted import ROOT, mutants
from slow import Collected, table, unguarded


def everything(found: Collected) -> dict[str, Collected]:
    return {test: found for mutant in mutants() for test in mutant.caught_by}


def test_a_bug_that_only_slow_tests_catch_is_named() -> None:
    quick, slow, started = Collected(2, 0, started=False), Collected(0, 2, started=False), Collected(0, 1, started=True)
    assert [] == unguarded(everything(quick)) == unguarded(everything(started))
    (first, *_) = mutants()
    assert first.name in unguarded(everything(quick) | dict.fromkeys(first.caught_by, slow))
    assert len(mutants()) == len(unguarded(everything(slow)))


def test_slow_tests_are_listed_with_the_bugs_that_they_catch() -> None:
    (first, *_) = mutants()
    rows = table(everything(Collected(1, 0, started=False)) | {first.caught_by[0]: Collected(1, 3, started=False)})
    (row,) = rows.splitlines()[2:]
    assert row.startswith(f"| `{first.caught_by[0]}` | 4 | 3 | ")
    assert f"`{first.name}`" in row


@pytest.mark.slow
def test_every_planted_bug_is_caught_by_a_quick_test_unless_something_must_be_started() -> None:
    script = ROOT / "tests" / "mutants" / "slow.py"
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=1200)
    assert 0 == done.returncode, done.stderr
