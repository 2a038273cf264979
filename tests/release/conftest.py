"""One release of the clinic for all tests of this folder; each spoils a copy of its own."""

from pathlib import Path

import pytest

from reaedp import Plan, publish
from tests_support import CONTRACT, PLAN, ledger_in


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, contract, plan, ledger and the release `out`."""
    home = tmp_path_factory.mktemp("made")
    (home / "contract.toml").write_text(CONTRACT)
    (home / "plan.toml").write_text(PLAN)
    rows = "".join(f"{37 * row % 100},{'fm'[row % 2]}\n" for row in range(2_000))
    (home / "data.csv").write_text(f"age,sex\n{rows}")
    ledger_in(home)
    publish(Plan.load(home / "plan.toml"), str(home / "data.csv"), home / "out", audited=False, page=False)
    return home
