"""A black-box audit of the exact choice among many scores: what it shows, and that it convicts a sampler with a bug."""

from typing import Any

import numpy as np
import pytest

from reaedp.audits.audit import audit
from reaedp.audits.finding import Finding, Verdict
from reaedp.audits.pair import Pair
from reaedp.mechanisms import choice
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.loss import PureDP

#: No score moves by more than 1, so that a scale of 2/ε costs ε. One place in 24 rises, all others fall.
EPSILON, PLACES, RARE = 2.0, 6_000, 24
BEFORE = -(np.arange(PLACES, dtype=np.int64) % 7)
AFTER = np.where(np.arange(PLACES) % RARE == 0, BEFORE + 1, BEFORE - 1)


def of_pair() -> float:
    """The ε of this pair, from the law itself."""
    first, second = (np.exp(scores * EPSILON / 2) for scores in (BEFORE, AFTER))
    return float(np.abs(np.log(second / second.sum()) - np.log(first / first.sum())).max())


def examined() -> Finding:
    """The words are seeded, so that the finding is the same each time."""
    rng = np.random.default_rng(5)
    words = SeededNoise(rng).words

    def choose(scores: Any, runs: int) -> np.ndarray:
        return np.array([choice.chosen(scores, 2 / EPSILON, words) for _ in range(runs)])

    return audit(
        choose,
        Pair(BEFORE, AFTER, "one row moves every score by 1"),
        claim=PureDP(EPSILON),
        runs=4_000,
        rng=rng,
        statistic=lambda places: (np.asarray(places) % RARE == 0).astype(float),
        attainable=(of_pair(), 0.0),
    )


def test_choices_show_most_of_what_they_cost_and_no_more() -> None:
    """The pair has an ε of 1.76; a sampler that revealed more than 4 would have been convicted."""
    assert choice.pays(BEFORE)
    assert 1.76 == pytest.approx(of_pair(), abs=0.01)
    found = examined()
    assert found.verdict != Verdict.VIOLATED
    assert found.measured is not None
    assert found.power is not None
    assert 1.2 < found.measured.epsilon <= EPSILON
    assert found.power.epsilon < 4.0


def test_weights_at_half_the_scale_are_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = choice.exponential
    monkeypatch.setattr(choice, "exponential", lambda power, bits: exact(2 * power, bits))
    assert Verdict.VIOLATED == examined().verdict


def test_classes_that_weigh_as_one_place_are_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = choice.weighed
    monkeypatch.setattr(choice, "weighed", lambda classes, counts, *rest: exact(classes, 0 * counts + 1, *rest))
    assert Verdict.VIOLATED == examined().verdict
