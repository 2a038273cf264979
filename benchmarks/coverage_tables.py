"""How often 95 % intervals of correlations and regressions hold, for tables of 1,000 to 100,000 rows, ε from 0.1 to 4.

    REAEDP_DATA=folder python benchmarks/coverage_tables.py [--releases 4000] [--sizes …] [--epsilon …] [--every]

The population is that of coverage.py. A table is rows drawn from it with replacement, and released once, with secret
noise. Intervals are checked against the table's own figures, or the population's. Of 4,000 releases the share that
holds is uncertain by 0.007 (95 %).
"""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from harness.held import PEOPLE, Held, arguments, calibrated, gaussian, people, show_held, terms
from reaedp import Correlation, Regression
from reaedp.mechanisms.noise import SecretNoise

SIZES = (1_000, 10_000, 100_000)
TABLES = {"correlation": Correlation(["age", "income"]), "regression": Regression("income", ["age", "sex"])}
#: A figure: its measure, of which features, and about whom.
Figure = tuple[str, str, str, str]


def figures_of(name: str, pool: pd.DataFrame, times: Any, whole: Any) -> dict[Figure, float]:
    """What is true of the rows, as often as they were drawn, and of the population, whose coefficients are `whole`."""
    rows = "these rows"
    if name == "correlation":
        both = np.cov(pool[["age", "income"]].to_numpy(float).T, fweights=times.astype(int), ddof=0)
        pair, deviations = ("age", "income", rows), np.sqrt(np.diag(both))
        return {
            ("mean", "income", "", rows): float(np.average(pool["income"], weights=times)),
            ("mean", "income", "", "population"): float(pool["income"].mean()),
            ("variance", "income", "", rows): both[1, 1],
            ("standard deviation", "income", "", rows): deviations[1],
            ("covariance", *pair): both[0, 1],
            ("correlation", *pair): both[0, 1] / deviations.prod(),
        }
    own, residual, explained = fitted(pool, times)
    names = ("(intercept)", "age", "sex = 2")
    return {
        **{("coefficient", "income", term, rows): value for term, value in zip(names, own, strict=True)},
        **{("coefficient", "income", term, "population"): value for term, value in zip(names, whole, strict=True)},
        ("residual standard deviation", "", "", rows): residual,
        ("share of variance explained", "", "", rows): explained,
    }


def fitted(pool: pd.DataFrame, times: Any) -> tuple[Any, float, float]:
    """Coefficients, the deviation of residuals and the share of variance that is explained."""
    predictors = np.column_stack([np.ones(len(pool)), pool["age"].to_numpy(float), pool["sex"] == "2"]).astype(float)
    root, income = np.sqrt(times), pool["income"].to_numpy()
    found, *_ = np.linalg.lstsq(predictors * root[:, None], income * root, rcond=None)
    left = np.average((income - predictors @ found) ** 2, weights=times)
    whole = np.average((income - np.average(income, weights=times)) ** 2, weights=times)
    return found, float(np.sqrt(left)), float(1 - left / whole)


def of_tables(size: int, epsilon: float, pool: pd.DataFrame, options: argparse.Namespace) -> Iterator[Held]:
    """Each figure of all tables of one size."""
    contract, rng = terms(1), np.random.default_rng(options.seed)
    drawn = rng.multinomial(size, np.full(PEOPLE, 1 / PEOPLE), options.releases)
    whole, _, _ = fitted(pool, np.ones(len(pool)))
    for name, statistic in TABLES.items():
        space, noise = statistic.space(contract), calibrated(gaussian(epsilon), statistic, contract)
        cells = np.column_stack([
            pool[grid.column].astype(int) - 1 if grid.levels else grid.positions(pool[grid.column].to_numpy(float))
            for grid in space.grids
        ])  # fmt: skip
        own, found = space.vectors(cells).astype(float), dict[Figure, list[tuple[bool, bool]]]()
        sums = np.rint(drawn @ own).astype(np.int64)
        # Noise of different sums is independent, so that all releases can have theirs at once.
        noisy = noise.apply(sums.ravel(), SecretNoise()).reshape(sums.shape)
        for times, released in zip(drawn, noisy, strict=True):
            frame = statistic.frame(statistic.value(contract, released), noise)
            lines = {key: place for place, key in enumerate(zip(*(frame[part] for part in KEY), strict=True))}
            for figure, true in figures_of(name, pool, times, whole).items():
                low, high = (frame[end][lines[figure]] for end in ("low_95", "high_95"))
                found.setdefault(figure, []).append((low <= true <= high, told(figure, low, high)))
        for figure, both in found.items():
            held, known = np.mean(both, axis=0)
            words = f"{' '.join(part for part in figure[:3] if part)}, {figure[3]}"
            yield Held(name, words, False, size, epsilon, float(held), float(known), len(both))


KEY = ("measure", "first", "second", "about")


def told(figure: Figure, low: float, high: float) -> bool:
    """Whether an interval says anything; a correlation may be from -1 to 1."""
    return bool(np.isfinite(high - low)) and not (figure[0] == "correlation" and high - low >= 2)


def measured(options: argparse.Namespace) -> Iterator[Held]:
    """All settings."""
    pool = people()
    for size in options.sizes:
        for epsilon in options.epsilon:
            yield from of_tables(size, epsilon, pool, options)


def main() -> None:
    options = arguments(__doc__, sizes=SIZES)
    options.add_argument("--releases", type=int, default=4_000)
    chosen = options.parse_args()
    if chosen.quick:
        chosen.releases = 100
    show_held(measured(chosen), every=chosen.every)


if __name__ == "__main__":
    main()
