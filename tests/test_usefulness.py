"""A plan says which releases are useless at their price, from which price on they are not, and what is not used up."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reaedp import Budget, Category, Contract, Integer, Plan, PlannedRelease, Unit
from reaedp.plan.usefulness import resolution_of, rounded_up, unused, useless
from tests_support import ledger_in


def terms(folder: Path) -> Contract:
    return Contract(
        dataset="useful",
        unit=Unit("add-remove", at_least=1_000),
        budget=Budget(1.0, 1e-6),
        ledger=ledger_in(folder),
        columns=(
            Category(name="sex", levels=("f", "m"), provenance="public"),
            Category(name="smokes", levels=("n", "y"), provenance="public"),
            Integer(name="age", lower=0, upper=99, provenance="public"),
        ),
    )


def wanted(kind: str, *columns: str, mechanism: str = "laplace", **keys: Any) -> PlannedRelease:
    price = {"share": 0.01} if mechanism == "laplace" else {"epsilon": 0.01, "delta": 1e-7}
    return PlannedRelease(name="x", kind=kind, columns=columns, mechanism=mechanism, **(price | keys))


@pytest.mark.parametrize(
    "release",
    [
        wanted("entropy", "sex"),
        wanted("entropy-map", "sex", "smokes"),
        wanted("entropy-map", "sex", "smokes", mechanism="gaussian"),
        wanted("mutual-information", "sex", given=("smokes",)),
        wanted("histogram", "age", "sex"),
    ],
)
def test_the_least_price_is_useful_and_a_tenth_less_is_not(tmp_path: Path, release: PlannedRelease) -> None:
    contract = terms(tmp_path)
    (found,) = useless(Plan(contract, (release,)))
    assert found.least is not None
    for price, expected in ((found.least, False), (0.9 * found.least, True)):
        at = replace(release, epsilon=price, share=None)
        resolution = resolution_of(at.request(contract), contract)
        assert resolution is not None
        assert expected == resolution.useless, price


def test_what_is_useless_is_said_with_both_numbers_and_the_remedy(tmp_path: Path) -> None:
    contract = terms(tmp_path)
    plan = Plan(contract, (wanted("entropy", "sex"), replace(wanted("histogram", "age", "sex"), name="y")))
    bits, rows = map(str, useless(plan))
    assert bits.startswith("x: WARNING: useless at this price: off by up to ±")
    assert " bits where at most 2 are possible. It becomes useful at ε = " in bits
    assert "an average cell has 2.43 rows if there are 1,000, and is off by up to ±300." in rows
    assert rows.endswith(", which is more than the whole budget of 1.")


def test_a_useful_release_and_one_that_cannot_say_are_not_mentioned(tmp_path: Path) -> None:
    contract = terms(tmp_path)
    assert [] == list(useless(Plan(contract, (wanted("histogram", "sex", share=0.5),))))
    unknown = replace(contract, unit=Unit("add-remove"))
    assert [] == list(useless(Plan(unknown, (wanted("histogram", "age"),))))


def test_a_share_that_costs_less_than_it_was_given_says_why(tmp_path: Path) -> None:
    contract = terms(tmp_path)
    assert [] == list(unused(Plan(contract, (wanted("histogram", "sex"),))))
    (words,) = unused(Plan(contract, (replace(wanted("histogram", "sex"), mechanism="gaussian"),)))
    assert words.startswith("x: costs ε = 0.0")
    assert "it was given, because its noise was calibrated at its own δ = 1 × 10⁻⁸." in words
    loose = replace(contract, budget=Budget(contract.budget.epsilon, 0.01))
    (words,) = unused(Plan(loose, (wanted("histogram", "sex"),)))
    assert "because its noise was calibrated at δ = 0. Costs are stated at the budget's δ = 0.01" in words


@pytest.mark.parametrize(
    ("value", "expected"), [(0.2027, 0.21), (0.2, 0.2), (0.999, 1.0), (1234.0, 1300.0), (9.91, 10.0)]
)
def test_prices_are_rounded_up(value: float, expected: float) -> None:
    assert expected == rounded_up(value)
