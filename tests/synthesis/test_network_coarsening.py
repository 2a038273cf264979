import numpy as np
import pytest

from reaedp import Boolean, Category, Integer
from reaedp.errors import DeclarationError
from reaedp.synthesis.coarsening import coarsen, estimated_shares, smoothed
from reaedp.synthesis.dependencies import Candidate, candidates, misplaced, most_cells
from reaedp.synthesis.shrinkage import shrunk

AGE = Integer(name="age", lower=0, upper=99, provenance="public")
TOWN = Category(name="town", levels=tuple(f"t{number}" for number in range(40)), provenance="public")


def test_neighbours_are_merged_and_a_heavy_cell_stays_alone() -> None:
    counts = np.zeros(AGE.size)
    counts[:100] = 100.0
    counts[40] = 10_000.0
    coarse = coarsen(AGE, counts, 1.0, 10, 1 / 30)
    cell = coarse.merging.cell
    assert np.all((np.diff(cell[:100]) == 0) | (np.diff(cell[:100]) == 1))
    assert 1 == (cell[:100] == cell[40]).sum()
    # Nulls and other troubles come after the numbers and are not merged with them.
    assert set(cell[100:]).isdisjoint(cell[:100])


def test_rare_categories_share_a_cell() -> None:
    counts = np.ones(TOWN.size)
    counts[[3, 7]] = 1000.0
    coarse = coarsen(TOWN, counts, 1.0, 10, 1 / 30)
    assert 3 == coarse.size
    assert coarse.merging.cell[3] != coarse.merging.cell[7]
    assert 1.0 == pytest.approx(coarse.coarse_shares.sum())


def test_every_level_that_stands_out_keeps_a_cell_however_many_there_are() -> None:
    counts = np.full(TOWN.size, 5.0)
    counts[:30] = 100.0
    coarse = coarsen(TOWN, counts, 1.0, 4, 90 / counts.sum())
    assert 31 == coarse.size
    assert 30 == len(set(coarse.merging.cell[:30]))


def test_views_are_coarser_and_coarser_and_begin_with_the_cells_themselves() -> None:
    coarse = coarsen(AGE, np.full(AGE.size, 100.0), 1.0, 32, 0.01)
    sizes = [view.size for view in coarse.views]
    assert coarse.size == sizes[0]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(sizes) > 1
    for view, parent in zip(coarse.views[1:], coarse.parents[1:], strict=True):
        assert view.follows(coarse.views[parent])
        assert np.array_equal(view.cell, view.after(coarse.views[parent]).cell[coarse.views[parent].cell])


@pytest.mark.parametrize("column", [Boolean(name="b", provenance="public"), TOWN, AGE], ids=lambda column: column.kind)
@pytest.mark.parametrize("level", [-1e6, 0.0, 1e12])
def test_any_noisy_counts_give_positive_shares(column: AGE, level: float) -> None:
    rng = np.random.default_rng(1)
    coarse = coarsen(column, level + rng.normal(0, 50, column.size), 50.0, 8, 0.05)
    assert np.all(coarse.shares > 0)
    assert 1.0 == pytest.approx(coarse.shares.sum())


def test_doubtful_cells_keep_their_sum() -> None:
    noisy = np.array([1000.0, 20.0, -10.0, 5.0, 15.0])
    shares = estimated_shares(noisy, 10.0, smooth=0, regular=5)
    assert 30 / 1030 == pytest.approx(shares[1:].sum(), rel=1e-6)


def test_rows_that_no_cell_shows_are_in_cells_that_noise_hides() -> None:
    noisy = np.array([400.0, 3.0, -8.0, 5.0, -10.0, 0.0])  # the last cell is one of troubles
    known = estimated_shares(noisy, 10.0, smooth=0, regular=5, total=500.0)
    # Their own sum is -10 ± 20, what the others leave 100 ± 14 (two cells): weighted by the cells of the other, 63.
    assert 63.3 / 463.3 == pytest.approx(known[1:5].sum(), abs=0.002)
    assert known[5] < 1e-8
    guess = (2 * -10 + 4 * 15) / 6
    assert guess / (400 + guess) == pytest.approx(
        estimated_shares(noisy, 10.0, smooth=0, regular=5, total=415.0)[1:5].sum(), abs=1e-6
    )
    for total in (None, 400.0):  # nothing is left for them
        assert estimated_shares(noisy, 10.0, smooth=0, regular=5, total=total)[1:5].sum() < 1e-6


