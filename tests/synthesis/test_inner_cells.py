"""Declared cells that follow another column: when they are counted, what that asks of the records, what comes of it."""

import hashlib
import json
import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cell_rows import UNITS, Recorded, Rows, units
from reaedp import Budget, Category, Contract, Integer, Plan, ReaedpError, Unit, publish, read, verify
from reaedp.audits.canary_cells import PublishedTables
from reaedp.mechanisms.noise import SeededNoise
from reaedp.mechanisms.selection import chosen_mu
from reaedp.plan.kinds.synthetic import PlannedSynthetic
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.synthesis.beliefs import calibrated
from reaedp.synthesis.cliques import junction_tree
from reaedp.synthesis.coarsening import Coarsening
from reaedp.synthesis.inner_cells import InnerCells, Known
from reaedp.synthesis.inside_counts import InsideCounts
from reaedp.synthesis.learned import LearnedModel
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.merging import Merging
from reaedp.synthesis.model_file import read_model
from reaedp.synthesis.published_model import MODEL_SUFFIX
from tests_support import ledger_in

TIMES, TICKS, MANY = 480, 6, 40_000
COLUMNS = (
    Integer(name="time", lower=0, upper=TIMES - 1, provenance="public"),
    Category(name="tick", levels=tuple("abcdef"), provenance="public"),
    Category(name="line", levels=("A", "B"), provenance="public"),
    Integer(name="wait", lower=0, upper=9, provenance="public"),
)
NAMES = tuple(column.name for column in COLUMNS)


def contract(unit: Unit = UNITS["add-remove"], ledger: str = "unused") -> Contract:
    return Contract(dataset="d", unit=unit, budget=Budget(20, 1e-5), ledger=ledger, columns=COLUMNS)


