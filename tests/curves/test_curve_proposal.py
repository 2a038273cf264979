"""Candidates of curves: their law, their classes, and the count of plausible seeds against a scan."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curve_support import wide
from reaedp.curves.curve_proposal import LAWS, Steps, added_variance, middle, reach
from reaedp.curves.curve_seeds import CoarseLattice, CurveSeeds, relative_deviations
from reaedp.curves.lattice import RADIUS
from reaedp.errors import DeclarationError
from reaedp.mechanisms.noise import SeededNoise

PROPOSALS = [Steps("even", 1, 1.0), Steps("even", 3, 1.0), Steps("gaussian", 1, 2.0), Steps("gaussian", 2, 4.0)]
every_proposal = pytest.mark.parametrize("proposal", PROPOSALS, ids=lambda p: f"{p.law}-{p.kept}")


def all_cells(low: int, high: int, kept: int) -> np.ndarray:
    return np.indices((high - low + 1,) * kept).reshape(kept, -1).T + low


def some_seeds(proposal: Steps, points: np.ndarray, *grains: int) -> CurveSeeds:
    return CurveSeeds.of(CoarseLattice(grains, proposal.reach), points)


def exact_probability(proposal: Steps, seed: np.ndarray, candidate: np.ndarray) -> Fraction:
    """The product of the doubles that are the law."""
    law, product = proposal._choices.probabilities[0], Fraction(1)
    for step in (candidate - seed + proposal.reach).tolist():
        product *= Fraction(float(law[step])) if 0 <= step < len(law) else 0
    return product


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 3), st.sampled_from(["even", "gaussian"]), st.floats(1.01, 50))
def test_plausible_seeds_are_those_of_a_scan(seed: int, kept: int, law: str, gamma: float) -> None:
    """Also at the ends of the lattice, where numbers of cells must not run into the next row."""
    rng = np.random.default_rng(seed)
    proposal = Steps(law, kept, gamma if law == "gaussian" else 1.0)  # type: ignore[arg-type]
    points = rng.choice([-RADIUS, -RADIUS // 3, 0, 1, RADIUS // 2, RADIUS], (rng.integers(1, 40), kept + 1))
    seeds = some_seeds(proposal, points, *rng.integers(RADIUS // 5, RADIUS, kept).tolist())
    noise = SeededNoise(rng)
    places = seeds.draw(50, noise)
    candidates = proposal.propose(seeds, places, noise.words(50 * kept).reshape(50, kept))
    cells = seeds.lattice.cells(points)
    own = proposal.class_of(seeds.cells(places), candidates)
    others = np.stack([proposal.class_of(np.tile(cell, (50, 1)), candidates) for cell in cells])
    assert own.min() >= 0
    assert (others == own).sum(axis=0).tolist() == proposal.plausible(seeds, places, candidates).tolist()


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 3), st.floats(1.01, 50))
def test_seeds_of_a_class_are_within_gamma_and_the_impossible_have_none(kept: int, gamma: float) -> None:
    proposal = Steps("gaussian", kept, gamma)
    side = proposal.reach + 1
    seeds = all_cells(-side, side, kept)[:: 1 if kept < 3 else 7]
    candidate = np.zeros(kept, dtype=np.int64)
    classes = proposal.class_of(seeds, np.tile(candidate, (len(seeds), 1)))
    exact = [exact_probability(proposal, seed, candidate) for seed in seeds]
    assert [not p for p in exact] == (classes == -1).tolist()
    for number in range(classes.max() + 1):
        members = [p for p, c in zip(exact, classes, strict=True) if c == number]
        assert not members or max(members) <= Fraction(gamma) * min(members)


def test_classes_are_powers_of_gamma_of_what_is_relative_to_the_likeliest() -> None:
    proposal = Steps("gaussian", 2, 4.0)
    seeds = all_cells(-4, 4, 2)
    ratios = proposal.probability(seeds, 0 * seeds) / proposal.probability(0 * seeds, 0 * seeds)
    expected = np.floor(-np.log(ratios * (1 + 1e-12)) / np.log(4.0)).astype(np.int64)
    # Numbered from the farthest.
    assert expected.max() - expected.clip(0) == pytest.approx(proposal.class_of(seeds, 0 * seeds))


def test_even_steps_take_exactly_a_quarter_of_all_words() -> None:
    proposal = Steps("even", 1, 1.0)
    seeds = some_seeds(proposal, np.array([[0]]), RADIUS)
    firsts = np.array([0, 2**62 - 1, 2**62, 2**63 - 1, 2**63, 3 * 2**62 - 1, 3 * 2**62, 2**64 - 1], dtype=np.uint64)
    made = proposal.propose(seeds, np.zeros(8, dtype=np.int64), firsts[:, None])
    assert [-2, -2, -1, -1, 0, 0, 1, 1] == made.ravel().tolist()
    assert [0.25] * 4 == proposal._choices.probabilities[0].tolist()


@every_proposal
def test_candidates_follow_the_law_and_not_one_that_is_thirty_percent_off(proposal: Steps) -> None:
    seeds = some_seeds(proposal, np.zeros((1, 3), dtype=np.int64), *(RADIUS,) * proposal.kept)
    noise, draws = SeededNoise(np.random.default_rng(5)), 1_000_000
    made = proposal.propose(
        seeds, seeds.draw(draws, noise), noise.words(draws * proposal.kept).reshape(draws, proposal.kept)
    )
    size = len(LAWS[proposal.law])
    cells = all_cells(-proposal.reach, size - 1 - proposal.reach, proposal.kept)
    law = proposal.probability(0 * cells, cells)
    assert 1.0 == pytest.approx(law.sum(), abs=1e-12)
    counts = np.bincount(np.ravel_multi_index(tuple(made.T + proposal.reach), (size,) * proposal.kept))
    counts = np.pad(counts, (0, law.size - counts.size))
    wrong = np.where(np.arange(law.size) % 2, 1.3 * law, law)
    first, second = (((counts - draws * p) ** 2 / (draws * p)).sum() for p in (law, wrong / wrong.sum()))
    # At most 80 degrees of freedom: above 160 with a probability of 3e-7, cells of an expected count above 7.
    assert draws * law.min() > 7
    assert first < 160 < second


@pytest.mark.parametrize("law", LAWS)
def test_the_variance_that_is_added_is_that_of_the_whole_way_from_a_curve(law: str) -> None:
    """From a uniform point to its cell, by a step, to a uniform point of the cell it leads to."""
    rng, draws, proposal = np.random.default_rng(3), 400_000, Steps(law, 1, {"even": 1.0}.get(law, 2.0))  # type: ignore[arg-type]
    points = rng.integers(-RADIUS // 2, RADIUS // 2, (draws, 1))
    grain = RADIUS // 50
    lattice = CoarseLattice((grain,), proposal.reach)
    steps = rng.choice(len(LAWS[law]), draws, p=LAWS[law] / LAWS[law].sum()) - reach(law)  # type: ignore[arg-type]
    ends = lattice.cells(points)[:, 0] + steps - middle(law) + rng.uniform(-0.5, 0.5, draws)  # type: ignore[arg-type]
    moved = ends - points[:, 0] / grain
    # Six standard deviations of a mean and, with a fourth moment of at most 3 variances², of a variance.
    variance = added_variance(law)  # type: ignore[arg-type]
    assert abs(moved.mean()) < 6 * math.sqrt(variance / draws)
    assert moved.var() == pytest.approx(variance, rel=6 * math.sqrt(2 / draws))


def test_cells_are_the_nearest_and_in_proportion_to_the_typical_curve() -> None:
    lattice = CoarseLattice.of(wide(5), 3, 0.1, 2)
    assert relative_deviations(wide(5))[:3] == pytest.approx([1, 1 / 3, 1 / 5])
    assert tuple(round(0.1 * RADIUS / part) for part in (1, 3, 5)) == lattice.grains
    points = np.random.default_rng(0).integers(-RADIUS, RADIUS, (1000, 6))
    points[0], points[1] = RADIUS, -RADIUS
    distance = points[:, :3] - lattice.cells(points) * lattice.grains
    assert np.all(2 * np.abs(distance) <= lattice.grains)
    assert np.all(np.abs(lattice.cells(points)) <= np.array(lattice.bounds) - 2 * lattice.reach)


def test_draws_are_uniform_over_curves_and_not_thirty_percent_off() -> None:
    cells = np.repeat(np.arange(-10, 11), np.arange(21) + 5)[:, None]
    seeds = CurveSeeds(CoarseLattice((RADIUS // 10,), 2), cells)
    drawn = seeds.cells(seeds.draw(100_000, SeededNoise(np.random.default_rng(1))))[:, 0]
    counts, law = np.bincount(drawn + 10), (np.arange(21) + 5) / len(cells)
    wrong = law * np.where(np.arange(21) == 18, 1.3, 1)
    first, second = (((counts - 1e5 * p) ** 2 / (1e5 * p)).sum() for p in (law, wrong / wrong.sum()))
    # A chi-square law of 20 degrees exceeds 71 with a probability of 1e-7.
    assert first < 71 < second


@every_proposal
def test_without_curves_nothing_is_plausible(proposal: Steps) -> None:
    seeds = some_seeds(proposal, np.empty((0, 4), dtype=np.int32), *(RADIUS,) * proposal.kept)
    noise = SeededNoise(np.random.default_rng(0))
    places = seeds.draw(20, noise)
    candidates = proposal.propose(seeds, places, noise.words(20 * proposal.kept).reshape(20, -1))
    assert (20, proposal.kept) == candidates.shape
    assert [0] * 20 == proposal.plausible(seeds, places, candidates).tolist()


@pytest.mark.parametrize(
    ("law", "kept", "gamma"),
    [("even", 0, 1), ("even", 9, 1), ("even", 2.0, 1), ("even", 2, 2), ("gaussian", 2, 1), ("gaussian", 6, 4),
     ("gaussian", 2, math.inf), ("gaussian", 2, "4"), ("cauchy", 2, 1)],
)  # fmt: skip
def test_laws_that_mean_nothing_are_refused(law: str, kept: int, gamma: float) -> None:
    with pytest.raises(DeclarationError):
        Steps(law, kept, gamma)  # type: ignore[arg-type]


def test_more_cells_than_numbers_are_refused() -> None:
    assert 8 == len(CoarseLattice((RADIUS // 40,) * 8, 2).grains)
    with pytest.raises(DeclarationError, match="raise spread"):
        CoarseLattice((8,) * 4, 2)
