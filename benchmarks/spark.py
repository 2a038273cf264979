"""A histogram on local Spark: our whole release against the same counts in hand-written Spark SQL, and DuckDB's counts.

    python benchmarks/spark.py [--sizes 10000000 100000000] [--rounds 6] [--engine 'local[*]']

By hand there are no checks, no cells for broken values, no noise and no ledger: two columns are cut into bins by
`floor` and counted. Both take turns for several rounds in one session, of which the best counts, and the exact tables
of Spark and DuckDB are compared cell by cell.
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb

from harness.ledger import ledger_in
from harness.row import Row
from harness.script import parser, present
from harness.stopwatch import best
from reaedp import Budget, Category, Contract, Curator, Laplace, Marginal, Number, Unit
from reaedp.curator.records import Records
from reaedp.engines.spark.session import session_of

DATA = Path(__file__).parent / "data"
LEVELS = tuple("abcdefgh")
BY_HAND = """
SELECT CAST(floor(greatest(least(income, 199999.0), 0.0) / 2000.0) AS INT) AS bin, class, count(*) AS rows
FROM incomes GROUP BY ALL
"""


def generate(rows: int) -> Path:
    path = DATA / f"spark{rows}.parquet"
    if not path.exists():
        DATA.mkdir(exist_ok=True)
        cells = "random() * 200000 AS income, chr(97 + CAST(floor(random() * 8) AS INT)) AS class, i % 1000003 AS who"
        query = f"COPY (SELECT {cells} FROM range({rows}) t(i)) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 1000000)"
        duckdb.execute(query)
    return path


def contract(folder: str, unit: Unit) -> Contract:
    income = Number(name="income", lower=0, upper=200_000, bins=100, provenance="public")
    group = Category(name="class", levels=LEVELS, provenance="public")
    budget, ledger = Budget(1_000_000, 1e-6), ledger_in(folder)
    return Contract(dataset="incomes", unit=unit, budget=budget, ledger=ledger, columns=(income, group))


def rows(options: argparse.Namespace) -> Iterator[Row]:
    session = session_of(options.engine)
    names = ("income", "class")
    for size in options.sizes or ([1_000_000] if options.quick else [10_000_000, 100_000_000]):
        file = generate(size)
        with tempfile.TemporaryDirectory() as folder:
            terms = contract(folder, Unit("add-remove"))
            here, there = (Records(terms, str(file), engine).key_counts(names) for engine in (None, options.engine))
            same = here.keys.tolist() == there.keys.tolist() and here.counts.tolist() == there.counts.tolist()
            session.read.parquet(str(file)).createOrReplaceTempView("incomes")
            curator = Curator(terms, str(file), engine=options.engine)
            found = best(
                {
                    "hand": lambda: session.sql(BY_HAND).toArrow(),
                    "ours": lambda curator=curator: curator.release(Marginal(*names), Laplace(0.1)),
                },
                options.rounds,
            )
        yield Row(
            section="Spark",
            what=f"histogram of two columns, {size:,} rows of Parquet",
            against=f"Spark SQL by hand, {options.engine}",
            ours=found["ours"],
            theirs=found["hand"],
            limit=True,
            goal=1.3 if size >= 100_000_000 else None,
            note=f"all {len(here.counts)} counts equal DuckDB's" if same else "COUNTS DIFFER FROM DUCKDB'S",
        )
    session.stop()


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sizes", type=int, nargs="+", metavar="ROWS")
    options.add_argument("--rounds", type=int, default=6)
    options.add_argument("--engine", default="local[*]")
    present(options.parse_args(), rows)


if __name__ == "__main__":
    main()
