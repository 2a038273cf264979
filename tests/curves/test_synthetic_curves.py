"""Synthetic curves: the exact law of mechanism F on small lattices, and releases by the curator."""

import csv
import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from broken import Law, with_nothing
from curve_support import frame, long, under, wide
from reaedp import Budget, Unit
from reaedp.contract import Contract, Curve
from reaedp.curator.curator import Curator
from reaedp.curator.records import Records
from reaedp.curves.curve_proposal import Steps
from reaedp.curves.curve_seeds import CoarseLattice, CurveSeeds
from reaedp.curves.deniable_curves import DeniableCurves
from reaedp.curves.lattice import RADIUS
from reaedp.curves.space import CurveSpace
from reaedp.curves.synthetic_curves import ReleasedCurves, SyntheticCurves
from reaedp.errors import DeclarationError
from reaedp.mechanisms.acceptance import PrivacyTest, optimal
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.mechanisms.stopping import Stopping, guarantee
from reaedp.privacy.accounting import epsilon as spent
from reaedp.privacy.accounting import tally
from reaedp.release.folder import write_values
from reaedp.synthesis.deniable import deniable
from test_broken import hockey_stick
from tests_support import ledger_in

#: Laws are sums of a few hundred doubles.
ROUNDING = 1e-13
AGES = (1, 1.25, 1.5, 1.75, *range(2, 8), *np.arange(8, 18.5, 0.5).tolist())


@dataclass(frozen=True)
class Small:
    """Seeds in the cells -1, 0, 1 of each coefficient, and everything that they can make."""

    proposal: Steps

    @property
    def lattice(self) -> CoarseLattice:
        return CoarseLattice((RADIUS,) * self.proposal.kept, self.proposal.reach)

    def cells(self, side: int) -> np.ndarray:
        return np.indices((2 * side + 1,) * self.proposal.kept).reshape(self.proposal.kept, -1).T - side

    def seeds(self, counts: np.ndarray) -> CurveSeeds:
        return CurveSeeds.of(self.lattice, np.repeat(self.cells(1) * RADIUS, counts, axis=0))

    def law(self, test: PrivacyTest, stopping: Stopping, counts: np.ndarray) -> Law:
        """The probability of every candidate and of nothing, for so many seeds in every cell."""
        seeds, candidates = self.seeds(counts), self.cells(1 + self.proposal.reach)
        present = np.flatnonzero(counts)
        places, made = np.repeat(np.arange(len(present)), len(candidates)), np.tile(candidates, (len(present), 1))
        likely = self.proposal.probability(self.cells(1)[present][places], made)
        can = likely > 0
        plausible = np.zeros(len(made), dtype=np.int64)
        plausible[can] = self.proposal.plausible(seeds, places[can], made[can])
        passing = likely * test.rate(plausible) * counts[present][places]
        return with_nothing(passing.reshape(-1, len(candidates)).sum(axis=0) / max(counts.sum(), 1), stopping)


def true_delta(first: Law, second: Law, epsilon: float) -> float:
    return max(hockey_stick(first, second, epsilon), hockey_stick(second, first, epsilon))


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("law", ["even", "gaussian"])
@pytest.mark.parametrize("kept", [1, 2])
def test_one_curve_more_or_less_keeps_the_promise_exactly_and_uses_it_up(law: Any, kept: int) -> None:
    rng, largest, promises = np.random.default_rng(kept), 0.0, 0
    for _ in range(60):
        small = Small(Steps(law, kept, 1.0 if law == "even" else float(rng.choice([1.5, 4.0, 30.0]))))
        kinds = 3**kept
        counts = rng.multinomial(rng.integers(0, 12), rng.dirichlet(np.full(kinds, 0.4)))
        epsilon, stopping = float(rng.choice([0.3, 0.7, 1.5])), Stopping(float(rng.choice([0.5, 0.1, 1e-3])))
        unit = Unit("add-remove", at_least=int(counts.sum()) or None) if rng.random() < 0.5 else Unit("add-remove")
        excess = 10.0 ** -rng.uniform(1, 4) / stopping.odds
        test = optimal(epsilon, excess, small.proposal.gamma, unit.at_least or 0)
        try:
            promised = guarantee(test, stopping, small.proposal.gamma, unit, epsilon)
        except DeclarationError:
            continue
        promises += 1
        here = small.law(test, stopping, counts)
        assert 1.0 == pytest.approx(here.sum(), abs=1e-12)
        for kind in range(kinds):
            there = small.law(test, stopping, counts + (np.arange(kinds) == kind))
            largest = max(largest, (true_delta(here, there, promised.epsilon) - ROUNDING) / promised.delta)
    assert promises > 40
    assert 0.9 < largest <= 1 + 1e-9


