"""Laws of mechanism F, computed from the code's own proposals, counts, tests and guarantees."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pytest

from broken import Law, with_nothing
from reaedp.errors import DeclarationError
from reaedp.mechanisms.acceptance import PrivacyTest, optimal
from reaedp.mechanisms.noise import SeededNoise
from reaedp.mechanisms.published_acceptance import PublishedTest
from reaedp.mechanisms.stopping import Stopping, guarantee
from reaedp.privacy.unit import Unit
from reaedp.synthesis import deniable as driver
from reaedp.synthesis.deniable import deniable
from reaedp.synthesis.proposal import Keep, Mixed
from reaedp.synthesis.seeds import Seeds
from reaedp.table import KeyCounts
from test_broken import hockey_stick
from test_model import everything, random_model
from test_proposal import kept
from test_seeds import seeds_of

SIZES = (3, 2, 3)
RECORDS = everything(SIZES)
TYPES = everything(SIZES[:2])
#: Laws are sums of a few dozen doubles.
ROUNDING = 1e-13
worlds = pytest.mark.parametrize("count", [250, pytest.param(4000, marks=pytest.mark.slow)])


def law(proposal: Keep | Mixed, test: PrivacyTest, stopping: Stopping, counts: np.ndarray) -> Law:
    """The probability of every record and of nothing, for so many seeds of every type."""
    seeds = Seeds(KeyCounts(proposal.model.axes[:2], TYPES, counts))
    keys = seeds.keys.keys
    places = np.repeat(np.arange(len(keys)), len(RECORDS))
    candidates = np.tile(RECORDS, (len(keys), 1))
    made = proposal.probability(keys[places][:, : kept(proposal)], candidates)
    passing = made * test.rate(proposal.plausible(seeds, places, candidates)) * seeds.keys.counts[places]
    return with_nothing(passing.reshape(-1, len(RECORDS)).sum(axis=0) / max(seeds.size, 1), stopping)


@dataclass(frozen=True)
class Trial:
    proposal: Keep | Mixed
    test: PrivacyTest
    stopping: Stopping
    epsilon: float
    base: np.ndarray

    def law(self, *more: int) -> Law:
        added = np.bincount(np.array(more, dtype=np.int64), minlength=len(TYPES))
        return law(self.proposal, self.test, self.stopping, self.base + added)

    def promised(self, unit: Unit) -> tuple[float, float] | None:
        """What the code says, or nothing if it refuses."""
        try:
            loss = guarantee(self.test, self.stopping, self.proposal.gamma, unit, self.epsilon)
        except DeclarationError:
            return None
        return loss.epsilon, loss.delta


def random_trials(seed: int, count: int) -> Iterator[Trial]:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        model = random_model(rng, SIZES, ((), (0,), (1,)))
        weights = np.round(rng.dirichlet(np.ones(3)), 3) * (rng.random(3) < 0.7) + (0, 0, 0.001)
        mixed = Mixed(model, tuple((weights / weights.sum()).tolist()), float(rng.choice([1.2, 2.0, 8.0])))
        proposal = [Keep(model, int(rng.integers(0, 3))), mixed][int(rng.integers(0, 2))]
        base = rng.multinomial(rng.integers(0, 12), rng.dirichlet(np.full(len(TYPES), 0.4)))
        epsilon, stopping = float(rng.choice([0.3, 0.7, 1.5])), Stopping(float(rng.choice([0.5, 0.1, 1e-3])))
        excess = 10.0 ** -rng.uniform(1, 4) / stopping.odds
        smallest = int(rng.integers(0, base.sum() + 1))
        published = PublishedTest(int(rng.integers(1, 9)), 1, epsilon / 2)
        test = published.table() if rng.random() < 0.2 else optimal(epsilon, excess, proposal.gamma, smallest)
        yield Trial(proposal, test, stopping, epsilon, base)


def ratio(first: Law, second: Law, promised: tuple[float, float]) -> float:
    """The larger of both true δ over the promised one, at the promised ε."""
    epsilon, delta = promised
    true = max(hockey_stick(first, second, epsilon), hockey_stick(second, first, epsilon))
    return max(0.0, true - ROUNDING) / delta


@worlds
def test_one_row_more_or_less_keeps_the_promise_exactly_and_uses_it_up(count: int) -> None:
    largest, promises = [0.0, 0.0], 0
    for trial in random_trials(0, count):
        size = int(trial.base.sum())
        here = trial.law()
        there = [trial.law(kind) for kind in range(len(TYPES))]
        for which, at_least in enumerate([None, size][: 1 + (size > 0)]):
            promised = trial.promised(Unit("add-remove", at_least=at_least))
            if promised:
                promises += 1
                largest[which] = max(largest[which], *(ratio(here, other, promised) for other in there))
    assert promises > count
    assert max(largest) <= 1 + 1e-9
    # A first seed that joins none shows all of δ; with a known size the bound is met up to what others pass.
    assert min(largest) > 0.95


@worlds
def test_a_row_replaced_keeps_the_promise_exactly(count: int) -> None:
    largest, promises = 0.0, 0
    for trial in random_trials(1, count):
        there = [trial.law(kind) for kind in range(len(TYPES))]
        for at_least in (None, int(trial.base.sum()) + 1):
            promised = trial.promised(Unit("replace", at_least=at_least))
            if promised:
                promises += 1
                largest = max(largest, *(ratio(one, other, promised) for one, other in combinations(there, 2)))
    assert promises > count
    assert 0.5 < largest <= 1 + 1e-9


@pytest.mark.slow
@worlds
@pytest.mark.parametrize("change", ["add-remove", "replace"])
def test_a_person_with_several_rows_keeps_the_promise_exactly(change: str, count: int) -> None:
    """Up to two rows of one person come, go, or are exchanged for up to two others; `at_least` counts people."""
    largest, promises, rng = 0.0, 0, np.random.default_rng(2)
    for trial in random_trials(3, count):
        people = int(trial.base.sum())
        promised = trial.promised(Unit(change, person="p", max_rows=2, at_least=people + (change == "replace") or None))  # type: ignore[arg-type]
        if promised:
            promises += 1
            one, other = rng.integers(0, len(TYPES), (2, 2))
            laws = [trial.law(*rows) for rows in ([], one, one[:1], other, other[:1])]
            pairs = combinations(laws[1:], 2) if change == "replace" else ((laws[0], law) for law in laws[1:])
            largest = max(largest, *(ratio(first, second, promised) for first, second in pairs))
    assert promises > 0.6 * count
    assert 0 < largest <= 1 + 1e-9


def test_nothing_is_all_that_comes_out_of_no_rows() -> None:
    for trial in random_trials(4, 20):
        none = law(trial.proposal, trial.test, trial.stopping, np.zeros(len(TYPES), dtype=np.int64))
        assert [0.0] * len(RECORDS) + [1.0] == none.tolist()


class HastyStopping(Stopping):
    """Plans too few rounds, so that more instalments are needed."""

    def rounds(self, records: int) -> int:  # noqa: ARG002
        return 37


def released(trial: Trial, count: int, seed: int) -> np.ndarray:
    rows = np.repeat(TYPES, trial.base, axis=0)
    noise = SeededNoise(np.random.default_rng(seed))
    return deniable(seeds_of(rows, SIZES[:2]), trial.proposal, trial.test, trial.stopping, count=count, noise=noise,
                    progress=lambda _: None)  # fmt: skip


def outcomes(trial: Trial, count: int, seed: int) -> np.ndarray:
    records = released(trial, count, seed)
    counts = np.bincount(np.ravel_multi_index(tuple(records.T), SIZES), minlength=len(RECORDS))
    return np.append(counts, count - len(records))


def pearson(counts: np.ndarray, law: Law) -> float:
    assert not counts[law == 0].any()
    expected = counts.sum() * law[law > 0]
    return float(((counts[law > 0] - expected) ** 2 / expected).sum())


@pytest.mark.parametrize("kind", ["keep", "mixed"])
@pytest.mark.parametrize("hasty", [False, True])
def test_releases_follow_the_law_and_not_one_that_is_thirty_percent_off(
    kind: str, hasty: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when records go on from batch to batch and from instalment to instalment."""
    model = random_model(np.random.default_rng(6), SIZES, ((), (0,), (1,)))
    proposal = Keep(model, 2) if kind == "keep" else Mixed(model, (0.1, 0.4, 0.5), 2.0)
    stopping = HastyStopping(0.25) if hasty else Stopping(0.25)
    trial = Trial(proposal, PublishedTest(4, 1, 0.7).table(), stopping, 1.0, np.array([4, 3, 2, 1, 1, 0]))
    count = 4_000 if hasty else 40_000
    if hasty:
        monkeypatch.setattr(driver, "_BATCH", 16)
    exact, counts = trial.law(), outcomes(trial, count, 7)
    wrong = np.where(np.arange(exact.size) == exact.size - 1, 1.3 * exact, exact)
    # 19 outcomes: a chi-square law of 18 degrees exceeds 67 with a probability of 2e-7.
    assert pearson(counts, exact) < 67 < pearson(counts, wrong / wrong.sum())


