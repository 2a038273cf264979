"""Means, sums and variances by groups: errors of ours beside what users would pick instead, and how often ours cover.

    REAEDP_DATA=folder python benchmarks/summaries.py [--runs 200] [--groups 1 2 20 200] [--epsilon 0.1 1] [--peers …]
        [--columns …]

The folder holds adult-raw.csv and nist-acs/national2019.csv: age and working hours of Adult, and incomes of the
American Community Survey, one row a person, who joins or leaves. Rows are dealt out to groups in turn. Errors are root
mean squares over groups and runs, of figures of the rows' own values, clipped to the bounds. All contenders have the
same bounds, and the same pure ε for a mean and a sum together: OpenDP's, PipelineDP's and SmartNoise's count and sum
get half of it each, as do diffprivlib's mean and sum, and Tumult's. "mean alone" is a mean for the whole ε where the
peer tells no sum; ours tells both. "variance alone" is a variance for the whole ε. diffprivlib's mean and variance and
OpenDP's variance take the number of rows for public, which promises less; "rows replaced" compares them with ours where
rows are replaced, so that the number of rows is the same in all neighbours. A sum alone for the whole ε has the same
noise in every library where the lower bound is 0. Counting is done once for all runs of ours, whose noise and figures
are those of a release; each row says what was repeated of a peer. Runs of ours are more where groups are few, because
they cost little. Coverage of other kinds and sizes is in coverage.py.
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
from reaedp.privacy.unit import Change


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
#: Groups of ours that are told at once.
TOGETHER = 100


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


#: Of each figure: what ours tells at once, the change against which it protects, and the largest error that we want.
FIGURES = {
    "mean": (("sum", "mean"), "add-remove", math.sqrt(GOAL)),
    "sum": (("sum", "mean"), "add-remove", math.sqrt(GOAL)),
    "mean alone": (("sum", "mean"), "add-remove", math.sqrt(GOAL)),
    "variance alone": (("variance",), "add-remove", GOAL),
    "mean alone, rows replaced": (("mean",), "replace", 1.0),
    "variance alone, rows replaced": (("variance",), "replace", 1.0),
}


class Measured(NamedTuple):
    """The error of a figure, and how often its intervals held the truth."""

    error: float
    covered: float


def ours(asked: Asked, groups: int, epsilon: float, runs: int) -> dict[str, Measured]:
    """All figures; those that are told at once are measured at once."""
    found = {}
    for told, change in dict.fromkeys((told, change) for told, change, _ in FIGURES.values()):
        measured = of_releases(asked, groups, (told, change, epsilon), runs)
        own = [name for name, (others, against, _) in FIGURES.items() if (others, against) == (told, change)]
        found |= {name: measured[name.partition(" ")[0].rstrip(",")] for name in own}
    return found


def of_releases(
    asked: Asked, groups: int, terms: tuple[tuple[str, ...], Change, float], runs: int
) -> dict[str, Measured]:
    """All runs on one exact answer."""
    told, change, epsilon = terms
    axes = (Integer(name="group", lower=0, upper=max(groups - 1, 1), provenance="public"),)
    column = Number(name="x", lower=asked.lower, upper=asked.upper, bins=1, provenance="public")
    contract = Contract(
        dataset="d", unit=Unit(change), budget=Budget(9, 1e-6), ledger="unused", columns=(column, *axes)
    )
    statistic = Summary("x", "group" if groups > 1 else (), told)
    rows = pd.DataFrame({"x": asked.values, "group": np.arange(len(asked.values)) % groups})
    exact = statistic.answer(Records(contract, rows))
    noise, source = Calibrated(Laplace(epsilon), statistic.sensitivity(contract)), SecretNoise()
    truth, errors = true_figures(asked, groups), dict[str, list[Any]]()
    # Groups of several runs are told at once, as if they were one release: intervals are made in fewer steps.
    block, cells = max(TOGETHER // groups, 1), statistic.groups(contract)
    for _ in range(-(-runs // block)):
        noisy = np.concatenate([noise.apply(exact, source).reshape(cells, -1) for _ in range(block)])
        figures = statistic.told(contract, noisy=noisy).of(0, noise, 0.95)
        for name in told:
            values, low, high = (end.reshape(block, cells)[:, :groups] for end in getattr(figures, name)()[1:4])
            held = (low <= truth[name]) & (truth[name] <= high)
            errors.setdefault(name, []).append([(values - truth[name]) ** 2, held])
    means = {name: np.array(both, dtype=float).mean(axis=(0, 2, 3)) for name, both in errors.items()}
    return {name: Measured(math.sqrt(squared), float(held)) for name, (squared, held) in means.items()}


def true_figures(asked: Asked, groups: int) -> dict[str, Any]:
    """Means, sums and variances of the clipped values of each group."""
    clipped = np.clip(asked.values, asked.lower, asked.upper)
    parts = [clipped[group::groups] for group in range(groups)]
    return {name: np.array([getattr(part, call)() for part in parts]) for name, call in CALLS.items()}


CALLS = {"mean": "mean", "sum": "sum", "variance": "var"}


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row of each figure for each column, number of groups, ε and peer."""
    runs = 20 if options.quick else options.runs
    peers = {} if options.without_peers else {key: PEERS[key] for key in options.peers}
    for asked in (one for one in columns() if one.name in options.columns):
        for groups in options.groups:
            for epsilon in options.epsilon:
                yield from compared(asked, groups, epsilon, runs, peers)


