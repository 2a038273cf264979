"""A column that many others tell together: when it is refined, what that asks of the records, and what comes of it."""

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cell_rows import UNITS, Recorded, Rows, units
from reaedp import Budget, Category, Contract, Integer, Plan, Unit, publish, verify
from reaedp.mechanisms.noise import SeededNoise
from reaedp.mechanisms.selection import chosen_mu
from reaedp.plan.kinds.synthetic import PlannedSynthetic
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.synthesis.learned import LearnedModel
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.model_file import read_model
from reaedp.synthesis.published_model import MODEL_SUFFIX
from reaedp.synthesis.regions import Cuts, Regions
from tests_support import ledger_in

WIDE, LEVELS, MANY = 6, ("a", "b", "c", "d"), 6_000
COLUMNS = (
    *(Integer(name=f"x{i}", lower=0, upper=7, provenance="public") for i in range(WIDE)),
    Category(name="kind", levels=LEVELS, provenance="public"),
)
NAMES = tuple(column.name for column in COLUMNS)


def contract(unit: Unit = UNITS["add-remove"], ledger: str = "unused") -> Contract:
    return Contract(dataset="d", unit=unit, budget=Budget(20, 1e-5), ledger=ledger, columns=COLUMNS)


def sample(count: int, seed: int) -> np.ndarray:
    """The kind tells how many of six numbers are large, modulo four, so that few of them tell little."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 8, (count, WIDE))
    return np.column_stack([numbers, (numbers >= 4).sum(axis=1) % 4])


def seeded(seed: int) -> SeededNoise:
    return SeededNoise(np.random.default_rng(seed))


def learned(rows: np.ndarray, noise: Any, mu: float = 2.0, unit: Unit = UNITS["add-remove"]) -> LearnedModel:
    terms = contract(unit)
    sensitivity = counting_sensitivity(unit)
    return MarginalModel(len(NAMES), mu).learn(
        Rows(terms, rows), NAMES, sensitivity, noise, lambda _: None, refine=True
    )


def right(rows: np.ndarray) -> float:
    """The share of rows whose kind is what the numbers tell."""
    return float(((rows[:, :-1] >= 4).sum(axis=1) % 4 == rows[:, -1]).mean())


@pytest.mark.slow
def test_a_column_that_many_others_tell_together_is_kept() -> None:
    """A quarter of all rows would be right by chance; tables of three and four columns bring it to about a half."""
    refined = learned(sample(MANY, 1), seeded(2))
    assert refined.regions is not None
    assert "kind" == NAMES[refined.regions.column]
    assert "kind was far from what these tables tell" in refined.account
    terms = contract()
    plain = MarginalModel(len(NAMES), 2.0).learn(
        Rows(terms, sample(MANY, 1)), NAMES, counting_sensitivity(terms.unit), seeded(2), lambda _: None
    )
    assert plain.regions is None
    rng = np.random.default_rng(3)
    assert right(plain.rows(20_000, rng)) < 0.6
    assert right(refined.rows(20_000, rng)) > 0.7


def test_columns_that_few_others_tell_are_left_to_tables() -> None:
    rows = sample(MANY, 4)
    rows[:, -1] = np.where(np.random.default_rng(5).random(len(rows)) < 0.9, rows[:, 0] // 2, rows[:, -1])
    assert learned(rows, seeded(5)).regions is None


@pytest.mark.quick_every(2)
@units
def test_what_a_refinement_asks_costs_its_price_and_moves_by_no_more_than_its_sensitivity(unit: Unit) -> None:
    """The neighbour is answered as the first was; in every level scores of all regions together move by at most l1."""
    sensitivity, rows = counting_sensitivity(unit), sample(MANY, 6)
    other = rows[unit.rows :] if unit.change == "add-remove" else rows.copy()
    if unit.change != "add-remove":
        other[: unit.rows] = sample(unit.rows, 7)
    here = Recorded(seeded(8))
    mu = 2 * math.sqrt(sensitivity.l2_squared)
    assert learned(rows, here, mu, unit).regions is not None
    there = Recorded(seeded(9), here.answers)
    learned(other, there, mu, unit)
    questions = [[one._replace(exact=one.exact.shape) for one in noise.asked] for noise in (here, there)]
    assert questions[0] == questions[1]
    moves = [(one.kind, np.abs(one.exact - other.exact)) for one, other in zip(here.asked, there.asked, strict=True)]
    each = [int(move.max(axis=1).sum()) for kind, move in moves if kind == "choose_each"]
    assert 0 < max(each) <= sensitivity.l1
    assert all(move.max() <= sensitivity.l1 for kind, move in moves if kind == "choose")
    counts = moves[-1][1]
    assert "gaussian" == moves[-1][0]
    assert 0 < counts.sum() <= sensitivity.l1
    assert (counts**2).sum() <= sensitivity.l2_squared
    # Cuts of all regions of a level are one question, because a row lies in one region.
    losses = [
        one.grain**2 * sensitivity.l2_squared / (one.scale**2 - 4)
        if one.kind == "gaussian"
        else chosen_mu(one.scale, sensitivity) ** 2
        for one in here.asked
    ]
    assert 0.999 * mu**2 < math.fsum(losses) <= mu**2


def test_equal_answers_give_equal_regions_whatever_the_rows() -> None:
    noise = Recorded(seeded(10))
    one = learned(sample(MANY, 11), noise)
    other = learned(sample(50, 12), Recorded(seeded(13), noise.answers))
    assert one.account == other.account
    first, second = one.regions, other.regions
    assert first is not None
    assert second is not None
    assert np.array_equal(first.counts, second.counts)
    assert all(map(np.array_equal, first.levels, second.levels))
    assert np.array_equal(first.cuts.inside, second.cuts.inside)
    drawn = [each.rows(500, np.random.default_rng(14)) for each in (one, other)]
    assert np.array_equal(*drawn)


@pytest.mark.parametrize("count", [0, 1, 40])
def test_tables_of_few_rows_are_learned_too(count: int) -> None:
    rows = learned(sample(count, 15), seeded(16), 3.0).rows(300, np.random.default_rng(17))
    assert (300, len(NAMES)) == rows.shape
    assert np.all((rows >= 0) & (rows < [column.size for column in COLUMNS]))


def halves(counts: list[list[int]]) -> Regions:
    """Two columns: whether the first is 0, and the counts of the second's two cells on each side."""
    cuts = Cuts(np.array([0]), np.array([[True, False]]))
    return Regions(1, cuts, (np.array([0]),), np.array(counts), 0.1)


