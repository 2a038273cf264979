"""The black-box audit of whole releases convicts broken curators, and says what it would have missed."""

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from reaedp import Budget, Category, Contract, Gaussian, Laplace, Marginal, Unit
from reaedp.audits.claim import Claim
from reaedp.audits.estimators import FALSE_CONVICTION, ErrorLevels, Guess, Scores, by_guessing
from reaedp.audits.finding import Finding, Verdict
from reaedp.audits.power import CONVICTION, Power, least_accuracy, least_by_event, least_by_guessing
from reaedp.audits.repeated_release import RepeatedRelease
from reaedp.audits.request_audit import audit_request
from reaedp.audits.whole_release import audit_release
from reaedp.curator import records
from reaedp.mechanisms.noise import SeededNoise
from reaedp.plan.request import Request
from reaedp.privacy.loss import PureDP

COLUMNS = tuple(Category(name=name, levels=("yes", "no"), provenance="public") for name in ("a", "b"))
ROW = Unit("add-remove", at_least=100)
PERSON = Unit("add-remove", person="person", max_rows=2, at_least=100)
HISTOGRAM = Request("h", Marginal("a"), Laplace(2.0))
RUNS = 400


def contract(unit: Unit = ROW) -> Contract:
    return Contract(dataset="made up", unit=unit, budget=Budget(10.0, 1e-6), ledger="none.sqlite", columns=COLUMNS)


def audited(request: Request, unit: Unit = ROW, runs: int = RUNS) -> Finding:
    """The finding of one pair of files, with seeded noise and coins, so that it is the same each time."""
    rng = np.random.default_rng(7)
    return audit_release(request, contract(unit), rng=rng, runs=runs, noise=SeededNoise(rng))[0]


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("unit", [ROW, PERSON], ids=["rows", "people"])
def test_a_sound_curator_passes_and_says_what_would_not_have_passed(unit: Unit) -> None:
    found = audited(HISTOGRAM, unit)
    assert found.verdict is not Verdict.VIOLATED
    assert found.power is not None
    assert 1 < found.power.multiple < 2
    assert "would be detected with probability 0.95" in str(found)


@pytest.mark.slow
def test_noise_at_seven_tenths_of_its_scale_is_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = SeededNoise.laplace
    monkeypatch.setattr(SeededNoise, "laplace", lambda self, exact, scale: honest(self, exact, 0.7 * scale))
    # ε is 2 / 0.7 = 1.43 times the charge; the power of 2,000 runs is stated as less than that.
    found = audited(HISTOGRAM, runs=2_000)
    assert found.power is not None
    assert found.power.multiple < 1 / 0.7
    assert found.verdict is Verdict.VIOLATED


def test_a_curator_that_ignores_the_contribution_bound_is_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = records.first_rows

    def all_rows(frame: Any, limit: int, *rest: Any) -> Any:
        return honest(frame, 1000 * limit, *rest)

    monkeypatch.setattr(records, "first_rows", all_rows)
    assert audited(HISTOGRAM, PERSON).verdict is Verdict.VIOLATED


def test_a_curator_that_counts_a_row_twice_is_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Marginal.answer
    monkeypatch.setattr(Marginal, "answer", lambda self, held: 2 * honest(self, held))
    assert audited(HISTOGRAM).verdict is Verdict.VIOLATED


def test_a_charge_that_forgets_one_of_two_cells_is_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Laplace.price
    monkeypatch.setattr(Laplace, "price", lambda self, sensitivity: honest(self, sensitivity)[:1])
    # A row that is replaced leaves one cell and joins another; each costs half of ε = 2.
    found = audited(HISTOGRAM, Unit("replace", at_least=100))
    assert found.claim is not None
    assert found.claim.epsilon == 1
    assert found.verdict is Verdict.VIOLATED


def test_a_folder_that_holds_other_numbers_is_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Marginal.frame
    rounds = iter(range(1000))

    def other(self: Marginal, value: Any, noise: Any) -> Any:
        frame = honest(self, value, noise)
        return frame | {"count": frame["count"] + next(rounds)}

    monkeypatch.setattr(Marginal, "frame", other)
    rng = np.random.default_rng(7)
    found = audit_release(HISTOGRAM, contract(), rng=rng, runs=200, noise=SeededNoise(rng))
    assert found[1].verdict is Verdict.VIOLATED


