from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaedp.errors import DeclarationError
from reaedp.mechanisms.noise import SeededNoise
from reaedp.synthesis.model import Model
from reaedp.synthesis.proposal import Keep, Mixed, shared_cells
from test_model import MODEL, everything, random_model
from test_seeds import seeds_of

SIZES = (3, 2, 4, 3)
RECORDS = everything(SIZES)
PROPOSALS = [
    Keep(MODEL, 0),
    Keep(MODEL, 2),
    Keep(MODEL, 4),
    Mixed(MODEL, (0.1, 0.2, 0.3, 0.4), 1.5),
    Mixed(MODEL, (0.0, 0.5, 0.0, 0.5), 4.0),
    Mixed(MODEL, (1.0,), 2.0),
    Mixed(MODEL, (0.0, 0.0, 1.0), 2.0),
]
every_proposal = pytest.mark.parametrize("proposal", PROPOSALS, ids=lambda p: f"{type(p).__name__}")


def kept(proposal: Keep | Mixed) -> int:
    return proposal.kept if isinstance(proposal, Keep) else proposal.most


def exact_probability(proposal: Mixed, seed: np.ndarray, record: np.ndarray) -> Fraction:
    """Σ of exact products of the doubles that are the law."""
    model, total = proposal.model, Fraction(0)
    cells = [Fraction(float(model.probability_of(record[None], place)[0])) for place in range(len(model.axes))]
    for length, weight in enumerate(proposal.weights):
        if (seed[:length] == record[:length]).all():
            product = Fraction(weight)
            for cell in cells[length:]:
                product *= cell
            total += product
    return total


@every_proposal
def test_every_seed_makes_something(proposal: Keep | Mixed) -> None:
    seeds = everything(SIZES[: kept(proposal)]) if kept(proposal) else np.empty((1, 0), dtype=np.int32)
    for seed in seeds:
        made = proposal.probability(np.repeat(seed[None], len(RECORDS), axis=0), RECORDS)
        assert 1.0 == pytest.approx(made.sum(), abs=1e-12)


@every_proposal
def test_candidates_follow_the_law_and_not_one_that_is_thirty_percent_off(proposal: Keep | Mixed) -> None:
    seed, noise, draws = np.array([[1, 1, 2, 0]], dtype=np.int32), SeededNoise(np.random.default_rng(5)), 100_000
    seeds = seeds_of(seed[:, : max(kept(proposal), 1)], SIZES[: max(kept(proposal), 1)])
    words = noise.words(draws * proposal.words).reshape(draws, proposal.words)
    made = proposal.propose(seeds, seeds.draw(draws, noise), words)
    law = proposal.probability(np.repeat(seed[:, : kept(proposal)], len(RECORDS), axis=0), RECORDS)
    counts = np.bincount(np.ravel_multi_index(tuple(made.T), SIZES), minlength=law.size)
    assert not counts[law == 0].any()
    counts, law = counts[law > 0], law[law > 0]
    if law.size > 1:
        wrong = np.where(np.arange(law.size) == law.argmax(), 1.3 * law, law)
        first, second = (((counts - draws * p) ** 2 / (draws * p)).sum() for p in (law, wrong / wrong.sum()))
        # At most 71 degrees of freedom: above 147 with a probability of 3e-7.
        assert first < 147 < second


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32), st.floats(1.01, 30), st.integers(1, 4))
def test_plausible_seeds_are_those_of_a_scan_and_within_gamma(seed: int, gamma: float, most: int) -> None:
    rng = np.random.default_rng(seed)
    model = random_model(rng, SIZES, ((), (0,), (1,), (2, 0)))
    weights = rng.dirichlet(np.ones(most + 1)) * (rng.random(most + 1) < 0.7)
    weights[-1] += 0.01
    proposal = Mixed(model, tuple((weights / weights.sum()).tolist()), gamma)
    rows = everything(SIZES)[rng.integers(0, len(RECORDS), rng.integers(1, 15)), :most]
    seeds = seeds_of(rows, SIZES[:most])
    places = np.repeat(np.arange(len(seeds.keys.keys)), 6)
    candidates = RECORDS[rng.integers(0, len(RECORDS), len(places))]
    counted = proposal.plausible(seeds, places, candidates)
    for place, record, count in zip(places, candidates, counted, strict=True):
        own = exact_probability(proposal, seeds.keys.keys[place], record)
        classes = proposal.classes(np.repeat(record[None], len(rows), axis=0))
        shared = shared_cells(rows, np.repeat(record[None], len(rows), axis=0))
        mine = classes[0, shared_cells(seeds.keys.keys[place][None], record[None])[0]]
        alike = classes[np.arange(len(rows)), shared] == mine
        assert count == (alike.sum() if own else 0)
        assert (mine == -1) == (own == 0)
        if own:
            others = [exact_probability(proposal, row, record) for row in rows[alike]]
            assert max(own, *others) <= Fraction(gamma) * min(own, *others)


