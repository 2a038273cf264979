"""What people are told that they can afford is what the ledger admits, and nothing more is."""

import math
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from reaedp import Budget, Calibration, Contract, Ledger, Number, Plan, PlannedRelease, Unit
from reaedp.cli.app import app
from reaedp.errors import BudgetRefused
from reaedp.ledger.entry import Charge
from reaedp.plan.affordable import largest_factor, rest_of
from reaedp.privacy.loss import ApproxDP, GaussianDP, Price, PureDP
from reaedp.privacy.rest import Rest
from tests_support import ledger_in

BUDGET = Budget(1.0, 1e-6)
#: Nothing, or prices of every kind, one after another, as somebody chooses who has seen the answers before.
HISTORIES: dict[str, tuple[Price, ...]] = {
    "fresh": (),
    "pure first": ((PureDP(0.3),), (GaussianDP(0.05),), (PureDP(0.1),)),
    "Gaussian first": ((GaussianDP(0.1),), (PureDP(0.05),), (GaussianDP(0.02), PureDP(0.01))),
    "threshold first": ((ApproxDP(0.2, 1e-7),), (PureDP(0.01),) * 5),
}
CHANGES = ("add-remove", "replace")


def contract(folder: Path, change: Any = "add-remove") -> Contract:
    column = Number(name="x", lower=0, upper=10, bins=4, provenance="public")
    unit = Unit(change, at_least=1000)
    return Contract(dataset="people", unit=unit, budget=BUDGET, ledger=ledger_in(folder), columns=(column,))


def charge(under: Contract, price: Price) -> Charge:
    return Charge("people", "count", "noise", price, under.unit, "0" * 64)


def remembered(under: Contract, history: tuple[Price, ...]) -> None:
    with Ledger.open(under.ledger) as book:
        book.register("people", BUDGET, under.unit)
        for price in history:
            book.charge([charge(under, price)])


def admitted(under: Contract, *prices: Price) -> bool:
    """Whether the ledger itself takes the charges; if so, they are spent."""
    with Ledger.open(under.ledger) as book:
        book.register("people", BUDGET, under.unit)
        try:
            book.charge([charge(under, price) for price in prices])
        except BudgetRefused:
            return False
        return True


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("history", HISTORIES)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    "facts",
    [
        {"kind": "counts", "bins": 10},
        {"kind": "counts", "bins": 10, "mechanism": "gaussian", "delta": 1e-7},
        {"kind": "entropy", "rows": 1000},
    ],
    ids=lambda facts: f"{facts['kind']}-{facts.get('mechanism', 'laplace')}",
)
def test_what_a_calibration_says_that_the_rest_buys_is_admitted_and_a_hair_more_is_not(
    tmp_path: Path, history: str, change: str, facts: dict[str, Any]
) -> None:
    under = contract(tmp_path, change)
    remembered(under, HISTORIES[history])
    most = Calibration(change=change, **facts).within(rest_of(under))  # type: ignore[arg-type]
    assert most is not None
    assert most.epsilon is not None
    # Gaussian noise is found within 0.1 % of its variance, which is what its last digits are worth.
    more = most.epsilon * (1.0015 if most.mechanism == "gaussian" else 1.001)
    assert not admitted(under, replace(most, epsilon=more).price())
    assert admitted(under, most.price())