def test_a_broad_column_under_heavy_noise_does_not_end_up_in_a_few_cells() -> None:
    truth = np.concatenate([[210.0], np.full(45, 16.0), np.full(45, 2.0)])
    off = []
    for seed in range(200):
        noisy = truth + np.random.default_rng(seed).normal(0, 22, 91)
        shares = estimated_shares(noisy, 22.0, smooth=91, regular=91, along=91, total=truth.sum())
        off.append(np.abs(shares - truth / truth.sum()).sum() / 2)
    assert np.mean(off) < 0.25
    assert max(off) < 0.5


def test_missing_values_have_rows_only_if_they_stand_out_from_the_noise() -> None:
    noisy = np.array([1000.0, 500.0, 45.0, 60.0])  # the last two are cells of troubles; five deviations are 50
    doubtful, sure = estimated_shares(noisy, 10.0, smooth=0, regular=2)[2:]
    assert doubtful < 1e-8
    assert 60 / 1560 == pytest.approx(sure, rel=1e-6)


def test_smoothing_keeps_sums_and_jumps_and_removes_noise() -> None:
    """Of the noise in a flat column runs of eight cells leave one in √8; 2.5 deviations pass once in 80 differences."""
    rng = np.random.default_rng(2)
    truth = np.repeat([100.0, 5000.0, 100.0], [30, 1, 69])
    noisy = truth + rng.normal(0, 10, 100)
    smooth = smoothed(noisy, 10.0)
    assert noisy.sum() == pytest.approx(smooth.sum(), rel=0.02)
    assert 5000 == pytest.approx(smooth[30], rel=0.02)
    assert np.abs(smooth - truth)[40:].mean() < 0.7 * np.abs(noisy - truth)[40:].mean()
    assert np.array_equal(np.zeros(0), smoothed(np.zeros(0), 1.0))


def test_candidates_are_all_views_that_noise_leaves_visible() -> None:
    columns = [coarsen(AGE, np.full(AGE.size, 100.0), 1.0, 32, 0.01) for _ in range(2)]
    views = len(columns[0].views)
    assert views**2 == len(candidates([(0, 1)], columns, 1e9))
    smallest = columns[0].views[-1].size ** 2
    assert [Candidate((0, 1), (views - 1, views - 1))] == candidates([(0, 1)], columns, smallest)
    assert [] == candidates([(0, 1)], columns, most_cells(10.0, 100.0))


def test_misplaced_rows_are_half_the_distance_beyond_the_noise() -> None:
    noisy, expected = np.array([130, 70]), np.array([100.0, 100.0])
    assert 30.0 == pytest.approx(misplaced(noisy, expected, 1e-9))
    assert 0.0 == misplaced(noisy, expected, 1e3)


SHOPS = tuple(f"s{number}" for number in range(40))


def grouped(groups: list[str]) -> Category:
    return Category(name="shop", levels=SHOPS, groups=tuple(groups), provenance="public")


def test_rare_levels_share_a_cell_with_others_of_their_declared_group() -> None:
    counts = np.full(TOWN.size, 10.0)
    counts[[3, 7]] = 1000.0
    coarse = coarsen(grouped([f"r{number % 4}" for number in range(40)]), counts, 1.0, 10, 50 / counts.sum())
    cell = coarse.merging.cell
    rare = [number for number in range(40) if number not in (3, 7)]
    assert 2 + 4 == len(set(cell[:40]))
    assert all((cell[one] == cell[other]) == (one % 4 == other % 4) for one in rare for other in rare)
    # One of the views tells the groups apart, and nothing else: missing and unseen values were merged, as before.
    assert any(
        all(
            (view.cell[cell[one]] == view.cell[cell[other]]) == (one % 4 == other % 4) for one in rare for other in rare
        )
        and view.cell[cell[3]] == view.cell[cell[7]] == view.cell[cell[11]]
        for view in coarse.views[1:]
    )


