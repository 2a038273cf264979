"""How often 95 % intervals hold, for every kind that has them, groups of 10 to 100,000 rows and ε from 0.1 to 4.

    REAEDP_DATA=folder python benchmarks/coverage.py [--groups 4000] [--kinds …] [--sizes …] [--epsilon …] [--every]

The population is 1,000 people of the American Community Survey, drawn once and for all. What a row adds to a release is
counted by the curator; a group is rows drawn from the population with replacement; every kind is released by groups,
with secret noise, through its own code. An interval is checked against the group's own figure, that of a "population"
figure against the population's. A figure is exact if nothing but noise is in its interval; groups with too few rows to
tell have the whole range, which always holds. Groups that are selected are checked from the threshold on, from where
they promise to hold. Of 4,000 groups the share that holds is uncertain by 0.007 (95 %): one that is 0.95 in truth is
measured below 0.94 in one of 500 settings. `--every` prints each size and ε; otherwise only the least and the most of
each figure are told.
"""

import argparse
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from harness.script import parser
from harness.table import show
from reaedp import (
    Budget,
    Category,
    Contract,
    Correlation,
    Gaussian,
    GroupThreshold,
    Integer,
    KeyedSummary,
    Laplace,
    Number,
    Quantiles,
    Rates,
    Regression,
    Summary,
    Unit,
)
from reaedp.answer import GroupedParts
from reaedp.curator.records import Records
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SecretNoise
from reaedp.statistics.summary.comparison import compared

PEOPLE, DELTA = 1_000, 1e-6
SIZES, PRICES = (10, 100, 1_000, 10_000, 100_000), (0.1, 0.5, 1.0, 4.0)
#: Sizes of tables for kinds without groups, and releases of each.
WHOLE, RELEASES = (1_000, 10_000, 100_000), 1_000
#: Distribution functions take long to read, and have nine deciles each: so many times fewer groups do.
FEWER = 8
TOP, STANDARD = 200_000.0, (3.0, 2.0)
DROPPED = {"null": "drop", "nan": "drop", "unparsable": "drop", "provenance": "public"}
Truth = dict[str, Any]


def people() -> pd.DataFrame:
    """The population."""
    table = pd.read_csv(Path(os.environ["REAEDP_DATA"]) / "nist-acs" / "national2019.csv")
    numbers = table[["PINCP", "AGEP", "SEX"]].apply(pd.to_numeric, errors="coerce").dropna()
    drawn = numbers.sample(PEOPLE, random_state=1)
    return pd.DataFrame(
        {
            "income": drawn["PINCP"].clip(0, TOP).to_numpy(float),
            "age": drawn["AGEP"].clip(1, 99).to_numpy(int),
            "sex": drawn["SEX"].astype(int).astype(str).to_numpy(),
        }
    )


def terms(groups: int) -> Contract:
    """Any number of groups without cells for troubles."""
    return Contract(
        dataset="people",
        unit=Unit("add-remove"),
        budget=Budget(9, DELTA),
        ledger="unused",
        columns=(
            Number(name="income", lower=0, upper=TOP, bins=100, **DROPPED),
            Integer(name="age", lower=1, upper=99, **DROPPED),
            Category(name="sex", levels=("1", "2"), null="drop", unseen="drop", provenance="public"),
            Integer(name="group", lower=1, upper=groups, **DROPPED),
        ),
    )


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


def gaussian(epsilon: float) -> Any:
    return Gaussian(epsilon=epsilon, delta=DELTA)


def threshold(epsilon: float) -> Any:
    return GroupThreshold(epsilon=epsilon, delta=DELTA)


def calibrated(mechanism: Any, statistic: Any, contract: Contract) -> Calibrated:
    """The noise of a statistic; what was asked for by its price becomes a mechanism."""
    found = mechanism.settled(statistic, contract) if hasattr(mechanism, "settled") else mechanism
    return Calibrated(found, statistic.sensitivity(contract))


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
    "quantiles, Laplace": Kind(Quantiles("income", "deciles", "group"), laplace, deciles),
    "quantiles, Gaussian": Kind(Quantiles("income", "deciles", "group"), gaussian, deciles),
}
#: Kinds without groups; age comes first in both.
TABLES = {"correlation": Correlation(["age", "income"]), "regression": Regression("income", ["age"])}


class Held(NamedTuple):
    """What is held of one figure in one setting."""

    kind: str
    figure: str
    exact: bool
    size: int
    epsilon: float
    share: float
    #: Groups whose interval tells something.
    told: float
    checked: int