def test_every_run_is_charged_to_a_ledger_and_the_claim_is_what_it_says(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,b\nyes,no\n")
    repeated = RepeatedRelease(contract(), HISTOGRAM, file, tmp_path / "runs", SeededNoise(np.random.default_rng(1)))
    assert (PureDP(2.0),) == repeated.charged()
    entries = [release.entry for release in repeated.releases(5)]
    assert 5 == len(set(entries))


def test_counts_that_change_from_one_time_to_the_next_are_noticed(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,b\nyes,no\n")
    repeated = RepeatedRelease(contract(), HISTOGRAM, file, tmp_path / "runs", SeededNoise(np.random.default_rng(1)))
    assert 10 == len(list(repeated.releases(10)))
    file.write_text("a,b\nyes,no\nyes,no\n")
    for _ in range(10):
        repeated.exact()
    assert not repeated.steady


def test_questions_that_were_never_asked_before_are_no_change(tmp_path: Path) -> None:
    """A model asks what earlier answers lead it to, so that counting anew may ask for something new."""
    file = tmp_path / "t.csv"
    file.write_text("a,b\nyes,no\n")
    repeated = RepeatedRelease(contract(), HISTOGRAM, file, tmp_path / "runs", SeededNoise(np.random.default_rng(1)))
    for _ in range(11):
        repeated.counts(("b",))
    assert repeated.steady


def test_the_stated_violation_is_convicted_with_the_stated_probability_and_a_smaller_one_less_often() -> None:
    guesses, claimed = 800, 1.0
    least = least_by_guessing(guesses, claimed, FALSE_CONVICTION)
    rng = np.random.default_rng(3)

    def convicted(epsilon: float) -> float:
        found = [judged(right) for right in rng.binomial(guesses, 1 / (1 + math.exp(-epsilon)), 4_000).tolist()]
        return sum(found) / len(found)

    @cache
    def judged(right: int) -> bool:
        scores = Scores(np.ones(guesses - right), np.ones(right))
        return by_guessing(scores, Guess(0.0, 1.0), Claim.of(PureDP(claimed)), ErrorLevels.of(0.95, 1)).violated

    # 4,000 trials of chance 0.95 deviate by 0.02 less than once in a million times (5.8 deviations).
    assert CONVICTION - 0.02 < convicted(least)
    assert convicted(0.9 * least) < CONVICTION - 0.1


def test_the_accuracy_that_is_convicted_comes_near_the_permitted_one_with_more_runs() -> None:
    permitted = float(ndtr(0.5))
    few, many = (least_accuracy(runs, permitted, FALSE_CONVICTION) for runs in (1_000, 100_000))
    assert few is not None
    assert many is not None
    # The distance is z(0.001) + z(0.05) = 4.7 standard deviations of a share.
    assert few - permitted == pytest.approx(4.7 * math.sqrt(permitted * (1 - permitted) / 1_000), rel=0.1)
    assert many - permitted == pytest.approx(4.7 * math.sqrt(permitted * (1 - permitted) / 100_000), rel=0.1)


def test_what_is_stated_as_convicted_is_never_below_the_charge_on_a_coarse_lattice() -> None:
    statistic = Marginal("a")
    mechanism = Gaussian.within(8.0, 1e-6, statistic.sensitivity(contract()))
    (found,) = audit_request(Request("g", statistic, mechanism), contract(), rng=np.random.default_rng(1), runs=2_000)
    assert found.power is not None
    assert 1 < found.power.multiple < 2


def test_an_event_that_always_happens_in_one_world_does_not_make_a_small_loss_visible() -> None:
    claim = Claim.of((2.0, 1e-6))
    # q = 0.12: e^2.16 q is above 1, but a loss of 2.16 also keeps 1 - p above e^-2.16 (1 - q).
    assert least_by_event(claim, (900, 1_000, 120, 1_000), 0.001, 4) > 2.3


def test_a_test_that_sees_nothing_says_so() -> None:
    assert "too few runs" in str(Power(visible=2.0, seen=0.0, claimed=1.0))
    assert math.inf == least_by_guessing(0, 1.0, 0.001)
