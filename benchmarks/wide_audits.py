"""The audit before a release of synthetic records, by the number of columns, beside the release before and goals.

    python benchmarks/wide_audits.py [--base b454f68] [--columns 14 100 300] [--cap 300]

Each runs in a process of its own, in turns; the least seconds of the processor of all rounds count. No data is opened.
A version that takes longer than the cap is stopped, and its row says so.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from harness.previous import Installed, previous
from harness.row import Row
from harness.script import parser, present

ROOT = Path(__file__).resolve().parents[1]
#: The release before.
BASE = "b454f68"
#: The most seconds that so many columns should take.
GOALS = {14: 1.0, 100: 5.0, 300: 15.0}
CODE = """
import sys, time
import numpy as np
from reaedp import Budget, Category, Contract, Integer, Unit
from reaedp.audits.pre_release import pre_release_audit
from reaedp.plan.request import Request
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.synthetic import Synthetic

levels, public = "abcdefgh", {"provenance": "public"}
columns = tuple(
    Category(name=f"c{place}", levels=tuple(levels[: 2 + place % 7]), **public)
    if place % 2
    else Integer(name=f"c{place}", lower=0, upper=5 + place % 40, **public)
    for place in range(int(sys.argv[1]))
)
unit = Unit("add-remove", at_least=5_000)
contract = Contract(dataset="d", unit=unit, budget=Budget(1, 1e-6), ledger="none.sqlite", columns=columns)
names = tuple(column.name for column in columns)
request = Request("rows", Synthetic(names, 1_000), MarginalModel.within(1.0, 1e-6, contract, names))
began = time.process_time()
pre_release_audit(contract, [request], rng=np.random.default_rng(1))
print(time.process_time() - began)
"""


def seconds(version: Installed, columns: int, cap: float) -> float | None:
    """Seconds of the processor; nothing if it had to be stopped."""
    environment = os.environ | {"PYTHONPATH": str(version.source)}
    command = [version.python, "-c", CODE, str(columns)]
    try:
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=cap)
    except subprocess.TimeoutExpired:
        return None
    return float(done.stdout)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    ours, base = Installed(Path(sys.executable), ROOT / "src"), previous(options.base)
    for columns in options.columns:
        rounds = [(seconds(ours, columns, options.cap), seconds(base, columns, options.cap)) for _ in range(2)]
        least = [min((one for one in each if one is not None), default=None) for each in zip(*rounds, strict=True)]
        shared = {"section": "Audit before a release of synthetic records", "what": f"{columns} columns"}
        note = "" if least[1] is not None else f"stopped after {options.cap:g} s"
        yield Row(against=f"commit {options.base}", ours=least[0], theirs=least[1], note=note, **shared)
        if columns in GOALS:
            goal = GOALS[columns]
            yield Row(against=f"{goal:g} s", ours=least[0], theirs=goal, goal=1.0, **shared)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--base", default=BASE, help="the commit of the release to compare with")
    options.add_argument("--columns", type=int, nargs="+", default=list(GOALS))
    options.add_argument("--cap", type=float, default=300.0, help="seconds by the clock")
    present(options.parse_args(), rows)


if __name__ == "__main__":
    main()
