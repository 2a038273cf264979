"""Release folders of every kind, made with noise that repeats."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reaedp import Budget, Category, Contract, Date, Integer, Number, Plan, PlannedRelease, Unit, publish
from reaedp.mechanisms.noise import SeededNoise
from reaedp.plan.kinds.synthetic import PlannedSynthetic
from tests_support import ledger_in

COLUMNS: tuple[Any, ...] = (
    Number(name="income", lower=0, upper=100, bins=12, provenance="public"),
    Integer(name="age", lower=0, upper=7, provenance="public"),
    Category(name="sex", levels=("f", "m"), provenance="public"),
    Date(name="day", lower=pd.Timestamp("2020-01-01").date(), upper=pd.Timestamp("2020-12-31").date(), every="month",
         provenance="public"),
)  # fmt: skip
NAMES = ("income", "age", "sex", "day")


def people(rows: int = 3_000, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 8, rows)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 366, rows), unit="D")
    return pd.DataFrame(
        {
            "income": rng.gamma(2.0, 12.0, rows),
            "age": age,
            "sex": np.where(rng.random(rows) < 0.5, "f", "m"),
            "day": days,
        }
    )


def contract(
    folder: Path, columns: tuple[Any, ...] = COLUMNS, dataset: str = "people", epsilon: float = 20.0
) -> Contract:
    return Contract(
        dataset=dataset,
        unit=Unit("add-remove", at_least=1_000),
        budget=Budget(epsilon, 1e-5),
        ledger=ledger_in(folder),
        columns=columns,
    )


def counted(name: str, kind: str, *columns: str, mechanism: str = "laplace", **keys: Any) -> PlannedRelease:
    return PlannedRelease(name=name, kind=kind, columns=columns, mechanism=mechanism, epsilon=1.0, **keys)


def every_kind(folder: Path) -> Plan:
    """All kinds of counts and records."""
    return Plan(
        contract(folder),
        (
            counted("ages", "histogram", "age"),
            counted("incomes", "histogram", "income"),
            counted("pairs", "histogram", "income", "sex"),
            counted("triples", "histogram", "income", "sex", "age"),
            counted("frequent", "histogram", "age", "sex", mechanism="threshold", delta=1e-7),
            counted("bits", "entropy", "age", orders=(1.0, 2.0)),
            counted("map", "entropy-map", "age", "sex", "income"),
            PlannedSynthetic(
                name="rows", kind="synthetic", columns=NAMES, rows=400, method="network", epsilon=2.0, delta=1e-6
            ),
        ),
    )


def published(folder: Path, plan: Plan, frame: Any, *, audited: bool = False) -> Path:
    publish(plan, frame, folder / "out", noise=SeededNoise(np.random.default_rng(1)), audited=audited)
    return folder / "out"
