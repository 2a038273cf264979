import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reaedp import (
    Budget,
    Contract,
    Curator,
    Entropy,
    Integer,
    KeyedMarginal,
    Laplace,
    Marginal,
    Plan,
    PlannedRelease,
    RoutedEntropy,
    Threshold,
    TwoStage,
    Unit,
    best_route,
    publish,
    verify,
)
from reaedp.curator.records import Records
from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.plan.advice import advice
from reaedp.statistics.entropy.entropies import renyi_entropy, shannon_entropy
from tests_support import ledger_in

ROWS = 5000
X = Integer(name="x", lower=0, upper=26, provenance="public")  # 30 cells with those of troubles
EVEN = pd.DataFrame({"x": np.arange(ROWS) % 27})
STEEP = pd.DataFrame({"x": np.minimum(np.arange(ROWS) // 4900, 5)})
#: 27 of 30 cells are equally full.
TRUTH = {"even": float(shannon_entropy(np.bincount(EVEN["x"]))), "steep": float(shannon_entropy([4900, 100]))}


def contract(folder: Path, **changes: Any) -> Contract:
    terms = Contract(
        dataset="d",
        unit=Unit("add-remove", at_least=ROWS),
        budget=Budget(3.0, 1e-6),
        ledger=ledger_in(folder),
        columns=(X,),
    )
    return replace(terms, **changes)


def test_both_kinds_of_data_get_their_better_route_for_one_charge(tmp_path: Path) -> None:
    terms = contract(tmp_path)
    route = best_route(terms, ("x",), 1.0)
    assert "two-stage" == route.name
    for name, frame, taken in (("even", EVEN, "histogram"), ("steep", STEEP, "direct")):
        curator = Curator(terms, frame)
        before = curator.ledger.spent("d")
        release = curator.release(route.statistic, route.mechanism)
        assert 1.0 == pytest.approx(curator.ledger.spent("d") - before, rel=1e-4)
        assert taken == release.value.route
        found = release.entropy(0.999999)
        # Laplace noise of about 0.003 bits, or the histogram's of about 0.001: 0.05 has a probability below 1e-7.
        assert abs(found.value - TRUTH[name]) < 0.05
        assert found.low <= TRUTH[name] <= found.high


def test_only_noise_separates_the_releases_of_neighbours(tmp_path: Path) -> None:
    """With the noise frozen, one row more moves each released number by no more than its sensitivity."""
    terms = contract(tmp_path, budget=Budget(10, 1e-6))
    route = best_route(terms, ("x",), 1.0)

    def run(frame: pd.DataFrame) -> Any:
        noise = SeededNoise(np.random.default_rng(1))
        return Curator(terms, frame, noise=noise).release(route.statistic, route.mechanism)

    for frame in (EVEN, STEEP):
        base, other = run(frame), run(pd.concat([frame, pd.DataFrame({"x": [26]})], ignore_index=True))
        assert base.value.route == other.value.route
        assert abs(base.value.look - other.value.look) <= 1
        if base.value.route == "direct":
            assert abs(base.value.point - other.value.point) <= base.noise.sensitivity.linf
        else:
            assert 1 == np.abs(base.value.counts.values - other.value.counts.values).sum()
        for field in ("name", "statistic", "noise", "unit", "contract", "seeded"):
            assert getattr(base, field) == getattr(other, field)


@pytest.mark.parametrize("change", ["add-remove", "replace"])
def test_the_interval_holds_whichever_way_it_goes(tmp_path: Path, change: str) -> None:
    terms = contract(tmp_path, unit=Unit(change, at_least=ROWS), budget=Budget(10_000, 1e-6))  # type: ignore[arg-type]
    route = best_route(terms, ("x",), 0.5)
    # Each of 26 cells has so many rows that the look is at the threshold and both ways are taken; the rest is in one.
    sides, cap = (2 if change == "replace" else 1), round(ROWS / 30)
    rows = round((route.mechanism.threshold / sides - cap) / 26)  # type: ignore[attr-defined]
    counts = np.array([ROWS - 26 * rows] + [rows] * 26 + [0] * 3)
    statistic, calibrated = route.statistic, Calibrated(route.mechanism, route.statistic.sensitivity(terms))
    exact = statistic.answer(Records(terms, pd.DataFrame({"x": np.repeat(np.arange(30), counts)})))
    assert abs(exact.look.item() - route.mechanism.threshold) <= 30 * sides  # type: ignore[attr-defined]
    noise, truth, covered, taken = SeededNoise(np.random.default_rng(2)), shannon_entropy(counts), 0, set()
    for _ in range(600):
        value = statistic.value(terms, calibrated.apply(exact, noise))
        found = value.entropy(calibrated, 0.95)
        covered += found.low <= truth <= found.high
        taken.add(value.route)
    # 600 trials at 0.95 have a standard deviation of 0.9 %: five of them.
    assert covered / 600 > 0.95 - 0.045
    assert {"direct", "histogram"} == taken


def test_the_route_is_chosen_from_public_facts(tmp_path: Path) -> None:
    few = contract(tmp_path, unit=Unit("replace", at_least=100))
    assert "direct" == best_route(few, ("x",), 0.1).name
    unknown = best_route(contract(tmp_path, unit=Unit("add-remove")), ("x",), 1.0)
    assert ("histogram", Laplace(1.0)) == (unknown.name, unknown.mechanism)
    assert "at_least" in unknown.why
    assert best_route(few, ("x",), 0.1) == best_route(few, ("x",), 0.1)
    # No noise at all is left at this price, and no logarithm of it; whichever route is taken, one is.
    enormous = contract(tmp_path, unit=Unit("replace", at_least=100), budget=Budget(1e9, 1e-6))
    assert best_route(enormous, ("x",), 999_999_999.0).name in {"direct", "histogram", "two-stage"}
    # With next to no noise on counts they are always better.
    assert "histogram" == best_route(contract(tmp_path, budget=Budget(99, 1e-6)), ("x",), 60.0).name


def test_what_one_of_the_routes_cannot_answer_is_refused_before_any_charge(tmp_path: Path) -> None:
    dropping = Integer(name="x", lower=0, upper=26, provenance="public", null="drop")
    with pytest.raises(DeclarationError, match="drops rows"):
        best_route(contract(tmp_path, columns=(dropping,)), ("x",), 1.0)
    crowd = contract(tmp_path, unit=Unit("add-remove", person="p", max_rows=5000, at_least=10**6))
    with pytest.raises(DeclarationError, match="max_rows"):
        RoutedEntropy(("x",)).check(crowd)
    curator = Curator(contract(tmp_path), EVEN)
    for statistic, mechanism in (
        (RoutedEntropy(("x",)), Laplace(0.5)),
        (Marginal("x"), TwoStage(0.5, 0.1, 3)),
        (Entropy(("x",)), TwoStage(0.5, 0.1, 3)),
    ):
        with pytest.raises(DeclarationError, match="needs a statistic"):
            curator.release(statistic, mechanism)
    assert 0 == curator.ledger.spent("d")


def test_every_release_with_counts_or_an_entropy_tells_it(tmp_path: Path) -> None:
    curator = Curator(contract(tmp_path), EVEN)
    for statistic in (Marginal("x"), Entropy(("x",)), Entropy(("x",), (2.0, 1.0))):
        release = curator.release(statistic, Laplace(0.5))
        found = release.entropy()
        # Noise of at most 0.02 bits (two orders at half the price): 0.4 has a probability below 1e-8.
        assert abs(found.value - TRUTH["even"]) < 0.4
        assert found.low <= found.value <= found.high
    collision = curator.release(Marginal("x"), Laplace(0.5)).entropy(order=2)
    assert abs(collision.value - TRUTH["even"]) < 0.4  # equally full cells have one entropy of every order
    for statistic, mechanism in (
        (Entropy(("x",), (2.0,)), Laplace(0.1)),
        (KeyedMarginal("x"), Threshold(0.5, 1e-9)),
    ):
        with pytest.raises(DeclarationError, match="no Shannon entropy"):
            curator.release(statistic, mechanism).entropy()


def test_an_order_that_was_not_released_is_told_only_by_counts(tmp_path: Path) -> None:
    terms = contract(tmp_path, budget=Budget(30, 1e-6))
    for frame, name in ((EVEN, "even"), (STEEP, "steep")):
        release = Curator(terms, frame).release(RoutedEntropy(("x",), 2.0), TwoStage(4.0, 1.0, 3_000))
        truth = renyi_entropy(np.bincount(frame["x"]), 2)
        # Noise on H_2 of about 0.0003 bits, on counts of about a third of a row: 0.1 has a probability below 1e-9.
        assert abs(release.entropy(order=2).value - truth) < 0.1
        if name == "even":
            assert abs(release.entropy(order=1).value - TRUTH["even"]) < 0.1
        else:
            with pytest.raises(DeclarationError, match="no Shannon entropy"):
                release.entropy(order=1)
    with pytest.raises(DeclarationError, match="at least 0"):
        release.entropy(order=-1)


def test_a_table_tells_how_much_its_columns_tell_about_each_other(tmp_path: Path) -> None:
    y = Integer(name="y", lower=0, upper=2, provenance="public")
    terms = contract(tmp_path, columns=(X, y))
    frame = EVEN.assign(y=EVEN["x"] % 3)
    release = Curator(terms, frame).release(Marginal("x", "y"), Laplace(2.0))
    found = release.mutual_information("y", confidence=0.999999)
    # y follows from x, and has three equally likely values; noise of one row in 180 cells of some hundred rows.
    assert found.low <= math.log2(3) <= found.high + 1e-9
    assert abs(found.value - math.log2(3)) < 0.1
    for first in ((), ("x", "y"), "z"):
        with pytest.raises(DeclarationError, match="first side"):
            release.mutual_information(first)
    with pytest.raises(DeclarationError, match="no table of counts"):
        Curator(terms, frame).release(Entropy("x"), Laplace(0.1)).mutual_information("x")


def test_a_lower_bound_on_rows_is_not_used_where_rows_are_dropped(tmp_path: Path) -> None:
    dropping = Integer(name="x", lower=0, upper=2, provenance="public", outside="drop", infinite="drop")
    terms = contract(tmp_path, columns=(dropping,), unit=Unit("add-remove", at_least=4000))
    frame = pd.DataFrame({"x": [0, 1] * 100 + [99] * 4800})
    found = Curator(terms, frame).release(Marginal("x"), Laplace(2.0)).entropy()
    # 200 rows are left, half and half: one bit. With 4,000 rows assumed the noise would seem to vanish.
    assert 0.5 < found.value < 1.5


def planned(**keys: Any) -> PlannedRelease:
    return PlannedRelease(**{"name": "h", "kind": "entropy", "columns": ("x",), "mechanism": "laplace", **keys})


@pytest.mark.slow
def test_every_route_can_be_planned_published_and_verified(tmp_path: Path) -> None:
    releases = (
        planned(name="direct", epsilon=0.5),
        planned(name="histogram", epsilon=0.5, route="histogram"),
        planned(name="best", epsilon=0.5, route="best"),
        planned(name="fit", epsilon=0.5, kind="histogram", error_bits=0.1),
        planned(name="collision", epsilon=0.5, route="histogram", orders=(1.0, 2.0, float("inf"))),
        planned(name="routed", epsilon=0.5, route="best", orders=(0.5,)),
    )
    plan = Plan(contract(tmp_path), releases)
    kinds = [type(request.statistic).__name__ for request in plan.requests()]
    others = ["EntropyHistogram", "RoutedEntropy"]
    assert ["Entropy", "EntropyHistogram", "RoutedEntropy", "EntropyHistogram", *others] == kinds
    publish(plan, EVEN, tmp_path / "out")
    assert 21 == len(verify(tmp_path / "out", plan.contract.ledger))
    best = pd.read_csv(tmp_path / "out" / "best.csv")
    assert ["measure", "bits", "low_95", "high_95", "route", "look"] == list(best.columns)
    assert ["histogram"] == best["route"].tolist()
    assert abs(best["bits"][0] - TRUTH["even"]) < 0.1
    orders = pd.read_csv(tmp_path / "out" / "collision.csv")
    names = [f"{name}_bits" for name in ("entropy", "renyi_2", "renyi_∞")]
    assert names == [name for name in orders.columns if name.endswith("_bits")]
    assert ["H_0.5(x)"] == pd.read_csv(tmp_path / "out" / "routed.csv")["measure"].tolist()
    assert "renyi_…_bits" in (tmp_path / "out" / "README.txt").read_text()


@pytest.mark.parametrize(
    "keys",
    [
        {"route": "shortest"},
        {"route": "best", "mechanism": "gaussian", "delta": 1e-7},
        {"route": "best", "orders": (1.0, 2.0)},
        {"route": "histogram", "kind": "histogram"},
        {"error_bits": 0.1},
        {"kind": "histogram", "error_bits": -1.0},
        {"kind": "histogram", "error_bits": 0.1, "mechanism": "threshold", "delta": 1e-7},
    ],
)
def test_a_route_that_makes_no_sense_is_refused(keys: dict[str, Any]) -> None:
    with pytest.raises(DeclarationError):
        planned(epsilon=0.5, **keys)


def test_the_plan_says_which_route_is_better_and_what_is_free(tmp_path: Path) -> None:
    releases = (
        planned(name="ages", kind="histogram", epsilon=0.5),
        planned(name="direct", epsilon=0.5),
        planned(name="best", epsilon=0.5, route="best"),
        planned(name="both", epsilon=0.5, orders=(1.0, 2.0)),
        planned(name="collision", epsilon=0.5, orders=(2.0,)),
        planned(name="routed", epsilon=0.5, orders=(2.0,), route="best"),
    )
    plan = Plan(contract(tmp_path), releases)
    lines = dict(line.split(": ", 1) for line in advice(plan.requests(), plan.contract))
    assert ["ages", "direct", "best", "both", "collision", "routed"] == list(lines)
    assert all("The release ages of this plan includes it" in lines[name] for name in ("both", "collision", "routed"))
    assert "Best route" in lines["collision"]
    assert "comes at no extra cost" in lines["ages"]
    assert "Best route: two-stage." in lines["direct"]
    assert "The release ages of this plan includes it" in lines["direct"]
    assert "of ε" in lines["best"]
    blind = contract(tmp_path, unit=Unit("add-remove"))
    assert [] == list(advice(Plan(blind, releases[:1]).requests(), blind))
