"""A project that is ready for its release: forty made-up people, a contract, a plan and a ledger."""

from pathlib import Path

from reaedp import Ledger

ROWS = "age,sex\n" + "".join(f"{20 + number},{'fm'[number % 2]}\n" for number in range(40))
CONTRACT = """[dataset]
name = "own"

[unit]
change = "add-remove"
at_least = 30

[budget]
epsilon = 1.0
delta = 1e-6
ledger = "budget.sqlite"

[columns.age]
kind = "integer"
lower = 0
upper = 99
width = 10
provenance = "public"

[columns.sex]
kind = "category"
levels = ["f", "m"]
provenance = "public"
"""
PLAN = """contract = "contract.toml"

[[release]]
name = "sexes"
label = "Women and men"
kind = "histogram"
columns = ["sex"]
mechanism = "laplace"
epsilon = 0.5
"""


def ready(folder: Path, name: str = "own", *, ledger: bool = True, rows: str = ROWS) -> Path:
    """The folder of the project, inside the given one."""
    own = folder / name
    own.mkdir(parents=True)
    (own / "people.csv").write_text(rows, encoding="utf-8")
    (own / "contract.toml").write_text(CONTRACT, encoding="utf-8")
    (own / "plan.toml").write_text(PLAN, encoding="utf-8")
    (own / "studio.toml").write_text('data = "people.csv"\n', encoding="utf-8")
    if ledger:
        Ledger.create(own / "budget.sqlite").close()
    return own


def charges(own: Path) -> int:
    """How many releases the ledger has charged for."""
    with Ledger.open(own / "budget.sqlite") as book:
        return sum(entry.charge is not None for entry in book.history())
