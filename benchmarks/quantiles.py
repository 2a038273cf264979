"""Ranks that deciles and a median miss, beside OpenDP and diffprivlib.

    python benchmarks/quantiles.py [--rows 10000 100000] [--repetitions 200] [--without-peers]

Lognormal incomes, declared from 0 to 500,000 in whole numbers; pure ε = 1, one row added or removed. A rank error is
how many rows lie between a value and its rank; "worst" is the mean of the largest among the nine deciles. Peers are run
a tenth as often. Coverage of intervals is in coverage.py.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from harness.peer import Unavailable, run
from harness.row import Row
from harness.script import parser, present
from reaedp import Budget, ChosenQuantiles, Contract, Number, Quantiles, Unit, best_quantiles
from reaedp.answer import Ordered
from reaedp.mechanisms.mechanism import Calibrated, Mechanism
from reaedp.mechanisms.noise import SecretNoise
from reaedp.statistics.quantiles.chosen_quantiles import parts_of
from reaedp.statistics.quantiles.ranks import NAMED, shares

UPPER, CELLS, EPSILON = 500_000, 500_000, 1.0
PEERS = {"OpenDP, one at a time": "opendp", "diffprivlib, one at a time": "diffprivlib"}
#: The largest mean and worst rank errors that we want.
GOALS = {"deciles": (8.0, 20.0), "median": (3.0, 3.0)}


def incomes(rows: int) -> Any:
    return np.sort(np.clip(np.random.default_rng(rows).lognormal(10.3, 0.8, rows), 0, UPPER))


def contract(cells: int) -> Contract:
    return Contract(
        dataset="incomes",
        unit=Unit("add-remove"),
        budget=Budget(10.0, 1e-6),
        ledger="none.sqlite",
        columns=(Number(name="income", lower=0, upper=UPPER, bins=cells, provenance="public"),),
    )


def ours(values: Any, at: str, repetitions: int) -> tuple[Any, str]:
    """Values by the way that public facts choose, with secret noise."""
    terms = contract(CELLS)
    way = best_quantiles(terms, Quantiles(of="income", at=at), EPSILON)
    return np.array([_once(values, way.statistic, way.mechanism, terms) for _ in range(repetitions)]), type(
        way.statistic
    ).__name__


def _once(values: Any, statistic: Any, mechanism: Mechanism, terms: Contract) -> Any:
    column = terms.columns[0]
    noise = Calibrated(mechanism, statistic.sensitivity(terms))
    counts = np.histogram(values, column.boundaries)[0].astype(np.int64)  # type: ignore[attr-defined]
    exact: Any = np.append(counts, np.zeros(column.size - len(counts), dtype=np.int64))
    if isinstance(statistic, ChosenQuantiles):
        exact = Ordered(counts[None, :], parts_of(column), shares(statistic.at))
    return statistic.frame(statistic.value(terms, noise.apply(exact, SecretNoise())), noise)


def missed(values: Any, found: Any, at: tuple[float, ...]) -> tuple[float, float]:
    """Mean rank error, and the mean of the worst."""
    errors = np.abs(np.searchsorted(values, found) - np.array(at) * len(values))
    return float(errors.mean()), float(errors.max(axis=1).mean())


def compared(rows: int, at: str, options: argparse.Namespace) -> Iterator[Row]:
    values, ranks, section = incomes(rows), NAMED[at], f"Ranks missed at ε = {EPSILON:g}"
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
            yield from compared(number, at, options)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    options.add_argument("--repetitions", type=int, default=200)
    options.add_argument("--without-peers", action="store_true")
    chosen = options.parse_args()
    if chosen.quick:
        chosen.rows, chosen.repetitions = chosen.rows[:1], min(chosen.repetitions, 20)
    present(chosen, rows)


if __name__ == "__main__":
    main()
