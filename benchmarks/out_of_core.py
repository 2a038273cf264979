"""Data larger than the memory given to a release: peak memory of the process against that limit.

    python benchmarks/out_of_core.py [--memory 1GB] [--keys 100000000] [--rows 30000000] [--only NAME ...]

    large    a histogram and an entropy map of a Parquet file several times the limit
    people   at most two rows of each of many people, so that rows are ranked out of core
    wide     histograms of a table with 500 columns
    keys     a sparse release with very many distinct keys: counted in the engine, hidden some at a time

Each runs in a process of its own, whose peak is read from the operating system. It includes Python, the libraries
(about 80 MB before any data is opened) and whatever the engine holds: the limit is one for the whole process.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb

from harness.row import Row
from harness.script import parser, present

DATA = Path(__file__).parent / "data"
KEYED = ("k0", "k1", "k2")
SIDE = 1_000
#: The peak over the limit.
GOAL = 1.1


def generate(name: str, query: str) -> Path:
    path = DATA / f"{name}.parquet"
    if not path.exists():
        DATA.mkdir(exist_ok=True)
        duckdb.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet, COMPRESSION uncompressed)")
    return path


def randoms(columns: int) -> str:
    return ", ".join(f"random() * 100 AS x{number}" for number in range(columns))


def made(name: str, rows: int, keys: int) -> Path:
    cells = ", ".join(f"CAST(j // {SIDE**place} % {SIDE} AS SMALLINT) AS {key}" for place, key in enumerate(KEYED))
    # Every key occurs, most of them once: an injective mix of the row number, then a thousand keys a thousand times.
    mixed = f"SELECT if(i < {keys}, i * 7919 % {keys}, i % 1000) AS j FROM range({keys + 1_000_000}) t(i)"
    queries = {
        "large": f"SELECT {randoms(8)}, 'person ' || (i % ({rows} // 3)) AS who FROM range({rows}) t(i)",
        "wide": f"SELECT {randoms(500)} FROM range({rows // 60}) t(i)",
        "keys": f"SELECT {cells} FROM ({mixed})",
    }
    source = "large" if name == "people" else name
    return generate(f"{source}{keys if name == 'keys' else rows}", queries[source])


def run(name: str, rows: int, keys: int) -> None:
    """One check in this process, which prints its own peak."""
    import reaedp
    from harness.ledger import ledger_in
    from reaedp import (
        Budget,
        Contract,
        Curator,
        Gaussian,
        Integer,
        KeyedMarginal,
        Laplace,
        Marginal,
        Number,
        Threshold,
        Unit,
    )

    path = made(name, rows, keys)
    unit = Unit("add-remove", person="who", max_rows=2) if name == "people" else Unit("add-remove", at_least=1_000)
    width = 500 if name == "wide" else 8
    columns = (
        tuple(Integer(name=key, lower=0, upper=SIDE - 1, provenance="public") for key in KEYED)
        if name == "keys"
        else tuple(Number(name=f"x{i}", lower=0, upper=100, bins=20, provenance="public") for i in range(width))
    )
    with tempfile.TemporaryDirectory() as folder:
        terms = Contract(dataset="d", unit=unit, budget=Budget(10_000, 1e-3), ledger=ledger_in(folder), columns=columns)
        before = peak()
        curator = Curator(terms, str(path))
        if name == "keys":
            shown = len(curator.release(KeyedMarginal(*KEYED), Threshold(1.0, 1e-6)).value.counts)
            what = f"{keys:,} keys, {shown:,} shown"
        elif name == "large":
            curator.release(Marginal("x0", "x1"), Laplace(1.0))
            curator.release(reaedp.EntropyMap(*(f"x{i}" for i in range(8))), Gaussian(0.1))
            what = f"{rows:,} rows"
        else:
            for i in range(0, width, 50):
                curator.release(Marginal(f"x{i}"), Laplace(1.0))
            what = f"{rows:,} rows" if name == "people" else f"{width} columns, {rows // 60:,} rows"
        size = path.stat().st_size / 2**20
        print(json.dumps({"what": what, "file": size, "before": before, "peak": peak()}))


def peak() -> float:
    """In MB, of this program alone: what `getrusage` says includes the program that started it."""
    (line,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    return int(line) / 1024


def rows(options: argparse.Namespace) -> Iterator[Row]:
    size, keys = (options.rows // 10, options.keys // 10) if options.quick else (options.rows, options.keys)
    limit = megabytes(options.memory)
    for name in options.only:
        made(name, size, keys)
        command = [sys.executable, __file__, "--here", "--only", name, "--rows", str(size), "--keys", str(keys)]
        environment = os.environ | {"REAEDP_MEMORY": options.memory}
        done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
        shared = {"section": "Data larger than memory", "against": f"the limit of {options.memory}", "unit": "MB"}
        if done.returncode:
            note = f"failed with exit code {done.returncode}"
            yield Row(what=name, ours=None, theirs=limit, note=note, **shared)
            continue
        found = json.loads(done.stdout.splitlines()[-1])
        note = f"file of {found['file']:,.0f} MB; {found['before']:,.0f} MB are Python and its libraries"
        what = f"{name}: {found['what']}"
        yield Row(what=what, ours=found["peak"], theirs=limit, limit=True, goal=GOAL, note=note, **shared)


def megabytes(memory: str) -> float:
    number, unit = re.fullmatch(r"([0-9.]+) ?(GB|MB)", memory).groups()  # type: ignore[union-attr]
    return float(number) * (1_000 if unit == "GB" else 1) * 1e6 / 2**20


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--memory", default="1GB")
    options.add_argument("--rows", type=int, default=30_000_000)
    options.add_argument("--keys", type=int, default=100_000_000)
    options.add_argument("--only", nargs="*", default=["large", "people", "wide", "keys"])
    options.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.here:
        run(given.only[0], given.rows, given.keys)
    else:
        present(given, rows)


if __name__ == "__main__":
    main()
