import math
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaedp.errors import DeclarationError
from reaedp.evaluation import prediction_utility as prediction
from reaedp.evaluation import utility as module
from reaedp.evaluation.prediction_utility import PredictionUtility, auc, auc_parts, prediction_utility
from reaedp.evaluation.utility import Utility, column_sets, marginal_distances, sampled_sets, utility

SIZES = (2, 3, 4, 5)


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def rows(count: int, sizes: tuple[int, ...] = SIZES, seed: int = 1) -> Any:
    return np.random.default_rng(seed).integers(0, sizes, (count, len(sizes)))


def shares(table: Any, columns: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    counts = Counter(map(tuple, table[:, list(columns)].tolist()))
    return {cell: count / len(table) for cell, count in counts.items()}


def distance_by_hand(real: Any, synthetic: Any, columns: tuple[int, ...]) -> float:
    p, q = shares(real, columns), shares(synthetic, columns)
    return 0.5 * math.fsum(abs(p.get(cell, 0) - q.get(cell, 0)) for cell in p.keys() | q.keys())


def entropy_by_hand(table: Any, columns: tuple[int, ...]) -> float:
    return -math.fsum(p * math.log2(p) for p in shares(table, columns).values())


@st.composite
def two_tables(draw: st.DrawFn) -> tuple[Any, Any, tuple[int, ...]]:
    sizes = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    seed = draw(st.integers(0, 1000))
    return rows(draw(st.integers(1, 30)), sizes, seed), rows(draw(st.integers(1, 30)), sizes, seed + 1), sizes


def test_distances_that_can_be_computed_by_hand() -> None:
    real, synthetic = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([[0, 0], [1, 1]])
    # Each column is half and half in both; two of four pairs of values are missing.
    assert [0.0, 0.0, 0.5] == marginal_distances(real, synthetic, (2, 2), [(0,), (1,), (0, 1)]).tolist()


@settings(deadline=None)
@given(two_tables())
def test_measures_equal_those_counted_cell_by_cell(tables: tuple[Any, Any, tuple[int, ...]]) -> None:
    real, synthetic, sizes = tables
    measured = utility(real, synthetic, sizes, rng=rng())
    for distances in measured.distances:
        by_hand = [distance_by_hand(real, synthetic, s) for s in combinations(range(len(sizes)), distances.ways)]
        assert len(by_hand) == distances.marginals
        assert np.mean(by_hand) == pytest.approx(distances.mean, abs=1e-12)
        assert max(by_hand) == pytest.approx(distances.worst, abs=1e-12)

    def information(table: Any, a: int, b: int) -> float:
        return entropy_by_hand(table, (a,)) + entropy_by_hand(table, (b,)) - entropy_by_hand(table, (a, b))

    singles = [abs(entropy_by_hand(real, (c,)) - entropy_by_hand(synthetic, (c,))) for c in range(len(sizes))]
    pairs = [abs(information(real, a, b) - information(synthetic, a, b)) for a, b in column_sets(len(sizes), 2)]
    assert np.mean(singles) == pytest.approx(measured.entropy_error, abs=1e-9)
    assert (np.mean(pairs) if pairs else None) == pytest.approx(measured.information_error, abs=1e-9)


@settings(deadline=None)
@given(two_tables())
def test_a_coarser_marginal_is_never_further_away_than_a_finer_one(tables: tuple[Any, Any, tuple[int, ...]]) -> None:
    real, synthetic, sizes = tables
    for ways in range(1, len(sizes)):
        for finer in column_sets(len(sizes), ways + 1):
            coarser = marginal_distances(real, synthetic, sizes, list(combinations(finer, ways)))
            assert coarser.max() <= marginal_distances(real, synthetic, sizes, [finer])[0]


def test_a_table_is_at_no_distance_from_itself_in_any_order_and_number_of_copies() -> None:
    real = rows(97)
    measured = utility(real, np.tile(real[::-1], (3, 1)), SIZES, rng=rng())
    assert [0.0] * 8 == [figure.value for figure in measured.summary]


def test_tables_without_a_common_value_are_at_distance_one() -> None:
    real = rows(50)
    measured = utility(real, real + np.array(SIZES), [2 * size for size in SIZES], rng=rng())
    assert {1.0} == {value for distances in measured.distances for value in (distances.mean, distances.worst)}


def test_numbers_outside_their_axis_are_one_cell_more() -> None:
    real, broken = np.array([[0], [1]]), np.array([[0], [9], [-1], [2]])
    assert [0.75] == marginal_distances(real, broken, (2,), [(0,)]).tolist()


def test_a_table_without_rows_overlaps_with_nothing() -> None:
    assert [1.0, 1.0] == marginal_distances(rows(5), rows(0), SIZES, [(0,), (1, 2)]).tolist()


def test_counting_by_sorting_and_in_an_array_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    real, synthetic = rows(40), rows(60, seed=2)
    expected = utility(real, synthetic, SIZES, rng=rng())
    for limit in (0, 1000):
        monkeypatch.setattr(module, "MOST_CELLS_TO_A_ROW", limit)
        values = [figure.value for figure in utility(real, synthetic, SIZES, rng=rng()).summary]
        assert [figure.value for figure in expected.summary] == pytest.approx(values, abs=1e-12)


def test_columns_too_large_to_number_their_products_are_counted() -> None:
    size = 10_000_000
    real = np.full((3, 3), size - 1)
    assert [1 / 3] == marginal_distances(real, real - np.eye(3, dtype=int)[:1].T, (size,) * 3, [(0, 1, 2)]).tolist()


def test_a_sample_of_triples_is_fixed_by_its_generator_and_gives_a_range() -> None:
    sizes = (3,) * 10
    real, synthetic = rows(200, sizes), rows(150, sizes, seed=2)
    sets = sampled_sets(10, 3, 20, rng())
    assert sampled_sets(10, 3, 20, rng()) == sets == sorted(set(sets))
    three = utility(real, synthetic, sizes, rng=rng(), triples=20).distances[2]
    assert (20, marginal_distances(real, synthetic, sizes, sets).max()) == (three.marginals, three.worst)
    everything = utility(real, synthetic, sizes, rng=rng()).distances[2]
    assert (120, None) == (everything.marginals, everything.sampling)
    assert three.sampling is not None
    assert 0 <= three.sampling.low < three.mean < three.sampling.high <= 1


@pytest.mark.slow
def test_the_summary_names_every_measure_and_gives_ranges_where_there_are_some() -> None:
    real = rows(300)
    measured = utility(real, rows(300, seed=2), SIZES, rng=rng(), triples=3, label=0, test=rows(100, seed=3))
    with_range = {figure.measure for figure in measured.summary if figure.low is not None}
    without = {figure.measure for figure in measured.summary} - with_range
    assert measured.prediction is not None
    assert {"total variation, 3-way, mean", *measured.prediction.rates} == with_range
    assert {
        *(f"total variation, {ways}-way, {which}" for ways in (1, 2, 3) for which in ("mean", "worst")),
        "entropy error, bits",
        "mutual information error, bits",
    } - with_range == without
    for figure in measured.summary:
        assert figure.low is None or figure.high is None or figure.low <= figure.value <= figure.high


def test_figures_measured_on_the_truth_are_not_for_disclosure() -> None:
    assert (False, False) == (Utility.disclosable, PredictionUtility.disclosable)


def test_incomplete_or_unequal_tables_are_refused() -> None:
    real = rows(10)
    with pytest.raises(DeclarationError, match="4 columns"):
        utility(real, real[:, :3], SIZES, rng=rng())
    with pytest.raises(DeclarationError, match="at least one"):
        utility(real[:, :0], real[:, :0], (), rng=rng())
    with pytest.raises(DeclarationError, match="given together"):
        utility(real, real, SIZES, rng=rng(), label=0)
    for label, test in ((4, real), (0, real[:1]), (0, real[:, :3])):
        with pytest.raises(DeclarationError, match="position of one of 4 columns"):
            utility(real, real, SIZES, rng=rng(), label=label, test=test)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5), st.integers(0, 5), st.integers(0, 5)), min_size=2))
