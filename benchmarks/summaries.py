"""Means and sums by groups: the error and the coverage of ours beside what users would pick instead.

    REAEDP_DATA=folder python benchmarks/summaries.py [--runs 200] [--groups 1 2 20 200] [--epsilon 0.1 1]

The folder holds adult-raw.csv and nist-acs/national2019.csv: age and working hours of Adult, and incomes of the
American Community Survey, one row a person, who joins or leaves. Rows are dealt out to groups in turn. Errors are root
mean squares over groups and runs, of the mean and the sum of the rows' own values, clipped to the bounds. All
contenders have the same bounds and the same ε. OpenDP's count and sum get half of ε each; diffprivlib's mean takes the
number of rows for public, which promises less, and its sum and mean are two releases, each for the whole ε.
"""

import argparse
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from harness.peer import Unavailable, run
from harness.row import Row
from harness.script import parser, present
from reaedp import Budget, Contract, Integer, Laplace, Number, Summary, Unit
from reaedp.curator.records import Records
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SecretNoise

PEERS = {"opendp": "OpenDP", "diffprivlib": "diffprivlib"}
CAP = 240.0


class Asked(NamedTuple):
    """A column with its bounds."""

    name: str
    values: Any
    lower: float
    upper: float


def columns() -> Iterator[Asked]:
    """The columns that are added up."""
    folder = Path(os.environ["REAEDP_DATA"])
    adult = pd.read_csv(folder / "adult-raw.csv")
    yield Asked("Adult age", adult["age"].to_numpy(float), 0.0, 100.0)
    yield Asked("Adult hours", adult["hours-per-week"].to_numpy(float), 0.0, 100.0)
    incomes = pd.read_csv(folder / "nist-acs" / "national2019.csv")["PINCP"]
    yield Asked("ACS income", pd.to_numeric(incomes, errors="coerce").dropna().to_numpy(float), 0.0, 200_000.0)


class Measured(NamedTuple):
    """Errors of means and sums, and how often the intervals of both held the truth."""

    mean: float
    sum: float
    mean_covered: float
    sum_covered: float


def ours(asked: Asked, groups: int, epsilon: float, runs: int) -> Measured:
    """All runs on one exact answer."""
    axes = (Integer(name="group", lower=0, upper=max(groups - 1, 1), provenance="public"),)
    column = Number(name="x", lower=asked.lower, upper=asked.upper, bins=1, provenance="public")
    terms = Contract(
        dataset="d", unit=Unit("add-remove"), budget=Budget(9, 1e-6), ledger="unused", columns=(column, *axes)
    )
    statistic = Summary("x", "group" if groups > 1 else (), ("sum", "mean"))
    rows = pd.DataFrame({"x": asked.values, "group": np.arange(len(asked.values)) % groups})
    exact = statistic.answer(Records(terms, rows))
    noise, source = Calibrated(Laplace(epsilon), statistic.sensitivity(terms)), SecretNoise()
    means, sums = true_figures(asked, groups)
    errors = []
    for _ in range(runs):
        figures = statistic.value(terms, noise.apply(exact, source)).of(None, noise, 0.95)
        mean, total = figures.mean(), figures.sum()
        errors.append(
            [
                (mean.values[:groups] - means) ** 2,
                (total.values[:groups] - sums) ** 2,
                (mean.low[:groups] <= means) & (means <= mean.high[:groups]),
                (total.low[:groups] <= sums) & (sums <= total.high[:groups]),
            ]
        )
    found = np.array(errors, dtype=float).mean(axis=(0, 2))
    return Measured(*np.sqrt(found[:2]).tolist(), *found[2:].tolist())


def true_figures(asked: Asked, groups: int) -> tuple[Any, Any]:
    """Means and sums of the clipped values of each group."""
    clipped = np.clip(asked.values, asked.lower, asked.upper)
    place = np.arange(len(clipped)) % groups
    sums = np.bincount(place, clipped, groups)
    return sums / np.bincount(place, minlength=groups), sums


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """Two rows for each column, number of groups, ε and peer: means and sums."""
    runs = 20 if options.quick else options.runs
    for asked in columns():
        for groups in options.groups:
            for epsilon in options.epsilon:
                yield from compared(asked, groups, epsilon, runs, {} if options.without_peers else PEERS)


def compared(asked: Asked, groups: int, epsilon: float, runs: int, peers: dict[str, str]) -> Iterator[Row]:
    """Ours beside each peer."""
    found = ours(asked, groups, epsilon, runs)
    covered = {"mean": found.mean_covered, "sum": found.sum_covered}
    theirs = {name: _measured(peer, asked, groups, epsilon, runs) for peer, name in peers.items()} or {"": ({}, "")}
    for figure in ("mean", "sum"):
        for name, (errors, why) in theirs.items():
            yield Row(
                section="Means and sums",
                what=f"{figure} of {asked.name}, {groups} groups, ε = {epsilon:g}",
                against=name,
                ours=getattr(found, figure),
                theirs=errors.get(figure),
                unit="RMSE",
                note=why or f"{100 * covered[figure]:.1f} % of our 95 % intervals cover",
            )


def _measured(peer: str, asked: Asked, groups: int, epsilon: float, runs: int) -> tuple[dict[str, float], str]:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "values.npy"
        np.save(path, asked.values)
        arguments = (path, groups, asked.lower, asked.upper, epsilon, runs)
        try:
            return run(f"summary_{peer}", *arguments, peer=peer, cap=CAP), ""
        except Unavailable as reason:
            return {}, str(reason)


if __name__ == "__main__":
    arguments = parser(__doc__)
    arguments.add_argument("--runs", type=int, default=200)
    arguments.add_argument("--groups", type=int, nargs="*", default=[1, 2, 20, 200])
    arguments.add_argument("--epsilon", type=float, nargs="*", default=[0.1, 1.0])
    arguments.add_argument("--without-peers", action="store_true")
    present(arguments.parse_args(), rows)
