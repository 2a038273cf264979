"""Means and sums by groups: the error of ours beside what users would pick instead, and how often our intervals hold.

    REAEDP_DATA=folder python benchmarks/summaries.py [--runs 200] [--groups 1 2 20 200] [--epsilon 0.1 1] [--peers …]

The folder holds adult-raw.csv and nist-acs/national2019.csv: age and working hours of Adult, and incomes of the
American Community Survey, one row a person, who joins or leaves. Rows are dealt out to groups in turn. Errors are root
mean squares over groups and runs, of the mean and the sum of the rows' own values, clipped to the bounds. All
contenders have the same bounds and the same pure ε for both figures together: OpenDP's, PipelineDP's and SmartNoise's
count and sum get half of it each, as do diffprivlib's mean and sum, and Tumult's. "mean alone" is a mean for the whole
ε where the peer tells no sum; ours tells both. diffprivlib takes the number of rows for public, which promises less. A
sum alone for the whole ε has the same noise in every library where the lower bound is 0. Counting is done once for all
runs of ours, whose noise and figures are those of a release; each row says what was repeated of a peer. Runs of ours
are more where groups are few, because they cost little. Coverage of other kinds and sizes is in coverage.py.
"""

import argparse
import math
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
from harness.table import show
from reaedp import Budget, Contract, Integer, Laplace, Number, Summary, Unit
from reaedp.curator.records import Records
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SecretNoise


class Peer(NamedTuple):
    """Another library: its environment, and how many numbers of each setting it can afford to draw."""

    name: str
    environment: str
    draws: int | None = None

    def runs(self, groups: int, runs: int) -> int:
        return runs if self.draws is None else min(runs, -(-self.draws // groups))


PEERS = {
    "opendp": Peer("OpenDP", "opendp"),
    "diffprivlib": Peer("diffprivlib", "diffprivlib", draws=5_000),
    "pipeline_dp": Peer("PipelineDP", "pipeline_dp"),
    "smartnoise": Peer("SmartNoise SQL", "smartnoise_sql", draws=5_000),
    "tumult": Peer("Tumult", "tumult", draws=5_000),
}
#: Seconds of the processor for a peer, numbers that we draw at least, and the largest variance that we want.
CAP, DRAWS, GOAL = 600.0, 1_000, 0.6


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
        figures = statistic.value(terms, noise.apply(exact, source)).of(0, noise, 0.95)
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
    """Three rows for each column, number of groups, ε and peer."""
    runs = 20 if options.quick else options.runs
    peers = {} if options.without_peers else {key: PEERS[key] for key in options.peers}
    for asked in columns():
        for groups in options.groups:
            for epsilon in options.epsilon:
                yield from compared(asked, groups, epsilon, runs, peers)


def compared(asked: Asked, groups: int, epsilon: float, runs: int, peers: dict[str, Peer]) -> Iterator[Row]:
    """Ours beside each peer."""
    found = ours(asked, groups, epsilon, max(runs, DRAWS // groups))
    own = {"mean": (found.mean, found.mean_covered), "sum": (found.sum, found.sum_covered)}
    own["mean alone"] = own["mean"]
    theirs = {peer.name: _measured(key, asked, groups, epsilon, peer.runs(groups, runs)) for key, peer in peers.items()}
    for figure, (error, covered) in own.items():
        for name, (errors, why) in (theirs or {"": ({}, "")}).items():
            other = errors.get(figure)
            said = f"variance {(error / other) ** 2:.2f} of theirs; " if other else ""
            yield Row(
                section="Means and sums",
                what=f"{figure} of {asked.name}, {groups} groups, ε = {epsilon:g}",
                against=name,
                ours=error,
                theirs=other,
                unit="RMSE",
                goal=math.sqrt(GOAL),
                note=f"{said}{why}; {100 * covered:.1f} % of our 95 % intervals cover",
            )


def _measured(key: str, asked: Asked, groups: int, epsilon: float, runs: int) -> tuple[dict[str, float], str]:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "values.npy"
        np.save(path, asked.values)
        arguments = (path, groups, asked.lower, asked.upper, epsilon, runs)
        try:
            found = run(f"summary_{key}", *arguments, peer=PEERS[key].environment, cap=CAP)
            return found, f"{runs} runs of theirs, {found.pop('how')}"
        except Unavailable as reason:
            return {}, str(reason)


def worst(found: list[Row]) -> None:
    """The largest ratio of variances beside each peer."""
    told = [row for row in found if row.ratio is not None]
    lines = []
    for peer, figure in dict.fromkeys((row.against, row.what.partition(" of ")[0]) for row in told):
        own = [row for row in told if (row.against, row.what.partition(" of ")[0]) == (peer, figure)]
        largest = max(own, key=lambda row: row.ratio or 0.0)
        ratios = [(row.ratio or 0.0) ** 2 for row in own]
        lines.append([peer, figure, str(len(own)), f"{np.median(ratios):.2f}", f"{max(ratios):.2f}", largest.what])
    show("Variance of ours, of theirs", ("peer", "figure", "rows", "median", "largest", "where"), lines)


if __name__ == "__main__":
    arguments = parser(__doc__)
    arguments.add_argument("--runs", type=int, default=200)
    arguments.add_argument("--groups", type=int, nargs="*", default=[1, 2, 20, 200])
    arguments.add_argument("--epsilon", type=float, nargs="*", default=[0.1, 1.0])
    arguments.add_argument("--peers", nargs="*", default=list(PEERS), choices=list(PEERS))
    arguments.add_argument("--without-peers", action="store_true")
    worst(present(arguments.parse_args(), rows))
