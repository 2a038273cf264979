"""How often 95 % intervals hold, for all kinds by groups, groups of 10 to 100,000 rows and ε from 0.1 to 4.

    REAEDP_DATA=folder python benchmarks/coverage.py [--groups 4000] [--kinds …] [--sizes …] [--epsilon …] [--every]

The population is 1,000 people of the American Community Survey, drawn once and for all. What a row adds to a release is
counted by the curator; a group is rows drawn from the population with replacement; every kind is released by groups,
with secret noise, through its own code. An interval is checked against the group's own figure, that of a "population"
figure against the population's. A figure is exact if nothing but noise is in its interval; groups with too few rows to
tell have the whole range, which always holds. Groups that are selected are checked from the threshold on, from where
they promise to hold. Of 4,000 groups the share that holds is uncertain by 0.007 (95 %): one that is 0.95 in truth is
measured below 0.94 in one of 500 settings. `--every` prints each size and ε; otherwise only the least and the most of
each figure are told. Kinds without groups are in coverage_tables.py.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from harness.held import DELTA, PEOPLE, Held, Truth, arguments, calibrated, gaussian, people, show_held, terms
from reaedp import GroupThreshold, KeyedRates, KeyedSummary, Laplace, Quantiles, Rates, Summary
from reaedp.answer import GroupedParts
from reaedp.curator.records import Records
from reaedp.mechanisms.noise import SecretNoise
from reaedp.statistics.summary.comparison import compared

SIZES = (10, 100, 1_000, 10_000, 100_000)
#: Distribution functions take long to read, and have nine deciles or a hundred shares each: so many times fewer groups
#: do.
FEWER = 8
STANDARD = (3.0, 2.0)


class Drawn(NamedTuple):
    """Groups of one size: how often each of the people is in each of them."""

    size: int
    times: Any

    def sums(self, values: Any) -> Any:
        return self.times @ np.asarray(values, dtype=float)

    def means(self, values: Any) -> Any:
        return self.sums(values) / self.size


class Asked(NamedTuple):
    """The released table of all groups, and what its figures should be: one number, or one for each group."""

    frame: dict[str, Any]
    truth: Truth


@dataclass(frozen=True)
class Kind:
    """A statistic by groups, its noise at one ε, and its true figures."""

    statistic: Any
    mechanism: Callable[[float], Any]
    truth: Callable[[Drawn, pd.DataFrame], Truth]
    #: Figures whose intervals hold nothing but noise.
    exact: tuple[str, ...] = ()
    #: Columns of the table: the ends of an interval.
    ends: tuple[str, str] = ("low_95", "high_95")

    def released(self, drawn: Drawn, pool: pd.DataFrame, epsilon: float) -> Any:
        """The released value of all groups, and its noise."""
        own, contract = terms(len(pool)), terms(len(drawn.times))
        rows = Records(own, pool.assign(group=np.arange(1, len(pool) + 1)))
        counted = self.statistic.answer(rows)
        parts = counted.parts if isinstance(counted, GroupedParts) else counted.reshape(len(pool), -1)
        summed = np.rint(drawn.times @ parts.astype(float)).astype(np.int64)
        keys = np.arange(len(summed))[:, None]
        exact = GroupedParts(keys, summed) if isinstance(counted, GroupedParts) else summed.ravel()
        noise = calibrated(self.mechanism(epsilon), self.statistic, contract)
        return self.statistic.value(contract, noise.apply(exact, SecretNoise())), noise

    def promises(self, drawn: Drawn, epsilon: float) -> bool:
        """Whether intervals of groups of this size should hold: those of selected groups do from the threshold on."""
        contract = terms(len(drawn.times))
        noise = calibrated(self.mechanism(epsilon), self.statistic, contract)
        if not isinstance(noise.mechanism, GroupThreshold):
            return True
        return drawn.size * noise.mechanism.row >= noise.mechanism.threshold(noise.sensitivity)

    def asked(self, drawn: Drawn, pool: pd.DataFrame, epsilon: float) -> Asked:
        """The table of a release."""
        value, noise = self.released(drawn, pool, epsilon)
        return Asked(self.statistic.frame(value, noise), self.truth(drawn, pool))


def laplace(epsilon: float) -> Any:
    return Laplace(epsilon)


def threshold(epsilon: float) -> Any:
    return GroupThreshold(epsilon=epsilon, delta=DELTA)


def moments(drawn: Drawn, pool: pd.DataFrame) -> Truth:
    income = pool["income"].to_numpy()
    means = drawn.means(income)
    variances = np.maximum(drawn.means(income**2) - means**2, 0.0)
    return {"count": np.full(len(means), float(drawn.size)), "sum": drawn.sums(income), "mean": means,
            "variance": variances, "sd": np.sqrt(variances), "population mean": income.mean()}  # fmt: skip


def shares(drawn: Drawn, pool: pd.DataFrame) -> Truth:
    rich = (pool["income"] >= 50_000).to_numpy()
    return {"cases": drawn.sums(rich), "rate": drawn.means(rich), "population rate": rich.mean()}


def standardised(drawn: Drawn, pool: pd.DataFrame) -> Truth:
    rich, strata = (pool["income"] >= 50_000).to_numpy(), [(pool["sex"] == level).to_numpy() for level in ("1", "2")]
    weights = np.array(STANDARD) / sum(STANDARD)
    with np.errstate(invalid="ignore", divide="ignore"):
        own = [drawn.sums(rich & one) / drawn.sums(one) for one in strata]
    return {"standardised rate": weights @ np.array(own),
            "population standardised rate": weights @ np.array([rich[one].mean() for one in strata])}  # fmt: skip


def ratios(drawn: Drawn, pool: pd.DataFrame) -> Truth:
    income, age = pool["income"].to_numpy(), pool["age"].to_numpy(float)
    return {"rate": drawn.sums(income) / drawn.sums(age), "population rate": income.sum() / age.sum()}


def deciles(drawn: Drawn, pool: pd.DataFrame) -> Truth:
    order = np.argsort(pool["income"].to_numpy())
    running, values = np.cumsum(drawn.times[:, order], axis=1), pool["income"].to_numpy()[order]
    at = np.round(np.arange(0.1, 1.0, 0.1), 1)
    places = [(running < rank * drawn.size - 1e-6).sum(axis=1) for rank in at]
    return {"decile": np.stack([values[place] for place in places], axis=1).ravel()}


def below(drawn: Drawn, pool: pd.DataFrame) -> Truth:
    """Shares of rows up to the end of every cell."""
    edges = np.array(terms(1).column("income").boundaries[1:-1], dtype=float)
    income = pool["income"].to_numpy()
    return {
        "share": np.column_stack([*(drawn.means(income < edge) for edge in edges), np.ones(len(drawn.times))]).ravel()
    }


SHARES = ("at_most_low_95", "at_most_high_95")
MOMENTS = ("count", "sum", "mean", "variance", "sd")
KINDS = {
    "summary, Laplace": Kind(Summary("income", "group", MOMENTS), laplace, moments, ("count", "sum", "mean")),
    "summary, Gaussian": Kind(Summary("income", "group", MOMENTS), gaussian, moments, ("count", "sum", "mean")),
    "summary, mean alone": Kind(Summary("income", "group", ("mean",)), laplace, moments, ("mean",)),
    "selected groups": Kind(KeyedSummary("income", "group"), threshold, moments),
    "rate": Kind(Rates("income", "group", at_least=50_000), laplace, shares, ("cases", "rate")),
    "ratio of two columns": Kind(Rates("income", "group", per="age"), laplace, ratios, ("rate",)),
    "standardised rate": Kind(
        Rates("income", "group", at_least=50_000, standard="sex", weights=STANDARD), laplace, standardised
    ),
    "rate of selected groups": Kind(KeyedRates("income", "group", at_least=50_000), threshold, shares),
    "quantiles, Laplace": Kind(Quantiles("income", "deciles", "group"), laplace, deciles),
    "quantiles, Gaussian": Kind(Quantiles("income", "deciles", "group"), gaussian, deciles),
    "distribution function, Laplace": Kind(Quantiles("income", "cdf", "group"), laplace, below, ends=SHARES),
    "distribution function, Gaussian": Kind(Quantiles("income", "cdf", "group"), gaussian, below, ends=SHARES),
}


def of_groups(name: str, drawn: Drawn, pool: pd.DataFrame, epsilon: float) -> Iterator[Held]:
    """Each figure of one kind, group by group; of groups that were selected, those that are shown."""
    kind = KINDS[name]
    if kind.truth in (deciles, below):
        drawn = Drawn(drawn.size, drawn.times[: len(drawn.times) // FEWER])
    if not kind.promises(drawn, epsilon):
        return
    frame, truth = kind.asked(drawn, pool, epsilon)
    low, high = (frame[end] for end in kind.ends)
    shown = np.array([int(label) for label in frame["group"]]) - 1
    for figure, true in truth.items():
        rows = frame["statistic"] == figure if "statistic" in frame else np.full(len(low), True)
        if not rows.any():
            continue
        # A number for all groups, one for each, or as many for each as it has lines.
        wanted = true if np.size(true) == rows.sum() else np.broadcast_to(true, len(drawn.times))[shown[rows]]
        valid = np.isfinite(wanted)
        held = (low[rows] <= wanted * (1 + 1e-9)) & (wanted * (1 - 1e-9) <= high[rows])
        told = frame["note"][rows] == ""
        yield Held(name, figure, figure in kind.exact, drawn.size, epsilon, float(held[valid].mean()),
                   float(told.mean()), int(valid.sum()))  # fmt: skip


def of_pairs(drawn: Drawn, pool: pd.DataFrame, epsilon: float) -> Iterator[Held]:
    """Differences and ratios of the means of two groups, each group in one pair."""
    kind = KINDS["summary, mean alone"]
    value, noise = kind.released(drawn, pool, epsilon)
    figure, true = value.of(0, noise, 0.95).mean(), moments(drawn, pool)["mean"]
    found = [(compared(figure, (place, place + 1)), true[place], true[place + 1]) for place in range(0, len(true), 2)]
    for name, of in (("difference", lambda one, other: one - other), ("ratio", lambda one, other: one / other)):
        ends = [(getattr(both, name), of(one, other)) for both, one, other in found if other > 0]
        held = np.mean([end.low <= wanted <= end.high for end, wanted in ends])
        told = np.mean([end.known for end, _ in ends])
        yield Held("two groups' means", name, False, drawn.size, epsilon, float(held), float(told), len(ends))


def measured(options: argparse.Namespace) -> Iterator[Held]:
    """All settings; groups of one size serve all kinds and prices."""
    pool, rng = people(), np.random.default_rng(options.seed)
    even = np.full(PEOPLE, 1 / PEOPLE)
    for size in options.sizes:
        drawn = Drawn(size, rng.multinomial(size, even, options.groups).astype(float))
        for epsilon in options.epsilon:
            for name in KINDS:
                if name in options.kinds:
                    yield from of_groups(name, drawn, pool, epsilon)
            if "two groups' means" in options.kinds:
                yield from of_pairs(drawn, pool, epsilon)


def main() -> None:
    options = arguments(__doc__, sizes=SIZES)
    options.add_argument("--groups", type=int, default=4_000)
    every = [*KINDS, "two groups' means"]
    options.add_argument("--kinds", nargs="+", default=every, choices=every)
    chosen = options.parse_args()
    if chosen.quick:
        chosen.groups = 400
    show_held(measured(chosen), every=chosen.every)


if __name__ == "__main__":
    main()