def of_groups(name: str, drawn: Drawn, pool: pd.DataFrame, epsilon: float) -> Iterator[Held]:
    """Each figure of one kind, group by group; of groups that were selected, those that are shown."""
    kind = KINDS[name]
    if kind.truth is deciles:
        drawn = Drawn(drawn.size, drawn.times[: len(drawn.times) // FEWER])
    if not kind.promises(drawn, epsilon):
        return
    frame, truth = kind.asked(drawn, pool, epsilon)
    figures = frame.get("statistic", np.full(len(frame["value"]), "decile", dtype=object))
    shown = np.array([int(label) for label in frame["group"]]) - 1
    for figure, true in truth.items():
        rows = figures == figure
        if not rows.any():
            continue
        wanted = np.broadcast_to(true, (len(drawn.times) * (9 if figure == "decile" else 1),))
        wanted = wanted if figure == "decile" else wanted[shown[rows]]
        valid = np.isfinite(wanted)
        held = (frame["low_95"][rows] <= wanted * (1 + 1e-9)) & (wanted * (1 - 1e-9) <= frame["high_95"][rows])
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


def of_tables(drawn: Drawn, pool: pd.DataFrame, epsilon: float) -> Iterator[Held]:
    """Correlation and regression of whole tables, each released once."""
    contract, values = terms(1), pool[["age", "income"]].to_numpy(float)
    for name, statistic in TABLES.items():
        space, noise = statistic.space(contract), calibrated(gaussian(epsilon), statistic, contract)
        cells = [grid.positions(values[:, place]) for place, grid in enumerate(space.grids)]
        own = space.vectors(np.column_stack(cells))
        found: dict[str, list[tuple[bool, bool]]] = {}
        for times in drawn.times:
            sums = np.rint(times @ own.astype(float)).astype(np.int64)
            frame = statistic.frame(statistic.value(contract, noise.apply(sums, SecretNoise())), noise)
            for figure, true in _pair_figures(name, times, values).items():
                (place,) = _line(frame, figure)
                low, high = frame["low_95"][place], frame["high_95"][place]
                found.setdefault(figure, []).append((low <= true <= high, bool(np.isfinite(high - low))))
        for figure, both in found.items():
            held, told = np.mean(both, axis=0)
            yield Held(name, figure, False, drawn.size, epsilon, float(held), float(told), len(both))


def _line(frame: dict[str, Any], figure: str) -> Any:
    measure, _, about = figure.partition(", ")
    measures = frame["measure"] == measure
    second = frame["second"] == ("income" if measure == "correlation" else "age")
    return np.flatnonzero(measures & second & (frame["about"] == (about or "these rows")))


def _pair_figures(name: str, times: Any, values: Any) -> Truth:
    """Of the rows as often as they were drawn, and of the population."""

    def of(weights: Any) -> Any:
        return np.cov(values.T, fweights=weights, ddof=0)

    own, whole = of(times.astype(int)), of(np.ones(len(values), dtype=int))
    if name == "correlation":
        return {"correlation": own[0, 1] / np.sqrt(own[0, 0] * own[1, 1])}
    return {"coefficient": own[0, 1] / own[0, 0], "coefficient, population": whole[0, 1] / whole[0, 0]}


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
            if "whole tables" in options.kinds and size in WHOLE:
                yield from of_tables(Drawn(size, drawn.times[: options.releases]), pool, epsilon)


def summed_up(found: list[Held]) -> Iterator[list[str]]:
    """A row for each figure: least and most coverage, and where the least is."""
    for kind, figure in dict.fromkeys((one.kind, one.figure) for one in found):
        own = [one for one in found if (one.kind, one.figure) == (kind, figure)]
        sure = [one for one in own if one.told > 0.999]
        least = min(own, key=lambda one: one.share)
        most = f"{max(one.share for one in sure):.3f}" if sure else "–"
        where = f"{least.size:,} rows, ε = {least.epsilon:g}"
        yield [kind, figure, "exact" if own[0].exact else "", f"{least.share:.3f}", where, most, f"{least.checked:,}"]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--groups", type=int, default=4_000)
    options.add_argument("--releases", type=int, default=RELEASES)
    options.add_argument("--seed", type=int, default=1, help="of the groups; noise is secret")
    every = [*KINDS, "two groups' means", "whole tables"]
    options.add_argument("--kinds", nargs="+", default=every, choices=every)
    options.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    options.add_argument("--epsilon", type=float, nargs="+", default=list(PRICES))
    options.add_argument("--every", action="store_true", help="print each size and ε")
    chosen = options.parse_args()
    if chosen.quick:
        chosen.groups, chosen.releases = 400, 100
    found = []
    for one in measured(chosen):
        found.append(one)
        if chosen.every:
            print(f"{one.kind}: {one.figure}, {one.size:,} rows, ε = {one.epsilon:g}: {one.share:.3f}"
                  f" ({one.told:.2f} of the groups told, {one.checked:,} checked)", flush=True)  # fmt: skip
    heads = ("kind", "figure", "", "least", "where", "most, where all are told", "intervals")
    show("Coverage of 95 % intervals", heads, list(summed_up(found)))


if __name__ == "__main__":
    main()