def test_the_area_is_the_share_of_pairs_in_the_right_order(cases: list[tuple[int, int, int, int]]) -> None:
    truth, scores = np.array(cases)[:, 0], np.array(cases)[:, 1:].astype(float)

    def by_hand(one: int) -> float:
        pairs = [np.sign(a - b) for a in scores[truth == one, one] for b in scores[truth != one, one]]
        return float(np.mean(pairs)) / 2 + 0.5

    present = set(truth.tolist())
    expected = np.mean([by_hand(one) for one in present]) if len(present) > 1 else 0.5
    assert expected == pytest.approx(auc(truth, scores).value, abs=1e-12)
    assert expected == pytest.approx(auc_parts(truth, scores).mean(), abs=1e-12)


def test_the_parts_have_the_variance_of_delong_delong_and_clarke_pearson() -> None:
    # By hand: positives 3, 1, 4 win 1, 0.5, 1 of their pairs with negatives 0, 2; those lose 0 and 1/3.
    truth, score = np.array([1, 1, 1, 0, 0]), np.array([3.0, 1.0, 4.0, 0.0, 2.0])
    parts = auc_parts(truth, np.column_stack([-score, score]))
    area, wins, losses = 5 / 6, np.array([1, 0.5, 1]), np.array([1, 2 / 3])
    # Without the factors m / (m - 1), which DeLong has for each side and Student's range once for all rows.
    expected = np.mean((wins - area) ** 2) / 3 + np.mean((losses - area) ** 2) / 2
    assert area == pytest.approx(parts.mean())
    assert expected == pytest.approx(parts.var() / len(parts))


