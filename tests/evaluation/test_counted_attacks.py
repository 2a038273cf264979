"""Attacks on summaries, rates and counted quantiles: as strong as their noise lets them be, and no stronger."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from reaedp import Budget, Contract, Gaussian, Integer, Laplace, Number, Rates, Summary, Unit
from reaedp.evaluation.counted_attacks import ROUNDS, on_counts, on_parts
from reaedp.mechanisms.mechanism import Calibrated

COLUMNS = (
    Number(name="income", lower=0, upper=900, bins=3, provenance="public"),
    Integer(name="visits", lower=0, upper=30, provenance="public"),
)
#: Six deviations of a share of right guesses.
CHANCE = 6 * 0.5 / math.sqrt(ROUNDS)


def finished(statistic: Any, mechanism: Any, change: str = "add-remove", max_rows: int | None = None) -> Any:
    unit = Unit(change, max_rows and "who", max_rows)  # type: ignore[arg-type]
    contract = Contract(dataset="d", unit=unit, budget=Budget(9, 1e-6), ledger="unused", columns=COLUMNS)
    noise = Calibrated(mechanism, statistic.sensitivity(contract))
    return SimpleNamespace(statistic=statistic, contract=contract, noise=noise)


def accuracy(attacks: Any) -> Any:
    (found,) = [attack for attack in attacks if attack.figure == "accuracy"]
    return found


@pytest.mark.parametrize("change", ["add-remove", "replace"])
@pytest.mark.parametrize("max_rows", [None, 3])
@pytest.mark.parametrize(
    "statistic", [Summary("income"), Summary("income", statistics="sd"), Rates("visits", at_least=5)], ids=str
)
def test_whoever_knows_everyone_else_tells_as_much_as_noise_on_one_number_lets_through(
    statistic: Any, max_rows: int | None, change: str
) -> None:
    """Laplace noise that hides a move of e scales lets a share 1 - exp(-e/2)/2 of guesses be right."""
    release = finished(statistic, Laplace(1.5), change, max_rows)
    found = accuracy(on_parts(release, np.random.default_rng(3)))
    assert found.main.value <= found.permitted + CHANCE
    moved = 8 / 9 if change == "replace" and getattr(statistic, "degree", 1) == 2 else 1.0  # 2G of 9G/4 + 6
    assert abs(found.main.value - (1 - math.exp(-1.5 * moved / 2) / 2)) < CHANCE


def test_gaussian_noise_lets_through_what_its_price_permits() -> None:
    release = finished(Rates("income", per="visits"), Gaussian(0.5))
    found = accuracy(on_parts(release, np.random.default_rng(3)))
    assert abs(found.main.value - found.permitted) < CHANCE


def test_a_mean_and_its_count_are_attacked_together() -> None:
    """Two columns share the price; whoever looks at one of them would be right less often."""
    two = finished(Summary(("income", "visits")), Laplace(3.0))
    found = accuracy(on_parts(two, np.random.default_rng(3)))
    one = 1 - math.exp(-1.5 / 2) / 2
    assert one + CHANCE < found.main.value <= found.permitted + CHANCE


def test_what_hides_groups_as_well_is_not_attacked_and_neither_are_empty_counts() -> None:
    release = SimpleNamespace(noise=SimpleNamespace(mechanism=SimpleNamespace(name="partition selection")))
    assert () == on_parts(release, np.random.default_rng(3))  # type: ignore[arg-type]
    release.noise.mechanism = Laplace(1.0)
    assert [] == list(on_counts(release, np.zeros(4, dtype=np.int64), np.random.default_rng(3)))  # type: ignore[arg-type]