def test_rows_follow_the_counts_of_regions_and_keep_what_else_a_model_has() -> None:
    regions = halves([[30, 0], [10, 60]])
    rng = np.random.default_rng(18)

    def drawn(count: int) -> np.ndarray:
        return rng.integers(0, 2, (count, 2)).astype(np.int32)

    rows = regions.rows(drawn, 1_000, rng)
    found = np.zeros((2, 2))
    np.add.at(found, ((rows[:, 0] == 0).astype(int), rows[:, 1]), 1)
    assert np.abs(found - [[300, 0], [100, 600]]).max() <= 1
    only = regions.rows(lambda count: np.ones((count, 2), dtype=np.int32), 1_000, rng)
    assert (only[:, 0] == 1).all(), "a region that the model never enters stays empty"


@pytest.mark.slow
def test_a_refined_release_is_published_with_its_regions(tmp_path: Any) -> None:
    terms = contract(ledger=str(ledger_in(tmp_path)))
    rows = sample(MANY, 20)
    table = pd.DataFrame(rows, columns=list(NAMES))
    table["kind"] = [LEVELS[cell] for cell in rows[:, -1]]
    price: dict[str, Any] = {"epsilon": 10.0, "delta": 1e-6}
    wanted = PlannedSynthetic(name="rows", kind="synthetic", columns=NAMES, rows=2_000, method="network", **price)
    (release,) = publish(Plan(terms, (wanted,)), table, tmp_path / "out", noise=seeded(21), audited=False, page=False)
    assert any(line.startswith("rows: 2,000 rows agree with the contract") for line in verify(tmp_path / "out"))
    content = release.attachments[MODEL_SUFFIX]
    record = json.loads(content)
    assert "kind" == record["regions"]["column"]
    model = read_model(content, COLUMNS, ())
    assert content == model.content()
    assert right(model.cells(5_000, np.random.default_rng(22))) > 0.6
    some = release.sample(2_000, {"kind": "b"}, seed=1)
    assert right(some.codes) > 0.5
    for way in (
        {"column": "nobody"},
        {"noise": 0.0},
        {"levels": record["regions"]["levels"][:-1]},
        {"levels": [[99]]},
        {"noisy_counts": record["regions"]["noisy_counts"][:-1]},
        {"cuts": [cut | {"inside": [400]} for cut in record["regions"]["cuts"]]},
    ):
        spoilt = json.dumps(record | {"regions": record["regions"] | way}).encode()
        with pytest.raises((ValueError, LookupError, TypeError)):
            read_model(spoilt, COLUMNS, ())


def test_a_wide_move_of_many_regions_is_more_than_one_row_may_do() -> None:
    """What the audits ask of choices made together: the moves of all regions add up."""
    from reaedp.audits.constant_noise import Drawn
    from reaedp.audits.movement import Outcome, too_far

    declared = Sensitivity(l1=1, l2_squared=1, linf=1)

    def outcome(scores: list[list[int]]) -> Outcome:
        return Outcome({}, ((Drawn("choice", np.array(scores), 1.0),),), (), "")

    still = outcome([[0, 0], [0, 0]])
    assert [] == list(too_far("records", 0, declared, still, outcome([[1, -1], [0, 0]])))
    assert 1 == len(list(too_far("records", 0, declared, still, outcome([[1, 0], [0, 1]]))))
