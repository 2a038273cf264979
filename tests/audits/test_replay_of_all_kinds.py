"""Curves, pictures and synthetic records are replayed like counts, alone and together."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from reaedp import (
    Budget,
    Category,
    Contract,
    Gaussian,
    Integer,
    KeyedMarginal,
    Laplace,
    Marginal,
    Number,
    Threshold,
    Unit,
)
from reaedp.answer import Keyed
from reaedp.audits.constant_noise import ConstantNoise, Drawn
from reaedp.audits.finding import Verdict
from reaedp.audits.made_up_rows import MadeUpTable, data_pairs, short, small
from reaedp.audits.movement import moves_between, too_far
from reaedp.audits.rehearsal import Outcome
from reaedp.audits.replay import replay
from reaedp.contract import Curve, Picture
from reaedp.curves.deniable_curves import DeniableCurves
from reaedp.curves.mean_curve import MeanCurve
from reaedp.curves.synthetic_curves import SyntheticCurves
from reaedp.plan.request import Request
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.entropy.entropy_histogram import EntropyHistogram
from reaedp.statistics.images.pixels import Pixels
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.deniability import Deniable
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.synthetic import Synthetic

COLUMNS = (
    Number(name="x", lower=0, upper=10, bins=4, nan="drop", provenance="public"),
    Category(name="y", levels=("a", "b"), provenance="public"),
    Integer(name="z", lower=0, upper=3, provenance="public"),
)
FACTS: dict[str, Any] = {"interval": (0.0, 2.0), "basis": "wiener", "rank": 3, "clip": 1.0, "rho": 0.01}
WIDE = Curve(
    name="w", form="wide", points=("p0", "p1", "p2"), at=(0.0, 1.0, 2.0), offset=(5.0, 6.0, 7.0),
    missing="drop", provenance="public", **FACTS,
)  # fmt: skip
OWN = Curve(name="o", form="long", id="p", time="t", value="v", provenance="public", **FACTS)
MANY = Curve(name="m", form="long", id="visit", time="t", value="v", missing="zero", provenance="public", **FACTS)
ROWS, PEOPLE = Unit("replace", at_least=1_000), Unit("add-remove", person="p", max_rows=2, at_least=1_000)
PICTURE = Picture(width=30, height=20, channels=3, lower=10, upper=200, provenance="public")
PIXEL = Contract(
    dataset="d", unit=Unit("replace"), budget=Budget(9.0, 1e-3), ledger="none.sqlite", columns=(), picture=PICTURE
)


def contract(unit: Unit, *curves: Curve, columns: tuple[Any, ...] = COLUMNS) -> Contract:
    budget = Budget(99.0, 1e-2)
    return Contract(dataset="d", unit=unit, budget=budget, ledger="none.sqlite", columns=columns, curves=curves)


def gaussian(name: str, statistic: Any, terms: Contract) -> Request:
    return Request(name, statistic, Gaussian.within(1.0, 1e-6, statistic.sensitivity(terms)))


def check(terms: Contract, requests: list[Request], most_pairs: int | None = None) -> tuple[Any, ...]:
    findings = replay(terms, requests, np.random.default_rng(1), most_pairs=most_pairs)
    assert {Verdict.CONSISTENT} == {finding.verdict for finding in findings}, [str(f) for f in findings]
    assert len(requests) == sum("movement" in finding.subject for finding in findings)
    return findings


@pytest.mark.slow
def test_wide_curves_publish_nothing_that_did_not_pass_through_noise() -> None:
    terms = contract(ROWS, WIDE, columns=())
    check(terms, [gaussian("c", MeanCurve("w", "C"), terms)])


@pytest.mark.slow
def test_long_curves_publish_nothing_that_did_not_pass_through_noise() -> None:
    terms = contract(PEOPLE, OWN, MANY, columns=())
    check(terms, [gaussian("o", MeanCurve("o"), terms), gaussian("m", MeanCurve("m"), terms)])


def test_pictures_publish_nothing_that_did_not_pass_through_noise() -> None:
    findings = check(PIXEL, [Request("l", Pixels(), Laplace(1.0)), gaussian("g", Pixels(), PIXEL)])
    assert 4 == sum("pixel" in finding.pair or "equal" in finding.pair for finding in findings)


def test_models_publish_nothing_that_did_not_pass_through_noise() -> None:
    terms, rows = contract(ROWS), Synthetic(("x", "y"), 1_000)
    check(terms, [Request("n", rows, MarginalModel.within(1.0, 1e-6, terms, rows.columns))], most_pairs=2)


@pytest.mark.slow
def test_keys_and_models_publish_nothing_that_did_not_pass_through_noise() -> None:
    terms, rows = contract(PEOPLE), Synthetic(("x", "y"), 1_000)
    mechanism = Amortised.within(1.0, 1e-6, terms, rows.columns, ("y",), halves=True)
    check(terms, [Request("a", rows, mechanism)], most_pairs=1)


def every_kind(terms: Contract) -> list[Request]:
    rows = Synthetic(("x", "y", "z"), 1_000)
    return [
        Request("h", Marginal("y"), Laplace(1.0)),
        gaussian("w", MeanCurve("w"), terms),
        gaussian("o", MeanCurve("o", "C"), terms),
        Request("n", rows, MarginalModel.within(1.0, 1e-6, terms, rows.columns)),
        Request("k", rows, Amortised.within(1.0, 1e-6, terms, rows.columns)),
    ]


@pytest.mark.slow
def test_requests_of_all_kinds_are_replayed_together() -> None:
    terms = contract(PEOPLE, WIDE, OWN, MANY)
    check(terms, every_kind(terms), most_pairs=1)


@pytest.mark.slow
@pytest.mark.parametrize("change", ["add-remove", "replace"])
def test_requests_of_all_kinds_are_replayed_on_all_pairs(change: Any) -> None:
    terms = contract(Unit(change, person="p", max_rows=2, at_least=1_000), WIDE, OWN, MANY)
    check(terms, every_kind(terms))


def test_of_mechanism_f_the_model_is_replayed_and_the_candidates_are_not() -> None:
    terms, rows = contract(ROWS), Synthetic(("x", "y"), 5)
    request = Request("f", rows, Deniable.within(4.0, 1e-5, terms, rows.columns, 5))
    findings = replay(terms, [request], np.random.default_rng(1), most_pairs=1)
    assert [Verdict.CONSISTENT, Verdict.CONSISTENT, Verdict.NOT_COVERED] == [finding.verdict for finding in findings]
    assert "by design" in findings[-1].method


class Parity(Threshold):
    """Adds to all counts that are shown whether the number of rows is odd."""

    __slots__ = ()

    def apply(self, exact: Any, sensitivity: Any, noise: Any) -> Any:
        noisy = super().apply(exact, sensitivity, noise)
        return Keyed(noisy.keys, noisy.counts + int(exact.counts.sum() % 2))


@pytest.mark.parametrize(("show_keys", "violated"), [(True, True), (False, False)])
def test_what_is_seen_only_where_keys_are_shown_is_found_by_showing_them(show_keys: bool, violated: bool) -> None:
    terms = contract(Unit("add-remove", at_least=40))
    request = Request("k", KeyedMarginal("y"), Parity(1.0, 1e-6))
    findings = replay(terms, [request], np.random.default_rng(1), most_pairs=1, show_keys=show_keys)
    assert violated == any(finding.verdict is Verdict.VIOLATED for finding in findings)


def test_synthetic_curves_are_not_replayed() -> None:
    terms = contract(ROWS, WIDE)
    mechanism = DeniableCurves.within(4.0, 1e-5, terms, "w", 3, kept=1, spread=0.5)
    (finding,) = replay(terms, [Request("s", SyntheticCurves("w", 3), mechanism)], np.random.default_rng(1))
    assert Verdict.NOT_COVERED == finding.verdict


@dataclass(frozen=True, slots=True)
class Peeking(MarginalModel):
    """Says how many rows there are."""

    def apply(self, exact: Any, sensitivity: Any, noise: Any) -> Any:
        released = super(Peeking, self).apply(exact, sensitivity, noise)
        released.details["rows counted"] = int(exact.records.counts(("y",)).values.sum())
        return released


@dataclass(frozen=True, slots=True)
class Asking(MarginalModel):
    """Asks once more if there are more rows than forty."""

    def apply(self, exact: Any, sensitivity: Any, noise: Any) -> Any:
        if exact.records.counts(("y",)).values.sum() > 40:
            noise.gaussian(np.zeros(3, dtype=np.int64), 7.0)
        return super(Asking, self).apply(exact, sensitivity, noise)


@dataclass(frozen=True, slots=True)
class Doubling(MarginalModel):
    """Counts everybody three times in one table, as if that cost no more."""

    def apply(self, exact: Any, sensitivity: Any, noise: Any) -> Any:
        noise.gaussian(3 * exact.records.counts(("y",)).values, self.scale(sensitivity))
        return super(Doubling, self).apply(exact, sensitivity, noise)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("broken", "witness"),
    [(Peeking, "release.json"), (Asking, "not the same for both"), (Doubling, "draw 0 (gaussian) move by 3")],
)
def test_what_a_model_leaks_beside_the_noise_is_found(broken: type[MarginalModel], witness: str) -> None:
    terms, rows = contract(Unit("add-remove", at_least=1_000)), Synthetic(("x", "y"), 100)
    sound = MarginalModel.within(1.0, 1e-6, terms, rows.columns)
    mechanism = broken(sound.columns, sound.mu)
    findings = replay(terms, [Request("b", rows, mechanism)], np.random.default_rng(1), most_pairs=1)
    assert any(witness in finding.witness for finding in findings), [str(f) for f in findings]


class Counting(MeanCurve):
    """Says how many curves there are."""

    __slots__ = ()

    def value(self, contract: Contract, noisy: Any) -> Any:
        return super().value(contract, noisy)

    def answer(self, records: Any) -> Any:
        Counting.seen = records.curve_sums(self.curve)[1]
        return super().answer(records)

    def frame(self, value: Any, noise: Any) -> Any:
        columns = super().frame(value, noise)
        return columns | {"curves": np.full(len(columns["time"]), Counting.seen)}

    seen = 0


class Unclipped(Pixels):
    """Declares half of the range of a pixel."""

    __slots__ = ()

    def sensitivity(self, contract: Contract) -> Sensitivity:
        whole = super().sensitivity(contract)
        return Sensitivity(l1=whole.l1 // 2, l2_squared=whole.l2_squared // 4, linf=whole.linf // 2)


def test_what_curves_and_pictures_leak_beside_the_noise_is_found() -> None:
    terms = contract(Unit("add-remove", at_least=1_000), WIDE)
    published, _ = replay(terms, [gaussian("w", Counting("w"), terms)], np.random.default_rng(1), most_pairs=1)
    assert "w.csv" in published.witness
    _, moved = replay(PIXEL, [Request("p", Unclipped(), Laplace(1.0))], np.random.default_rng(1), most_pairs=1)
    assert "moves by 570 in L1" in moved.witness


def test_made_up_curves_reach_from_one_end_to_the_other() -> None:
    """Half of the declared movement and more is seen, so that a replay is not idle."""
    from reaedp.curator.records import Records

    terms = small(contract(ROWS, WIDE, columns=()))
    pair = next(iter(data_pairs(terms, np.random.default_rng(1))))
    assert "other" in pair.label
    answers = []
    for data in (pair.first, pair.second):
        assert isinstance(data, MadeUpTable)
        import pandas as pd

        frame = pd.DataFrame(data.rows, columns=list(data.header)).astype(float)
        answers.append(MeanCurve("w").answer(Records(terms, frame)))
    declared = MeanCurve("w").sensitivity(terms).l2_squared
    assert 0.25 * declared < float(((answers[1] - answers[0]).astype(float) ** 2).sum()) <= declared


def test_a_person_has_as_many_curves_or_rows_as_are_used() -> None:
    pairs = {pair.label: pair for pair in data_pairs(small(contract(PEOPLE, MANY)), np.random.default_rng(1))}
    rows = [row for row in pairs["one person: other"].second.rows if row[0] == "somebody"]  # type: ignore[attr-defined]
    assert 2 * 4 == len(rows)
    assert 2 == len({row[1] for row in rows})
    assert 41 == pairs["one person: other"].second.units
    assert 40 == pairs["one person: other"].first.units


def test_only_the_numbers_of_synthetic_rows_and_of_promised_ones_are_cut() -> None:
    assert 50 == short(Request("n", Synthetic(("x",), 10**6), Laplace(1.0))).statistic.rows  # type: ignore[attr-defined]
    assert 40 == short(Request("e", EntropyHistogram(("x",), 1, 5000), Laplace(1.0))).statistic.at_least  # type: ignore[attr-defined]
    same = Request("h", Marginal("x"), Laplace(1.0))
    assert same is short(same)


def test_forgetful_noise_says_the_same_whatever_it_is_given() -> None:
    first, second = (ConstantNoise(0, np.random.default_rng(1)) for _ in range(2))
    exact = np.arange(5)
    assert first.gaussian(exact, 2.0).tolist() == second.gaussian(exact + 7, 2.0).tolist()
    assert first.choose(exact, 2.0) == second.choose(exact[::-1].copy(), 2.0)
    assert first.laplace(exact, 2.0).tolist() == second.laplace(-exact, 2.0).tolist()
    assert ["gaussian", "choice", "laplace"] == [drawn.kind for drawn in first.drawn]


def test_counts_of_keys_are_compared_by_their_size() -> None:
    keys = [Drawn("laplace", np.array(counts), 1.0) for counts in ([5, 1, 9], [9, 5, 1, 1])]
    assert [1, 0, 0, 0] == moves_between(*keys).tolist()


def test_scores_may_move_by_the_whole_l1_each_and_no_farther() -> None:
    declared = Sensitivity(l1=2, l2_squared=2, linf=1)

    def outcome(scores: list[int]) -> Outcome:
        return Outcome({}, ((Drawn("choice", np.array(scores), 1.0),),), (), "")

    assert [] == list(too_far("records", 0, declared, outcome([0, 0, 0]), outcome([2, -2, 2])))
    assert 1 == len(list(too_far("records", 0, declared, outcome([0, 0, 0]), outcome([3, 0, 0]))))
