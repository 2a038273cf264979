"""One call gives synthetic rows, at the price that a plan would pay."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reaedp import Budget, Category, Contract, Curator, Integer, Plan, PlannedSynthetic, Unit
from reaedp.errors import BudgetRefused, DeclarationError
from tests_support import ledger_in


def contract(folder: Path) -> Contract:
    return Contract(
        dataset="people",
        unit=Unit("add-remove", at_least=500),
        budget=Budget(epsilon=4.0, delta=1e-5),
        ledger=ledger_in(folder),
        columns=(
            Integer(name="age", lower=0, upper=7, provenance="public"),
            Category(name="sex", levels=("f", "m"), provenance="public"),
        ),
    )


def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame({"age": rng.integers(0, 8, 1_000), "sex": rng.choice(["f", "m"], 1_000)})


def test_rows_of_all_columns_cost_what_a_plan_would_pay(tmp_path: Path) -> None:
    terms = contract(tmp_path)
    curator = Curator(terms, people())
    release = curator.synthesize(rows=30, epsilon=1.0, delta=1e-6)
    planned = PlannedSynthetic(
        name="synthetic", kind="synthetic", columns=("age", "sex"), rows=30, method="network", epsilon=1.0, delta=1e-6
    )
    (request,) = Plan(terms, (planned,)).requests()
    assert (request.statistic, request.mechanism) == (release.statistic, release.noise.mechanism)
    assert request.calibrated(terms).price == release.price
    frame = release.to_pandas()
    assert (30, ["age", "sex"]) == (len(frame), list(frame))
    assert set(frame["sex"].dropna()) <= {"f", "m"}


def test_columns_method_and_what_is_kept_can_be_named(tmp_path: Path) -> None:
    curator = Curator(contract(tmp_path), people())
    release = curator.synthesize(
        rows=20, columns=["sex", "age"], method="amortised", keep="sex", epsilon=1.0, delta=1e-6, name="some"
    )
    assert ("some", ("sex", "age"), "amortised") == (
        release.name,
        release.statistic.columns,
        release.noise.mechanism.name,
    )
    assert ("age",) == curator.synthesize(rows=5, columns="age", epsilon=0.5, delta=1e-7).statistic.columns


def test_nothing_is_charged_for_rows_that_cannot_be_had(tmp_path: Path) -> None:
    curator = Curator(contract(tmp_path), people())
    for wrong, words in (
        ({"columns": "height"}, "Unknown column 'height'"),
        ({"rows": 0}, "rows must be a whole number"),
        ({"method": "magic"}, "method must be one of"),
        ({"keep": "sex"}, "keep and split_people must be left out"),
        ({"epsilon": -1.0}, "epsilon must be a finite number"),
    ):
        with pytest.raises(DeclarationError, match=words):
            curator.synthesize(**{"rows": 5, "epsilon": 1.0, "delta": 1e-6} | wrong)  # type: ignore[arg-type]
    with pytest.raises(BudgetRefused):
        curator.synthesize(rows=5, epsilon=5.0, delta=1e-6)
    assert 0 == curator.ledger.spent("people")