def sample(count: int, seed: int) -> np.ndarray:
    """The time tells the tick, but a merged cell of times holds several ticks."""
    rng = np.random.default_rng(seed)
    time = rng.integers(0, TIMES, count)
    line = (time >= TIMES // 2).astype(int)
    return np.column_stack([time, time % TICKS, line, np.clip(rng.poisson(2 + 3 * line), 0, 9)])


def seeded(seed: int) -> SeededNoise:
    return SeededNoise(np.random.default_rng(seed))


def learned(rows: np.ndarray, noise: Any, mu: float = 1.0, unit: Unit = UNITS["add-remove"]) -> LearnedModel:
    """With the price at which a time has about ten times the noise of its cell, whatever the unit."""
    sensitivity = counting_sensitivity(unit)
    network = MarginalModel(len(NAMES), mu * math.sqrt(sensitivity.l2_squared))
    return network.learn(Rows(contract(unit), rows), NAMES, sensitivity, noise, lambda _: None, refine=True)


def right(rows: np.ndarray) -> float:
    """The share of rows whose tick is what the time tells."""
    return float((rows[:, 0] % TICKS == rows[:, 1]).mean())


def test_values_within_merged_cells_follow_the_column_that_tells_them() -> None:
    model = learned(sample(MANY, 1), seeded(2))
    assert model.coarsenings[0].size < TIMES / 3
    assert [("time", "tick")] == [(NAMES[each.column], NAMES[each.parent]) for each in model.inner]
    assert "Values of time within merged cells follow tick" in model.account
    assert ["time × tick"] == model.details["within"]
    network = MarginalModel(len(NAMES), 1.0)
    sensitivity = counting_sensitivity(UNITS["add-remove"])
    plain = network.learn(Rows(contract(), sample(MANY, 1)), NAMES, sensitivity, seeded(2), lambda _: None)
    assert () == plain.inner
    rng = np.random.default_rng(3)
    assert right(plain.rows(20_000, rng)) < 0.6
    assert right(model.rows(20_000, rng)) > 0.9
    assert len(model.rows(0, rng)) == 0


def test_columns_that_no_other_tells_are_left_as_they_are() -> None:
    rows = sample(MANY, 4)
    rows[:, 1] = np.random.default_rng(5).integers(0, TICKS, MANY)
    assert () == learned(rows, seeded(6)).inner


def test_noise_of_a_columns_own_counts_makes_no_other_column_worth_counting() -> None:
    """A hundred values in ten merged cells beside three groups; 20 rows are expected of each, with noise of 15."""
    rng, cell = np.random.default_rng(25), np.repeat(np.arange(10), 10)
    shares = np.maximum(20 + rng.normal(0, 15, 100), 1) / 2_000
    merged = np.bincount(cell, shares)
    known = two_columns(shares, cell, np.outer(merged / merged.sum(), np.full(3, 1 / 3)))._replace(total=2_000.0)
    exact = rng.multinomial(2_000, np.full(300, 1 / 300)).reshape(100, 3)
    told, untold = (InsideCounts({(0, 1): exact}).offers(known, 1.0, [own, 0.0])[0].score for own in (15.0, 0.0))
    assert told < 0 < untold


@pytest.mark.quick_every(2)
@units
def test_what_inner_cells_ask_costs_its_price_and_moves_by_no_more_than_its_sensitivity(unit: Unit) -> None:
    """The neighbour is answered as the first was; counts of declared cells are those of its shape."""
    sensitivity, rows = counting_sensitivity(unit), sample(MANY, 7)
    other = rows[unit.rows :] if unit.change == "add-remove" else rows.copy()
    if unit.change != "add-remove":
        other[: unit.rows] = sample(unit.rows, 8)
    here = Recorded(seeded(9))
    assert learned(rows, here, unit=unit).inner
    there = Recorded(seeded(10), here.answers)
    learned(other, there, unit=unit)
    questions = [[one._replace(exact=one.exact.shape) for one in noise.asked] for noise in (here, there)]
    assert questions[0] == questions[1]
    for one, changed in zip(here.asked, there.asked, strict=True):
        moves = np.abs(one.exact - changed.exact)
        if one.kind == "gaussian":
            assert moves.sum() <= sensitivity.l1
            assert (moves**2).sum() <= sensitivity.l2_squared
        else:
            assert moves.max() <= sensitivity.l1
    inside = [one for one in here.asked if one.kind == "gaussian" and one.exact.shape[:1] == (COLUMNS[0].size,)]
    assert any(one.exact.ndim == 2 for one in inside)
    losses = [
        one.grain**2 * sensitivity.l2_squared / (one.scale**2 - 4)
        if one.kind == "gaussian"
        else chosen_mu(one.scale, sensitivity) ** 2
        for one in here.asked
    ]
    assert 0.999 * sensitivity.l2_squared < math.fsum(losses) <= sensitivity.l2_squared


def test_equal_answers_give_equal_inner_cells_whatever_the_rows() -> None:
    noise = Recorded(seeded(11))
    one = learned(sample(MANY, 12), noise)
    other = learned(sample(50, 13), Recorded(seeded(14), noise.answers))
    assert one.account == other.account
    assert 1 == len(one.inner) == len(other.inner)
    first, second = one.inner[0], other.inner[0]
    assert (first.column, first.parent, first.scale) == (second.column, second.parent, second.scale)
    assert np.array_equal(first.counts, second.counts)
    drawn = [each.rows(500, np.random.default_rng(15)) for each in (one, other)]
    assert np.array_equal(*drawn)


@pytest.mark.parametrize("count", [0, 1, 40])
def test_tables_of_few_rows_are_learned_too(count: int) -> None:
    rows = learned(sample(count, 16), seeded(17), 3.0).rows(300, np.random.default_rng(18))
    assert (300, len(NAMES)) == rows.shape
    assert np.all((rows >= 0) & (rows < [column.size for column in COLUMNS]))


def two_columns(shares: np.ndarray, cell: np.ndarray, law: np.ndarray) -> Known:
    """A column of declared cells with these shares, merged, and one of three cells; `law` is that of coarse cells."""
    coarse = Coarsening(shares, Merging(cell), (Merging.none(int(cell.max()) + 1),))
    other = Coarsening(law.sum(axis=0), Merging.none(3), (Merging.none(3),))
    beliefs = calibrated(junction_tree(law.shape, [(0, 1)]), [np.log(law)])
    return Known(beliefs, [coarse, other], 50_000.0)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**20), st.floats(0.1, 5_000), st.booleans())
def test_laws_within_cells_are_laws_and_keep_the_shares_of_the_column(seed: int, scale: float, rough: bool) -> None:
    """Whatever the noisy counts are; neighbours in a column need not be merged."""
    rng = np.random.default_rng(seed)
    cell = rng.permutation(np.concatenate([np.arange(4), rng.integers(0, 4, 8)]))
    within = rng.dirichlet(np.full(12, 0.3), 3).T
    within /= np.array([within[cell == coarse].sum(axis=0) for coarse in range(4)])[cell]
    law = rng.dirichlet(np.ones(12)).reshape(4, 3)
    joint = law[cell] * within
    known = two_columns(np.maximum(joint.sum(axis=1), 1e-9), cell, law)
    counts = rng.normal(0, 1e6, (12, 3)) if rough else rng.normal(50_000 * joint, scale)
    found = InnerCells(0, 1, counts, scale).law(known)
    assert (found > 0).all()
    sums = np.zeros((4, 3))
    np.add.at(sums, cell, found)
    assert np.allclose(sums, 1.0)
    if not rough:
        whole = (law[cell] * found).sum(axis=1)
        assert np.abs(whole - joint.sum(axis=1)).sum() < 0.02


