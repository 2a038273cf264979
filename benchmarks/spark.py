"""A histogram on local Spark: our whole release against the same counts in hand-written Spark SQL, and DuckDB's counts.

    python benchmarks/spark.py [--rows 10000000] [--rounds 3] [--engine 'local[*]']

By hand there are no checks, no cells for broken values, no noise and no ledger: two columns are cut into bins by
`floor` and counted. Both take turns for several rounds in one session, of which the best counts, and the exact tables
of Spark and DuckDB are compared cell by cell.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb

from reaedp import Budget, Category, Contract, Curator, Laplace, Marginal, Number, Unit
from reaedp.curator.records import Records
from reaedp.curator.spark_session import session_of

DATA = Path(__file__).parent / "data"
LEVELS = tuple("abcdefgh")
BY_HAND = """
SELECT CAST(floor(greatest(least(income, 199999.0), 0.0) / 2000.0) AS INT) AS bin, class, count(*) AS rows
FROM parquet.`{file}` GROUP BY ALL
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
    budget, ledger = Budget(1_000_000, 1e-6), str(Path(folder) / "ledger.sqlite")
    return Contract(dataset="incomes", unit=unit, budget=budget, ledger=ledger, columns=(income, group))


def timed(work: Any) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--rows", type=int, default=10_000_000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--engine", default="local[*]")
    given = options.parse_args()
    file = generate(given.rows)
    session = session_of(given.engine)
    names = ("income", "class")
    with tempfile.TemporaryDirectory() as folder:
        terms = contract(folder, Unit("add-remove"))
        here, there = (Records(terms, str(file), engine).key_counts(names) for engine in (None, given.engine))
        same = here.keys.tolist() == there.keys.tolist() and here.counts.tolist() == there.counts.tolist()
        print(f"{given.rows:,} rows, {len(here.counts)} cells; DuckDB and Spark agree in every one: {same}")
        curator = Curator(terms, str(file), engine=given.engine)
        ours, hand = [], []
        for _ in range(given.rounds):
            hand.append(timed(lambda: session.sql(BY_HAND.format(file=file)).toArrow()))
            ours.append(timed(lambda: curator.release(Marginal(*names), Laplace(0.1))))
        print(f"by hand {min(hand):.2f} s, our release {min(ours):.2f} s, ratio {min(ours) / min(hand):.2f}")
        print("all rounds, by hand and ours:", *(f"{h:.2f}/{o:.2f}" for h, o in zip(hand, ours, strict=True)))
    session.stop()


if __name__ == "__main__":
    main()
