"""Audits of mechanisms as users bring them."""

import math

import numpy as np
import pytest

from reaedp.audits.audit import audit
from reaedp.audits.finding import Finding, Verdict, conclusion, not_covered
from reaedp.audits.one_run import audit_once, one_run_epsilon
from reaedp.audits.pair import Pair, one_at_a_time
from reaedp.audits.power import Power
from reaedp.errors import DeclarationError
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.loss import ApproxDP, GaussianDP, PureDP

PAIR = Pair(0, 1, "a count of 0 and a count of 1")


def noisy_count(rng: np.random.Generator, scale: float = 1.0):  # type: ignore[no-untyped-def]
    noise = SeededNoise(rng)
    return lambda count, runs: noise.laplace(np.full(runs, count), scale)


def test_a_sound_count_is_consistent_with_a_learned_score() -> None:
    rng = np.random.default_rng(1)
    finding = audit(noisy_count(rng), PAIR, claim=PureDP(1.0), runs=40_000, rng=rng)
    assert Verdict.CONSISTENT == finding.verdict
    assert finding.measured is not None
    assert 0.9 < finding.measured.epsilon < 1.05
    assert "learned" in finding.method
    assert "1 in 100" in finding.promise
    assert (0.5, 0.73) == pytest.approx(finding.bar[:2], abs=0.02)  # type: ignore[index]


@pytest.mark.parametrize("claim", [PureDP(1.0), ApproxDP(1.0, 1e-6), GaussianDP(0.2)], ids=str)
def test_noise_of_a_third_of_the_scale_is_violated_under_every_claim(claim: object) -> None:
    rng = np.random.default_rng(2)
    finding = audit(
        noisy_count(rng, 1 / 3), PAIR, claim=claim, runs=20_000, rng=rng,
        delta=1e-6 if isinstance(claim, GaussianDP) else None,
    )  # type: ignore[arg-type] # fmt: skip
    assert Verdict.VIOLATED == finding.verdict
    assert "of" in finding.witness


def test_noise_of_a_gaussian_shape_is_audited_by_it() -> None:
    rng = np.random.default_rng(3)

    def release(value: float, runs: int) -> np.ndarray:
        return value + rng.normal(0.0, 2.0, runs)

    claim = GaussianDP(0.5)
    finding = audit(release, PAIR, claim=claim, runs=100_000, rng=rng, delta=1e-5, shape="gaussian")
    assert Verdict.CONSISTENT == finding.verdict
    assert finding.measured is not None
    assert finding.claim is not None
    assert 0.85 * finding.claim.epsilon < finding.measured.epsilon < 1.05 * finding.claim.epsilon
    events = audit(release, PAIR, claim=claim, runs=100_000, rng=rng, delta=1e-5)
    assert events.measured is not None
    assert events.measured.epsilon < 0.7 * finding.measured.epsilon  # what the shape is worth
    assert Verdict.WEAK == events.verdict


def test_a_mechanism_that_answers_once_for_each_call_can_be_audited() -> None:
    rng = np.random.default_rng(4)
    finding = audit(
        one_at_a_time(lambda count: count + rng.laplace(0.0, 0.2)), PAIR, claim=(1.0, 0.0), runs=2_000, rng=rng
    )
    assert Verdict.VIOLATED == finding.verdict


def test_a_learned_score_adds_up_the_evidence_of_several_cells() -> None:
    rng = np.random.default_rng(10)
    noise = SeededNoise(rng)
    pair = Pair(np.array([5, 9, 2, 7]), np.array([6, 8, 2, 7]))
    finding = audit(
        lambda counts, runs: noise.laplace(np.tile(counts, (runs, 1)), 1.0),
        pair,
        claim=PureDP(1.0),
        runs=40_000,
        rng=rng,
    )
    assert Verdict.VIOLATED == finding.verdict
    assert finding.measured is not None
    assert 1.7 < finding.measured.epsilon < 2.1


def test_accuracy_alone_would_hide_what_the_bound_and_the_area_show() -> None:
    """Continuous noise for one cell under replacement: accuracy 0.726 is below its ceiling, ε = 2 is not."""
    rng = np.random.default_rng(5)

    def release(counts: np.ndarray, runs: int) -> np.ndarray:
        return counts + rng.laplace(0.0, 1.0, (runs, 2))

    def ratio(outputs: np.ndarray) -> np.ndarray:
        return (np.abs(outputs - [1, 0]) - np.abs(outputs - [0, 1])).sum(axis=1)

    pair = Pair(np.array([1, 0]), np.array([0, 1]))
    finding = audit(release, pair, claim=PureDP(1.0), runs=40_000, rng=rng, statistic=ratio)
    assert finding.measured is not None
    assert finding.ceilings is not None
    assert finding.measured.accuracy.value < finding.ceilings.accuracy
    assert finding.measured.auc.low > finding.ceilings.auc
    assert Verdict.VIOLATED == finding.verdict
    assert finding.measured.epsilon > 1.8