def test_classes_are_hardly_narrower_than_gamma() -> None:
    """Two seeds within a factor of γ² are at most two classes apart."""
    proposal = Mixed(MODEL, (0.1, 0.2, 0.3, 0.4), 2.0)
    ratios, classes = proposal._ratios(RECORDS), proposal.classes(RECORDS)
    apart = np.log2(ratios[:, 3:] / ratios)
    assert np.all(np.abs((classes - classes[:, 3:]) - apart) < 1 + 1e-9)


def test_keeping_counts_those_with_the_same_cells() -> None:
    rows = np.array([[0, 0], [0, 0], [0, 1], [2, 1]], dtype=np.int32)
    seeds = seeds_of(rows, SIZES[:2])
    candidates = np.zeros((3, 4), dtype=np.int32)
    assert [2, 1, 1] == Keep(MODEL, 2).plausible(seeds, np.arange(3), candidates).tolist()
    assert [3, 3, 1] == Keep(MODEL, 1).plausible(seeds, np.arange(3), candidates).tolist()
    assert [4, 4, 4] == Keep(MODEL, 0).plausible(seeds, np.arange(3), candidates).tolist()


def test_a_seed_that_cannot_make_a_candidate_is_never_counted() -> None:
    proposal = Mixed(MODEL, (0.0, 0.5, 0.5), 1e6)
    seeds = seeds_of(np.array([[0, 0], [1, 0], [1, 1]], dtype=np.int32), SIZES[:2])
    candidate = np.array([[0, 1, 0, 0]], dtype=np.int32)
    assert [1] == proposal.plausible(seeds, np.array([0]), candidate).tolist()
    assert [0] == proposal.plausible(seeds, np.array([1]), candidate).tolist()


@every_proposal
def test_without_seeds_nothing_is_plausible(proposal: Keep | Mixed) -> None:
    width = max(kept(proposal), 1)
    seeds, noise = seeds_of(np.empty((0, width), dtype=np.int32), SIZES[:width]), SeededNoise(np.random.default_rng(0))
    places = seeds.draw(20, noise)
    candidates = proposal.propose(seeds, places, noise.words(20 * proposal.words).reshape(20, -1))
    assert (20, 4) == candidates.shape
    assert [0] * 20 == proposal.plausible(seeds, places, candidates).tolist()


@pytest.mark.parametrize("kept_cells", [-1, 5, 1.0, True])
def test_only_existing_cells_can_be_kept(kept_cells: int) -> None:
    with pytest.raises(DeclarationError):
        Keep(MODEL, kept_cells)


@pytest.mark.parametrize(
    ("weights", "gamma"),
    [((0.5, 0.4), 2.0), ((-0.5, 1.5), 2.0), ((), 2.0), ((0.2,) * 6, 2.0), ((0.5, 0.5), 1.001), ((0.5, 0.5), np.inf)],
)
def test_weights_and_gamma_that_mean_nothing_are_refused(weights: tuple[float, ...], gamma: float) -> None:
    with pytest.raises(DeclarationError):
        Mixed(MODEL, weights, gamma)


def test_weights_are_those_that_are_drawn() -> None:
    again = Mixed(MODEL, (0.1, 0.2, 0.7), 2.0)
    assert again.weights == Mixed(MODEL, again.weights, 2.0).weights
    assert all(float(np.ldexp(weight, 52)).is_integer() for weight in again.weights)
    assert isinstance(again.model, Model)
