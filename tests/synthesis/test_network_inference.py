"""Junction trees, beliefs, fits and rows against the whole joint law, written out."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from reaedp.synthesis import descent, fitting, passing
from reaedp.synthesis.beliefs import calibrated
from reaedp.synthesis.cliques import JunctionTree, cells, junction_tree
from reaedp.synthesis.coarsening import Coarsening
from reaedp.synthesis.dependencies import candidates, scores
from reaedp.synthesis.draws import Draw, InnerLaw, draws
from reaedp.synthesis.fitting import BEYOND_NOISE, EVENNESS, FEW_STEPS, STANDS_OUT, NoisyTable, fit
from reaedp.synthesis.known_fits import fits_kept
from reaedp.synthesis.merging import Merging, merged
from reaedp.synthesis.nesting import Nesting, summed
from reaedp.synthesis.pairs import pair_laws
from reaedp.synthesis.passing import WIDEST, Factor, Passing
from reaedp.synthesis.room import growths
from reaedp.synthesis.rows import rows, systematic

SIZES = (2, 3, 1, 3, 2)
EVERY = tuple(range(len(SIZES)))
CASES = {
    "nothing": [],
    "singletons": [(0,), (3,)],
    "tree": [(0, 1), (1, 2), (1, 3), (3, 4)],
    "cyclic": [(0, 1), (1, 3), (3, 4), (0, 4)],
    "disconnected": [(0, 1), (3, 4)],
    "triples": [(0, 1, 3), (1, 3, 4), (2, 4)],
    "all": [EVERY],
}
cases = pytest.mark.parametrize("groups", CASES.values(), ids=CASES.keys())
graphs = st.lists(st.sets(st.sampled_from(EVERY), min_size=1, max_size=3).map(lambda s: tuple(sorted(s))), max_size=6)


def random_beliefs(groups: list[tuple[int, ...]], rng: np.random.Generator):
    """Beliefs from random factors, and the same law written out."""
    tree = junction_tree(SIZES, groups)
    factors = [rng.normal(0, 3, tree.shape(clique)) for clique in tree.cliques]
    whole = np.zeros(SIZES)
    for clique, factor in zip(tree.cliques, factors, strict=True):
        whole = whole + factor.reshape([SIZES[column] if column in clique else 1 for column in EVERY])
    return calibrated(tree, factors), np.exp(whole)


@settings(deadline=None, max_examples=60)
@given(graphs)
def test_every_group_lies_in_a_clique_and_cliques_of_a_column_are_connected(groups: list[tuple[int, ...]]) -> None:
    tree = junction_tree(SIZES, groups)
    assert all(tree.home(group) is not None for group in [*groups, *((column,) for column in EVERY)])
    for column in EVERY:
        holders = [place for place, clique in enumerate(tree.cliques) if column in clique]
        # Each holder but the highest has its parent among the holders and the column in its separator.
        linked = [place for place in holders if tree.parents[place] in holders and column in tree.separators[place]]
        assert len(holders) - 1 == len(linked)
    assert all(parent < place for place, parent in enumerate(tree.parents))


@settings(deadline=None, max_examples=60)
@given(graphs, st.sampled_from(list(combinations(EVERY, 2))))
def test_growth_bounds_what_a_new_pair_costs(groups: list[tuple[int, ...]], pair: tuple[int, int]) -> None:
    tree = junction_tree(SIZES, groups)
    cost = growths(tree)[pair]
    if tree.home(pair) is None:
        assert cells(SIZES, pair) <= cost
        assert junction_tree(SIZES, [*tree.cliques, pair]).cells <= tree.cells + cost
    else:
        assert 0 == cost


@cases
def test_beliefs_are_the_marginals_of_the_whole_law(groups: list[tuple[int, ...]]) -> None:
    beliefs, whole = random_beliefs(groups, np.random.default_rng(1))
    assert np.log(whole.sum()) == pytest.approx(beliefs.log_total)
    for width in range(1, len(SIZES) + 1):
        for group in combinations(EVERY, width):
            np.testing.assert_allclose(summed(whole, EVERY, group) / whole.sum(), beliefs.marginal(group), atol=1e-12)


@settings(deadline=None, max_examples=60)
@given(graphs, st.sets(st.sampled_from(EVERY)), st.integers(0, 2**20))
def test_pairs_that_are_foreseen_together_have_the_marginals_of_the_whole_law(
    groups: list[tuple[int, ...]], columns: set[int], seed: int
) -> None:
    beliefs, whole = random_beliefs(groups, np.random.default_rng(seed))
    found = pair_laws(beliefs.tree, beliefs.cliques, columns)
    assert {*combinations(sorted(columns), 2)} == {*found}
    for pair, law in found.items():
        np.testing.assert_allclose(summed(whole, EVERY, pair) / whole.sum(), law, atol=1e-12)


def test_factors_beyond_the_doubles_leave_a_law() -> None:
    tree = junction_tree((2, 2, 2), [(0, 1), (1, 2)])
    extreme = [np.array([[0.0, -1e5], [-1e5, 0.0]]), np.array([[-1e5, 0.0], [0.0, -1e5]])]
    beliefs = calibrated(tree, extreme)
    assert [1.0, 1.0] == [pytest.approx(belief.sum()) for belief in beliefs.cliques]


def test_a_column_with_sixty_partners_that_disagree_about_it_keeps_its_law() -> None:
    """Each partner makes one of two values e¹⁴⁰ times less likely; products of theirs are beyond the doubles."""
    partners = 60
    tree = junction_tree((2,) * (partners + 1), [(0, partner) for partner in range(1, partners + 1)])
    assert [(0, partner) for partner in range(1, partners + 1)] == sorted(tree.cliques)
    against = [np.array([[0.0, -1.0], [-140.0, -141.0]]), np.array([[-140.0, -141.0], [0.0, -1.0]])]
    factors = [against[partner % 2] for partner in range(partners)]
    factors[0] = factors[0] + np.array([[np.log(3.0)], [0.0]])
    beliefs = calibrated(tree, factors)
    np.testing.assert_allclose([0.75, 0.25], beliefs.marginal((0,)))
    for partner in (1, partners):
        np.testing.assert_allclose(
            np.outer([0.75, 0.25], 1 / (1 + np.exp([-1.0, 1.0]))), beliefs.marginal((0, partner))
        )
    expected = np.log(4.0) - 140.0 * partners / 2 + partners * np.log1p(np.exp(-1.0))
    assert expected == pytest.approx(beliefs.log_total)


@cases
def test_nested_sums_are_sums(groups: list[tuple[int, ...]]) -> None:
    rng = np.random.default_rng(2)
    values = rng.random(SIZES)
    nesting = Nesting(SIZES, EVERY, groups)
    found = nesting.sums(values)
    for group in groups:
        np.testing.assert_allclose(summed(values, EVERY, group), found[group])
    terms = {group: rng.random(tuple(SIZES[column] for column in group)) for group in groups}
    expected = np.zeros(SIZES)
    for group, term in terms.items():
        expected = expected + term.reshape([SIZES[column] if column in group else 1 for column in EVERY])
    np.testing.assert_allclose(expected, nesting.total(terms))
    product = nesting.product({group: np.exp(term) for group, term in terms.items()}, np.empty(SIZES))
    np.testing.assert_allclose(np.exp(expected), product)


def random_factors(tree: JunctionTree, groups: list[tuple[int, ...]], spread: float, rng: np.random.Generator):
    """Factors on these groups, some of which two factors have, and on all columns; in a tree's cliques."""
    factors = [Factor(tree.home(group), group) for group in [*((column,) for column in EVERY), *groups, *groups[:2]]]
    return factors, [rng.normal(0, spread, tree.shape(factor.group)) for factor in factors]