@dataclass
class CountingNoise:
    noise: SeededNoise
    asked: list[int] = field(default_factory=list)

    def words(self, count: int) -> np.ndarray:
        self.asked.append(count)
        return self.noise.words(count)


def test_what_is_asked_of_the_noise_and_told_as_progress_is_the_same_for_all_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also from batch to batch: all of them are run after the last record was answered."""
    monkeypatch.setattr(driver, "_BATCH", 256)
    seen = []
    model = random_model(np.random.default_rng(6), SIZES, ((), (0,), (1,)))
    for rows in (np.empty((0, 2), dtype=np.int32), TYPES[:1], np.repeat(TYPES, 50, axis=0)):
        noise, told = CountingNoise(SeededNoise(np.random.default_rng(8))), []
        deniable(seeds_of(rows, SIZES[:2]), Keep(model, 2), PublishedTest(20, 1, 0.3).table(), Stopping(0.01),
                 count=30, noise=noise, progress=told.append)  # fmt: skip
        seen.append((noise.asked, told))
    assert seen[0] == seen[1] == seen[2]


def test_there_are_never_more_records_than_asked_for_and_none_without_seeds() -> None:
    trial = next(random_trials(9, 1))
    easy = Trial(trial.proposal, PrivacyTest((0,)), Stopping(0.5), 1.0, np.full(len(TYPES), 10))
    assert 0 < len(released(easy, 100, 1)) <= 100
    assert (0, 3) == released(Trial(easy.proposal, easy.test, easy.stopping, 1.0, 0 * easy.base), 100, 1).shape
    assert (0, 3) == released(easy, 0, 1).shape


def test_everything_passes_with_the_odds_of_a_trial() -> None:
    """With certain tests a record is nothing exactly when its first round stops."""
    trial = next(random_trials(10, 1))
    easy = Trial(trial.proposal, PrivacyTest((0,)), Stopping(0.3), 1.0, np.full(len(TYPES), 10))
    released_share = len(released(easy, 20_000, 2)) / 20_000
    # Five standard deviations.
    assert abs(released_share - 0.7) < 5 * math.sqrt(0.21 / 20_000)