def test_counts_as_expected_leave_the_shares_of_the_column() -> None:
    shares, cell = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0, 0, 1, 1])
    known = two_columns(shares, cell, np.array([[0.1, 0.1, 0.1], [0.3, 0.2, 0.2]]))
    counts = known.expected(0, 1)
    found = InnerCells(0, 1, counts, 5.0).law(known)
    assert np.allclose(found, (shares / np.bincount(cell, shares)[cell])[:, None], atol=0.01)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("inner")
    terms = contract(ledger=str(ledger_in(home)))
    rows = sample(MANY, 20)
    table = pd.DataFrame(rows, columns=list(NAMES))
    table["tick"], table["line"] = np.array(list("abcdef"))[rows[:, 1]], np.array(["A", "B"])[rows[:, 2]]
    price: dict[str, Any] = {"epsilon": 5.0, "delta": 1e-6}
    wanted = PlannedSynthetic(name="rows", kind="synthetic", columns=NAMES, rows=2_000, method="network", **price)
    publish(Plan(terms, (wanted,)), table, home / "out", noise=seeded(21), audited=False, page=False)
    return home / "out"


def model_of(folder: Path) -> bytes:
    return (folder / f"rows{MODEL_SUFFIX}").read_bytes()


def test_inner_cells_are_published_with_the_model_and_rows_are_drawn_by_them(folder: Path) -> None:
    assert any(line.startswith("rows: 2,000 rows agree with the contract") for line in verify(folder))
    content = model_of(folder)
    model = read_model(content, COLUMNS, ())
    assert content == model.content()
    assert right(model.cells(5_000, np.random.default_rng(22))) > 0.9
    release = read(folder)["rows"]
    some = release.sample(1_000, {"tick": "b"}, seed=1)
    assert (some.codes[:, 1] == 1).all()
    assert right(some.codes) > 0.8
    assert all(right(copy.codes) > 0.9 for copy in release.copies(3, rows=5_000, seed=1))


def test_questions_about_declared_cells_are_answered_by_their_own_table(folder: Path) -> None:
    """Times from 60 to 65 have one tick each; intervals of so much confidence cover all six but once in 10^5 times."""
    answer = read(folder).ask("count by tick where time >= 60 and time < 66", confidence=0.999999)
    times = sample(MANY, 20)
    exact = np.bincount(times[(times[:, 0] >= 60) & (times[:, 0] < 66), 1])
    assert np.all(answer.low[:TICKS] <= exact)
    assert np.all(exact <= answer.high[:TICKS])
    assert "time × tick" in answer.source


def test_inner_cells_with_less_noise_than_the_price_buys_are_refused(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "out")
    record = json.loads(model_of(folder))
    (inside,) = record["inner"]
    spoilt = json.dumps(record | {"inner": [inside | {"noise": inside["noise"] / 20}]}).encode()
    (tmp_path / "out" / f"rows{MODEL_SUFFIX}").write_bytes(spoilt)
    manifest = json.loads((tmp_path / "out" / "release.json").read_text())
    manifest["files"][f"rows{MODEL_SUFFIX}"] = hashlib.sha256(spoilt).hexdigest()
    (tmp_path / "out" / "release.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False))
    with pytest.raises(ReaedpError, match=r"rows.model.json does not follow"):
        verify(tmp_path / "out")


@pytest.mark.parametrize(
    "change",
    [
        {"column": "nobody"},
        {"with": "time"},
        {"noise": 0.0},
        {"noisy_counts": [[0.0]]},
    ],
)
def test_inner_cells_that_fit_no_model_are_refused(folder: Path, change: dict[str, Any]) -> None:
    record = json.loads(model_of(folder))
    (inside,) = record["inner"]
    with pytest.raises((ValueError, LookupError, TypeError)):
        read_model(json.dumps(record | {"inner": [inside | change]}).encode(), COLUMNS, ())
    with pytest.raises(ValueError, match="one other column"):
        read_model(json.dumps(record | {"inner": [inside, inside]}).encode(), COLUMNS, ())


def test_the_audit_of_whole_releases_reads_inner_cells() -> None:
    """Its score moves with the noisy counts of inner cells of which one row tells the neighbours apart."""
    rows = sample(MANY, 23)
    model = learned(rows, seeded(24))

    def counted(names: tuple[str, ...]) -> list[np.ndarray]:
        places = [NAMES.index(name) for name in names]
        shape = [COLUMNS[place].size for place in places]
        found = []
        for some in (rows[1:], rows):
            table = np.zeros(shape, dtype=np.int64)
            np.add.at(table, tuple(some[:, place] for place in places), 1)
            found.append(table)
        return found

    scores = PublishedTables(counted)
    told = [np.array(list(scores._scores(each))) for each in (model, replace(model, inner=()))]
    assert np.array_equal(told[0][: len(told[1])], told[1])
    (inside,) = model.inner
    ticks = model.coarsenings[1].merging.cell
    own = rows[0, 0], ticks[rows[0, 1]]
    before = counted(("time", "tick"))[0]
    cells = np.zeros(inside.counts.shape)
    np.add.at(cells, np.ix_(np.arange(COLUMNS[0].size), ticks), before)
    assert np.isclose(told[0][-1], (inside.counts[own] - cells[own] - 0.5) / inside.scale**2)