def test_groups_that_are_too_rare_are_joined_in_the_wider_group_around_them() -> None:
    counts = np.full(TOWN.size, 10.0)
    names = [f"{'east' if number < 20 else 'west'} > {number // 2}" for number in range(40)]
    coarse = coarsen(grouped(names), counts, 1.0, 10, 100 / counts.sum())
    cell = coarse.merging.cell
    assert [1, 1] == [len(set(cell[:20])), len(set(cell[20:40]))]
    assert cell[0] != cell[39]


def test_views_by_groups_are_nested_whatever_the_counts() -> None:
    rng = np.random.default_rng(3)
    names = [f"{'abc'[number % 3]} > {number % 9} > {number % 18}" if number % 5 else "alone" for number in range(40)]
    for _ in range(30):
        counts = rng.pareto(0.8, TOWN.size) * 20 - 10
        coarse = coarsen(grouped(names), counts, 3.0, 10, float(rng.choice([0.001, 0.02, 0.2, 2.0])))
        for view, parent in zip(coarse.views[1:], coarse.parents[1:], strict=True):
            assert view.follows(coarse.views[parent])
            assert 1 < view.size < coarse.views[parent].size


def test_groups_that_do_not_fit_the_levels_are_refused() -> None:
    for groups in (["north"], ["north"] * 39 + [""], ["north"] * 39 + ["Europe > "]):
        with pytest.raises(
            DeclarationError, match=r"columns\.shop\.groups must be a list with the group of each level"
        ):
            grouped(groups)


def error(estimate: np.ndarray, truth: np.ndarray) -> float:
    return float(np.abs(estimate / estimate.sum() - truth / truth.sum()).sum()) / 2


LAWS = {
    "all alike": np.ones(200),
    "a few heavy ones": np.concatenate([np.full(5, 100.0), np.ones(195)]),
    "one after the other rarer": 1 / np.arange(1.0, 201.0),
    "most empty": np.concatenate([np.full(6, 10.0), np.zeros(194)]),
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("rows", [3_000, 30_000])
def test_levels_that_noise_hides_are_nearer_to_the_truth_than_their_positive_parts(law: np.ndarray, rows: int) -> None:
    """Ten draws together differ by far more than their chance: an error of one is uncertain by some 3 %."""
    rng, truth = np.random.default_rng(rows), rows * law / law.sum()
    noisy = [np.rint(truth + rng.normal(0, 30, len(truth))) for _ in range(10)]
    plain = np.mean([error(np.maximum(each, 0.0), truth) for each in noisy])
    found = np.mean([error(shrunk(each, 30.0, len(truth), float(rows)), truth) for each in noisy])
    assert found < 1.001 * plain
    if plain > 0.2:
        assert found < 0.9 * plain


@pytest.mark.parametrize("size", [1, 2, 5, 300])
@pytest.mark.parametrize("middle", [-1e9, -50.0, 0.0, 50.0, 1e12])
@pytest.mark.parametrize("total", [None, 0.0, 1e6])
def test_whatever_noise_makes_of_a_column_its_shares_are_shares(size: int, middle: float, total: float | None) -> None:
    noisy = middle + np.random.default_rng(size).normal(0, 20, size)
    shares = estimated_shares(noisy, 20.0, smooth=0, regular=max(1, size - 1), total=total)
    assert (shares > 0).all()
    assert shares.sum() == pytest.approx(1)


def test_counts_that_speak_for_themselves_stay_and_those_of_troubles_are_not_touched() -> None:
    rows = np.array([500.0, 90.0, 10.0, -4.0, 0.0, 7.0])
    found = shrunk(rows, 10.0, 4, None)
    assert [500, 90] == found[:2].tolist()
    assert [0, 7] == found[4:].tolist()
    assert found[2:4].sum() == pytest.approx(6)
    assert found[2] > found[3] > 0
