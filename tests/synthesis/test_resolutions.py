"""Columns in several resolutions: which there are, that coarser ones follow finer ones, what is missing together."""

import numpy as np

from cell_rows import Rows
from reaedp import Boolean, Budget, Category, Contract, Integer, Unit
from reaedp.mechanisms.noise import SeededNoise
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.synthesis.cliques import cells, junction_tree
from reaedp.synthesis.coarsening import Coarsening, coarsen
from reaedp.synthesis.dependencies import FEW, first_view, view_counts
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.merging import merged
from reaedp.synthesis.purse import NoisyCounts
from reaedp.synthesis.resolutions import Resolutions
from reaedp.synthesis.room import by_width, costs, growths, spread_to
from reaedp.synthesis.search import Apart
from reaedp.synthesis.structure import Structure

COLUMNS = (
    Integer(name="wage", lower=0, upper=29, provenance="public"),
    Category(name="sector", levels=tuple("abcdefgh"), provenance="public"),
    Boolean(name="member", provenance="public"),
    Integer(name="hours", lower=0, upper=29, provenance="public"),
)
NAMES = tuple(column.name for column in COLUMNS)
TERMS = Contract(dataset="d", unit=Unit("add-remove"), budget=Budget(9, 1e-6), ledger="unused", columns=COLUMNS)


