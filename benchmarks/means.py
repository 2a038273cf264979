"""The time of a mean by 20 groups from Parquet: the whole release beside the same SQL by hand.

    python benchmarks/means.py [--rows 100000000] [--rounds 5]

The file is made for the run (0.9 GB for 10⁸ rows) and deleted after it. Both take turns, each in a process of its own;
the best of each counts. The ratio that is judged is that of processor time: others on the machine lengthen the time on
the clock, and hardly that. By hand is a limit: it clips, adds up and counts what is missing, and does nothing else.
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from harness.peer import DATA, run
from harness.row import Row
from harness.script import parser, present

GOAL, CAP = 1.15, 240.0
#: Ours over by hand, from this many rows on: below, what does not depend on rows decides.
FROM_ROWS = 100_000_000


def raced(data: Path, rounds: int) -> dict[str, dict[str, Any]]:
    """The best of each, after so many rounds of taking turns."""
    best: dict[str, dict[str, Any]] = {}
    for _ in range(rounds):
        for name in ("duckdb", "reaedp"):
            found = run(f"mean_{name}", data, cap=CAP)
            kept = best.setdefault(name, found)
            for part in ("seconds", "processor"):
                kept[part] = min(kept[part], found[part])
    return best


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """Processor time, with the time on the clock beside it."""
    DATA.mkdir(parents=True, exist_ok=True)
    for size in options.rows:
        with tempfile.TemporaryDirectory(dir=DATA) as folder:
            data = Path(folder) / "rows.parquet"
            made = f"SELECT random() * 100 AS x, (1 + floor(random() * 20))::INTEGER AS g FROM range({size})"
            duckdb.execute(f"COPY ({made}) TO '{data}'")
            best = raced(data, options.rounds)
        ours, hand = best["reaedp"], best["duckdb"]
        note = f"on the clock {ours['seconds']:.2f} s and {hand['seconds']:.2f} s; {ours['versions']}"
        yield Row(
            section="Mean by 20 groups, Parquet, processor time",
            what=f"{size:,} rows",
            against="DuckDB by hand",
            ours=ours["processor"],
            theirs=hand["processor"],
            limit=True,
            goal=GOAL if size >= FROM_ROWS else None,
            note=note,
        )


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rows", type=int, nargs="+", default=[FROM_ROWS])
    options.add_argument("--rounds", type=int, default=5)
    chosen = options.parse_args()
    if chosen.quick:
        chosen.rows, chosen.rounds = [1_000_000], 2
    present(chosen, rows)


if __name__ == "__main__":
    main()