@cases
@pytest.mark.parametrize("spread", [0.1, 3.0, 30.0])
def test_passing_products_gives_the_laws_of_the_whole(groups: list[tuple[int, ...]], spread: float) -> None:
    tree = junction_tree(SIZES, groups)
    factors, logarithms = random_factors(tree, groups, spread, np.random.default_rng(4))
    passes = Passing(tree, factors)
    orders = [[f.group.index(c) for c in axes] for f, axes in zip(factors, passes.axes, strict=True)]
    flat = [table.transpose(order).ravel() for table, order in zip(logarithms, orders, strict=True)]
    whole = np.zeros(SIZES)
    for factor, table in zip(factors, logarithms, strict=True):
        whole = whole + table.reshape([SIZES[column] if column in factor.group else 1 for column in EVERY])
    largest = whole.max()
    total = np.exp(whole - largest).sum()
    for _ in range(2):  # what is written over leaves no trace
        passed = passes.passed(np.concatenate(flat))
        assert passed is not None
        assert largest + np.log(total) == pytest.approx(passed.log_total)
        laws = [
            (summed(np.exp(whole - largest), EVERY, factor.group) / total).transpose(order).ravel()
            for factor, order in zip(factors, orders, strict=True)
        ]
        np.testing.assert_allclose(np.concatenate(laws), passed.laws, rtol=1e-9, atol=1e-300)


