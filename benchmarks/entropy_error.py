"""Mean absolute error of private entropies: the published algorithm against ours, by each route and by the best one.

    REAEDP_DATA=folder python benchmarks/entropy_error.py [--repetitions 1000] [--seed 1]

Columns and bins are the paper's: `numpy.histogram(column, bins=30)` on the first 100,000 rows, missing values left out.
Bins from the least to the largest value depend on the data, which is fine for an evaluation on public data and for
nothing else. All contenders keep the same promise: ε for one row added or removed, or for one row replaced; for the
second the published noise must be doubled. Noise is seeded, so that the tables repeat themselves.
"""

import argparse
import csv
import math
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.table import markdown_table
from reaedp import Budget, Category, Contract, Entropy, Laplace, Marginal, Unit, best_route
from reaedp.answer import Routed
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.statistics.entropy.entropies import shannon_entropy
from reaedp.statistics.entropy.noisy_entropy import entropies_from_counts

#: File, column, and the entropy that the paper prints.
SETS = {
    "house": ("house-prices-shapash.csv", "SalePrice", 3.4873),
    "unemployment": ("unemployment_data.csv", "UNRATE", 4.0457),
    "r_diff": ("r_diff_train.csv", "y1", 0.0237),
    "tabular-fe": ("tabular-feature-engineering.csv", "y1", 4.6645),
    "pow": ("pow_train.csv", "y1", 4.7066),
}
EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0)
CHANGES = ("add-remove", "replace")
HEADS = ("data", "ε", "published", "histogram", "direct", "best route", "by histogram", "published ÷ best")
BINS, MOST_ROWS = 30, 100_000
#: A column with 30 cells, two of which are those of missing and of unseen values.
COLUMN = Category(name="bin", levels=tuple(map(str, range(BINS - 2))), provenance="public")


def load(folder: Path) -> dict[str, np.ndarray]:
    """The counts of every data set that is there."""
    found = {name: folder / file for name, (file, _, _) in SETS.items() if (folder / file).exists()}
    return {name: counts(path, SETS[name][1]) for name, path in found.items()}


def counts(path: Path, column: str) -> np.ndarray:
    with path.open(newline="", encoding="utf-8") as file:
        texts = [row[column] for row, _ in zip(csv.DictReader(file), range(MOST_ROWS), strict=False)]
    values = np.array([float(text) if text else math.nan for text in texts])
    return np.histogram(values[~np.isnan(values)], bins=BINS)[0].astype(np.int64)


@dataclass(frozen=True)
class Trial:
    """One data set under one promise; `errors_*` give one absolute error for each repetition."""

    counts: np.ndarray
    change: str
    epsilon: float
    repetitions: int
    rng: np.random.Generator

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    @property
    def contract(self) -> Contract:
        unit = Unit(self.change, at_least=self.rows)
        return Contract(dataset="trial", unit=unit, budget=Budget(10, 1e-6), ledger="none", columns=(COLUMN,))

    @property
    def entropy(self) -> float:
        return shannon_entropy(self.counts)

    def errors_published(self) -> np.ndarray:
        scale = (1 if self.change == "add-remove" else 2) / self.epsilon
        noisy = self.counts + self.rng.laplace(0.0, scale, (self.repetitions, BINS))
        return self._off([shannon_entropy(np.maximum(row, 0.0)) for row in noisy])

    def errors_histogram(self) -> np.ndarray:
        noise = Calibrated(Laplace(self.epsilon), Marginal("bin").sensitivity(self.contract))
        return self._off_from_counts(noise.apply(np.tile(self.counts, (self.repetitions, 1)), self._noise), noise)

    def errors_direct(self) -> np.ndarray:
        noise = Calibrated(Laplace(self.epsilon), Entropy(("bin",)).sensitivity(self.contract))
        return self._off_from_points(noise.apply(np.full(self.repetitions, self._point), self._noise))

    def errors_best(self) -> tuple[np.ndarray, float]:
        """Also the share of repetitions that took the histogram."""
        route = best_route(self.contract, ("bin",), self.epsilon)
        if route.name != "two-stage":
            histogram = route.name == "histogram"
            return (self.errors_histogram() if histogram else self.errors_direct()), float(histogram)
        noise = Calibrated(route.mechanism, route.statistic.sensitivity(self.contract))
        look = np.array([route.statistic.look(self.contract, self.counts)])
        exact = Routed(look, np.array([self._point]), self.counts)
        answers = [noise.apply(exact, self._noise) for _ in range(self.repetitions)]
        points = np.array([answer.number.item() for answer in answers if answer.number is not None])
        tables = np.array([answer.counts for answer in answers if answer.counts is not None]).reshape(-1, BINS)
        of_counts = route.mechanism.counts(noise.sensitivity)
        errors = [self._off_from_points(points), self._off_from_counts(tables, of_counts)]
        return np.concatenate(errors), len(tables) / self.repetitions

    @property
    def _noise(self) -> SeededNoise:
        return SeededNoise(self.rng)

    @property
    def _point(self) -> int:
        return Entropy(("bin",)).lattice(self.contract).rounded(np.array([self.entropy])).item()

    def _off_from_points(self, points: np.ndarray) -> np.ndarray:
        return self._off(np.clip(points * Entropy(("bin",)).step(self.contract), 0.0, math.log2(BINS)))

    def _off_from_counts(self, noisy: np.ndarray, noise: Calibrated) -> np.ndarray:
        return self._off(entropies_from_counts(noisy, noise, at_least=self.rows).value) if len(noisy) else np.zeros(0)

    def _off(self, estimates: object) -> np.ndarray:
        return np.abs(np.asarray(estimates) - self.entropy)


def half_width(errors: np.ndarray) -> float:
    """Of a 95 % interval for the mean."""
    return 1.96 * float(errors.std(ddof=1)) / math.sqrt(len(errors))


def ratio(published: np.ndarray, ours: np.ndarray) -> tuple[float, float]:
    """How many times smaller our mean error is, and half the width of a 95 % interval for that."""
    value = float(published.mean() / ours.mean())
    return value, value * math.hypot(half_width(published) / published.mean(), half_width(ours) / ours.mean())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path(os.environ.get("REAEDP_DATA", "data")))
    options.add_argument("--repetitions", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    tables, rng = load(chosen.data), np.random.default_rng(chosen.seed)
    for name in SETS.keys() - tables.keys():
        print(f"{name} is skipped: {chosen.data / SETS[name][0]} does not exist.")
    for name, table in tables.items():
        print(f"{name}: {table.sum():,} rows, H = {shannon_entropy(table):.4f}, in the paper {SETS[name][2]:.4f}")
    for change in CHANGES:
        trials = [
            (name, Trial(table, change, epsilon, chosen.repetitions, rng))
            for name, table in tables.items()
            for epsilon in EPSILONS
        ]
        print(f"\n{change}\n\n{markdown_table(HEADS, (_line(name, trial) for name, trial in trials))}", flush=True)


def _line(name: str, trial: Trial) -> list[str]:
    published, (best, share) = trial.errors_published(), trial.errors_best()
    means = [
        f"{errors.mean():.2g} ± {half_width(errors):.1g}"
        for errors in (published, trial.errors_histogram(), trial.errors_direct(), best)
    ]
    value, width = ratio(published, best)
    return [name, f"{trial.epsilon:g}", *means, f"{share:.0%}", f"{value:.3g} ± {width:.2g}"]


if __name__ == "__main__":
    main()