def test_a_curve_replaced_keeps_the_promise_exactly() -> None:
    small, stopping, unit = Small(Steps("even", 1, 1.0)), Stopping(0.1), Unit("replace", at_least=6)
    test = optimal(0.7, 1e-3 / stopping.odds, 1.0, 5)
    promised = guarantee(test, stopping, 1.0, unit, 0.7)
    laws = [small.law(test, stopping, np.array([3, 2, 0]) + (np.arange(3) == kind)) for kind in range(3)]
    found = [true_delta(one, other, promised.epsilon) for one in laws for other in laws]
    assert 0 < max(found) <= promised.delta + ROUNDING


@pytest.mark.parametrize("proposal", [Steps("even", 2, 1.0), Steps("gaussian", 1, 4.0)], ids=lambda p: p.law)
def test_releases_follow_the_law_and_not_one_that_is_thirty_percent_off(proposal: Steps) -> None:
    small, stopping, count = Small(proposal), Stopping(0.25), 40_000
    counts = np.array([4, 3, 2]) if proposal.kept == 1 else np.array([4, 3, 2, 1, 1, 0, 0, 5, 1])
    test = optimal(1.0, 0.1 / stopping.odds, proposal.gamma, int(counts.sum()))
    cells = deniable(small.seeds(counts), proposal, test, stopping, count=count,
                     noise=SeededNoise(np.random.default_rng(7)), progress=lambda _: None)  # fmt: skip
    side = 1 + proposal.reach
    outcomes = np.bincount(np.ravel_multi_index(tuple(cells.T + side), (2 * side + 1,) * proposal.kept),
                           minlength=(2 * side + 1) ** proposal.kept)  # fmt: skip
    seen, exact = np.append(outcomes, count - len(cells)), small.law(test, stopping, counts)
    assert not seen[exact == 0].any()
    seen, exact = seen[exact > 0], exact[exact > 0]
    wrong = np.where(np.arange(exact.size) == exact.size - 1, 1.3 * exact, exact)
    first, second = (((seen - count * p) ** 2 / (count * p)).sum() for p in (exact, wrong / wrong.sum()))
    # At most 36 degrees of freedom: above 97 with a probability of 2e-7.
    assert 10 < exact.size <= 37
    assert first < 97 < second


def bumps(count: int, curve: Curve, seed: int = 0) -> np.ndarray:
    """Smooth curves around a slope."""
    rng, times = np.random.default_rng(seed), np.array(curve.at)
    return 0.3 * times + 0.3 * np.sin(np.outer(rng.normal(1, 0.3, count), times)) + rng.normal(0, 0.01, (count, 1))


def released(contract: Contract, data: Any, mechanism: DeniableCurves, seed: int = 0) -> ReleasedCurves:
    statistic = SyntheticCurves("x", mechanism.curves)
    exact, noise = statistic.answer(Records(contract, data)), SeededNoise(np.random.default_rng(seed))
    return mechanism.apply(exact, statistic.sensitivity(contract), noise)


CURVE = wide(9, offset=tuple(np.linspace(1, 2, 9).tolist()))
CONTRACT = under(CURVE, Unit("add-remove", at_least=5_000))


def test_a_release_goes_through_the_curator_and_every_curve_has_a_seed_nearby(tmp_path: Path) -> None:
    contract = replace(CONTRACT, ledger=ledger_in(tmp_path), budget=Budget(2, 1e-5))
    mechanism = DeniableCurves.within(1, 1e-6, contract, "x", 40, kept=2, spread=0.05)
    data = frame(CURVE, 1 + np.array(CURVE.at) + bumps(6_000, CURVE))
    curator = Curator(contract, data, noise=SeededNoise(np.random.default_rng(3)))
    value = curator.release(SyntheticCurves("x", 40), mechanism).value
    # Nearly all candidates pass (checked below by the count), and "nothing" is rarer than one in fifty.
    assert 30 <= len(value) <= 40
    real = Records(contract, data).curve_points("x") / RADIUS * CURVE.clip
    near = np.abs(value.coefficients[:, None, :2] - real[None, :, :2])
    sides = np.array(value.details["moved_by"]) * np.sqrt(12 / 17)
    # Two and a half cells are the longest move: one and a half of a step, and a half each for rounding and drawing.
    assert np.all((near <= 2.5 * sides * (1 + 1e-9)).all(axis=2).any(axis=1))
    assert not value.coefficients[:, 2:].any()


