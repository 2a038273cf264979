"""Linear regressions of public tables: how often our intervals cover, how wide they are, and errors beside others.

    REAEDP_DATA=folder python benchmarks/regression.py [--repetitions 200] [--epsilon 1] [--peers]

Every contender has the same rows, bounds and promise: ε (at δ = 1e-6 where it is Gaussian) for one row added or
removed. `coverage` is the share of releases whose 95 % interval holds the coefficient of all rows; `population` that of
releases of rows drawn again with replacement from the table, whose own regression is then the population's. The last
interval beside it is that of least squares without any privacy. AdaSSP (Wang 2018) is written here by hand; diffprivlib
runs in an environment of its own (`--peers` makes it). Neither of them gives intervals.
"""

import argparse
import csv
import math
import os
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.peer import Unavailable, run
from harness.table import markdown_table
from reaedp import Budget, Category, Contract, Gaussian, Integer, Number, Regression, Unit
from reaedp.curator.records import Records
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.statistics.moments.fit import Fit
from reaedp.statistics.moments.noisy_moments import Moments, NoisyMoments
from reaedp.statistics.moments.space import MomentSpace

DELTA = 1e-6
Reals = NDArray[np.float64]
PUBLIC = {"provenance": "public"}


@dataclass(frozen=True)
class Table:
    """A public table, its bounds, and what is explained by what."""

    file: str
    columns: tuple[Number | Integer | Category, ...]

    @property
    def statistic(self) -> Regression:
        """The last column on all others."""
        *on, of = (column.name for column in self.columns)
        return Regression(of=of, on=on)


TABLES = {
    "ACS: income on age, education, sex": Table(
        "nist-acs/national2019.csv",
        (
            Integer(name="AGEP", lower=0, upper=99, **PUBLIC),
            Integer(name="EDU", lower=1, upper=12, **PUBLIC),
            Category(name="SEX", levels=("1", "2"), **PUBLIC),
            Number(name="PINCP", lower=0, upper=200_000, bins=20, **PUBLIC),
        ),
    ),
    "Adult: hours on age, education, sex": Table(
        "adult-raw.csv",
        (
            Integer(name="age", lower=17, upper=90, **PUBLIC),
            Integer(name="education-num", lower=1, upper=16, **PUBLIC),
            Category(name="sex", levels=("Female", "Male"), **PUBLIC),
            Integer(name="hours-per-week", lower=1, upper=99, **PUBLIC),
        ),
    ),
    # The excerpts of the ACS have no working hours, and Adult has no income but in two classes.
    "Adult: capital gains on age, education, sex, hours": Table(
        "adult-raw.csv",
        (
            Integer(name="age", lower=17, upper=90, **PUBLIC),
            Integer(name="education-num", lower=1, upper=16, **PUBLIC),
            Category(name="sex", levels=("Female", "Male"), **PUBLIC),
            Integer(name="hours-per-week", lower=1, upper=99, **PUBLIC),
            Number(name="capital-gain", lower=0, upper=20_000, bins=20, **PUBLIC),
        ),
    ),
}


@dataclass(frozen=True)
class Trial:
    """One table at one ε."""

    table: Table
    path: Path
    epsilon: float

    @cached_property
    def contract(self) -> Contract:
        """One row added or removed."""
        budget = Budget(2 * self.epsilon, 2 * DELTA)
        columns = self.table.columns
        return Contract(dataset="public", unit=Unit("add-remove"), budget=budget, ledger="none", columns=columns)

    @cached_property
    def noise(self) -> Calibrated:
        """The least Gaussian noise of this price."""
        sensitivity = self.table.statistic.sensitivity(self.contract)
        return Calibrated(Gaussian.within(self.epsilon, DELTA, sensitivity), sensitivity)

    @property
    def space(self) -> MomentSpace:
        """What is added up."""
        return self.table.statistic.space(self.contract)

    @cached_property
    def values(self) -> Reals:
        """Rows without missing values, cut to their bounds, levels as numbers."""
        with self.path.open(newline="", encoding="utf-8") as file:
            rows = [[row[column.name].strip() for column in self.table.columns] for row in csv.DictReader(file)]
        found = []
        for row in rows:
            try:
                found.append([_number(column, text) for column, text in zip(self.table.columns, row, strict=True)])
            except ValueError:
                continue
        return np.array(found)

    @cached_property
    def exact(self) -> NDArray[np.int64]:
        """The sums, by the curator's own way."""
        return self.table.statistic.answer(Records(self.contract, str(self.path)))

    @cached_property
    def cells(self) -> NDArray[np.int64]:
        """Every row on the lattice."""
        columns = (one.positions(self.values[:, place]) for place, one in enumerate(self.space.grids))
        return np.column_stack(list(columns))

    @cached_property
    def truth(self) -> Reals:
        """Least squares, without privacy."""
        return least_squares(self.values)

    def release(self, sums: NDArray[np.int64], source: SeededNoise) -> Fit:
        """One release of these sums."""
        return Fit(NoisyMoments.of(Moments(self.space, self.noise.apply(sums, source)), self.noise))


def _number(column: Number | Integer | Category, text: str) -> float:
    if isinstance(column, Category):
        return float(column.levels.index(text))
    ends = column.ends
    return float(np.clip(float(text), float(ends.low[0]), float(ends.high[-1])))


def least_squares(values: Reals) -> Reals:
    """Intercept and coefficients."""
    terms = np.column_stack([np.ones(len(values)), values[:, :-1]])
    return np.linalg.lstsq(terms, values[:, -1], rcond=None)[0]