def releases(mechanisms: dict[str, dict[str, Any]]) -> tuple[PlannedRelease, ...]:
    return tuple(
        PlannedRelease(name=name, kind="histogram", columns=("x",), mechanism=name, **price)  # type: ignore[arg-type]
        for name, price in mechanisms.items()
    )


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("history", [name for name in HISTORIES if name != "fresh"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_plan_that_does_not_fit_does_with_the_factor_that_is_proposed_and_not_with_a_hair_more(
    tmp_path: Path, history: str, change: str
) -> None:
    under = contract(tmp_path, change)
    remembered(under, HISTORIES[history])
    plan = Plan(under, releases({"laplace": {"share": 1.0}, "gaussian": {"epsilon": 0.5, "delta": 1e-7}}))
    assert not rest_of(under).admits(plan.prices())
    factor = largest_factor(plan, rest_of(under))
    assert factor is not None
    assert 0 < factor < 1
    prices = [
        [request.calibrated(under).price for request in plan.times(times).requests()]
        for times in (factor * 1.001, factor)
    ]
    assert [False, True] == [admitted(under, *some) for some in prices]


def test_where_a_delta_is_too_large_no_smaller_epsilon_is_proposed(tmp_path: Path) -> None:
    under = contract(tmp_path)
    remembered(under, HISTORIES["Gaussian first"])
    plan = Plan(under, releases({"threshold": {"epsilon": 0.1, "delta": 5e-7}}))
    assert largest_factor(plan, rest_of(under)) is None


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_shares_that_add_up_to_one_take_a_whole_budget_however_they_are_cut(tmp_path: Path, change: str) -> None:
    """Also in digits that no double has: a share is rounded down, never to the nearest."""
    chance = random.Random(5)
    under = contract(tmp_path, change)
    for _ in range(60):
        budget = Budget(chance.uniform(0.1, 5), chance.uniform(1e-9, 1e-5))
        whole = replace(under, budget=budget)
        cuts = sorted(round(chance.random(), 9) for _ in range(2))
        shares = [round(share, 9) for share in (cuts[0], cuts[1] - cuts[0], 1 - cuts[1])]
        if min(shares) < 0.01:
            continue
        for kinds in (("laplace", "laplace", "laplace"), ("threshold", "threshold", "threshold")):
            planned = tuple(
                PlannedRelease(name=f"r{i}", kind="histogram", columns=("x",), mechanism=kind, share=share)  # type: ignore[arg-type]
                for i, (kind, share) in enumerate(zip(kinds, shares, strict=True))
            )
            assert Rest(budget).admits(Plan(whole, planned).prices())


@pytest.mark.parametrize("shares", [(0.5, 0.25, 0.25), (0.2, 0.7, 0.1), (0.01, 0.01, 0.98)])
@pytest.mark.parametrize("change", CHANGES)
def test_shares_of_different_noise_that_add_up_to_one_are_a_first_plan(
    tmp_path: Path, shares: tuple[float, ...], change: str
) -> None:
    under = contract(tmp_path, change)
    names = ("laplace", "gaussian", "threshold")
    plan = Plan(under, releases({name: {"share": share} for name, share in zip(names, shares, strict=True)}))
    assert admitted(under, *(request.calibrated(under).price for request in plan.requests()))


@pytest.mark.parametrize("history", HISTORIES)
@pytest.mark.parametrize("command", ["ledger show", "plan"])
def test_what_the_screen_says_is_left_is_admitted_as_it_stands_there(
    tmp_path: Path, history: str, command: str, told: Callable[..., str]
) -> None:
    under = contract(tmp_path)
    remembered(under, HISTORIES[history])
    (tmp_path / "contract.toml").write_text(TEXT)
    (tmp_path / "plan.toml").write_text(PLAN)
    words = (
        told("ledger", "show", under.ledger) if command == "ledger show" else told("plan", str(tmp_path / "plan.toml"))
    )
    left = float(words.partition(" left for")[0].removesuffix(" is").rpartition("ε = ")[2].removesuffix(" is"))
    if left == 1.0:
        assert not HISTORIES[history]
    last_digit = 10.0 ** (math.floor(math.log10(left)) - 3)
    assert not admitted(under, (PureDP(float(f"{left + last_digit:.4g}")),))
    assert admitted(under, (PureDP(left),))


def test_calibration_under_a_contract_says_what_the_ledger_admits(tmp_path: Path, told: Callable[..., str]) -> None:
    under = contract(tmp_path)
    remembered(under, HISTORIES["pure first"])
    (tmp_path / "contract.toml").write_text(TEXT)
    file = str(tmp_path / "contract.toml")
    words = told("calibrate", "--contract", file, "--error-count", "2", "--bins", "4")
    assert "The ledger would not admit it. All that is left buys ε = 0." in words
    assert "The ledger would admit it." in told("calibrate", "--contract", file, "--error-count", "50", "--bins", "4")
    assert "not both" in told("calibrate", "--error-count", "50", "--bins", "4", code=2)


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("history", HISTORIES)
def test_as_many_histograms_are_admitted_as_the_forecast_of_the_ledger_says(
    tmp_path: Path, change: str, history: str, told: Callable[..., str]
) -> None:
    under = contract(tmp_path, change)
    remembered(under, HISTORIES[history])
    words = told("ledger", "forecast", under.ledger, "--epsilon", "0.1", "--delta", "1e-7")
    forecast = int(words.split(" more histograms")[0].rpartition(" ")[2])
    plan = Plan(under, releases({"gaussian": {"epsilon": 0.1, "delta": 1e-7}}))
    price = plan.requests()[0].calibrated(under).price
    assert forecast > 0
    assert [True] * forecast + [False] == [admitted(under, price) for _ in range(forecast + 1)]


@pytest.fixture
def told() -> Callable[..., str]:
    def run(*words: str, code: int = 0) -> str:
        done = CliRunner().invoke(app, list(words))
        said = done.output + str(done.exception or "")
        assert (code == 0) == (done.exception is None), said
        return said

    return run


TEXT = """
[dataset]
name = "people"
[unit]
change = "add-remove"
at_least = 1000
[budget]
epsilon = 1.0
delta = 1e-6
ledger = "budget.sqlite"
[columns.x]
kind = "number"
lower = 0
upper = 10
bins = 4
provenance = "public"
"""
PLAN = """
contract = "contract.toml"
[[release]]
name = "x"
kind = "histogram"
columns = ["x"]
mechanism = "laplace"
epsilon = 0.1
"""
