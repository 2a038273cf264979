"""Flags of missing values: which columns have one, that it follows its column, and what is missing together."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from reaedp import Boolean, Budget, Category, Contract, Integer, Unit
from reaedp.mechanisms.noise import SeededNoise
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.synthesis.cliques import junction_tree
from reaedp.synthesis.coarsening import Coarsening, coarsen
from reaedp.synthesis.dependencies import coarse_counts
from reaedp.synthesis.fitting import NoisyTable, fit
from reaedp.synthesis.flags import Flags
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.merging import Merging
from reaedp.table import KeyCounts

COLUMNS = (
    Integer(name="wage", lower=0, upper=29, provenance="public"),
    Category(name="sector", levels=tuple("abcdefgh"), provenance="public"),
    Boolean(name="member", provenance="public"),
    Integer(name="hours", lower=0, upper=29, provenance="public"),
)
NAMES = tuple(column.name for column in COLUMNS)
TERMS = Contract(dataset="d", unit=Unit("add-remove"), budget=Budget(9, 1e-6), ledger="unused", columns=COLUMNS)


@dataclass
class Rows:
    """Records as an array of cell numbers."""

    contract: Contract
    codes: np.ndarray

    def group_counts(self, groups: Sequence[tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], KeyCounts]]:
        for group in groups:
            keys, counts = np.unique(self.codes[:, [NAMES.index(name) for name in group]], axis=0, return_counts=True)
            yield group, KeyCounts(self.contract.select(group), keys.astype(np.int32), counts.astype(np.int64))

    @property
    def progress(self) -> Callable[[str], None]:
        return lambda _: None


def sample(count: int, seed: int) -> np.ndarray:
    """Wage and hours are missing together in 3 % of the rows, and nothing else ever is."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, size, count) for size in (30, 8, 2, 30)])
    missing = rng.random(count) < 0.03
    codes[missing, 0], codes[missing, 3] = COLUMNS[0].regular, COLUMNS[3].regular
    return codes


def flags_of(codes: np.ndarray) -> tuple[list[Coarsening], Flags]:
    coarse = [
        coarsen(column, np.bincount(codes[:, place], minlength=column.size).astype(float), 1.0, 10, 0.01)
        for place, column in enumerate(COLUMNS)
    ]
    return coarse, Flags.of(COLUMNS, coarse, 0.01)


def test_columns_whose_missing_values_stand_out_have_a_flag() -> None:
    _, flags = flags_of(sample(5000, 1))
    assert (0, 3) == flags.owners
    assert [0, 1, 2, 3, 0, 3] == [flags.column(number) for number in range(6)]
    assert (4, 5) in flags.pairs
    assert (0, 5) in flags.pairs
    assert (0, 4) not in flags.pairs
    assert [True, True, False] == [flags.alike(group) for group in ((0, 1), (4, 5), (1, 4))]
    complete = sample(5000, 1)
    complete[:, [0, 3]] %= 30
    assert () == flags_of(complete)[1].owners


def test_flags_are_counted_from_their_columns() -> None:
    codes = sample(500, 2)
    coarse, flags = flags_of(codes)
    names = [NAMES[flags.column(number)] for number in range(6)]
    groups = [(0, 3), (4, 5), (3, 4), (1, 5), (1, 4, 5)]
    views = [*coarse, *flags.coarsenings]
    found = dict(coarse_counts(Rows(TERMS, codes), names, groups, views))
    assert set(groups) == set(found)
    for group in groups:
        expected = np.zeros([views[number].size for number in group], dtype=np.int64)
        for row in codes:
            expected[tuple(views[number].merging.cell[row[flags.column(number)]] for number in group)] += 1
        assert np.array_equal(expected, found[group])


def test_a_flag_never_contradicts_its_column() -> None:
    coarse, flags = flags_of(sample(5000, 3))
    sizes = [*(each.size for each in coarse), 2, 2]
    tree = junction_tree(sizes, [(4, 5), *(link.group for link in flags.links)])
    shares = [*(each.coarse_shares for each in coarse), np.ones(2), np.ones(2)]
    table = NoisyTable((4, 5), (Merging.none(2),) * 2, np.array([[4850.0, 0.0], [0.0, 150.0]]), np.full((2, 2), 5.0))
    _, beliefs = fit(tree, shares, [table], 5000.0, [np.zeros((2, 2))], iterations=200, links=flags.links)
    np.testing.assert_allclose(table.counts, 5000 * beliefs.marginal((4, 5)), atol=20)
    for link in flags.links:
        law = beliefs.marginal(link.group)
        assert 1e-12 > law[link.logarithm < 0].sum()
        np.testing.assert_allclose(shares[link.group[0]], law.sum(axis=1), atol=0.01)


def test_columns_that_are_missing_together_stay_so() -> None:
    """600 of 20,000 rows; the table of both flags has noise of some twenty rows a cell."""
    network = MarginalModel.within(1.0, 1e-6, TERMS, NAMES)
    noise = SeededNoise(np.random.default_rng(4))
    records = Rows(TERMS, sample(20_000, 4))
    found = network.learn(records, NAMES, counting_sensitivity(TERMS.unit), noise, lambda _: None)
    drawn = found.rows(20_000, np.random.default_rng(5))
    wage, hours = (drawn[:, place] >= COLUMNS[place].regular for place in (0, 3))
    assert 0.024 < (wage & hours).mean() < 0.036
    assert 0.006 > (wage ^ hours).mean()
    assert NAMES == tuple(sorted(found.model(("hours",)).names, key=NAMES.index))
