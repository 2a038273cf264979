"""Synthetic records of tables of many shapes: ours beside independent columns that have all of the budget.

    [REAEDP_DATA=folder] python benchmarks/synthesis_shapes.py [--shapes "53 columns, 800 rows" …] [--epsilon 1]
        [--runs 3]

Most tables are made up: many columns and few rows, many levels that lie within a region each, a sum modulo two that no
pair of columns shows, values that are missing together, minutes of times, and heavy tails. Two small real ones, Titanic
and 800 rows of the national survey, come from the folder of public data, if it is named. All columns are public domains
of codes, δ = 10^-6, neighbours differing by one added or removed row. Pairs are the mean total variation over at most
400 pairs of columns, worst the largest of them; less is better. Kept is the share of rows in which the rule of the
table holds. Seconds are of the processor, for learning. Nothing in the library was set by looking at these tables but
the columns' share of the budget and how noisy a table may be, for which 53 columns, Titanic and 800 rows of the survey
were looked at.
"""

import argparse
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from compared.tables import Compared, national, titanic
from harness.table import show
from reaedp import Budget, Contract, Unit
from reaedp.contract import Column
from reaedp.curator.records import Records
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.accounting import gaussian_mu
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.synthesis.coarsening import estimated_shares
from reaedp.synthesis.marginal_model import MarginalModel
from synthesis import DELTA, Codes, declared

MOST_PAIRS = 400


@dataclass(frozen=True)
class Shape:
    """A made-up table, and the rule that holds in it."""

    columns: list[Column]
    codes: Codes
    kept: Callable[[Codes], NDArray[np.bool_]] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


def factors(columns: int, rows: int, rng: np.random.Generator) -> Shape:
    """Columns of 2 to 20 cells that depend, more or less, on four hidden factors."""
    hidden = rng.normal(size=(rows, 4))
    axes, codes = [], []
    for number in range(columns):
        weights = rng.normal(size=4) * (rng.random(4) < 0.5)
        values = hidden @ weights + rng.normal(size=rows) * rng.choice([0.5, 1.0, 3.0])
        size = int(rng.choice([2, 3, 5, 8, 12, 20]))
        cuts = np.quantile(values, np.clip(rng.dirichlet(np.ones(size)).cumsum()[:-1], 0, 1))
        codes.append(np.digitize(values, np.sort(cuts)))
        axes.append(declared(f"c{number}", size, bool(rng.random() < 0.5)))
    return Shape(axes, np.column_stack(codes).astype(np.int32))


def nested_levels(rng: np.random.Generator) -> Shape:
    """150 shops of very different size, each in one of twelve regions; a number and a flag that follow the region."""
    shares = 1 / np.arange(1, 151)
    shop = rng.choice(150, 60_000, p=shares / shares.sum())
    region = shop % 12
    number = np.clip(rng.normal(3 * region + 10, 6), 0, 63)
    flag = rng.random(60_000) < 0.2 + 0.05 * region
    sizes = {"shop": 150, "region": 12, "number": 64, "flag": 2}
    axes = [declared(name, size, name == "number") for name, size in sizes.items()]
    return Shape(
        axes, np.column_stack([shop, region, number, flag]).astype(np.int32), lambda x: x[:, 0] % 12 == x[:, 1]
    )


def declared_groups(rng: np.random.Generator) -> Shape:
    """The same shops, whose regions the contract declares."""
    shape = nested_levels(rng)
    shop = replace(shape.columns[0], groups=tuple(f"region {number % 12}" for number in range(150)))  # type: ignore[call-arg]
    return replace(shape, columns=[shop, *shape.columns[1:]])


def sum_modulo_two(rng: np.random.Generator) -> Shape:
    """Nine fair coins, of which the third is the exclusive or of the first two."""
    codes = rng.integers(0, 2, (20_000, 9), dtype=np.int32)
    codes[:, 2] = codes[:, 0] ^ codes[:, 1]
    axes = [declared(f"b{number}", 2, ordered=False) for number in range(9)]
    return Shape(axes, codes, lambda x: x[:, 0] ^ x[:, 1] == x[:, 2])


def missing_together(rng: np.random.Generator) -> Shape:
    """Two of twelve columns have their last level together, in 3 % of the rows."""
    codes = rng.integers(0, 20, (30_000, 12), dtype=np.int32)
    codes[:, 2:] = (codes[:, 2:] + 3 * rng.integers(0, 4, (30_000, 1))) % 20
    gone = rng.random(30_000) < 0.03
    codes[:, :2] = np.where(gone[:, None], 20, codes[:, :2])
    axes = [declared(f"c{number}", 21 if number < 2 else 20, ordered=False) for number in range(12)]
    return Shape(axes, codes, lambda x: (x[:, 0] == 20) == (x[:, 1] == 20))