def compared(asked: Asked, groups: int, epsilon: float, runs: int, peers: dict[str, Peer]) -> Iterator[Row]:
    """Ours beside each peer."""
    found = ours(asked, groups, epsilon, max(runs, DRAWS // groups))
    theirs = {peer.name: _measured(key, asked, groups, epsilon, peer.runs(groups, runs)) for key, peer in peers.items()}
    for figure, (error, covered) in found.items():
        for name, (errors, why) in (theirs or {"": ({}, "")}).items():
            other = errors.get(figure)
            if errors and other is None:
                continue
            said = f"variance {(error / other) ** 2:.2f} of theirs; " if other else ""
            yield Row(
                section="Means, sums and variances",
                what=f"{figure} of {asked.name}, {groups} groups, ε = {epsilon:g}",
                against=name,
                ours=error,
                theirs=other,
                unit="RMSE",
                goal=FIGURES[figure][2],
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
    """The median and the largest ratio of errors beside each peer, and that of their variances."""
    told = [row for row in found if row.ratio is not None]
    lines = []
    for peer, figure in dict.fromkeys((row.against, row.what.partition(" of ")[0]) for row in told):
        own = [row for row in told if (row.against, row.what.partition(" of ")[0]) == (peer, figure)]
        largest = max(own, key=lambda row: row.ratio or 0.0)
        ratios = np.array([row.ratio or 0.0 for row in own])
        both = [f"{call(ratios**power):.2f}" for power in (1, 2) for call in (np.median, np.max)]
        lines.append([peer, figure, str(len(own)), *both, largest.what])
    heads = ("peer", "figure", "rows", "error: median", "largest", "variance: median", "largest", "where")
    show("Errors of ours by theirs", heads, lines)


if __name__ == "__main__":
    arguments = parser(__doc__)
    arguments.add_argument("--runs", type=int, default=200)
    arguments.add_argument("--groups", type=int, nargs="*", default=[1, 2, 20, 200])
    arguments.add_argument("--epsilon", type=float, nargs="*", default=[0.1, 1.0])
    arguments.add_argument("--peers", nargs="*", default=list(PEERS), choices=list(PEERS))
    arguments.add_argument("--columns", nargs="*", default=["Adult age", "Adult hours", "ACS income"])
    arguments.add_argument("--without-peers", action="store_true")
    worst(present(arguments.parse_args(), rows))