def test_factors_too_wide_for_products_are_left_to_logarithms() -> None:
    tree = junction_tree((2, 2, 2), [(0, 1), (1, 2)])
    passes = Passing(tree, [Factor(0, tree.cliques[0]), Factor(1, tree.cliques[1])])
    wide = np.array([0.0, -0.4, -0.3, 0.0]) * WIDEST
    # Each clique alone is narrow enough, but not with what the other says about the column that they share.
    told = np.array([0.0, 0.0, -0.9, -0.9]) * WIDEST
    assert passes.passed(np.concatenate([wide, np.zeros(4)])) is not None
    both = [passes.passed(np.concatenate(parts)) for parts in ([wide, told], [told, wide], [3 * wide, np.zeros(4)])]
    assert None in both[:2]
    assert both[2] is None


@cases
def test_a_fit_asks_the_same_by_products_and_by_logarithms(
    groups: list[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    tables = []
    for group in [*((column,) for column in EVERY), *groups]:
        mergings = tuple(Merging(np.arange(SIZES[column]) // 2) for column in group)
        counts = rng.normal(50.0, 20.0, [merging.size for merging in mergings])
        tables.append(NoisyTable(group, mergings, counts, np.full(counts.shape, 3.0)))
    tree = junction_tree(SIZES, [table.group for table in tables])
    shares = [rng.dirichlet(np.full(size, 5.0)) for size in SIZES]
    problem = fitting._Problem(tree, dict(enumerate(shares)), tables, 500.0)
    point = rng.normal(0, 5, problem.counts.size)
    by_products = problem.value_and_gradient(point)
    monkeypatch.setattr(passing, "WIDEST", -1.0)
    assert problem.passing.passed(np.zeros(problem.homes.size + sum(SIZES))) is None
    by_logarithms = problem.value_and_gradient(point)
    assert by_logarithms[0] == pytest.approx(by_products[0], rel=1e-12)
    np.testing.assert_allclose(by_logarithms[1], by_products[1], rtol=1e-9, atol=1e-9)


def test_merged_cells_hold_the_sums_of_their_members() -> None:
    values = np.arange(24.0).reshape(2, 3, 4)
    mergings = [Merging.none(2), Merging(np.array([1, 0, 1])), Merging(np.array([0, 0, 1, 0]))]
    expected = np.zeros((2, 2, 2))
    for i, j, k in np.ndindex(2, 3, 4):
        expected[i, mergings[1].cell[j], mergings[2].cell[k]] += values[i, j, k]
    assert np.array_equal(expected, merged(values, mergings))


@cases
def test_a_fit_minimises_what_it_says_over_all_laws(
    groups: list[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The penalised distance is convex in the whole law p; at its least, its gradient is the same in every cell."""
    monkeypatch.setattr(descent, "LEAST_CHANGE", 0.0)
    rng = np.random.default_rng(3)
    total, noise = 500.0, 20.0
    shares = [rng.dirichlet(np.full(size, 5.0)) for size in SIZES]
    truth = rng.dirichlet(np.ones(int(np.prod(SIZES)))).reshape(SIZES)
    tables = []
    for group in [*((column,) for column in EVERY), *groups]:
        counts = total * summed(truth, EVERY, group) + rng.normal(0, noise, [SIZES[column] for column in group])
        mergings = tuple(Merging.none(SIZES[column]) for column in group)
        tables.append(NoisyTable(group, mergings, counts, np.full(counts.shape, noise)))
    tree = junction_tree(SIZES, [table.group for table in tables])
    start = [np.zeros(table.counts.shape) for table in tables]
    _, beliefs = fit(tree, dict(enumerate(shares)), tables, total, start, iterations=2000)
    law = beliefs.marginal(EVERY)
    gradient = np.log(law / np.einsum("a,b,c,d,e->abcde", *shares))
    for table in tables:
        miss = (total * summed(law, EVERY, table.group) - table.counts) / (EVENNESS * noise)
        steep = (miss > 0) | (table.counts >= STANDS_OUT * noise)
        slope = miss + steep * np.sign(miss) * np.maximum(0, np.abs(miss) - 1) * (1 / BEYOND_NOISE - 1)
        gradient += slope.reshape([SIZES[column] if column in table.group else 1 for column in EVERY])
    # Steps end where the value's last digits do; without any fit the spread is above 10.
    assert 0.01 > np.ptp(gradient)


def test_a_fit_of_merged_cells_agrees_with_their_table() -> None:
    merging = Merging(np.array([0, 1, 1]))
    counts = np.array([[400.0, 100.0], [50.0, 450.0]])
    singles = [NoisyTable((i,), (Merging.none(3),), np.full(3, 1000 / 3), np.full(3, 1e6)) for i in range(2)]
    table = NoisyTable((0, 1), (merging, merging), counts, np.full((2, 2), 1.0))
    tree = junction_tree((3, 3), [(0, 1)])
    start = [np.zeros(3), np.zeros(3), np.zeros((2, 2))]
    _, beliefs = fit(tree, dict.fromkeys(range(2), np.full(3, 1 / 3)), [*singles, table], 1000.0, start, iterations=500)
    law = beliefs.marginal((0, 1))
    np.testing.assert_allclose(counts, 1000 * merged(law, (merging, merging)), atol=5)
    np.testing.assert_allclose(law[1], law[2], atol=1e-9)


def test_fits_that_are_kept_are_the_same_and_made_once_for_equal_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    fitted = fitting._fitted
    monkeypatch.setattr(fitting, "_fitted", lambda *given: made.append(given) or fitted(*given))
    tree, start = junction_tree([3, 3], [(0, 1)]), [np.zeros((3, 3))]
    shares = dict.fromkeys(range(2), np.full(3, 1 / 3))
    none = (Merging.none(3), Merging.none(3))
    tables = [
        NoisyTable((0, 1), none, np.arange(9.0).reshape(3, 3) + shift, np.full((3, 3), scale))
        for shift, scale in ((10.0, 2.0), (11.0, 2.0), (10.0, 3.0))
    ]

    def laws(steps: int = 30) -> list[np.ndarray]:
        return [fit(tree, shares, [table], 100.0, start, iterations=steps)[1].marginal((0, 1)) for table in tables]

    alone = laws(FEW_STEPS)
    assert 3 == len(made)
    with fits_kept():
        few = laws()
        np.testing.assert_array_equal(few, laws())
        np.testing.assert_array_equal(alone, few)
        assert 6 == len(made)
        thetas, _ = fit(tree, shares, tables[:1], 100.0, start, iterations=30)
        thetas.append(np.zeros(1))  # as a search does that goes on
        assert 1 == len(fit(tree, shares, tables[:1], 100.0, start, iterations=30)[0])
    laws()
    assert 9 == len(made)


def coarsenings() -> list[Coarsening]:
    return [Coarsening(np.full(size, 1 / size), Merging.none(size), (Merging.none(size),)) for size in SIZES]


@cases
def test_rows_have_the_marginals_of_the_beliefs(groups: list[tuple[int, ...]]) -> None:
    """In each situation a count is within a row of its expectation, so within as many rows as there are situations."""
    beliefs, _ = random_beliefs(groups, np.random.default_rng(4))
    count = 30_000
    drawn = rows(beliefs, coarsenings(), count, np.random.default_rng(5))
    assert (count, len(SIZES)) == drawn.shape
    for group in beliefs.tree.cliques:
        shape = beliefs.tree.shape(group)
        seen = np.bincount(np.ravel_multi_index(tuple(drawn[:, group].T), shape), minlength=int(np.prod(shape)))
        assert np.abs(seen.reshape(shape) - count * beliefs.marginal(group)).max() <= 2 * sum(
            cells(SIZES, separator) for separator in beliefs.tree.separators
        )


@settings(deadline=None, max_examples=60)
@given(graphs, st.integers(1, len(SIZES)), st.integers(0, 2**20))
def test_draws_have_the_law_of_the_beliefs_whatever_else_the_tree_holds(
    groups: list[tuple[int, ...]], shown: int, seed: int
) -> None:
    """The first columns are shown, in twice as many declared cells as coarse ones; the others are hidden."""
    rng = np.random.default_rng(seed)
    beliefs, whole = random_beliefs(groups, rng)
    halved = [np.arange(2 * size) // 2 for size in SIZES[:shown]]
    shares = [rng.dirichlet(np.ones(len(cell))) for cell in halved]
    coarse = [
        Coarsening(share, Merging(cell), (Merging.none(size),))
        for share, cell, size in zip(shares, halved, SIZES, strict=False)
    ]
    expected = (whole / whole.sum()).sum(axis=EVERY[shown:])[np.ix_(*halved)]
    for column, each in enumerate(coarse):
        within = each.shares / each.coarse_shares[each.merging.cell]
        expected = expected * within.reshape([-1 if place == column else 1 for place in range(shown)])
    assert np.allclose(expected, law_of(draws(beliefs, coarse), shown), atol=1e-12)


@settings(deadline=None, max_examples=30)
@given(graphs, st.integers(2, len(SIZES)), st.integers(0, 2**20))
def test_draws_within_merged_cells_follow_another_column(groups: list[tuple[int, ...]], shown: int, seed: int) -> None:
    """Declared cells of the first column by the coarse cells of the second, those of the second by their own shares."""
    rng = np.random.default_rng(seed)
    beliefs, whole = random_beliefs(groups, rng)
    halved = [rng.permutation(2 * size) // 2 for size in SIZES[:shown]]
    coarse = [
        Coarsening(rng.dirichlet(np.ones(len(cell))), Merging(cell), (Merging.none(size),))
        for cell, size in zip(halved, SIZES, strict=False)
    ]
    shares = rng.random((2 * SIZES[0], SIZES[1]))
    shares /= np.array([shares[halved[0] == cell].sum(axis=0) for cell in range(SIZES[0])])[halved[0]]
    expected = (whole / whole.sum()).sum(axis=EVERY[shown:])[np.ix_(*halved)]
    for column, each in enumerate(coarse[1:], 1):
        within = each.shares / each.coarse_shares[each.merging.cell]
        expected = expected * within.reshape([-1 if place == column else 1 for place in range(shown)])
    beside = shares[:, halved[1]]
    expected = expected * beside.reshape([*beside.shape, *[1] * (shown - 2)])
    assert np.allclose(expected, law_of(draws(beliefs, coarse, [InnerLaw(0, 1, shares)]), shown), atol=1e-12)


def law_of(plan: list[Draw], shown: int) -> np.ndarray:
    """The law of the declared columns, all possible rows with their probabilities written out."""
    possible: list[tuple[dict[int, int], float]] = [({}, 1.0)]
    for draw in plan:
        possible = [
            ({**row, **{new: int(cell[place]) for new, cell in zip(draw.new, draw.cells, strict=True)}}, chance * share)
            for row, chance in possible
            for place, share in places_of(draw, row)
        ]
    law = np.zeros([2 * size for size in SIZES[:shown]])
    for row, chance in possible:
        law[tuple(row[len(SIZES) + column] for column in range(shown))] += chance
    return law


def places_of(draw: Draw, row: dict[int, int]) -> list[tuple[int, float]]:
    situation = 0
    for known, size in zip(draw.known, draw.sizes, strict=True):
        situation = situation * size + row[known]
    if draw.certain is not None:
        return [(int(draw.certain[situation]), 1.0)]
    places = np.flatnonzero(draw.owner == situation)
    return list(zip(places.tolist(), np.diff(draw.ends[places], prepend=0.0).tolist(), strict=True))


def test_a_hidden_variable_on_the_way_to_a_column_takes_no_draw() -> None:
    """Columns 0 and 1 are tied by a chain of 2 and 3: one of these is drawn with a column, the other not at all."""
    tree = junction_tree((4, 2, 3, 3), [(0, 2), (2, 3), (1, 3)])
    beliefs = calibrated(tree, [np.zeros(tree.shape(clique)) for clique in tree.cliques])
    coarse = [Coarsening(np.full(size, 1 / size), Merging.none(size), (Merging.none(size),)) for size in (4, 2)]
    plan = draws(beliefs, coarse)
    assert 2 == len([draw for draw in plan if draw.certain is None])
    assert 1 == len({2, 3} & {variable for draw in plan for variable in draw.new})


def test_rows_are_dealt_at_random_within_a_situation() -> None:
    """Two columns drawn without looking at each other: χ² of their table has its usual law, 4 degrees of freedom."""
    rng = np.random.default_rng(6)
    law = np.array([0.2, 0.3, 0.5])
    one, other = (
        systematic(np.cumsum(law), np.zeros(3, dtype=np.intp), np.zeros(9000, dtype=np.intp), rng) for _ in range(2)
    )
    seen = np.bincount(3 * one + other, minlength=9).reshape(3, 3)
    expected = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / 9000
    assert ((seen - expected) ** 2 / expected).sum() < chi2.isf(1e-7, 4)


def test_rows_of_a_coarse_cell_are_spread_over_its_members() -> None:
    shares = np.array([0.1, 0.2, 0.3, 0.4])
    coarse = Coarsening(shares, Merging(np.array([0, 0, 1, 1])), (Merging.none(2),))
    tree = junction_tree((2,), [])
    beliefs = calibrated(tree, [np.log([0.5, 0.5])])
    drawn = rows(beliefs, [coarse], 9000, np.random.default_rng(7))
    expected = 4500 * np.array([1 / 3, 2 / 3, 3 / 7, 4 / 7])
    assert np.abs(np.bincount(drawn[:, 0], minlength=4) - expected).max() <= 1


def test_no_rows_are_no_rows() -> None:
    beliefs, _ = random_beliefs([(0, 1)], np.random.default_rng(8))
    assert (0, len(SIZES)) == rows(beliefs, coarsenings(), 0, np.random.default_rng(9)).shape


@pytest.mark.parametrize(("scale", "dearest"), [(0.001, 1.5), (2.5, 1.5), (10_000.0, 0.1)])
def test_scores_are_the_rows_that_differ_over_every_combination_of_views(scale: float, dearest: float) -> None:
    """Columns of many cells are looked at in fewer where there are three of them.

    A table costs more than a plain one of 32 cells if it has more, in proportion to the power ⅔, but at most 1.5 times
    as much and at least a tenth; a cell counts in part where few rows are expected. Its noise is as much less or more.
    """
    rng = np.random.default_rng(6)
    sizes = (14, 5, 6)
    halves = [np.arange(14) // 2, np.arange(5) // 2, np.arange(6) // 3]
    coarse = [
        Coarsening(
            np.full(size, 1 / size),
            Merging.none(size),
            (Merging.none(size), Merging(half), Merging(half > 0)),
            (-1, 0, 1),
        )
        for size, half in zip(sizes, halves, strict=True)
    ]
    groups = [(0, 1), (1, 2), (0, 1, 2)]
    shapes = {(0, 1): (14, 5), (1, 2): (5, 6), (0, 1, 2): (7, 5, 6)}
    counts = {group: rng.integers(0, 100, shapes[group]) for group in groups}
    model = {group: rng.random(shapes[group]) * rng.choice([3, 90], shapes[group]) for group in groups}
    offers = candidates(groups, coarse, 80.0)
    assert {(0, 1), (1, 2), (0, 1, 2)} == {offer.group for offer in offers}
    assert all(offer.views[0] > 0 for offer in offers if len(offer.group) == 3)
    found = scores(offers, counts, coarse, model.__getitem__, scale=scale)
    assert found.prices.max() == pytest.approx(dearest, rel=1e-4)
    for offer, score, price in zip(offers, found.rows, found.prices, strict=True):
        first = [1 if len(offer.group) == 3 and column == 0 else 0 for column in offer.group]
        mergings = [
            coarse[column].views[view].after(coarse[column].views[base])
            for column, view, base in zip(offer.group, offer.views, first, strict=True)
        ]
        expected = merged(np.rint(model[offer.group]), mergings)
        table = merged(counts[offer.group].astype(float), mergings) - expected
        noise = np.minimum(expected, np.sqrt(2 / np.pi) * scale).sum()
        cells = noise / (np.sqrt(2 / np.pi) * scale)
        assert price == pytest.approx(min(1.5, max(0.1, (cells / 32) ** (2 / 3))))
        assert int(np.abs(table).sum()) - round(noise / np.sqrt(price)) == score