@pytest.mark.slow
def test_the_range_of_an_area_contains_the_truth_about_as_often_as_it_says() -> None:
    generator, runs, covered = np.random.default_rng(3), 2000, 0
    for _ in range(runs):
        truth = generator.permutation(np.arange(200) % 4 == 0).astype(int)
        # P(N(1, 1) > N(0, 1)) = Φ(1/√2) = 0.7602499.
        score = generator.normal(size=200) + truth
        rate = auc(truth, np.column_stack([-score, score]))
        covered += rate.low <= 0.7602499 <= rate.high
    # 2000 runs have deviation 0.0049; five of them have probability 6e-7, and the range itself may be 0.01 off.
    assert 0.95 == pytest.approx(covered / runs, abs=0.035)


def test_no_spread_in_the_test_rows_still_leaves_a_range() -> None:
    truth = np.array([0, 0, 0, 1, 1])
    perfect = auc(truth, np.column_stack([1 - truth, truth]).astype(float))
    # At the lower end two disjoint pairs are in order with probability 0.0125: 0.05 over two sides and two classes.
    assert (1.0, 1.0) == (perfect.value, perfect.high)
    assert math.sqrt(0.0125) == pytest.approx(perfect.low)
    alone = auc(np.zeros(5, dtype=int), np.ones((5, 1)))
    assert (0.5, 0.0, 1.0) == (alone.value, alone.low, alone.high)


def labelled(count: int, seed: int) -> Any:
    """A label that equals the first column four times out of five."""
    generator = np.random.default_rng(seed)
    first = generator.integers(0, 2, count)
    flipped = generator.random(count) < 0.2
    return np.column_stack([first, generator.integers(0, 3, count), np.where(flipped, 1 - first, first)])


@pytest.mark.slow
def test_a_model_trained_on_rows_without_the_dependence_loses_what_there_is_to_know() -> None:
    real, test = labelled(2000, 1), labelled(2000, 2)
    broken = rng().permuted(real, axis=0)
    measured = prediction_utility(real, broken, test, 2)
    # Best possible 0.8 for both; 2000 test rows have deviation 0.009, and five of them have probability 6e-7.
    assert 0.8 == pytest.approx(measured.real_accuracy.value, abs=0.05)
    assert 0.8 == pytest.approx(measured.real_auc.value, abs=0.05)
    assert 0.5 == pytest.approx(measured.constant_accuracy.value, abs=0.06)
    assert measured.lost_auc.low > 0.1
    assert measured.real_auc.value - measured.synthetic_auc.value == pytest.approx(measured.lost_auc.value)
    assert measured.real_accuracy.value - measured.synthetic_accuracy.value == pytest.approx(
        measured.lost_accuracy.value
    )


@pytest.mark.slow
def test_the_same_training_rows_lose_nothing() -> None:
    real, test = labelled(500, 1), labelled(300, 2)
    measured = prediction_utility(real, real, test, 2)
    assert measured.real_auc == measured.synthetic_auc
    assert (0.0, 0.0) == (measured.lost_auc.value, measured.lost_accuracy.value)
    assert measured.lost_accuracy.low < 0 < measured.lost_accuracy.high


@pytest.mark.slow
@pytest.mark.parametrize("synthetic", [np.array([[0, 0, 1], [1, 2, 1]]), np.zeros((0, 3), dtype=int)])
def test_a_lost_label_leaves_a_constant_guess(synthetic: Any) -> None:
    test = labelled(300, 2)
    measured = prediction_utility(labelled(500, 1), synthetic, test, 2)
    guess = 1 if len(synthetic) else 0
    assert (test[:, 2] == guess).mean() == measured.synthetic_accuracy.value
    assert 0.5 == measured.synthetic_auc.value


def test_a_label_alone_is_guessed() -> None:
    only = np.array([[0], [1], [1]])
    assert 2 / 3 == prediction_utility(only, only, only, 0).real_accuracy.value


@pytest.mark.slow
@settings(max_examples=3, deadline=None)
@given(st.integers(2, 4), st.integers(0, 100))
def test_prediction_equals_that_of_the_library_used_plainly(classes: int, seed: int) -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score

    sizes = (4, 4, classes)
    train, test = rows(200, sizes, seed), rows(100, sizes, seed + 1)
    model = HistGradientBoostingClassifier(max_iter=100, early_stopping=False, random_state=0)
    scores = model.fit(train[:, :2], train[:, 2]).predict_proba(test[:, :2])
    truth = test[:, 2]
    measured = prediction_utility(train, train, test, 2)
    expected = np.mean([roc_auc_score(truth == one, scores[:, one]) for one in range(classes)])
    assert expected == pytest.approx(measured.real_auc.value)
    assert (scores.argmax(axis=1) == truth).mean() == measured.real_accuracy.value
    assert prediction.CONFIDENCE == measured.real_auc.confidence
