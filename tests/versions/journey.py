"""What every supported set of versions must be able to do: releases of each engine's kind, checks, reports, audits.

python journey.py        in an environment with nothing but reaedp and what it depends on
"""

import subprocess
import sys
import tempfile
from pathlib import Path

CONTRACT = """
[dataset]
name = "clinic"

[unit]
change = "add-remove"
person = "who"
max_rows = 2
at_least = 300

[budget]
epsilon = 20.0
delta = 1e-5
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

[columns.seen]
kind = "date"
lower = 2019-01-01
upper = 2020-12-31
every = "month"
provenance = "public"
"""
PLAN = """
contract = "contract.toml"

[[release]]
name = "ages"
kind = "histogram"
columns = ["age", "sex"]
mechanism = "laplace"
epsilon = 1

[[release]]
name = "keys"
kind = "histogram"
columns = ["seen", "sex"]
mechanism = "threshold"
epsilon = 1
delta = 1e-7

[[release]]
name = "bits"
kind = "entropy"
columns = ["age"]
orders = [1, 2]
mechanism = "gaussian"
epsilon = 1
delta = 1e-7
"""
SYNTHETIC = """
contract = "contract.toml"

[[release]]
name = "{method}"
kind = "synthetic"
columns = ["age", "sex", "seen"]
rows = 50
method = "{method}"
epsilon = 2
delta = 1e-6
"""
METHODS = ("network", "amortised", "deniable")
COMMANDS = (
    "check contract.toml",
    "plan plan.toml --html plan.html",
    "ledger create budget.sqlite",
    "release plan.toml --data data.csv --out out",
    "verify out --ledger budget.sqlite",
    *(f"release {method}.toml --data data.csv --out {method}" for method in METHODS),
    *(f"verify {method} --ledger budget.sqlite" for method in METHODS),
    "evaluate network --data data.csv --others others.csv --out evaluated",
    "report out --custodian --data data.csv",
    "ledger show budget.sqlite",
    "ledger verify budget.sqlite --second-opinion",
    "audit plan.toml --runs 2000",
    "audit network.toml --runs 2000",
    "audit --self-test",
    "calibrate --change add-remove --error-count 10 --bins 30",
)


def rows(first: int, number: int) -> str:
    lines = (
        f"p{first + n // 2},{37 * n % 100},{'fm'[n % 2]},2019-{n % 12 + 1:02}-{n % 28 + 1:02}" for n in range(number)
    )
    return "who,age,sex,seen\n" + "\n".join(lines) + "\n"


def prepare(folder: Path) -> None:
    (folder / "contract.toml").write_text(CONTRACT, encoding="utf-8")
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    for method in METHODS:
        (folder / f"{method}.toml").write_text(SYNTHETIC.format(method=method), encoding="utf-8")
    (folder / "data.csv").write_text(rows(0, 2_000), encoding="utf-8")
    (folder / "others.csv").write_text(rows(9_000, 400), encoding="utf-8")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        for command in COMMANDS:
            words = [sys.executable, "-W", "error::DeprecationWarning:reaedp", "-m", "reaedp", *command.split()]
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode or "Warning" in done.stderr:
                details = "".join(path.read_text() for path in Path.home().glob(".local/state/reaedp/*.txt"))
                sys.exit(f"{command}: exit code {done.returncode}\n{done.stderr}{done.stdout}{details}")


if __name__ == "__main__":
    main()
