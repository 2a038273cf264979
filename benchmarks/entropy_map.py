"""The entropy map of 50 columns × 1,000,000 rows: our whole answer against the same counts by hand in DuckDB.

    python benchmarks/entropy_map.py [--rows 1000000] [--columns 50] [--rounds 3]

By hand there are no checks, no cells for broken values, no noise and no ledger: only the counts of all columns and
pairs. They are typed in three ways; the fastest is the limit, and takes turns with ours for several rounds, of which
the best counts. Two tables: small integers, on which DuckDB counts fastest, and half texts.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np

from harness.ledger import ledger_in
from harness.peer import DATA
from harness.row import Row
from harness.script import parser, present
from harness.stopwatch import best, seconds
from reaedp import Budget, Category, Contract, Curator, EntropyMap, Gaussian, Integer, Unit
from reaedp.contract import Column

GOAL = 1.3


def sizes(columns: int) -> list[int]:
    """From 2 to 50 values."""
    return np.linspace(2, 50, columns).round().astype(int).tolist()


def generate(rows: int, columns: int, texts: bool) -> Path:
    """Columns that share some information, every other one a text if asked for."""
    path = DATA / f"map{rows}x{columns}{'-texts' if texts else ''}.parquet"
    if not path.exists():
        DATA.mkdir(parents=True, exist_ok=True)
        shared = "if(random() < 0.3, u, random())"
        cells = [f"floor(power({shared}, 1.5) * {size})::TINYINT" for size in sizes(columns)]
        cells = [f"'level ' || {cell}" if texts and i % 2 else cell for i, cell in enumerate(cells)]
        chosen = ", ".join(f"{cell} AS c{i}" for i, cell in enumerate(cells))
        duckdb.execute(f"COPY (SELECT {chosen} FROM (SELECT random() AS u FROM range({rows}))) TO '{path}'")
    return path


def declared(number: int, size: int, texts: bool) -> Column:
    if texts and number % 2:
        levels = tuple(f"level {level}" for level in range(size))
        return Category(name=f"c{number}", levels=levels, provenance="public")
    return Integer(name=f"c{number}", lower=0, upper=size - 1, provenance="public")


def ours(data: Path, rows: int, columns: int, texts: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        contract = Contract(
            dataset="bench",
            unit=Unit("replace", at_least=rows),
            budget=Budget(1.0, 1e-6),
            ledger=ledger_in(folder),
            columns=tuple(declared(number, size, texts) for number, size in enumerate(sizes(columns))),
        )
        wanted = EntropyMap(*(column.name for column in contract.columns))
        mechanism = Gaussian.within(0.9, 1e-7, wanted.sensitivity(contract))
        release = Curator(contract, data).release(wanted, mechanism)
        wanted.frame(release.value, release.noise)


def groups(columns: int) -> list[str]:
    names = [f"c{number}" for number in range(columns)]
    return names + [f"{first}, {second}" for first, second in combinations(names, 2)]


def loaded(data: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE data AS FROM '{data}'")
    return connection


def loop_over_a_table(data: Path, columns: int) -> None:
    connection = loaded(data)
    for group in groups(columns):
        connection.execute(f"SELECT {group}, count(*) FROM data GROUP BY {group}").fetchnumpy()


def loop_over_parquet(data: Path, columns: int) -> None:
    connection = duckdb.connect()
    for group in groups(columns):
        connection.execute(f"SELECT {group}, count(*) FROM '{data}' GROUP BY {group}").fetchnumpy()


def grouping_sets(data: Path, columns: int) -> None:
    every = ", ".join(f"c{number}" for number in range(columns))
    sets = ", ".join(f"({group})" for group in groups(columns))
    loaded(data).execute(f"SELECT {every}, count(*) FROM data GROUP BY GROUPING SETS ({sets})").fetchnumpy()


def race(rows: int, columns: int, texts: bool, rounds: int, goal: float | None) -> Row:
    """Find the fastest way by hand, then let it take turns with ours."""
    data = generate(rows, columns, texts)
    hand: dict[str, Callable[[], None]] = {
        "loop over Parquet": lambda: loop_over_parquet(data, columns),
        "loop over a table": lambda: loop_over_a_table(data, columns),
        "GROUPING SETS": lambda: grouping_sets(data, columns),
    }
    once = {name: seconds(job) for name, job in hand.items()}
    fastest = min(once, key=lambda name: once[name])
    found = best({"limit": hand[fastest], "ours": lambda: ours(data, rows, columns, texts)}, rounds)
    what = f"{rows:,} rows × {columns} columns, {'half of them texts' if texts else 'small integers'}"
    return Row(section="Entropy map", what=what, against=f"DuckDB by hand: {fastest}", ours=found["ours"],
               theirs=min(found["limit"], once[fastest]), limit=True, goal=goal)  # fmt: skip


def rows(options: argparse.Namespace) -> Iterator[Row]:
    number = options.rows or (100_000 if options.quick else 1_000_000)
    columns = options.columns or (20 if options.quick else 50)
    return (race(number, columns, texts, options.rounds, None if options.quick else GOAL) for texts in (False, True))


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rows", type=int)
    options.add_argument("--columns", type=int)
    options.add_argument("--rounds", type=int, default=3)
    present(options.parse_args(), rows)


if __name__ == "__main__":
    main()
