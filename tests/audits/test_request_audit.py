"""Audits of our own mechanisms with their own parameters."""

from typing import Any

import numpy as np
import pytest

from reaedp import (
    Budget,
    Category,
    ConditionalEntropy,
    Contract,
    Entropy,
    EntropyHistogram,
    EntropyMap,
    Gaussian,
    Integer,
    KeyedMarginal,
    Laplace,
    Marginal,
    MutualInformation,
    Number,
    RoutedEntropy,
    Summary,
    Threshold,
    TwoStage,
    Unit,
)
from reaedp.answer import Keyed, Routed
from reaedp.audits.channel import ABSENT
from reaedp.audits.clones import audit_clones
from reaedp.audits.finding import Verdict
from reaedp.audits.keyed_channel import KeyedChannel
from reaedp.audits.request_audit import audit_request
from reaedp.audits.routed_channel import RoutedChannel
from reaedp.audits.vector_channel import VectorChannel
from reaedp.mechanisms.acceptance import optimal
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SecretNoise, SeededNoise
from reaedp.mechanisms.published_acceptance import PublishedTest
from reaedp.mechanisms.stopping import Stopping, guarantee
from reaedp.plan.request import Request
from reaedp.privacy.unit import Sensitivity
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.synthetic import Synthetic

X = Number(name="x", lower=0, upper=30, bins=26, provenance="public")
COLUMNS = (
    X,
    Category(name="y", levels=("a", "b", "c"), provenance="public"),
    Integer(name="z", lower=0, upper=9, provenance="public"),
)
UNITS = [Unit("add-remove", at_least=300), Unit("replace", person="p", max_rows=2, at_least=300)]
VECTORS = [
    Marginal("x"),
    EntropyHistogram(("x",), every=4),
    Entropy(("x",), (1.0, 2.0)),
    ConditionalEntropy(("x",), ("y",)),
    MutualInformation(("x",), ("z",)),
    EntropyMap("x", "y", "z"),
    Summary(("x", "z"), "y"),
]
everywhere = pytest.mark.parametrize("unit", UNITS, ids=lambda u: f"{u.change}-{u.rows}")


def contract(unit: Unit) -> Contract:
    return Contract(dataset="d", unit=unit, budget=Budget(1.0, 1e-6), ledger="none.sqlite", columns=COLUMNS)


def ours(unit: Unit) -> list[tuple[Any, Any]]:
    terms = contract(unit)
    gaussians = [(s, Gaussian.within(2.0, 1e-6, s.sensitivity(terms))) for s in VECTORS]
    routed = (RoutedEntropy(("x",)), TwoStage(2.0, 0.2, 200))
    return [*((s, Laplace(2.0)) for s in VECTORS), *gaussians, (KeyedMarginal("x", "y"), Threshold(2.0, 1e-6)), routed]


@pytest.mark.quick_every(2)
@everywhere
def test_every_statistic_with_every_mechanism_is_consistent_and_nearly_all_of_epsilon_is_shown(unit: Unit) -> None:
    rng, terms = np.random.default_rng(1), contract(unit)
    for statistic, mechanism in ours(unit):
        for finding in audit_request(Request("r", statistic, mechanism), terms, rng=rng, runs=60_000):
            assert Verdict.CONSISTENT == finding.verdict, str(finding)
            assert finding.ceilings is not None
            assert finding.ceilings.attainable is not None
            assert finding.claim is not None
            assert finding.ceilings.attainable <= finding.claim.epsilon * (1 + 1e-9)
            assert finding.ceilings.attainable_delta is not None
            assert finding.ceilings.attainable_delta <= finding.claim.delta * (1 + 1e-9) + 1e-12


