"""What coverage is measured on, and what is held of it: the population, its contract, and rows of a table."""

import argparse
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from harness.script import parser
from harness.table import show
from reaedp import Budget, Category, Contract, Gaussian, Integer, Number, Unit
from reaedp.mechanisms.mechanism import Calibrated

PEOPLE, DELTA = 1_000, 1e-6
PRICES = (0.1, 0.5, 1.0, 4.0)
TOP = 200_000.0
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


def gaussian(epsilon: float) -> Any:
    return Gaussian(epsilon=epsilon, delta=DELTA)


def calibrated(mechanism: Any, statistic: Any, contract: Contract) -> Calibrated:
    """The noise of a statistic; what was asked for by its price becomes a mechanism."""
    found = mechanism.settled(statistic, contract) if hasattr(mechanism, "settled") else mechanism
    return Calibrated(found, statistic.sensitivity(contract))


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


def summed_up(found: list[Held]) -> Iterator[list[str]]:
    """A row for each figure: least and most coverage, and where the least is."""
    for kind, figure in dict.fromkeys((one.kind, one.figure) for one in found):
        own = [one for one in found if (one.kind, one.figure) == (kind, figure)]
        sure = [one for one in own if one.told > 0.999]
        least = min(own, key=lambda one: one.share)
        most = f"{max(one.share for one in sure):.3f}" if sure else "–"
        where = f"{least.size:,} rows, ε = {least.epsilon:g}"
        yield [kind, figure, "exact" if own[0].exact else "", f"{least.share:.3f}", where, most, f"{least.checked:,}"]


def arguments(description: str | None, sizes: tuple[int, ...]) -> argparse.ArgumentParser:
    """What scripts on coverage understand."""
    options = parser(description)
    options.add_argument("--seed", type=int, default=1, help="of the rows that are drawn; noise is secret")
    options.add_argument("--sizes", type=int, nargs="+", default=list(sizes))
    options.add_argument("--epsilon", type=float, nargs="+", default=list(PRICES))
    options.add_argument("--every", action="store_true", help="print each size and ε")
    return options


def show_held(measured: Iterable[Held], *, every: bool) -> None:
    """Each setting as it comes, if asked for; then the table."""
    found = []
    for one in measured:
        found.append(one)
        if every:
            print(f"{one.kind}: {one.figure}, {one.size:,} rows, ε = {one.epsilon:g}: {one.share:.3f}"
                  f" ({one.told:.2f} told, {one.checked:,} checked)", flush=True)  # fmt: skip
    heads = ("kind", "figure", "", "least", "where", "most, where all are told", "intervals")
    show("Coverage of 95 % intervals", heads, list(summed_up(found)))
