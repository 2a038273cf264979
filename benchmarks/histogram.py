"""A histogram of one column in 30 bins: ours against the bare query and against what users would pick instead.

    python benchmarks/histogram.py [--rows 100000 10000000 100000000] [--from parquet csv memory] [--without-peers]

Every contender runs in its own process, peers in virtual environments of their own. Contenders take turns for several
rounds and the best of each counts. DuckDB by hand is the limit: it counts and does nothing else. From a file, ours is
the whole release with its folder; from memory, the charged and noisy numbers alone. What a peer's smaller sizes
predict to take longer than the cap is not run.
"""

import argparse
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from harness.peer import DATA, OURS, Unavailable, run
from harness.row import Row
from harness.script import parser, present
from harness.table import figure

#: Contender → environment and how its users would call it.
PEERS = {
    "opendp": ("opendp", "OpenDP, Polars"),
    "diffprivlib": ("diffprivlib", "diffprivlib"),
    "smartnoise": ("smartnoise_sql", "SmartNoise SQL"),
    "pipeline_dp": ("pipeline_dp", "PipelineDP, local"),
    "tumult": ("tumult", "Tumult, local Spark"),
}
KINDS = ("parquet", "csv", "memory")
#: Ours over by hand, from this many rows on: below, what does not depend on rows decides.
GOAL, FROM_ROWS = 1.15, 100_000_000
CAP = 240.0
#: Less time of the processor than this, in seconds, is not told exactly by the system.
SHORTEST = 0.01
#: So many times our time is not measured more exactly.
FAR = 3.0


def generate(rows: int, suffix: str) -> Path:
    """Made-up rows; a CSV has a second column, which nobody asks for."""
    path = DATA / f"x{rows}.{suffix}"
    if not path.exists():
        DATA.mkdir(parents=True, exist_ok=True)
        columns = "x" if suffix == "parquet" else "x, (random() * 10)::INTEGER AS y"
        made = f"SELECT {columns} FROM (SELECT random() * 100 AS x FROM range({rows}))"
        duckdb.execute(f"COPY ({made}) TO '{path}'")
    return path


#: Seconds of a contender for a number of rows.
Times = dict[tuple[str, int], float]


class Race:
    """The best result of each contender for one file, after several rounds of taking turns."""

    def __init__(self, data: Path, place: str, rounds: int) -> None:
        self.data, self.place, self.rounds = data, place, rounds
        self.best: dict[str, dict[str, Any]] = {}
        self.missing: dict[str, str] = {}

    def start(self, contenders: dict[str, str]) -> None:
        """Run contenders (name → environment); one that fails or is far behind is not asked again."""
        for _ in range(self.rounds):
            for name, peer in contenders.items():
                if name not in self.missing and not self._far_behind(name):
                    self._once(name, peer)

    def _far_behind(self, name: str) -> bool:
        return name in self.best and self.best[name]["seconds"] > FAR * self.best["reaedp"]["seconds"]

    def _once(self, name: str, peer: str) -> None:
        try:
            found = run(f"histogram_{name}", self.data, self.place, peer=peer, cap=CAP)
        except Unavailable as reason:
            self.missing[name] = str(reason)
            return
        best = self.best.setdefault(name, found)
        for part in ("seconds", "processor", "import"):
            best[part] = min(best[part], found[part])


def predicted(name: str, rows: int, earlier: Times) -> float:
    """The seconds that a contender will need, on the line through its last two sizes; 0 if nothing is known."""
    sizes = sorted(size for other, size in earlier if other == name)[-2:]
    if len(sizes) < 2 or math.isinf(earlier[name, sizes[-1]]):
        return earlier[name, sizes[-1]] if len(sizes) == 2 else 0.0
    (first, second), (low, high) = sizes, (earlier[name, size] for size in sizes)
    return high + max(high - low, 0.0) * (rows - second) / (second - first)


def compared(kind: str, rows: int, peers: list[str], rounds: int, earlier: Times) -> Iterator[Row]:
    place = "memory" if kind == "memory" else "file"
    race = Race(generate(rows, "csv" if kind == "csv" else "parquet"), place, rounds)
    long = {name: predicted(name, rows, earlier) for name in peers}
    able = {name: PEERS[name][0] for name in peers if long[name] < CAP}
    race.start({"duckdb": OURS, "reaedp": OURS} | able)
    ours, hand = race.best["reaedp"], race.best["duckdb"]
    section, what = f"Histogram of 30 bins, {kind}", f"{rows:,} rows"
    extra, of_processor = ours["peak_mb"] - hand["peak_mb"], ours["processor"] / hand["processor"]
    note = f"{ours['versions']}; ratio of processor time {of_processor:.2f}; {extra:,.0f} MB more memory"
    yield Row(
        section=section, what=what, against="DuckDB by hand", ours=ours["seconds"], theirs=hand["seconds"], limit=True,
        goal=GOAL if rows >= FROM_ROWS else None, note=note,
    )  # fmt: skip
    for name in peers:
        theirs = race.best.get(name)
        if theirs:
            earlier[name, rows] = theirs["seconds"]
            note = theirs["versions"]
            if theirs["seconds"] < ours["seconds"] and theirs["processor"] > SHORTEST:
                note += f"; ratio of processor time {ours['processor'] / theirs['processor']:.2f}"
        elif long[name] >= CAP:
            note = (
                f"not tried: fewer rows say {figure(long[name])} s"
                if long[name] < math.inf
                else "not tried: see fewer rows"
            )
        else:
            note = race.missing[name]
            earlier[name, rows] = math.inf if "no result" in note else 0.0
        yield Row(
            section=section, what=what, against=PEERS[name][1], ours=ours["seconds"],
            theirs=theirs["seconds"] if theirs else None, note=note,
        )  # fmt: skip


def rows(options: argparse.Namespace) -> Iterator[Row]:
    peers = [] if options.without_peers else list(PEERS)
    for kind in options.kinds:
        earlier: Times = {}
        for size in options.rows or ([100_000, 1_000_000] if options.quick else [100_000, 10_000_000, 100_000_000]):
            yield from compared(kind, size, peers, options.rounds or (2 if options.quick else 3), earlier)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rows", type=int, nargs="+")
    options.add_argument("--from", dest="kinds", nargs="+", choices=KINDS, default=list(KINDS))
    options.add_argument("--rounds", type=int)
    options.add_argument("--without-peers", action="store_true")
    present(options.parse_args(), rows)


if __name__ == "__main__":
    main()
