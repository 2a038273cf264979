"""Synthetic records of a small made-up table, by the network and by the amortised method, made once."""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from reaedp import Budget, Category, Contract, Curator, Number, Release, Unit
from reaedp.mechanisms.noise import SeededNoise
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.synthetic import Synthetic
from tests_support import ledger_in

NAMES = ("age", "sex", "city")
COLUMNS = (
    Number(name="age", lower=0, upper=100, bins=20, step=1, provenance="public"),
    Category(name="sex", levels=("f", "m"), provenance="public"),
    Category(name="city", levels=("Bern", "Chur", "Genf"), provenance="public"),
)


def people(rows: int = 6_000) -> pd.DataFrame:
    """Ages that depend on sex, and cities that depend on ages."""
    rng = np.random.default_rng(5)
    sex = rng.integers(0, 2, rows)
    age = np.clip(np.rint(rng.normal(35 + 20 * sex, 10)), 0, 100)
    city = np.where(rng.random(rows) < 0.9, np.minimum(age // 30, 2).astype(int), 0)
    table = {"age": age, "sex": np.array(["f", "m"])[sex], "city": np.array(COLUMNS[2].levels)[city]}
    return pd.DataFrame(table)


@cache
def released_by() -> dict[str, Release]:
    """A release for each method."""
    with tempfile.TemporaryDirectory() as home:
        terms = Contract(
            dataset="people",
            unit=Unit("add-remove", at_least=1_000),
            budget=Budget(20, 1e-5),
            ledger=ledger_in(Path(home)),
            columns=COLUMNS,
        )
        curator = Curator(terms, people(), noise=SeededNoise(np.random.default_rng(1)))
        statistic = Synthetic(NAMES, 500)
        return {
            "network": curator.release(statistic, MarginalModel.within(3.0, 1e-6, terms, NAMES)),
            "amortised": curator.release(statistic, Amortised.within(4.0, 1e-6, terms, NAMES, ("sex",))),
        }
