"""Whole commands on the demo: seconds of the processor and peak memory, beside the release before and beside goals.

    python benchmarks/commands.py [--base 4a0aeec | --without-base] [--rounds 3] [--only check plan]

The release before is a wheel of its commit, kept in benchmarks/data/wheels, in a virtual environment of its own, with
the libraries that it asks for. Both run in turns, each from a folder of its own with a state folder of its own, so that
no audit is kept from before; the second release of a plan is measured by itself, and so is a plan whose budget is
spent. The least of all rounds counts. Bytecode is compiled beforehand.

Beside them: what a second release in a running process takes beyond the bare query of its counts, and beside
diffprivlib's histogram of the same array; and how much more memory than the bare query a histogram of a large file
takes.
"""

import argparse
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.peer import Unavailable, run
from harness.previous import Installed, previous
from harness.row import Row
from harness.script import parser, present
from histogram import generate

ROOT = Path(__file__).resolve().parents[1]
#: The release before.
BASE = "4a0aeec"
#: Rows in memory of a second release; those of a large file.
SIZES, LARGE = (100_000, 1_000_000), 10_000_000
#: How many times as long as diffprivlib, which keeps neither a budget nor a record, a second release may take.
BESIDE_DIFFPRIVLIB = {100_000: 3.0, 1_000_000: 1.0}
#: Turns of each, of which the best counts.
TURNS = 20
#: Seconds beyond counting, megabytes beyond the bare query, and seconds after which nobody waits any more.
BEYOND_COUNTING, BEYOND_QUERY, CAP = 0.010, 100.0, 240.0
HISTOGRAM = """contract = "contract.toml"
[[release]]
name = "visits"
kind = "histogram"
columns = ["mdvis"]
mechanism = "laplace"
share = 0.5
"""


@dataclass(frozen=True)
class Command:
    """What is typed, the most seconds and megabytes that it should take, and whether its plan was released before.

    What was released is known again, and either paid for again by a new ledger, or the budget is `spent`.
    """

    name: str
    arguments: tuple[str, ...]
    seconds: float
    megabytes: float | None = None
    again: bool = False
    spent: bool = False


DEMO = ("release", "plan.toml", "--data", "data.csv", "--out", "out")
COMMANDS = (
    Command("check", ("check", "plan.toml"), 0.3),
    Command("plan", ("plan", "plan.toml"), 0.6),
    Command("plan --html", ("plan", "plan.toml", "--html", "plan.html"), 1.2),
    Command("plan, budget spent", ("plan", "plan.toml"), 0.6, spent=True),
    Command("plan --html, budget spent", ("plan", "plan.toml", "--html", "plan.html"), 1.2, spent=True),
    Command("audit", ("audit", "plan.toml"), 4.0),
    Command("release", DEMO, 2.5, 250),
    Command("release again", DEMO, 2.5, 250, again=True),
    Command("release of a histogram of 10^5 rows", ("release", "one.toml", "--data", "many.csv", "--out", "out"), 0.6),
    Command("report", ("report", "released"), 0.8),
    Command("verify", ("verify", "released"), 2.5),
)