def test_the_secret_source_is_audited_too() -> None:
    rng, terms = np.random.default_rng(2), contract(UNITS[0])
    for mechanism in (Laplace(1.0), Gaussian.within(1.0, 1e-6, Marginal("x").sensitivity(terms))):
        (finding,) = audit_request(
            Request("r", Marginal("y"), mechanism), terms, rng=rng, runs=2_000, noise=SecretNoise()
        )
        assert Verdict.VIOLATED != finding.verdict


class Careless(Marginal):
    """Forgets that a replaced row leaves one cell and enters another."""

    def sensitivity(self, contract: Contract) -> Sensitivity:  # noqa: ARG002
        return Sensitivity(l1=1, l2_squared=1, linf=1)


def test_a_statistic_that_declares_too_little_is_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    from reaedp.audits import worst_case

    monkeypatch.setitem(worst_case._CASES.ways, Careless, worst_case._CASES.ways[Marginal])
    rng, terms = np.random.default_rng(3), contract(Unit("replace", at_least=300))
    for mechanism in (Laplace(1.0), Gaussian(0.05)):
        (finding,) = audit_request(Request("r", Careless("x"), mechanism), terms, rng=rng, runs=20_000)
        assert Verdict.VIOLATED == finding.verdict
        assert finding.measured is not None
        assert finding.claim is not None
        assert finding.measured.epsilon > finding.claim.epsilon


def test_a_violation_that_runs_cannot_show_is_found_by_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    from reaedp.audits import worst_case

    monkeypatch.setitem(worst_case._CASES.ways, Careless, worst_case._CASES.ways[Marginal])
    rng, terms = np.random.default_rng(4), contract(Unit("replace", at_least=300))
    (finding,) = audit_request(Request("r", Careless("x"), Laplace(0.01)), terms, rng=rng, runs=1_000)
    assert Verdict.VIOLATED == finding.verdict
    assert "by formula" in finding.witness


def test_a_statistic_of_an_unknown_kind_is_not_covered() -> None:
    (finding,) = audit_request(
        Request("r", Careless("x"), Laplace(1.0)), contract(UNITS[0]), rng=np.random.default_rng(5), runs=1_000
    )
    assert Verdict.NOT_COVERED == finding.verdict


class Nameless(Laplace):
    """Laplace noise of which the audit does not know that it is that."""

    name = "nameless"


def test_noise_of_an_unknown_law_is_audited_by_a_learned_score() -> None:
    rng, terms = np.random.default_rng(8), contract(UNITS[0])
    (finding,) = audit_request(Request("r", Marginal("y"), Nameless(1.0)), terms, rng=rng, runs=40_000)
    assert Verdict.CONSISTENT == finding.verdict
    assert finding.ceilings is not None
    assert finding.ceilings.attainable is None


def test_a_histogram_too_large_to_write_out_is_audited_by_its_full_cells() -> None:
    columns = tuple(Integer(name=name, lower=0, upper=4_998, provenance="public") for name in "ab")
    terms = Contract(dataset="d", unit=Unit("replace"), budget=Budget(1, 1e-6), ledger="none.sqlite", columns=columns)
    (finding,) = audit_request(
        Request("r", Marginal("a", "b"), Laplace(1.0)), terms, rng=np.random.default_rng(7), runs=5_000
    )
    assert Verdict.CONSISTENT == finding.verdict


def test_runs_of_two_stages_are_runs_of_the_mechanism() -> None:
    noise = Calibrated(TwoStage(1.5, 0.5, 2), Sensitivity(l1=4, l2_squared=6, linf=2))
    answer = Routed(np.array([1]), np.array([4]), np.array([2, 1]))
    for seed in range(40):
        channel = RoutedChannel(noise, SeededNoise(np.random.default_rng(seed)), answer, answer)
        one = channel.run(answer, 1)[0]
        real = noise.apply(answer, SeededNoise(np.random.default_rng(seed)))
        number = [ABSENT] if real.number is None else real.number.tolist()
        counts = [ABSENT] * 2 if real.counts is None else real.counts.tolist()
        assert [*real.look.tolist(), *number, *counts] == one.tolist()