@pytest.mark.parametrize(("epsilon", "delta", "curves"), [(1.0, 1e-6, 1), (1.0, 1e-6, 30), (0.5, 1e-7, 5)])
@pytest.mark.parametrize("unit", [Unit("add-remove", at_least=5_000), Unit("replace", at_least=5_000),
                                  Unit("add-remove", "who", 2, 5_000), Unit("add-remove")], ids=str)  # fmt: skip
def test_the_price_is_within_what_may_be_spent_and_not_far_below(
    epsilon: float, delta: float, curves: int, unit: Unit
) -> None:
    contract = under(CURVE, unit)
    statistic = SyntheticCurves("x", curves)
    mechanism = DeniableCurves.within(epsilon, delta, contract, "x", curves, kept=2, spread=0.1)
    price = mechanism.price(statistic.sensitivity(contract))
    assert curves == len(price)
    # One record costs exactly ε; the composition of several is found by bisection, and δ is shared in halves.
    assert 0.9 * epsilon < spent(tally([price]), delta) <= epsilon * (1 + 1e-9)


def test_the_mechanism_and_its_price_are_rebuilt_from_plain_numbers() -> None:
    mechanism = DeniableCurves.within(1, 1e-6, CONTRACT, "x", 7, kept=3, spread=0.1, law="gaussian", rest=0.1)
    again = DeniableCurves(**json.loads(json.dumps(asdict(mechanism))))
    sensitivity = SyntheticCurves("x", 7).sensitivity(CONTRACT)
    assert mechanism == again
    assert mechanism.price(sensitivity) == again.price(sensitivity)


@pytest.mark.parametrize("count", [0, 1])
@pytest.mark.parametrize("law", ["even", "gaussian"])
def test_nothing_comes_out_of_no_curve_and_nothing_out_of_one(count: int, law: Any, tmp_path: Path) -> None:
    contract = under(CURVE, Unit("add-remove"))
    mechanism = DeniableCurves.within(1, 1e-9, contract, "x", 5, kept=1, spread=0.1, law=law)
    value = released(contract, frame(CURVE, bumps(1, CURVE)[:count]), mechanism)
    # One curve passes with a probability of at most 1e-9 for each.
    assert (0, CURVE.rank) == value.coefficients.shape
    assert 0 == len(value.narrowed())
    columns = SyntheticCurves("x", 5).frame(value, Calibrated(mechanism, SyntheticCurves("x", 5).sensitivity(contract)))
    write_values(tmp_path / "none", columns)
    assert ["curve,time,value"] == (tmp_path / "none.csv").read_text().splitlines()


def test_the_frame_is_long_and_has_the_offset(tmp_path: Path) -> None:
    mechanism = DeniableCurves.within(2, 1e-5, CONTRACT, "x", 4, kept=1, spread=0.2, rest=0.3)
    value = released(CONTRACT, frame(CURVE, bumps(6_000, CURVE)), mechanism)
    columns = SyntheticCurves("x", 4).frame(value, Calibrated(mechanism, SyntheticCurves("x", 4).sensitivity(CONTRACT)))
    write_values(tmp_path / "curves", columns)
    table = pd.read_csv(tmp_path / "curves.csv")
    assert ["curve", "time", "value"] == list(table.columns)
    assert len(value) * 9 == len(table) > 0
    space = CurveSpace(CURVE)
    expected = value.coefficients @ space.basis(space.times).T + np.linspace(1, 2, 9)
    assert expected == pytest.approx(table.pivot(index="curve", columns="time", values="value").to_numpy())
    assert value.coefficients[:, 1:].all()  # drawn, as `rest` says


def test_narrowing_takes_away_the_variance_that_moving_added() -> None:
    rng, deviations = np.random.default_rng(0), np.array([0.5, 0.25, 0, 0, 0, 0.0])
    truth = rng.normal(size=(20_000, 6)) * [1, 0.1, 1, 0, 1, 1] + 3
    value = ReleasedCurves(CURVE, truth + rng.normal(size=truth.shape) * deviations, deviations, {})
    narrowed = value.narrowed().coefficients
    # A variance of 20,000 numbers is right within 5 %, a mean within six hundredths of its deviation.
    assert narrowed.var(axis=0) == pytest.approx(truth.var(axis=0), rel=0.05, abs=0.004)
    assert narrowed.mean(axis=0) == pytest.approx(value.coefficients.mean(axis=0))