class Place:
    """A folder with the demo's files, for one version of the program."""

    def __init__(self, installed: Installed, folder: Path) -> None:
        self.folder, self.python = folder, installed.python
        folder.mkdir()
        demo = installed.source / "reaedp" / "cli" / "demo"
        for name in ("contract.toml", "plan.toml"):
            shutil.copy(demo / name, folder)
        (folder / "one.toml").write_text(HISTOGRAM, encoding="utf-8")
        data = gzip.decompress((demo / "rand_hie.csv.gz").read_bytes())
        (folder / "data.csv").write_bytes(data)
        head, *rows = data.decode().splitlines()
        (folder / "many.csv").write_text("\n".join([head, *(rows * 5)[:100_000]]) + "\n", encoding="utf-8")
        kept = {"PYTHONPATH": str(installed.source), "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
        left_out = ("PYTHONDONTWRITEBYTECODE", "REAEDP_STATE")
        self.variables = {key: value for key, value in os.environ.items() if key not in left_out} | kept
        self.run("--help")
        self.fresh()
        self.run(*DEMO)
        (folder / "out").rename(folder / "released")

    def fresh(self, *, state: bool = True) -> None:
        """A new ledger and no output; with `state`, nothing that an earlier release left is known."""
        for path in [*self.folder.glob("budget.sqlite*"), *self.folder.glob("plan.html")]:
            path.unlink()
        for name in ("out", "state") if state else ("out",):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        self.variables["REAEDP_STATE"] = str(self.folder / "state")
        self.run("ledger", "create", "budget.sqlite")

    def run(self, *arguments: str) -> tuple[float, float]:
        """Seconds of the processor and peak megabytes of a command."""
        command = [str(self.python), "-m", "reaedp", *arguments]
        with subprocess.Popen(command, cwd=self.folder, env=self.variables, stdout=subprocess.DEVNULL) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(arguments)} failed")
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def measured(places: dict[str, Place], command: Command, rounds: int) -> dict[str, tuple[float, float]]:
    """The least of several rounds, in turns."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in places}
    for _ in range(rounds):
        for name, place in places.items():
            place.fresh()
            if command.again or command.spent:
                place.run(*DEMO)
            if command.again:
                place.fresh(state=False)
            found[name].append(place.run(*command.arguments))
    return {name: (min(one for one, _ in each), min(one for _, one in each)) for name, each in found.items()}


def compared(command: Command, found: dict[str, tuple[float, float]], base: str) -> Iterator[Row]:
    """A command beside the release before, if that ran, and beside its goals."""
    shared: dict[str, Any] = {"section": "Commands", "what": command.name}
    ours, memory = found["ours"]
    if "base" in found:
        theirs, more = found["base"]
        yield Row(against=f"commit {base}", ours=ours, theirs=theirs, **shared)
        yield Row(against=f"commit {base}", ours=memory, theirs=more, unit="MB", **shared)
    yield Row(against=f"{command.seconds} s", ours=ours, theirs=command.seconds, goal=1.0, **shared)
    if command.megabytes is not None:
        limit = {"ours": memory, "theirs": command.megabytes, "unit": "MB", "goal": 1.0}
        yield Row(against=f"{command.megabytes} MB", **limit, **shared)


def running() -> Iterator[Row]:
    """A second release in a running process; the least of many turns."""
    for size in SIZES:
        found = run("histogram_again", generate(size, "parquet"), cap=CAP)
        limit = found["query"] + BEYOND_COUNTING
        shared = {"section": "A second release in a running process", "what": f"histogram of {size:,} rows in memory"}
        yield Row(against="the bare query and 10 ms", ours=found["release"], theirs=limit, goal=1.0, **shared)
        peer = {"against": "diffprivlib", "ours": found["release"], "goal": BESIDE_DIFFPRIVLIB[size], **shared}
        try:
            theirs = run(
                "histogram_diffprivlib", generate(size, "parquet"), "memory", TURNS, peer="diffprivlib", cap=CAP
            )
            yield Row(theirs=theirs["processor"], note=theirs["versions"], **peer)
        except Unavailable as reason:
            yield Row(theirs=None, note=str(reason), **peer)


def memory() -> Iterator[Row]:
    """The peak of a whole release of a large file, beside that of the bare query."""
    for kind in ("parquet", "csv"):
        data = generate(LARGE, kind)
        ours, bare = (run(f"histogram_{name}", data, "file", cap=CAP)["peak_mb"] for name in ("reaedp", "duckdb"))
        shared = {"section": "Memory beside the bare query", "what": f"histogram of {LARGE:,} rows, {kind}"}
        limit = {"ours": ours, "theirs": bare + BEYOND_QUERY, "unit": "MB", "goal": 1.0}
        yield Row(against="the bare query and 100 MB", note=f"the bare query: {bare:,.0f} MB", **limit, **shared)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        places = {"ours": Place(Installed(Path(sys.executable), ROOT / "src"), Path(name) / "ours")}
        if not options.without_base:
            places["base"] = Place(previous(options.base), Path(name) / "base")
        for command in COMMANDS:
            if not options.only or command.name in options.only:
                yield from compared(command, measured(places, command, options.rounds), options.base)
    for job in (running, memory):
        if not options.only or job.__name__ in options.only:
            yield from job()


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--base", default=BASE, help="the commit of the release to compare with")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--without-base", action="store_true", help="compare with goals alone")
    options.add_argument("--only", nargs="+", help="names of commands; running; memory")
    present(options.parse_args(), rows)


if __name__ == "__main__":
    main()
