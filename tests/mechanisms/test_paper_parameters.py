import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reaedp import Budget, Contract, Curator, Deniable, Integer, Plan, PlannedSynthetic, Synthetic, Unit
from reaedp.errors import DeclarationError
from reaedp.mechanisms.paper_parameters import PaperParameters
from reaedp.plan.advice import advice
from reaedp.plan.description import mechanism_record, read_mechanism
from reaedp.plan.forecast import Forecast
from tests_support import ledger_in

ROWS = 10_000
PAPER = PaperParameters(k=50, t=2, gamma=4.0, epsilon0=0.1, attempts=1024)
KEYS: dict[str, Any] = {"k": 50, "t": 2, "gamma": 4.0, "epsilon0": 0.1, "attempts": 1024}


def contract(folder: Path) -> Contract:
    return Contract(
        dataset="d",
        unit=Unit("add-remove", at_least=ROWS),
        budget=Budget(40.0, 0.01),
        ledger=ledger_in(folder),
        columns=tuple(Integer(name=name, lower=0, upper=2, provenance="public") for name in ("a", "b")),
    )


def planned(**keys: Any) -> PlannedSynthetic:
    price = {"epsilon": 14.0, "delta": 0.005}
    plain = {"name": "r", "kind": "synthetic", "columns": ("a", "b"), "rows": 5, "method": "deniable"}
    return PlannedSynthetic(**plain | price | {"proposal": "mixed", "keep": ("a", "b")} | KEYS | keys)


def test_the_true_price_of_a_record_and_the_claimed_one() -> None:
    each, claimed = PAPER.each(Unit("add-remove", at_least=ROWS)), PAPER.claimed
    assert 0.1 + math.log(3) == pytest.approx(claimed.epsilon)
    assert claimed.epsilon == pytest.approx(each.epsilon)
    assert (0.00823, 0.00040) == (round(claimed.delta, 5), round(each.delta, 5))


def test_the_true_price_follows_from_the_formula_of_one_trial() -> None:
    """η = q^(k-t)/(1+q) max_i (i/t) q^(i-1), divided by the rows; then the odds of a trial against a stop."""
    for k, t, epsilon0, attempts, rows in ((50, 2, 0.1, 1024, ROWS), (30, 4, 0.5, 100, 500), (12, 3, 1.0, 16, 80)):
        paper = replace(PAPER, k=k, t=t, epsilon0=epsilon0, attempts=attempts)
        q = math.exp(-epsilon0)
        eta = q ** (k - t) / (1 + q) * max(i / t * q ** (i - 1) for i in range(1, t + 1))
        trial = (attempts - 1) * eta / (rows + 1)
        each = paper.each(Unit("add-remove", at_least=rows))
        assert trial / (1 + trial) == pytest.approx(each.delta, rel=1e-9)


def test_the_optimal_test_passes_more_at_the_same_price() -> None:
    unit = Unit("add-remove", at_least=ROWS)
    published, optimal = (replace(PAPER, test=test).plan(5, unit) for test in ("published", "optimal"))
    assert optimal.each.epsilon <= published.each.epsilon
    assert optimal.each.delta <= published.each.delta
    counts = np.arange(1, 200)
    assert (optimal.test.rate(counts) >= published.test.rate(counts) - 1e-12).all()
    assert optimal.test.half < published.test.half == 50
    assert Fraction(1, 2) < published.test.chance(50) < Fraction(9, 16)  # Pr[L ≥ 0] = 1/(1+q)


def test_records_are_released_by_the_papers_names_and_charged_at_the_true_price(tmp_path: Path) -> None:
    terms = contract(tmp_path)
    frame = pd.DataFrame({"a": np.arange(ROWS) % 3, "b": np.arange(ROWS) // 3 % 3})
    wish: Any = Deniable(epsilon=14.0, delta=0.005, proposal="mixed", keep=("a", "b"), **KEYS)
    curator = Curator(terms, frame)
    release = curator.release(Synthetic(("a", "b"), 5), wish)
    told = release.details["paper"]
    assert {**KEYS, "test": "published"} == {name: told[name] for name in (*KEYS, "test")}
    assert 0.0082297 == pytest.approx(told["delta_claimed"], rel=1e-4)
    assert 0.00039972 == pytest.approx(release.details["cost_of_each"]["delta"], rel=1e-4)
    records = [loss for loss in release.price if getattr(loss, "delta", 0) > 0]
    assert 5 == len(records)
    mechanism: Any = release.noise.mechanism
    assert mechanism == read_mechanism(mechanism_record(mechanism))
    assert planned().request(terms).mechanism == mechanism


@pytest.mark.slow
def test_the_plan_says_pass_rate_and_records_to_expect(tmp_path: Path) -> None:
    terms = contract(tmp_path)
    plan = Plan(terms, (planned(),))
    (request,) = plan.requests()
    assert "δ = 0.0004 (the paper claims δ = 0.0082)" in Forecast.of(request, terms).words
    (line,) = advice([request], terms)
    rate = 1 / (1 + math.exp(-0.1)) * math.exp(-0.1 * 40)  # Pr[L ≥ 40]
    released = 5 * (1 - (1 / 1024) / (1 / 1024 + 1023 / 1024 * rate))
    assert f"{round(released)} if 10 seeds could have made each (pass rate {rate:.2g})" in line


@pytest.mark.parametrize("gamma", [1.01, 1.5, 3.0, 100.0])
def test_classes_of_any_ratio_can_be_planned(tmp_path: Path, gamma: float) -> None:
    plain = dict.fromkeys(KEYS)
    mechanism: Any = planned(**plain | {"gamma": gamma}).request(contract(tmp_path)).mechanism
    assert (gamma, None) == (mechanism.ratio, mechanism.paper)


@pytest.mark.parametrize(
    "keys",
    [
        {"k": None},
        {"attempts": None},
        {"attempts": 1},
        {"t": 51},
        {"t": 0},
        {"epsilon0": -1.0},
        {"gamma": 1.0},
        {"gamma": 0.5},
        {"proposal": "keep"},
        {"test": "best"},
        {"method": "network", "proposal": "keep", "keep": ()},
    ],
)
def test_parameters_that_make_no_sense_are_refused(keys: dict[str, Any]) -> None:
    with pytest.raises(DeclarationError):
        planned(**keys)


def test_parameters_that_cost_more_than_was_allowed_are_refused_with_both_prices(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match=r"δ = 0\.0004 \(the paper claims δ = 0\.00823\)"):
        planned(epsilon=2.0).request(contract(tmp_path))
