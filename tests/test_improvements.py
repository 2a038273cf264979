"""Changes to a plan that gain something and cost nothing."""

from dataclasses import replace

import pytest

from reaedp import Budget, Category, Contract, Forecast, Number, Plan, PlannedRelease, Unit
from reaedp.plan.improvements import improvements, least_epsilon

CONTRACT = Contract(
    dataset="clinic",
    unit=Unit("add-remove", at_least=5_000),
    budget=Budget(1, 1e-6),
    ledger="budget.sqlite",
    columns=(
        Number(name="age", lower=0, upper=100, bins=10, provenance="public"),
        Category(name="sex", levels=("f", "m"), provenance="public"),
    ),
)


def wanted(name: str, kind: str = "histogram", **keys: object) -> PlannedRelease:
    return PlannedRelease(name=name, kind=kind, **{"columns": ("age",), "mechanism": "laplace", "share": 0.2} | keys)  # type: ignore[arg-type]


def bound(planned: PlannedRelease) -> float:
    return Forecast.of(planned.request(CONTRACT), CONTRACT).expected.bound_all


def test_the_other_noise_is_advised_where_its_errors_are_smaller_and_only_there() -> None:
    bad = wanted("ages", mechanism="gaussian")
    (found,) = improvements(Plan(CONTRACT, (bad,)))
    assert {"mechanism": "laplace"} == found.change
    good = replace(bad, mechanism="laplace")
    assert bound(good) < 0.9 * bound(bad)
    assert [] == list(improvements(Plan(CONTRACT, (good,))))


def test_an_entropy_that_a_histogram_gives_is_to_be_left_out() -> None:
    plan = Plan(CONTRACT, (wanted("ages"), wanted("bits", "entropy")))
    (found,) = improvements(plan)
    assert ("bits", True) == (found.name, found.leaves_out)


def test_a_useless_release_is_advised_the_least_price_at_which_it_is_not() -> None:
    plan = Plan(CONTRACT, (wanted("ages", share=0.001),))
    (found,) = improvements(plan)
    assert found.epsilon is not None
    assert [] == list(improvements(Plan(CONTRACT, (wanted("ages", share=found.epsilon),))))


@pytest.mark.parametrize("error", [10.0, 50.0, 1000.0])
def test_the_least_price_of_an_error_keeps_it_and_a_lower_one_does_not(error: float) -> None:
    planned = wanted("ages")
    least = least_epsilon(planned, CONTRACT, error, 10.0)
    assert least is not None
    for factor, keeps in ((1.0, True), (0.97, False)):
        made = planned.times(factor * least / 0.2, CONTRACT.budget)
        assert keeps == (Forecast.of(made.request(CONTRACT), CONTRACT).expected.bound <= error)


def test_an_error_that_no_price_keeps_has_none() -> None:
    assert least_epsilon(wanted("ages"), CONTRACT, 0.001, 1.0) is None
