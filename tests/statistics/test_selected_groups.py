"""Figures of groups that are not known: what is counted, what intervals are worth after selection, and top lists."""

from dataclasses import replace
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reaedp import (
    Boolean,
    Budget,
    Contract,
    Curator,
    GroupThreshold,
    Integer,
    KeyedMarginal,
    KeyedRates,
    KeyedSummary,
    Ledger,
    Rates,
    Summary,
    Threshold,
    Unit,
)
from reaedp.answer import GroupedParts
from reaedp.curator.records import Records
from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.summary.grouped import NEAR

ZIP = Integer(name="zip", lower=0, upper=4_999, provenance="public")
AGE = Integer(name="age", lower=0, upper=100, provenance="public")
SMOKES = Boolean(name="smokes", provenance="public")


def contract(unit: Unit, ledger: str = "unused") -> Contract:
    return Contract(dataset="d", unit=unit, budget=Budget(90, 1e-3), ledger=ledger, columns=(ZIP, AGE, SMOKES))


def people(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    zips = np.minimum(rng.zipf(1.6, rows), 4_999)
    data = {"zip": zips, "age": rng.integers(0, 100, rows), "smokes": rng.random(rows) < 0.3}
    return pd.DataFrame(data | {"p": rng.integers(0, rows // 2, rows)})


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("unit", [Unit("add-remove"), Unit("replace", person="p", max_rows=2)], ids=str)
@pytest.mark.parametrize(
    ("keyed", "plain"),
    [
        (KeyedSummary(("age", "smokes"), "zip", ("mean", "sd")), Summary(("age", "smokes"), "zip", ("mean", "sd"))),
        (KeyedRates("smokes", "zip"), Rates("smokes", "zip")),
    ],
)
def test_groups_that_have_rows_have_the_parts_of_a_summary(unit: Unit, keyed: Any, plain: Any) -> None:
    terms, frame = contract(unit), people(400)
    found = keyed.answer(Records(terms, frame))
    whole = plain.answer(Records(terms, frame)).reshape(ZIP.size, -1)
    present = np.flatnonzero(whole.sum(axis=1))
    order = np.argsort(found.keys[:, 0])
    assert present.tolist() == found.keys[order, 0].tolist()
    assert (whole[present] == found.parts[order]).all()
    shape = keyed.shape(terms)
    assert (found.parts.sum(axis=1) % shape["row"] == 0).all()
    assert keyed.sensitivity(terms) == plain.sensitivity(terms)


@pytest.mark.parametrize("change", ["add-remove", "replace"])
@pytest.mark.parametrize("limit", [None, 1, 2])
@pytest.mark.parametrize("keyed", [KeyedSummary, KeyedRates])
def test_no_unit_moves_the_parts_of_its_groups_farther_than_is_said(change: Any, limit: int | None, keyed: Any) -> None:
    """Every set of up to max_rows + 1 rows that one unit can bring, in groups of its own: all in one query."""
    unit = Unit(change, person=limit and "p", max_rows=limit)
    rows = list(product((1, 2, 3), ((0, False), (50, True), (100, False), (None, None))))
    sizes = range(1, limit + 2) if limit else range(1, 2)
    bundles = [bundle for size in sizes for bundle in combinations_with_replacement(rows, size)]
    told = [(n, f"me{n}", zip_, *row) for n, bundle in enumerate(bundles) for zip_, row in bundle]
    frame = pd.DataFrame(told, columns=["n", "p", "zip", "age", "smokes"])
    number = Integer(name="n", lower=0, upper=len(bundles) - 1, provenance="public")
    terms = replace(contract(unit), columns=(number, ZIP, AGE, SMOKES))
    statistic = keyed("age" if keyed is KeyedSummary else "smokes", ("n", "zip"))
    found = statistic.answer(Records(terms, frame.astype({"age": "Int64", "smokes": "boolean"})))
    parts = np.zeros((len(bundles) + 1, 3, found.parts.shape[1]), dtype=np.int64)  # the last unit brings nothing
    parts[found.keys[:, 0], found.keys[:, 1] - 1] = found.parts
    flat = np.unique(parts.reshape(len(parts), -1), axis=0)
    before = flat if change == "replace" else parts[-1:].reshape(1, -1)
    moves = (flat[None] - before[:, None]).reshape(-1, flat.shape[1])
    reached = np.abs(moves).sum(axis=1).max(), (moves**2).sum(axis=1).max(), np.abs(moves).max()
    assert statistic.sensitivity(terms) == Sensitivity(*map(int, reached))
    # The threshold counts on a unit being in no more groups than it has rows, and on each row adding as much.
    assert unit.rows == (parts.sum(axis=2) > 0).sum(axis=1).max()
    assert {0} == set((parts.sum(axis=2) % statistic.shape(terms)["row"]).ravel().tolist())


def test_intervals_hold_for_groups_that_are_as_large_as_the_threshold_and_are_shown() -> None:
    """Some 2,000 of 4,000 such groups: 5 deviations of a share of .95 are .025."""
    terms, statistic = contract(Unit("add-remove")), KeyedSummary("age", "zip")
    mechanism = GroupThreshold(0.5, 1e-6, **statistic.shape(terms))
    noise = Calibrated(mechanism, statistic.sensitivity(terms))
    (parts,) = statistic.parts(terms)
    rows = mechanism.threshold(noise.sensitivity) // parts.steps + 1
    one = parts.weights(lower=0.6 * parts.steps, upper=0.4 * parts.steps).astype(np.int64) * rows
    exact = GroupedParts(np.arange(4_000, dtype=np.int32).reshape(-1, 1), np.tile(one, (4_000, 1)))
    value = statistic.value(terms, noise.apply(exact, SeededNoise(np.random.default_rng(3))))
    found = statistic.frame(value, noise)
    assert 1_500 < len(value.keys) < 3_000
    for name, true in (("count", rows), ("sum", 40 * rows), ("mean", 40)):
        chosen = found["statistic"] == name
        held = (found["low_95"] <= true) & (true <= found["high_95"])
        assert held[chosen].mean() > 0.925, name
    assert (found["note"] == NEAR).mean() > 0.5


@pytest.fixture
def curator(tmp_path: Any) -> Curator:
    Ledger.create(str(tmp_path / "b.sqlite")).close()
    terms = contract(Unit("add-remove"), str(tmp_path / "b.sqlite"))
    return Curator(terms, people(4_000), noise=SeededNoise(np.random.default_rng(2)))


def test_top_lists_are_views_of_what_is_released(curator: Curator) -> None:
    release = curator.release(KeyedSummary("age", "zip"), GroupThreshold(epsilon=2.0, delta=1e-6))
    top = release.top(3, "sum")
    assert ["1", "2", "3"] == top["zip"].tolist()
    assert (np.diff(top["value"]) <= 0).all()
    assert {"sum"} == set(top["statistic"])
    counts = curator.release(KeyedMarginal("zip"), Threshold(2.0, 1e-6)).top(2)
    assert ["1", "2"] == counts["zip"].tolist()
    for wrong in ({"number": 0}, {"number": 2, "by": "median"}, {"number": 2, "of": "smokes"}):
        with pytest.raises(DeclarationError):
            release.top(**wrong)
    assert release.compare("mean", zip=(1, 2)).difference.known
    with pytest.raises(DeclarationError, match="not among those that were released"):
        release.compare("mean", zip=(1, 4_998))


def test_where_no_group_has_enough_rows_there_is_an_empty_table(curator: Curator) -> None:
    for statistic in (KeyedSummary("age", "zip"), KeyedRates("smokes", "zip")):
        release = curator.release(statistic, GroupThreshold(epsilon=0.001, delta=1e-9))
        assert 0 == len(release.frame()["value"])
        assert "" == release.drawing()
        assert 0 == len(release.top(5)["value"])