def plain_widths(values: Reals) -> Reals:
    """Widths of the usual 95 % intervals, without privacy."""
    terms = np.column_stack([np.ones(len(values)), values[:, :-1]])
    errors = values[:, -1] - terms @ least_squares(values)
    variance = float((errors**2).sum()) / (len(values) - terms.shape[1])
    return 2 * 1.96 * np.sqrt(variance * np.diag(np.linalg.inv(terms.T @ terms)))


def adassp(trial: Trial, rng: np.random.Generator) -> Reals:
    """Wang (2018), Algorithm 2: a third of the price each for the least eigenvalue, X'X and X'y, then a ridge.

    Rows are (1, predictors) with each predictor between -1 and 1 about the middle of its range, which is also ours.
    """
    grids = trial.space.grids
    scaled = np.column_stack([(trial.values[:, place] - one.centre) / one.half for place, one in enumerate(grids)])
    terms, target = np.column_stack([np.ones(len(scaled)), scaled[:, :-1]]), scaled[:, -1]
    d = terms.shape[1]
    bound, third = math.sqrt(d), trial.epsilon / 3
    root = math.sqrt(math.log(6 / DELTA))
    gram, cross = terms.T @ terms, terms.T @ target
    least = np.linalg.eigvalsh(gram)[0] + root / third * bound**2 * rng.normal() - root**2 / third * bound**2
    least = max(least, 0.0)
    ridge = max(0.0, math.sqrt(d * math.log(6 / DELTA) * math.log(2 * d**2 / 0.05)) * bound**2 / third - least)
    noise = np.triu(rng.normal(size=(d, d)))
    noisy = gram + root * bound**2 / third * (noise + np.triu(noise, 1).T)
    moved = cross + root * bound / third * rng.normal(size=d)
    slopes = np.linalg.solve(noisy + ridge * np.eye(d), moved)
    found = np.array([grids[-1].half * slope / one.half for slope, one in zip(slopes[1:], grids[:-1], strict=True)])
    start = (
        grids[-1].centre
        + grids[-1].half * slopes[0]
        - sum(slope * one.centre for slope, one in zip(found, grids[:-1], strict=True))
    )
    return np.array([start, *found])


def diffprivlib(trial: Trial, repetitions: int) -> Reals | None:
    """The same rows and bounds in an environment of its own; nothing if it cannot be had."""
    lower, upper = zip(*((one.centre - one.half, one.centre + one.half) for one in trial.space.grids), strict=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npz"
        np.savez(
            path,
            predictors=trial.values[:, :-1],
            target=trial.values[:, -1],
            lower=np.array(lower[:-1]),
            upper=np.array(upper[:-1]),
            target_bounds=np.array([lower[-1], upper[-1]]),
        )
        try:
            done = run("regression_diffprivlib", path, trial.epsilon, repetitions, peer="diffprivlib", cap=1_200)
        except Unavailable as reason:
            print(f"diffprivlib: {reason}")
            return None
    return np.array(done["coefficients"])


HEADS = (
    "term",
    "true",
    "coverage",
    "width",
    "error",
    "population",
    "width there",
    "without privacy",
    "AdaSSP",
    "diffprivlib",
)


def measured(trial: Trial, repetitions: int, rng: np.random.Generator, *, peers: bool) -> list[list[str]]:
    """A row for each term; errors are root mean squares."""
    source = SeededNoise(rng)
    terms = range(len(trial.truth))
    own = np.array([[fit.coefficient(j) for j in terms] for fit in _releases(trial, repetitions, source)])
    again = [rng.integers(0, len(trial.cells), len(trial.cells)) for _ in range(repetitions)]
    drawn = [trial.release(trial.space.vectors(trial.cells[rows]).sum(axis=0), source) for rows in again]
    wide = np.array([[fit.coefficient(j, population=True) for j in terms] for fit in drawn])
    older = np.array([adassp(trial, rng) for _ in range(repetitions)])
    theirs = diffprivlib(trial, repetitions) if peers else None
    plain = plain_widths(trial.values)
    rows = []
    for j in terms:
        true = trial.truth[j]
        others = [_error(older[:, j], true), "–" if theirs is None else _error(theirs[:, j], true)]
        cover, width, error = _covered(own[:, j], true), _width(own[:, j]), _error(own[:, j, 0], true)
        there = [_covered(wide[:, j], true), _width(wide[:, j]), f"{plain[j]:.4g}"]
        rows.append([drawn[0].terms[j], f"{true:.4g}", cover, width, error, *there, *others])
    return rows


def _releases(trial: Trial, repetitions: int, source: SeededNoise) -> list[Fit]:
    return [trial.release(trial.exact, source) for _ in range(repetitions)]


def _covered(ranges: Reals, true: float) -> str:
    return f"{((ranges[:, 1] <= true) & (true <= ranges[:, 2])).mean():.3f}"


def _width(ranges: Reals) -> str:
    return f"{np.median(ranges[:, 2] - ranges[:, 1]):.4g}"


def _error(found: Reals, true: float) -> str:
    return f"{math.sqrt(float(((found - true) ** 2).mean())):.3g}"


def main() -> None:
    """A table of figures for each public table that is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1.0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--peers", action="store_true", help="also run diffprivlib, in an environment that is made")
    chosen = parser.parse_args()
    folder = Path(os.environ.get("REAEDP_DATA", "data"))
    for name, table in TABLES.items():
        if not (folder / table.file).exists():
            print(f"{name}: {table.file} is not in REAEDP_DATA, so it is skipped.")
            continue
        for epsilon in chosen.epsilon:
            trial = Trial(table, folder / table.file, epsilon)
            rng = np.random.default_rng(chosen.seed)
            rows = measured(trial, chosen.repetitions, rng, peers=chosen.peers)
            print(f"\n{name}, ε = {epsilon:g}, {len(trial.values):,} rows, {chosen.repetitions:,} releases\n")
            print(markdown_table(HEADS, rows))


if __name__ == "__main__":
    main()
