"""Releases on local Spark: a histogram against hand-written Spark SQL, maps and synthetic records against DuckDB.

    python benchmarks/spark.py [--sizes 10000000 100000000] [--rounds 6] [--engine 'local[*]'] [--only NAME ...]

    histogram   by hand there are no checks, no cells for broken values, no noise and no ledger: two columns are cut
                into bins by `floor` and counted; the exact tables of Spark and DuckDB are compared cell by cell
    map         the entropies of all pairs of 12 columns of 10^6 rows, half of them texts; DuckDB does the same
    synthetic   synthetic records of the same columns, by the same two

All take turns for several rounds in one session, of which the best counts. Times are those of the processor, with
Spark's Java program and its Python workers; Linux tells them.
"""

import argparse
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

import entropy_map
from harness.ledger import ledger_in
from harness.processor import family_seconds
from harness.row import Row
from harness.script import parser, present
from harness.stopwatch import best
from reaedp import Budget, Category, Contract, Curator, EntropyMap, Gaussian, Laplace, Marginal, Number, Unit
from reaedp.curator.records import Records
from reaedp.engines.spark.session import session_of

DATA = Path(__file__).parent / "data"
LEVELS, COLUMNS = tuple("abcdefgh"), 12
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
    if "histogram" in options.only:
        yield from histograms(options, session)
    for name in [name for name in JOBS if name in options.only]:
        yield beside_duckdb(name, options)
    session.stop()


def histograms(options: argparse.Namespace, session: Any) -> Iterator[Row]:
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
                family_seconds,
            )
        yield Row(
            section="Spark",
            what=f"histogram of two columns, {size:,} rows of Parquet",
            against=f"Spark SQL by hand, {options.engine}",
            ours=found["ours"],
            theirs=found["hand"],
            limit=True,
            goal=1.2 if size >= 10_000_000 else None,
            note=f"all {len(here.counts)} counts equal DuckDB's" if same else "COUNTS DIFFER FROM DUCKDB'S",
        )


def beside_duckdb(name: str, options: argparse.Namespace) -> Row:
    """A release whose rows are counted in many ways, on Spark and by the embedded engine."""
    size = 100_000 if options.quick else 1_000_000
    file = entropy_map.generate(size, COLUMNS, texts=True)
    columns = tuple(entropy_map.declared(n, s, texts=True) for n, s in enumerate(entropy_map.sizes(COLUMNS)))
    with tempfile.TemporaryDirectory() as folder:
        budget, ledger = Budget(1_000_000, 1e-3), ledger_in(folder)
        unit = Unit("add-remove", at_least=1_000)
        terms = Contract(dataset="map", unit=unit, budget=budget, ledger=ledger, columns=columns)
        curators = {engine: Curator(terms, str(file), engine=engine) for engine in (options.engine, None)}
        jobs = {str(engine): partial(JOBS[name], curator) for engine, curator in curators.items()}
        found = best(jobs, options.rounds, family_seconds)
    return Row(
        section="Spark",
        what=f"{name} of {COLUMNS} columns, {size:,} rows of Parquet",
        against="the embedded engine",
        ours=found[options.engine],
        theirs=found["None"],
        limit=True,
        goal=None if options.quick else 3.0,
        note=f"on {options.engine}",
    )


def entropies(curator: Curator) -> None:
    wanted = EntropyMap(*(column.name for column in curator.contract.columns))
    curator.release(wanted, Gaussian.within(0.9, 1e-9, wanted.sensitivity(curator.contract)))


def synthetic(curator: Curator) -> None:
    curator.synthesize(rows=1_000, epsilon=1.0, delta=1e-9)


JOBS = {"map": entropies, "synthetic": synthetic}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sizes", type=int, nargs="+", metavar="ROWS")
    options.add_argument("--rounds", type=int, default=6)
    options.add_argument("--engine", default="local[*]")
    names = ["histogram", *JOBS]
    options.add_argument("--only", nargs="+", choices=names, default=names)
    present(options.parse_args(), rows)


if __name__ == "__main__":
    main()
