"""Ranks that deciles and a median miss, beside OpenDP and diffprivlib.

    python benchmarks/quantiles.py [--rows 10000 100000] [--repetitions 200] [--shapes …] [--without-peers]

Incomes, lognormal unless other `--shapes` are asked for, declared from 0 to 500,000 in whole numbers; pure ε = 1, one
row added or removed. A rank error is how many rows lie between a value and its rank; "worst" is the mean of the largest
among the nine deciles. Peers are run a tenth as often. Coverage of intervals is in coverage.py.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from harness.peer import Unavailable, run
from harness.row import Row
from harness.script import parser, present
from reaedp import Budget, ChosenQuantiles, Contract, Number, Quantiles, Unit, best_quantiles
from reaedp.answer import Ordered
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SecretNoise
from reaedp.statistics.quantiles.chosen_quantiles import parts_of
from reaedp.statistics.quantiles.ranks import NAMED, shares

UPPER, CELLS, EPSILON = 500_000, 500_000, 1.0
PEERS = {"OpenDP, one at a time": "opendp", "diffprivlib, one at a time": "diffprivlib"}
#: The largest mean and worst rank errors that we want.
GOALS = {"deciles": (8.0, 20.0), "median": (3.0, 3.0)}


#: Incomes, as many as are asked for: skewed, of two groups far apart, and even.
SHAPES: dict[str, Callable[[Any, int], Any]] = {
    "lognormal": lambda draw, rows: draw.lognormal(10.3, 0.8, rows),
    "two peaks": lambda draw, rows: np.where(
        draw.random(rows) < 0.4, draw.normal(20_000, 1_500, rows), draw.normal(300_000, 40_000, rows)
    ),
    "even": lambda draw, rows: draw.uniform(0, UPPER, rows),
}


def incomes(rows: int, shape: str = "lognormal") -> Any:
    return np.sort(np.clip(SHAPES[shape](np.random.default_rng(rows), rows), 0, UPPER))


def contract(cells: int) -> Contract:
    return Contract(
        dataset="incomes",
        unit=Unit("add-remove"),
        budget=Budget(10.0, 1e-6),
        ledger="none.sqlite",
        columns=(Number(name="income", lower=0, upper=UPPER, bins=cells, provenance="public"),),
    )


def ours(values: Any, at: str, repetitions: int) -> tuple[list[Any], str]:
    """Values by the way that public facts choose, with secret noise."""
    terms = contract(CELLS)
    way = best_quantiles(terms, Quantiles(of="income", at=at), EPSILON)
    statistic, noise = way.statistic, Calibrated(way.mechanism, way.statistic.sensitivity(terms))
    exact = _counted(values, statistic, terms)
    found = [
        statistic.frame(statistic.value(terms, noise.apply(exact, SecretNoise())), noise) for _ in range(repetitions)
    ]
    return found, type(statistic).__name__


def _counted(values: Any, statistic: Any, terms: Contract) -> Any:
    column: Any = terms.columns[0]
    counts = np.histogram(values, column.boundaries)[0].astype(np.int64)
    if isinstance(statistic, ChosenQuantiles):
        return Ordered(counts[None, :], parts_of(column), shares(statistic.at))
    return np.append(counts, np.zeros(column.size - len(counts), dtype=np.int64))


def missed(values: Any, found: Any, at: tuple[float, ...]) -> tuple[float, float]:
    """Mean rank error, and the mean of the worst."""
    errors = np.abs(np.searchsorted(values, found) - np.array(at) * len(values))
    return float(errors.mean()), float(errors.max(axis=1).mean())


def compared(rows: int, at: str, shape: str, options: argparse.Namespace) -> Iterator[Row]:
    values, ranks, section = incomes(rows, shape), NAMED[at], f"Ranks missed at ε = {EPSILON:g}, {shape} incomes"
    frames, way = ours(values, at, options.repetitions)
    mine = missed(values, np.array([frame["value"] for frame in frames]), ranks)
    for measure, error, goal in zip(("mean", "worst"), mine, GOALS[at], strict=True):
        what = f"{at} of {rows:,} rows, {measure}"
        yield Row(section=section, what=what, against="goal", ours=error, theirs=goal, unit="rows", goal=1.0, note=way)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "values.npy"
        np.save(file, values)
        for name, peer in {} if options.without_peers else PEERS.items():
            few = max(5, options.repetitions // 10)
            try:
                told = run(
                    f"quantiles_{peer}", file, json.dumps(ranks), few, UPPER, CELLS, EPSILON, peer=peer, cap=600.0
                )
                theirs: tuple[float | None, float | None] = missed(values, np.array(told["values"]), ranks)
                note = told["versions"]
            except Unavailable as reason:
                theirs, note = (None, None), str(reason)
            for measure, error, other in zip(("mean", "worst"), mine, theirs, strict=True):
                what = f"{at} of {rows:,} rows, {measure}"
                yield Row(section=section, what=what, against=name, ours=error, theirs=other, unit="rows", note=note)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    for number in options.rows:
        for at in ("deciles", "median"):
            for shape in options.shapes:
                yield from compared(number, at, shape, options)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    options.add_argument("--repetitions", type=int, default=200)
    options.add_argument("--shapes", nargs="+", default=["lognormal"], choices=list(SHAPES))
    options.add_argument("--without-peers", action="store_true")
    chosen = options.parse_args()
    if chosen.quick:
        chosen.rows, chosen.repetitions = chosen.rows[:1], min(chosen.repetitions, 20)
    present(chosen, rows)


if __name__ == "__main__":
    main()