def test_points_are_those_that_are_summed_and_a_person_has_only_so_many() -> None:
    contract = under(CURVE, Unit("add-remove", "who", 2))
    data = frame(CURVE, bumps(50, CURVE), who=np.arange(50) // 10)
    points = Records(contract, data).curve_points("x")
    sums, count = Records(contract, data).curve_sums("x")
    assert (10, CURVE.rank) == points.shape
    assert (sums.tolist(), count) == (points.sum(axis=0, dtype=np.int64).tolist(), len(points))


def test_the_unit_counts_curves() -> None:
    statistic = SyntheticCurves("x", 5)
    people = Unit("replace", "who", 7, at_least=100)
    own, several, wide_ones = (under(c, people) for c in (long(), long(id="visit"), wide(9)))
    assert Unit("replace", at_least=100) == statistic.unit(own)
    assert Unit("replace", "person", 7) == statistic.unit(several)  # somebody may have no visit
    assert Unit("replace", "person", 7, 100) == statistic.unit(wide_ones)
    assert Unit("replace", "person", 7) == statistic.unit(under(wide(9, missing="drop"), people))


def test_questions_that_cannot_be_answered_are_refused() -> None:
    with pytest.raises(DeclarationError, match="basis"):
        SyntheticCurves("x", 5).check(under(wide(9, basis="bspline"), Unit("add-remove")))
    with pytest.raises(DeclarationError, match="person"):
        SyntheticCurves("x", 5).check(under(long(), Unit("add-remove")))
    for curves in (0, 100_001, 1.0, True):
        with pytest.raises(DeclarationError, match="curves"):
            SyntheticCurves("x", curves)


@pytest.mark.parametrize(
    "changes", [{"kept": 7}, {"kept": 0}, {"spread": 0}, {"spread": 1e9}, {"law": "cauchy"}, {"rest": -1.0},
                {"spread": 1e-6, "kept": 5}]
)  # fmt: skip
def test_parameters_that_mean_nothing_are_refused_before_anything_is_charged(changes: dict[str, Any]) -> None:
    with pytest.raises(DeclarationError):
        DeniableCurves.within(1, 1e-6, CONTRACT, "x", 5, **({"kept": 2, "spread": 0.1} | changes))


@pytest.mark.parametrize("changes", [{"curves": 6}, {"at_least": 5_001}])
def test_another_number_of_curves_than_was_priced_is_refused(changes: dict[str, Any]) -> None:
    mechanism = DeniableCurves.within(1, 1e-6, CONTRACT, "x", 5, kept=2, spread=0.1)
    exact = SyntheticCurves("x", 5).answer(Records(CONTRACT, frame(CURVE, bumps(3, CURVE))))
    with pytest.raises(DeclarationError):
        replace(mechanism, **changes).apply(
            exact, SyntheticCurves("x", 5).sensitivity(CONTRACT), SeededNoise(np.random.default_rng(0))
        )


@pytest.mark.slow
def test_real_growth_curves_come_back_with_their_mean_and_variance() -> None:
    folder = os.environ.get("REAEDP_DATA")
    if not folder:
        pytest.skip("REAEDP_DATA names no folder of public data")
    with (Path(folder) / "functional" / "berkeley-growth.csv").open(encoding="utf-8") as file:
        heights = np.array([[float(row[f"age_{age:g}"]) for age in AGES] for row in csv.DictReader(file)])
    curve = wide(
        len(AGES), at=tuple(map(float, AGES)), interval=(1.0, 18.0), rank=20, clip=40.0,
        offset=tuple(75 + 6.0 * (age - 1) for age in AGES),
    )  # fmt: skip
    contract = under(curve, Unit("add-remove", at_least=100_000))
    data = frame(curve, heights[np.random.default_rng(0).integers(0, len(heights), 100_000)])
    mechanism = DeniableCurves.within(20, 1e-6, contract, "x", 2_000, kept=4, spread=0.05)
    value = released(contract, data, mechanism)
    assert 1_900 <= len(value) <= 2_000
    real, found = Records(contract, data).curve_points("x") * (40.0 / RADIUS), value.narrowed().coefficients
    # Nearly all candidates pass. Six standard errors of 1,900 curves: of a mean, and of a deviation.
    assert np.all(np.abs(found.mean(axis=0) - real.mean(axis=0))[:4] < 6 * value.coefficients.std(axis=0)[:4] / 43)
    assert np.all(np.abs(found.std(axis=0) / real.std(axis=0) - 1)[:4] < 6 / np.sqrt(2 * 1_900))
    assert not found[:, 4:].any()