def sample(count: int, seed: int) -> np.ndarray:
    """Wage and hours are missing together in 3 % of the rows, and nothing else ever is."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, size, count) for size in (30, 8, 2, 30)])
    missing = rng.random(count) < 0.03
    codes[missing, 0], codes[missing, 3] = COLUMNS[0].regular, COLUMNS[3].regular
    return codes


def counts_of(codes: np.ndarray) -> list[np.ndarray]:
    return [np.bincount(codes[:, place], minlength=column.size) for place, column in enumerate(COLUMNS)]


def coarsenings(codes: np.ndarray) -> list[Coarsening]:
    return [
        coarsen(column, counts.astype(float), 1.0, 20, 0.01)
        for column, counts in zip(COLUMNS, counts_of(codes), strict=True)
    ]


def structure(codes: np.ndarray) -> Structure:
    singles = [NoisyCounts(counts.astype(np.int64), 1.0) for counts in counts_of(codes)]
    return Structure(coarsenings(codes), singles, float(len(codes)))


def flags(coarse: Coarsening, column: Integer) -> list[int]:
    """Views that tell whether a value is missing and nothing else."""
    missing = np.bincount(coarse.merging.cell[: column.regular], minlength=coarse.size) == 0
    return [place for place, view in enumerate(coarse.views) if np.array_equal(view.cell, missing)]


def test_columns_whose_missing_values_stand_out_are_also_seen_as_missing_or_not() -> None:
    found = coarsenings(sample(5000, 1))
    assert [1, 0, 0, 1] == [len(flags(coarse, column)) for coarse, column in zip(found, COLUMNS, strict=True)]
    complete = sample(5000, 1)
    complete[:, [0, 3]] %= 30
    assert [] == flags(coarsenings(complete)[0], COLUMNS[0])


def test_every_variable_follows_from_each_finer_one() -> None:
    resolutions = Resolutions.of(coarsenings(sample(5000, 2)))
    assert [0, 1, 2, 3] == [resolutions.numbers[column][0] for column in range(4)]
    assert len(resolutions.sizes) > 6
    for number in range(len(resolutions.sizes)):
        assert resolutions.finer(number)[0] == number
        for finer in resolutions.finer(number):
            steps = resolutions.between(finer, number).cell[resolutions.merging(finer).cell]
            assert np.array_equal(resolutions.merging(number).cell, steps)
        coarser = resolutions.coarser(number)
        assert coarser is None or number == resolutions.finer(coarser)[1]
    # Each variable that is used is tied to the next finer one that is.
    links = resolutions.links(range(len(resolutions.sizes)))
    assert len(resolutions.sizes) - 4 == len(links)
    last = resolutions.numbers[0][-1]
    assert [(0, last)] == [link.group for link in resolutions.links([last])]


def test_groups_are_counted_in_the_cells_in_which_they_are_looked_at() -> None:
    codes = sample(500, 3)
    coarse = coarsenings(codes)
    groups = [(0, 3), (0, 1), (0, 1, 3)]
    found = dict(view_counts(Rows(TERMS, codes), NAMES, groups, coarse))
    assert set(groups) == set(found)
    for group in groups:
        views = [coarse[column].views[first_view(coarse[column], len(group))] for column in group]
        expected = np.zeros([view.size for view in views], dtype=np.int64)
        for row in codes:
            pairs = zip(group, views, strict=True)
            expected[tuple(view.cell[coarse[column].merging.cell[row[column]]] for column, view in pairs)] += 1
        assert np.array_equal(expected, found[group])
    assert all(size <= FEW for size in found[0, 1, 3].shape)


def test_a_coarser_variable_never_contradicts_its_column_and_gives_the_same_law() -> None:
    """A table of two coarse variables, once as they are and once where the tree has the columns themselves."""
    codes = sample(5000, 4)
    laws = []
    for joined in (False, True):
        model = structure(codes)
        if joined:
            model.tree = junction_tree(
                model.resolutions.sizes, [(0, 3), *(link.group for link in model.links)], always=4
            )
        group = (model.resolutions.numbers[0][-1], model.resolutions.numbers[3][-1])
        table = NoisyCounts(np.array([[4850, 0], [0, 150]]), 5.0)
        model.add(group, table, 100_000)
        assert ((0, 3) == model.tables[-1].group) == joined
        model.fit(200)
        law = model.beliefs.marginal((0, 3))
        mergings = [model.resolutions.merging(number) for number in group]
        np.testing.assert_allclose(table.values, 5000 * merged(law, mergings), atol=20)
        for link in model.links:
            assert 1e-12 > model.beliefs.marginal(link.group)[link.logarithm < 0].sum()
        laws.append(law)
    np.testing.assert_allclose(*laws, atol=1e-5)


def test_a_table_takes_the_room_of_its_own_cells_and_not_of_its_columns() -> None:
    model = structure(sample(5000, 5))
    small = tuple(model.resolutions.numbers[column][-1] for column in (0, 3))
    few, many = model.growths(by_width([small, (0, 3)])).tolist()
    assert few <= 200 < many <= 1000
    before = model.tree.cells
    model.add(small, NoisyCounts(np.array([[4850, 0], [0, 150]]), 5.0), before)
    assert model.tree.cells <= before + 100


def test_a_table_that_would_burst_its_room_is_merged_further() -> None:
    """What noise is left in merged cells is that of their sum."""
    model = structure(sample(5000, 6))
    shape = tuple(model.coarsenings[column].size for column in (0, 3))
    small = model.tree.cells // 4
    model.tree = junction_tree(model.resolutions.sizes, [], always=4)
    model.links = []
    model.add((0, 3), NoisyCounts(np.full(shape, 10), 3.0), small)
    kept = model.tables[-1]
    assert kept.counts.size < np.prod(shape)
    assert 10 * np.prod(shape) == kept.counts.sum()
    np.testing.assert_allclose((kept.scales**2).sum(), 9.0 * np.prod(shape))
    assert model.tree.cells <= 2 * max(small, sum(model.tree.sizes[:4]))


def test_what_a_wide_group_costs_bounds_how_the_tree_grows() -> None:
    tree = junction_tree((2, 3, 4, 5), [(0, 1, 2)])
    sizes, groups = np.array(tree.sizes, dtype=float), np.array([(0, 1, 2), (0, 1, 3), (1, 2, 3)])
    found = costs(sizes, growths(tree), groups)
    assert 0 == found[0]
    for group, cost in zip(groups[1:].tolist(), found[1:], strict=True):
        assert junction_tree(tree.sizes, [*tree.cliques, tuple(group)]).cells <= tree.cells + cost
        assert cells(tree.sizes, tuple(group)) <= cost


def test_a_variable_that_is_not_in_the_tree_costs_by_its_own_size() -> None:
    tree = junction_tree((10, 10, 2), [], always=2)
    pairs = spread_to(growths(tree), np.array(tree.sizes, dtype=float), [0, 1, 1])
    assert (100, 0) == (pairs[0, 1], pairs[1, 2])
    # Two cells instead of ten, and a clique that ties them to the ten.
    assert 20 + 20 == pairs[0, 2]


def test_what_a_chosen_table_may_have_explained_is_closed_until_the_next_fit() -> None:
    groups = [(0, 1), (0, 2), (1, 2), (0, 1, 2), (2, 3), (0, 3), (1, 3)]
    apart = Apart(groups, 4)
    apart.close((0, 1))
    assert [False, True, True, False, True, True, True] == apart.open.tolist()
    # What 0 tells of 1 and 1 of 2 may be all that 0 tells of 2.
    apart.close((1, 2))
    assert [False, False, False, False, True, True, True] == apart.open.tolist()


def test_columns_that_are_missing_together_stay_so() -> None:
    """600 of 20,000 rows; the table of both has noise of some twenty rows a cell."""
    network = MarginalModel.within(1.0, 1e-6, TERMS, NAMES)
    noise = SeededNoise(np.random.default_rng(4))
    records = Rows(TERMS, sample(20_000, 4))
    found = network.learn(records, NAMES, counting_sensitivity(TERMS.unit), noise, lambda _: None)
    drawn = found.rows(20_000, np.random.default_rng(5))
    wage, hours = (drawn[:, place] >= COLUMNS[place].regular for place in (0, 3))
    assert 0.024 < (wage & hours).mean() < 0.036
    assert 0.006 > (wage ^ hours).mean()
    assert NAMES == tuple(sorted(found.model(("hours",)).names, key=NAMES.index))
