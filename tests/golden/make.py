"""The files of one version that all later ones must read; made once, when the version is released, and never again.

    python tests/golden/make.py 0.2

makes tests/golden/0.2 with the program as it is now, and refuses if it exists: code that can no longer read an old file
is wrong, not the file. Only files of a version that was never released may be deleted and made anew. Noise is secret,
so that no two runs give the same numbers; `facts.json` says what readers found on the day they were made.
"""

import csv
import json
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from reaedp import Budget, Ledger, Plan, Unit, publish
from reaedp.plan.description import mechanism_record, statistic_record
from reaedp.release.manifest import contract_facts, read_manifest
from reaedp.release.signature import create_keys, sign
from signatures import signatures

HERE = Path(__file__).parent
CONTRACT = """\
[dataset]
name = "clinic"

[unit]
change = "add-remove"
person = "who"
max_rows = 2
at_least = 300

[budget]
epsilon = 40.0
delta = 1e-5
ledger = "budget.sqlite"

[columns.age]
kind = "number"
lower = 0
upper = 100
bins = 4
provenance = "public"

[columns.dose]
kind = "number"
edges = [0.0, 0.5, 2.0, 10.0]
outside = "cell"
infinite = "drop"
provenance = "public"

[columns.visits]
kind = "integer"
lower = 0
upper = 5
width = 2
provenance = "public"

[columns.sex]
kind = "category"
levels = ["f", "m"]
provenance = "public"

[columns.smokes]
kind = "boolean"
provenance = "public"

[columns.seen]
kind = "date"
lower = 2019-01-01
upper = 2020-12-31
every = "year"
null = "drop"
provenance = "public"

[curves.pressure]
form = "wide"
points = ["at_0", "at_1", "at_2", "at_3"]
at = [0.0, 1.0, 2.0, 3.0]
interval = [0.0, 3.0]
basis = "wiener"
rank = 3
clip = 2.0
offset = 1.0
provenance = "public"
"""
PLAN = """\
contract = "contract.toml"

[[release]]
name = "ages"
kind = "histogram"
columns = ["age", "sex"]
mechanism = "laplace"
share = 0.025

[[release]]
name = "doses"
kind = "histogram"
columns = ["dose"]
mechanism = "gaussian"
epsilon = 1
delta = 1e-7

[[release]]
name = "frequent"
kind = "histogram"
columns = ["visits", "seen", "smokes"]
mechanism = "threshold"
epsilon = 2
delta = 1e-6

[[release]]
name = "bits"
kind = "entropy"
columns = ["age"]
orders = [1, 2]
mechanism = "gaussian"
epsilon = 1
delta = 1e-7

[[release]]
name = "derived"
kind = "entropy"
columns = ["visits"]
route = "histogram"
mechanism = "laplace"
epsilon = 1

[[release]]
name = "routed"
kind = "entropy"
columns = ["age", "visits"]
route = "best"
mechanism = "laplace"
epsilon = 1

[[release]]
name = "left"
kind = "conditional-entropy"
columns = ["age"]
given = ["sex"]
mechanism = "laplace"
epsilon = 1

[[release]]
name = "shared"
kind = "mutual-information"
columns = ["age"]
given = ["smokes"]
mechanism = "laplace"
epsilon = 1

[[release]]
name = "map"
kind = "entropy-map"
columns = ["age", "sex", "smokes"]
mechanism = "gaussian"
epsilon = 1
delta = 1e-7

[[release]]
name = "people"
kind = "synthetic"
columns = ["age", "sex", "visits"]
rows = 40
method = "network"
epsilon = 3
delta = 1e-6

[[release]]
name = "mean"
kind = "mean-curve"
curve = "pressure"
epsilon = 4
delta = 1e-6
"""


def write_data(path: Path) -> None:
    """Rows of four hundred people who do not exist, at most two of each."""
    rng = np.random.default_rng(1)
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["who", "age", "dose", "visits", "sex", "smokes", "seen", *(f"at_{time}" for time in range(4))])
        for number in range(800):
            age, visits = rng.integers(0, 100), rng.binomial(5, 0.3)
            curve = (1 + age / 100 + rng.normal(0, 0.1, 4)).round(3)
            seen = f"{rng.integers(2019, 2021)}-0{rng.integers(1, 10)}-11"
            sex, smokes = "fm"[rng.integers(2)], ("no", "yes")[rng.integers(2)]
            rows.writerow([number // 2, age, round(rng.exponential(2), 2), visits, sex, smokes, seen, *curve])


def parsed(plan: Plan) -> dict[str, Any]:
    """A contract and a plan as plain values, whatever the classes are called that hold them."""
    requests = plan.requests()
    facts = {
        "fingerprint": plan.contract.fingerprint,
        "contract": contract_facts(plan.contract),
        "requests": [
            {
                "name": request.name,
                "statistic": statistic_record(request.statistic),
                "mechanism": mechanism_record(request.mechanism),
            }
            for request in requests
        ],
    }
    plain: dict[str, Any] = json.loads(json.dumps(facts, default=str))
    return plain


def read(folder: Path) -> dict[str, Any]:
    """What readers find in the files of a version."""
    with Ledger.open(folder / "budget.sqlite") as ledger:
        entries = [[entry.number, entry.hash, entry.finished is not None] for entry in ledger.history()]
        return parsed(Plan.load(folder / "plan.toml")) | {
            "entries": entries,
            "spent": ledger.spent("clinic"),
            "remaining": ledger.remaining("clinic"),
            "epsilons": {one["name"]: one["epsilon"] for one in read_manifest(folder / "published")["releases"]},
        }


def make(folder: Path) -> None:
    """Everything in a new folder; the rows and the private key are not kept."""
    folder.mkdir()
    data, key = folder / "data.csv", folder / "keeper.key"
    write_data(data)
    for name, text in (("contract.toml", CONTRACT), ("plan.toml", PLAN)):
        (folder / name).write_text(text, encoding="utf-8")
    with Ledger.create(folder / "budget.sqlite"):
        pass
    publish(Plan.load(folder / "plan.toml"), data, folder / "published", page=False)
    create_keys(key)
    sign(folder / "published", key)
    with Ledger.open(folder / "budget.sqlite") as ledger:
        ledger.register("another", Budget(epsilon=1.0, delta=1e-6), Unit("replace"))
        ledger.raise_budget("another", Budget(epsilon=2.0, delta=1e-6), "so that there is an entry of every kind")
    facts = read(folder)
    with closing(sqlite3.connect(folder / "budget.sqlite")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # all of the ledger is in its file
    for left in (data, key, *folder.glob("budget.sqlite-[!w]*"), *folder.glob("budget.sqlite-wal")):
        left.unlink()
    (folder / "facts.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    (folder / "names.json").write_text(json.dumps(signatures(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    (version,) = sys.argv[1:]
    if (HERE / version).exists():
        sys.exit(f"{HERE / version} exists. Files of a version are made once; later code must go on reading them.")
    with tempfile.TemporaryDirectory(dir=HERE) as unfinished:
        make(Path(unfinished) / version)
        (Path(unfinished) / version).rename(HERE / version)
