"""One release of the clinic for all tests of this folder; each spoils a copy of its own."""

from pathlib import Path

import pytest

from reaedp import Plan, publish
from tests_support import ledger_in

CONTRACT = """
[dataset]
name = "clinic"

[unit]
change = "add-remove"

[budget]
epsilon = 1.0
delta = 1e-6
ledger = "budget.sqlite"

[columns.age]
kind = "number"
lower = 0
upper = 100
bins = 10
provenance = "public"

[columns.sex]
kind = "category"
levels = ["f", "m"]
provenance = "public"
"""

PLAN = """
contract = "contract.toml"

[[release]]
name = "ages"
kind = "histogram"
columns = ["age"]
mechanism = "laplace"
share = 0.25

[[release]]
name = "both"
kind = "histogram"
columns = ["age", "sex"]
mechanism = "gaussian"
epsilon = 0.4
delta = 1e-7

[[release]]
name = "frequent"
kind = "histogram"
columns = ["age", "sex"]
mechanism = "threshold"
epsilon = 0.2
delta = 1e-7
"""


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