def test_runs_of_a_threshold_are_runs_of_the_mechanism() -> None:
    noise = Calibrated(Threshold(1.0, 1e-2), Sensitivity(l1=1, l2_squared=1, linf=1))
    counts, source = np.array([6, 0, 5]), np.random.default_rng(1)
    channel = KeyedChannel(noise, SeededNoise(source), counts, counts)
    outputs = channel.run(counts, 4_000)
    assert (outputs[:, 1] == ABSENT).all()
    threshold = Threshold(1.0, 1e-2).threshold(noise.sensitivity)
    assert outputs[outputs != ABSENT].min() == threshold
    real = noise.apply(Keyed(np.arange(4_000), np.full(4_000, 6)), SeededNoise(np.random.default_rng(2)))
    # Two shares of 4,000 differ by more than 0.06 with a probability below 1e-6 (Hoeffding: 2 exp(-4000 · 0.06²)).
    assert len(real.counts) / 4_000 == pytest.approx((outputs[:, 0] != ABSENT).mean(), abs=0.06)


def test_a_channel_keeps_every_number_that_differs() -> None:
    noise = Calibrated(Laplace(1.0), Sensitivity(l1=2, l2_squared=2, linf=1))
    first, second = np.arange(1_000), np.arange(1_000)
    second = second + (np.arange(1_000) == 999) - (np.arange(1_000) == 500)
    channel = VectorChannel.of(noise, SeededNoise(np.random.default_rng(1)), first, second, 100_000)
    assert [-1, 1] == [change for change in (channel.second - channel.first).tolist() if change]
    assert len(channel.first) <= 20


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_privacy_tests_reach_their_claim_on_clones_and_do_not_exceed_it(epsilon: float) -> None:
    from fractions import Fraction

    stopping, unit = Stopping(0.1), Unit("add-remove", at_least=100)
    test = optimal(epsilon, Fraction(1, 10**6), 1.0, 100)
    claim = guarantee(test, stopping, 1.0, unit, epsilon)
    finding = audit_clones(test, stopping, claim=claim, rows=100)
    assert Verdict.CONSISTENT == finding.verdict
    assert finding.ceilings is not None
    assert 0.95 * epsilon < finding.ceilings.attainable <= epsilon * (1 + 1e-9)  # type: ignore[operator]
    assert 0.9 * claim.delta < finding.ceilings.attainable_delta <= claim.delta * (1 + 1e-9)  # type: ignore[operator]


def test_the_published_loop_is_convicted_on_clones() -> None:
    published = PublishedTest(20, 10, 1.0)
    claim = (published.epsilon(1.0), published.delta())
    finding = audit_clones(published.table(), Stopping(2.0**-30), claim=claim, rows=20)
    assert Verdict.VIOLATED == finding.verdict


@pytest.mark.slow
@pytest.mark.parametrize("width", [60, 80, 100])
def test_the_audit_of_a_wide_network_finds_every_step_consistent(width: int) -> None:
    """With this many columns, products of messages are beyond the doubles."""
    names = tuple(f"c{number}" for number in range(width))
    columns = tuple(Category(name=name, levels=tuple("abcdefghij"), provenance="public") for name in names)
    terms = Contract(dataset="wide", unit=Unit("add-remove"), budget=Budget(9, 1e-6), ledger="unused", columns=columns)
    request = Request("rows", Synthetic(names, 100), MarginalModel.within(1.0, 1e-7, terms, names))
    found = audit_request(request, terms, rng=np.random.default_rng(0))
    weak = [finding.subject.partition(",")[0] for finding in found if finding.verdict is not Verdict.CONSISTENT]
    # One of many choices, each at a tiny share of the loss, is hardly told apart on these neighbours.
    assert ["choice of a table or cut"] == weak
    assert all(finding.verdict is not Verdict.VIOLATED for finding in found)