def timetable(rng: np.random.Generator) -> Shape:
    """Times of the day to the minute and the minute by itself: no merged cell of times has a minute of its own."""
    route = rng.integers(0, 12, 100_000)
    time = (60 * rng.integers(5, 24, 100_000) + 5 * rng.integers(0, 12, 100_000) + route % 5) % 1440
    late = np.clip(rng.poisson(2 + time // 240), 0, 29)
    sizes = {"time": 1440, "minute": 60, "route": 12, "late": 30}
    axes = [declared(name, size, name != "route") for name, size in sizes.items()]
    codes = np.column_stack([time, time % 60, route, late]).astype(np.int32)
    return Shape(axes, codes, lambda x: x[:, 0] % 60 == x[:, 1])


def heavy_tails(rng: np.random.Generator) -> Shape:
    """Six Pareto columns with a common part in bins of equal width: most rows lie in the first few."""
    common = rng.pareto(1.5, (40_000, 1))
    values = 0.5 * common + rng.pareto(1.5, (40_000, 6))
    axes = [declared(f"c{number}", 200, ordered=True) for number in range(6)]
    return Shape(axes, np.minimum(values * 10, 199).astype(np.int32))


def real(read: Callable[[Path], Compared], rows: int | None = None) -> Shape:
    """The first rows of a public table, or all of them."""
    table = read(Path(os.environ["REAEDP_DATA"]))
    axes = [declared(axis.name, axis.size, axis.ordered) for axis in table.axes]
    return Shape(axes, np.concatenate([table.train, table.test])[:rows])


SHAPES: dict[str, Callable[[np.random.Generator], Shape]] = {
    "53 columns, 8,000 rows": lambda rng: factors(53, 8_000, rng),
    "53 columns, 800 rows": lambda rng: factors(53, 800, rng),
    "100 columns": lambda rng: factors(100, 20_000, rng),
    "300 columns": lambda rng: factors(300, 20_000, rng),
    "nested levels": nested_levels,
    "nested levels, declared": declared_groups,
    "sum modulo two": sum_modulo_two,
    "missing together": missing_together,
    "timetable": timetable,
    "heavy tails": heavy_tails,
    "titanic": lambda _: real(titanic),
    "survey, 800 rows": lambda _: real(national, 800),
}
#: Those that need the folder of public data.
REAL = ("titanic", "survey, 800 rows")


def released(shape: Shape, epsilon: float, seed: int) -> tuple[Codes, float]:
    """Rows of one release, and the seconds that learning took."""
    terms = Contract(
        dataset="made up",
        unit=Unit("add-remove"),
        budget=Budget(100.0, 1e-5),
        ledger="unused",
        columns=tuple(shape.columns),
    )
    network = MarginalModel.within(epsilon, DELTA, terms, shape.names)
    records = Records(terms, pd.DataFrame(shape.codes, columns=list(shape.names)))
    noise = SeededNoise(np.random.default_rng(seed))
    start = time.process_time()
    learned = network.learn(records, shape.names, counting_sensitivity(terms.unit), noise, lambda _: None, refine=True)
    seconds = time.process_time() - start
    return learned.rows(len(shape.codes), np.random.default_rng(seed)), seconds


def independent(shape: Shape, epsilon: float, seed: int) -> Codes:
    """Rows of columns that share the whole budget and know nothing of each other."""
    rng = np.random.default_rng(seed)
    scale = math.sqrt(len(shape.columns)) / gaussian_mu(epsilon, DELTA)
    drawn = []
    for column, codes in zip(shape.columns, shape.codes.T, strict=True):
        noisy = np.bincount(codes, minlength=column.size) + np.rint(rng.normal(0, scale, column.size))
        drawn.append(
            rng.choice(column.size, len(codes), p=estimated_shares(noisy, scale, smooth=0, regular=column.regular))
        )
    return np.column_stack(drawn).astype(np.int32)


def distances(shape: Shape, made: Codes) -> NDArray[np.float64]:
    """Total variation of pairs of columns."""
    pairs = list(combinations(range(len(shape.columns)), 2))
    chosen = np.random.default_rng(0).permutation(len(pairs))[:MOST_PAIRS]
    found = []
    for one, other in (pairs[place] for place in chosen):
        size = shape.columns[other].size
        cells = size * shape.columns[one].size
        tables = [np.bincount(size * x[:, one] + x[:, other], minlength=cells) / len(x) for x in (shape.codes, made)]
        found.append(float(np.abs(tables[0] - tables[1]).sum()) / 2)
    return np.array(found)


def figures(shape: Shape, made: Codes) -> list[float]:
    found = distances(shape, made)
    kept = float(shape.kept(made).mean()) if shape.kept else math.nan
    return [float(found.mean()), float(found.max()), kept]


def report(name: str, epsilon: float, runs: int) -> None:
    shape = SHAPES[name](np.random.default_rng(1))
    ours, alone = [], []
    for seed in range(runs):
        made, seconds = released(shape, epsilon, seed)
        ours.append([*figures(shape, made), seconds])
        alone.append(figures(shape, independent(shape, epsilon, seed)))
    lines: list[list[object]] = [
        ["ours", *(f"{value:.3f}" for value in np.mean(ours, axis=0))],
        ["independent columns", *(f"{value:.3f}" for value in np.mean(alone, axis=0)), ""],
    ]
    rows, columns = shape.codes.shape
    show(
        f"{name}: {rows:,} rows × {columns} columns, ε = {epsilon:g}", ["", "pairs", "worst", "kept", "seconds"], lines
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    options.add_argument("--epsilon", type=float, default=1.0)
    options.add_argument("--runs", type=int, default=3)
    chosen = options.parse_args()
    for name in chosen.shapes:
        if name in REAL and "REAEDP_DATA" not in os.environ:
            continue
        report(name, chosen.epsilon, chosen.runs)


if __name__ == "__main__":
    main()
