"""Means and sums by groups: the error and the coverage of ours beside what users would pick instead.

    REAEDP_DATA=folder python benchmarks/summaries.py [--runs 200] [--groups 1 2 20 200] [--epsilon 0.1 1] [--coverage]

The folder holds adult-raw.csv and nist-acs/national2019.csv: age and working hours of Adult, and incomes of the
American Community Survey, one row a person, who joins or leaves. Rows are dealt out to groups in turn. Errors are root
mean squares over groups and runs, of the mean and the sum of the rows' own values, clipped to the bounds. All
contenders have the same bounds and the same ε for both figures together. OpenDP's count and sum get half of ε each, as
do Tumult's average and sum, SmartNoise's columns, and diffprivlib's mean and sum, of which the mean takes the number of
rows for public, which promises less; PipelineDP shares ε out by itself. A sum alone for the whole ε is the same noise
in every library where the lower bound is 0. Our own runs are ten times as many, because they cost little. Peers that
take seconds for a run are run less often: each row says how often. `--coverage` measures how often our intervals hold
instead, for groups of 10 to 100,000 incomes and ε from 0.1 to 4.
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


class Peer(NamedTuple):
    """Another library: its environment, how many numbers of each setting it can afford to draw, in how many groups."""

    name: str
    environment: str
    draws: int | None = None
    fewest_groups: int = 1

    def runs(self, groups: int, runs: int) -> int:
        return runs if self.draws is None else min(runs, max(2, -(-self.draws // groups)))


PEERS = {
    "opendp": Peer("OpenDP", "opendp"),
    "diffprivlib": Peer("diffprivlib", "diffprivlib"),
    "pipeline_dp": Peer("PipelineDP", "pipeline_dp", draws=100),
    "smartnoise": Peer("SmartNoise SQL", "smartnoise_sql", draws=100),
    "tumult": Peer("Tumult", "tumult", draws=40, fewest_groups=20),
}
CAP, MORE = 600.0, 10
#: Rows of groups, prices and groups of each size for which coverage is measured.
SIZES, PRICES, MANY = (10, 100, 1_000, 10_000, 100_000), (0.1, 0.5, 1.0, 4.0), 4_000
#: Numbers of rows that are drawn for one group at most; larger groups repeat them.
DRAWN = 10_000


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
    """Two rows for each column, number of groups, ε and peer: means and sums."""
    if options.coverage:
        yield from coverage(100 if options.quick else MANY)
        return
    runs = 20 if options.quick else options.runs
    peers = {} if options.without_peers else {key: PEERS[key] for key in options.peers}
    for asked in columns():
        for groups in options.groups:
            for epsilon in options.epsilon:
                yield from compared(asked, groups, epsilon, runs, peers)


def compared(asked: Asked, groups: int, epsilon: float, runs: int, peers: dict[str, Peer]) -> Iterator[Row]:
    """Ours beside each peer."""
    found = ours(asked, groups, epsilon, MORE * runs)
    covered = {"mean": found.mean_covered, "sum": found.sum_covered}
    theirs = {peer.name: _measured(key, asked, groups, epsilon, peer.runs(groups, runs)) for key, peer in peers.items()
              if groups >= peer.fewest_groups} or {"": ({}, "")}  # fmt: skip
    for figure in ("mean", "sum"):
        for name, (errors, why) in theirs.items():
            ratio = errors[figure] / getattr(found, figure) if figure in errors else None
            said = f"variance {1 / ratio**2:.2f} of theirs; " if ratio else ""
            yield Row(
                section="Means and sums",
                what=f"{figure} of {asked.name}, {groups} groups, ε = {epsilon:g}",
                against=name,
                ours=getattr(found, figure),
                theirs=errors.get(figure),
                unit="RMSE",
                note=f"{said}{why}; {100 * covered[figure]:.1f} % of our 95 % intervals cover",
            )


def _measured(key: str, asked: Asked, groups: int, epsilon: float, runs: int) -> tuple[dict[str, float], str]:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "values.npy"
        np.save(path, asked.values)
        arguments = (path, groups, asked.lower, asked.upper, epsilon, runs)
        try:
            found = run(f"summary_{key}", *arguments, peer=PEERS[key].environment, cap=CAP)
            return found, f"{runs} runs of theirs"
        except Unavailable as reason:
            return {}, str(reason)


def coverage(many: int) -> Iterator[Row]:
    """How often intervals hold the figure of the rows themselves, and that of the population they are drawn from."""
    *_, incomes = columns()
    clipped = np.clip(incomes.values, incomes.lower, incomes.upper)
    for size in SIZES:
        for epsilon in PRICES:
            shares = _held(clipped, incomes, size, epsilon, many)
            for name, held in shares.items():
                what = f"{name} of ACS income, groups of {size:,} rows, ε = {epsilon:g}"
                yield Row(section="Coverage of 95 % intervals", what=what, against="", ours=held, theirs=None, unit="",
                          more=True, note=f"{many:,} groups")  # fmt: skip


def _held(values: Any, asked: Asked, size: int, epsilon: float, many: int) -> dict[str, float]:
    """Groups of rows that are drawn with replacement; their parts are computed here as the curator does."""
    rng, source = np.random.default_rng(size), SecretNoise()
    column = Number(name="x", lower=asked.lower, upper=asked.upper, bins=1, provenance="public")
    group = Integer(name="group", lower=1, upper=many, provenance="public", null="drop", nan="drop", unparsable="drop")
    terms = Contract(
        dataset="d", unit=Unit("add-remove"), budget=Budget(9, 1e-6), ledger="unused", columns=(column, group)
    )
    statistic = Summary("x", "group", ("count", "sum", "mean", "variance", "sd"))
    (parts,) = statistic.parts(terms)
    steps = np.floor(values / asked.upper * parts.steps + 0.5).astype(np.int64)
    sides = (steps, parts.steps - steps)
    towards = [np.floor(side.astype(float) ** 2 / parts.steps + 0.5).astype(np.int64) for side in sides]
    exact, true = [], {name: np.empty(many) for name in ("count", "sum", "mean", "variance", "sd")}
    for place in range(many):
        drawn = rng.integers(0, len(values), min(size, DRAWN))
        times = size // len(drawn)
        sums = [np.array([int(part[drawn].sum()) * times]) for part in towards]
        exact.append(parts.assembled(np.array([size]), sums, [np.zeros(1, dtype=np.int64)] * len(parts.missing))[0])
        own = values[drawn]
        told = size, own.sum() * times, own.mean(), own.var(), own.std()
        for name, value in zip(true, told, strict=True):
            true[name][place] = value
    noise = Calibrated(Laplace(epsilon), statistic.sensitivity(terms))
    figures = statistic.value(terms, noise.apply(np.array(exact), source)).of(0, noise, 0.95)
    held = {}
    for name, value in true.items():
        found = figures.figure(name)[0]
        held[name] = float(((found.low <= value) & (value <= found.high)).mean())
    if size <= DRAWN:
        found = figures.population_mean()
        held["population mean"] = float(((found.low <= values.mean()) & (values.mean() <= found.high)).mean())
    return held


if __name__ == "__main__":
    arguments = parser(__doc__)
    arguments.add_argument("--runs", type=int, default=200)
    arguments.add_argument("--groups", type=int, nargs="*", default=[1, 2, 20, 200])
    arguments.add_argument("--epsilon", type=float, nargs="*", default=[0.1, 1.0])
    arguments.add_argument("--peers", nargs="*", default=list(PEERS), choices=list(PEERS))
    arguments.add_argument("--without-peers", action="store_true")
    arguments.add_argument("--coverage", action="store_true")
    present(arguments.parse_args(), rows)
