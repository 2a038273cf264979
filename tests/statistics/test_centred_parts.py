"""Summaries and rates of whole tables whose rows are replaced: they count from the middle, and noise is smaller."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reaedp import Budget, Contract, Gaussian, Integer, Laplace, Number, Rates, Summary, Unit
from reaedp.audits.made_up_groups import MadeUpGroups
from reaedp.audits.worst_case import worst_cases
from reaedp.curator.records import Records
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.statistics.summary.coordinates import centred
from reaedp.statistics.summary.prediction import expected_errors

X = Number(name="x", lower=0, upper=8, bins=2, provenance="public")
Y = Integer(name="y", lower=-1, upper=3, provenance="public", outside="cell")
#: Ends, all quarters between them, values beyond, and one of each way to miss.
VALUES = (0.0, 2.0, 3.0, 4.0, 6.0, 8.0, -7.0, 99.0, None, "word", float("nan"))
STATISTICS = (
    Summary("x"),
    Summary("x", clipped=True),
    Summary("x", statistics="sd"),
    Summary("x", statistics="variance", clipped=True),
    Summary(("x", "y"), statistics=("mean", "sd"), clipped=True),
    Rates("x", at_least=3.0),
)


def contract(change: str = "replace", person: str | None = None, rows: int = 1) -> Contract:
    unit = Unit(change, person, rows if person else None)  # type: ignore[arg-type]
    return Contract(dataset="d", unit=unit, budget=Budget(1, 1e-6), ledger="unused", columns=(X, Y))


def answers(statistic: Any, terms: Contract) -> np.ndarray:
    """The answers to all tables of one row whose values are among those tried; all in one query, a person each."""
    rows = list(product(VALUES, (-1, 2, 3, 9) if "y" in statistic.columns else (3,)))
    frame = pd.DataFrame(rows, columns=["x", "y"]).astype({"x": object})
    frame["n"], frame["p"] = np.arange(len(rows)), [f"me{number}" for number in range(len(rows))]
    number = Integer(name="n", lower=0, upper=len(rows) - 1, provenance="public")
    parts = (statistic.shared(terms),) if isinstance(statistic, Rates) else statistic.parts(terms)
    sums = Records(replace(terms, columns=(*terms.columns, number)), frame).part_sums(parts, ("n",))[: len(rows)]
    tables = (MadeUpGroups(terms, np.zeros((1, 0), dtype=np.int32), one[None]) for one in sums)
    return np.array([table.answer(statistic) for table in tables])


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda one: f"{one.title} {getattr(one, 'clipped', '')}")
def test_one_row_for_another_moves_no_answer_further_than_claimed(statistic: Any) -> None:
    """All pairs of rows, or a row and none, some of which go as far as can be but for the few steps of rounding."""
    terms = contract()
    found = answers(statistic, terms)
    found = np.concatenate([found, np.zeros_like(found[:1])])
    moves = np.abs(found[:, None] - found[None]).reshape(-1, found.shape[1])
    reached = moves.sum(axis=1).max(), (moves**2).sum(axis=1).max(), moves.max()
    claimed = statistic.sensitivity(terms)
    for far, bound in zip(reached, (claimed.l1, claimed.l2_squared, claimed.linf), strict=True):
        assert far <= bound
        assert far >= bound * (1 - (1e-6 if getattr(statistic, "degree", 1) == 2 else 0))


def test_rows_of_a_person_move_answers_as_far_as_so_many_rows() -> None:
    statistic = Summary("x", statistics="sd")
    one, some = (statistic.sensitivity(contract(person="p", rows=rows)) for rows in (1, 3))
    assert statistic.sensitivity(contract()) == one
    assert (3 * one.l1, 9 * one.l2_squared, 3 * one.linf) == (some.l1, some.l2_squared, some.linf)
    assert (answers(statistic, contract()) == answers(statistic, contract(person="p"))).all()


@pytest.mark.parametrize(
    ("terms", "by"), [(contract("add-remove"), ()), (contract(), ("y",))], ids=("rows join", "groups")
)
def test_parts_themselves_are_released_where_rows_join_or_change_groups(terms: Contract, by: Any) -> None:
    (parts,) = Summary("x", by).parts(terms)
    assert not parts.centred
    assert (parts.coordinates.made == np.eye(len(parts.names))).all()


@pytest.mark.parametrize(("regular", "beyond", "missing"), product((2, 3), (0, 2), (0, 1, 3)))
def test_sums_of_parts_are_the_same_in_released_numbers(regular: int, beyond: int, missing: int) -> None:
    rng = np.random.default_rng(regular + beyond + missing)
    parts, weights = rng.integers(0, 99, regular + beyond + missing), rng.normal(size=regular + beyond + missing)
    weights[regular + beyond :] = 2.5
    turned = centred(regular, beyond, missing)
    assert turned.of(parts) @ turned.weights(weights) == pytest.approx(parts @ weights)


def skewed(rows: int) -> pd.DataFrame:
    values = np.random.default_rng(1).gamma(0.7, 2.0, rows)
    return pd.DataFrame({"x": np.where(np.arange(rows) % 9, values, np.nan), "y": 3})


@pytest.mark.parametrize("mechanism", [Laplace(0.5), Gaussian(0.05)])
@pytest.mark.parametrize("statistics", [("count", "sum", "mean"), ("mean", "variance", "sd")])
def test_intervals_cover_the_rows_own_figures(mechanism: Any, statistics: tuple[str, ...]) -> None:
    """1,200 releases of 300 rows, told as groups of one: 5 deviations of a share of .95 are .032."""
    terms, statistic = contract(), Summary("x", statistics=statistics, clipped=True)
    exact = statistic.answer(Records(terms, skewed(300)))
    noise, source = Calibrated(mechanism, statistic.sensitivity(terms)), SeededNoise(np.random.default_rng(4))
    true = statistic.told(terms, noisy=exact[None]).of(0, noise, 0.95)
    told = statistic.told(terms, noisy=np.stack([noise.apply(exact, source) for _ in range(1_200)]))
    for name in statistics:
        right = getattr(true, name)().values[0]
        _, values, low, high, _ = getattr(told.of(0, noise, 0.95), name)()
        covered = float(((low <= right) & (right <= high)).mean())
        assert covered > 0.95 - 0.032, name
        if name in {"count", "sum", "mean"}:
            assert covered < 0.95 + 0.032, name
            assert abs(values.mean() - right) < 5 * values.std() / 1_200**0.5 + 0.02 * values.std(), name


def test_a_mean_of_rows_that_are_replaced_has_less_than_twice_the_noise_of_rows_that_join() -> None:
    """By √2 in the middle of the range and, with misses to tell apart, by √3 at its ends."""
    statistic, errors = Summary("x", statistics="mean"), {}
    for change in ("add-remove", "replace"):
        terms = contract(change)
        noise = Calibrated(Laplace(1.0), statistic.sensitivity(terms))
        errors[change] = expected_errors(statistic, terms, noise).means["x"]
    assert errors["replace"] < 1.75 * errors["add-remove"]  # twice, if parts were released


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda one: f"{one.title} {getattr(one, 'clipped', '')}")
def test_the_audit_has_neighbours_as_far_apart_as_can_be(statistic: Any) -> None:
    terms = contract()
    cases = worst_cases(statistic, terms)
    moves = np.array([case.second.answer(statistic) - case.first.answer(statistic) for case in cases])
    claimed = statistic.sensitivity(terms)
    assert 1 - 1e-6 <= np.abs(moves).sum(axis=1).max() / claimed.l1 <= 1
    assert 1 - 1e-6 <= (moves**2).sum(axis=1).max() / claimed.l2_squared <= 1


def test_made_up_rows_are_as_many_on_a_lattice_that_no_power_of_two_divides() -> None:
    """The last number is that of rows."""
    terms = replace(contract(), columns=(Integer(name="x", lower=0, upper=77, provenance="public"),))
    statistic = Summary("x", statistics="sd")
    for case in worst_cases(statistic, terms):
        move = case.second.answer(statistic) - case.first.answer(statistic)
        assert 0 == move[-1]
        assert np.abs(move).sum() <= statistic.sensitivity(terms).l1