@pytest.mark.slow
def test_sound_mechanisms_are_convicted_hardly_ever() -> None:
    """200 audits at a chance of one in a thousand each: six or more have a probability below 1e-6."""
    rng = np.random.default_rng(6)
    verdicts = [audit(noisy_count(rng), PAIR, claim=PureDP(1.0), runs=1_000, rng=rng).verdict for _ in range(200)]
    assert verdicts.count(Verdict.VIOLATED) <= 5


def test_too_few_runs_are_refused() -> None:
    rng = np.random.default_rng(7)
    with pytest.raises(DeclarationError, match="200 or more runs"):
        audit(noisy_count(rng), PAIR, claim=PureDP(1.0), runs=100, rng=rng)
    with pytest.raises(DeclarationError, match="one or more pairs"):
        audit(noisy_count(rng), PAIR, claim=PureDP(1.0), runs=1_000, rng=rng, pairs=0)


def test_one_release_with_many_canaries_is_enough() -> None:
    rng = np.random.default_rng(8)
    noise = SeededNoise(rng)
    sound = audit_once(lambda counts: noise.laplace(counts, 1.0), 10_000, claim=PureDP(1.0), rng=rng)
    assert Verdict.CONSISTENT == sound.verdict
    half = audit_once(lambda counts: noise.laplace(counts, 0.5), 10_000, claim=PureDP(1.0), rng=rng)
    assert Verdict.VIOLATED == half.verdict
    three = audit_once(lambda counts: noise.laplace(counts, 3.0), 10_000, claim=PureDP(1.0), rng=rng, rows=3)
    assert Verdict.CONSISTENT == three.verdict


def test_one_release_shows_more_than_the_truth_in_at_most_one_of_twenty_releases() -> None:
    """500 releases of 1,000 cells; 52 or more have a probability below 1e-6."""
    rng = np.random.default_rng(9)
    right = rng.binomial(1_000, 1 / (1 + math.exp(-1.0)), 500)
    assert sum(one_run_epsilon(int(r), 1_000, 1_000, 0.0, 0.05) > 1.0 for r in right) < 52


def test_failures_of_cells_are_taken_from_the_confidence() -> None:
    assert one_run_epsilon(900, 1_000, 1_000, 1e-5, 0.05) < one_run_epsilon(900, 1_000, 1_000, 0.0, 0.05)
    assert 0.0 == one_run_epsilon(900, 1_000, 1_000, 1e-4, 0.05)
    with pytest.raises(DeclarationError, match="needs δ × cells"):
        audit_once(lambda counts: counts, 10_000, claim=ApproxDP(1.0, 1e-5), rng=np.random.default_rng(1))


def test_what_runs_cannot_show_is_said() -> None:
    assert {"timing and memory", "insiders", "future releases", "groups"} == {f.subject for f in not_covered()}
    assert {Verdict.NOT_COVERED} == {finding.verdict for finding in not_covered()}


def test_no_verdict_says_that_a_release_can_do_no_harm() -> None:
    words = " ".join(Verdict).lower()
    assert not any(word in words for word in ("safe", "passed", "anonymous"))


def found(verdict: Verdict, power: Power | None = None) -> Finding:
    return Finding(subject="s", pair="p", verdict=verdict, method="m", power=power)


@pytest.mark.parametrize(
    ("findings", "line"),
    [
        (
            [found(Verdict.CONSISTENT, Power(0.24, 0.2, 0.2)), found(Verdict.WEAK, Power(0.3, 0.1, 0.1))],
            (
                "PASSED: none of 2 tests found more than is promised. Strength: 2 of them would have detected a release"
                " that reveals 1.2 to 3 times its charge. Weak tests: 1."
            ),
        ),
        (
            [found(Verdict.CONSISTENT), found(Verdict.NOT_COVERED)],
            (
                "PASSED: none of 1 tests found more than is promised. Strength: nothing was sampled; everything that"
                " was compared is equal. Tests that could not be run: 1."
            ),
        ),
        (
            [found(Verdict.VIOLATED), found(Verdict.CONSISTENT)],
            "NOT PASSED: 1 of 2 tests found more than is promised. Do not release.",
        ),
        (
            [found(Verdict.CONSISTENT, Power(math.inf, 0.2, 0.2))],
            "PASSED: none of 1 tests found more than is promised. Strength: too few runs to detect anything.",
        ),
    ],
)
def test_an_audit_ends_with_one_line_that_says_how_strong_it_was(findings: list[Finding], line: str) -> None:
    assert line == conclusion(findings)
