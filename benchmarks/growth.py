"""How cost grows with rows, cells, columns and synthetic records: times, fitted exponents and a chart.

    python benchmarks/growth.py [--chart growth.svg]

Each curve is fitted by least squares of logarithms from the size on at which what is fixed no longer hides the growth;
the range of the fit stands beside the exponent. Cost is in seconds of the processor, of all cores together, which other
work on the machine hardly disturbs: the best of several, through the curator.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from harness.exponent import Growth, fitted
from harness.ledger import ledger_in
from harness.row import Row
from harness.script import parser, present
from harness.stopwatch import repeated
from reaedp import Budget, Contract, Curator, EntropyMap, Gaussian, Integer, Laplace, Marginal, Number, Unit
from reaedp.curator.records import Records
from reaedp.mechanisms.noise import SecretNoise
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.synthesis.learned import LearnedModel
from reaedp.synthesis.marginal_model import MarginalModel

ROWS = 100_000


@dataclass(frozen=True)
class Cost:
    """What is varied, which exponent counting operations suggests, and a job for each size.

    `above` is where the fit begins.
    """

    what: str
    unit: str
    expected: float
    above: int
    sizes: tuple[int, ...]
    quick: tuple[int, ...]
    prepare: Callable[[int, Path], Callable[[], object]]


def contract(columns: tuple[Any, ...], folder: Path) -> Contract:
    return Contract(
        dataset="growth",
        unit=Unit("replace", at_least=1_000),
        budget=Budget(10_000.0, 1e-3),
        ledger=ledger_in(folder),
        columns=columns,
    )


def digit(name: str, size: int) -> Integer:
    return Integer(name=name, lower=0, upper=size - 1, provenance="public", null="drop", nan="drop", unparsable="drop")


def histogram_of_rows(rows: int, folder: Path) -> Callable[[], object]:
    data = folder / f"rows{rows}.parquet"
    duckdb.execute(f"COPY (SELECT random() * 100 AS x FROM range({rows})) TO '{data}'")
    terms = contract((Number(name="x", lower=0, upper=100, bins=30, provenance="public"),), folder)
    return lambda: Curator(terms, data).release(Marginal("x"), Laplace(0.5))


def histogram_of_cells(cells: int, folder: Path) -> Callable[[], object]:
    frame = pd.DataFrame({"x": np.random.default_rng(0).integers(0, cells, ROWS)})
    terms = contract((digit("x", cells),), folder)
    return lambda: Curator(terms, frame).release(Marginal("x"), Laplace(0.5))


def dependent(columns: int) -> pd.DataFrame:
    """Columns of ten values, each of which equals the one before it in three of ten rows."""
    rng = np.random.default_rng(0)
    made = [rng.integers(0, 10, ROWS)]
    for _ in range(columns - 1):
        made.append(np.where(rng.random(ROWS) < 0.3, made[-1], rng.integers(0, 10, ROWS)))
    return pd.DataFrame({f"c{place}": codes for place, codes in enumerate(made)})


def map_of_columns(columns: int, folder: Path) -> Callable[[], object]:
    frame = dependent(columns)
    declared = [Integer(name=name, lower=0, upper=9, provenance="public") for name in frame.columns]
    terms = contract(tuple(declared), folder)
    wanted = EntropyMap(*frame.columns)
    noise = Gaussian.within(0.5, 1e-9, wanted.sensitivity(terms))
    return lambda: Curator(terms, frame).release(wanted, noise)


def learned(columns: int, folder: Path) -> Callable[[], LearnedModel]:
    frame = dependent(columns)
    terms = contract(tuple(digit(name, 10) for name in frame.columns), folder)
    names, records = tuple(frame.columns), Records(terms, frame)
    network = MarginalModel.within(1.0, 1e-6, terms, names)
    sensitivity = counting_sensitivity(terms.unit)
    return lambda: network.learn(records, names, sensitivity, SecretNoise(), lambda _: None)


def synthetic_records(records: int, folder: Path) -> Callable[[], object]:
    model = learned(10, folder)()
    return lambda: model.rows(records, np.random.default_rng(1))


#: Rows are fitted from 10^7 on: a first fit from 10^6 on gave 0.66, because half of the cost is fixed there.
COSTS = (
    Cost("rows of a histogram", "rows", 1.0, 10**7, (10**5, 10**6, 3 * 10**6, 10**7, 3 * 10**7, 10**8),
         (10**5, 10**6, 3 * 10**6), histogram_of_rows),
    Cost("cells of a histogram", "cells", 1.0, 10**4, (10**2, 10**3, 10**4, 10**5, 10**6), (10**3, 10**4, 10**5),
         histogram_of_cells),
    Cost("columns of an entropy map", "columns", 2.0, 20, (5, 10, 20, 40, 80), (5, 10, 20), map_of_columns),
    Cost("columns of a synthesizer", "columns", 2.0, 10, (5, 10, 20, 40), (5, 10), learned),
    Cost("synthetic records drawn", "records", 1.0, 10**5, (10**4, 10**5, 10**6, 4 * 10**6), (10**4, 10**5, 10**6),
         synthetic_records),
)  # fmt: skip


def measured(cost: Cost, quick: bool) -> list[tuple[int, float]]:
    found = []
    for size in cost.quick if quick else cost.sizes:
        with tempfile.TemporaryDirectory() as folder:
            _, processor = repeated(cost.prepare(size, Path(folder)), 3)
        found.append((size, processor))
    return found


def law(cost: Cost, points: list[tuple[int, float]]) -> Growth:
    """Few sizes are all used."""
    sizes, seconds = zip(*points, strict=True)
    kept = sum(size >= cost.above for size in sizes)
    return fitted(sizes, seconds, cost.above if kept >= 2 else 0)


def chart(curves: dict[str, list[tuple[int, float]]], laws: dict[str, Growth], path: Path) -> None:
    """Points and fitted lines on logarithmic axes, one panel for each curve."""
    import vl_convert

    values = [
        {"what": f"{what}: exponent {laws[what].exponent:.2f}", "size": size, "seconds": seconds,
         "fitted": laws[what].at(size) if size >= laws[what].smallest else None}
        for what, points in curves.items()
        for size, seconds in points
    ]  # fmt: skip
    axis = {"type": "quantitative", "scale": {"type": "log"}, "axis": {"tickCount": 5, "format": "~s"}}
    x = {"field": "size", "title": "size", **axis}
    specification = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "background": "white",
        "data": {"values": values},
        "facet": {"field": "what", "type": "nominal", "title": None, "sort": None},
        "columns": 3,
        "resolve": {"scale": {"x": "independent", "y": "independent"}},
        "spec": {
            "width": 240,
            "height": 180,
            "layer": [
                {"mark": {"type": "line", "color": "#1f5fa8", "opacity": 0.5},
                 "encoding": {"x": x, "y": {"field": "fitted", "title": "seconds of the processor", **axis}}},
                {"mark": {"type": "point", "filled": True, "color": "#1f5fa8"},
                 "encoding": {"x": x, "y": {"field": "seconds", "title": "seconds of the processor", **axis}}},
            ],
        },
    }  # fmt: skip
    path.write_text(str(vl_convert.vegalite_to_svg(specification)), encoding="utf-8")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    curves, laws = {}, {}
    for cost in COSTS:
        points = measured(cost, options.quick)
        curves[cost.what], laws[cost.what] = points, law(cost, points)
        found = laws[cost.what]
        times = ", ".join(f"{size:,}: {seconds:.3g} s" for size, seconds in points)
        note = f"fitted from {found.smallest:,} to {found.largest:,} {cost.unit}; {times}"
        yield Row(section="Growth, exponents", what=cost.what, against="operations counted", unit="", limit=True,
                  ours=round(found.exponent, 2), theirs=cost.expected, note=note)  # fmt: skip
    if options.chart:
        chart(curves, laws, options.chart)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--chart", type=Path, metavar="FILE.svg")
    present(options.parse_args(), rows)


if __name__ == "__main__":
    main()
