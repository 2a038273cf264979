"""The entropy map: exact numbers, consistency, error bars."""

import itertools
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reaedp import Budget, Category, Contract, Curator, EntropyMap, Forecast, Gaussian, Integer, Laplace, Number, Unit
from reaedp.contract.column import Column
from reaedp.curator.records import Records
from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated, Mechanism
from reaedp.mechanisms.noise import SeededNoise
from reaedp.plan.request import Request
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.entropy.consistency import consistent
from reaedp.statistics.entropy.information import InformationMap, spread_of_three
from tests_support import ledger_in

Floats = NDArray[np.float64]
ROWS = 3_000
COLUMNS: tuple[Column, ...] = (
    Integer(name="age", lower=0, upper=9, provenance="public"),
    Category(name="band", levels=("young", "old"), provenance="public"),
    Number(name="income", lower=0, upper=1, bins=5, provenance="public"),
    Category(name="sex", levels=("f", "m"), provenance="public"),
)
NAMES = tuple(column.name for column in COLUMNS)
MAP = EntropyMap(*NAMES)


def contract(folder: Path | str = "unused", unit: Unit | None = None) -> Contract:
    return Contract(
        dataset="d",
        unit=unit or Unit("replace", at_least=ROWS),
        budget=Budget(10, 1e-6),
        ledger=f"{folder}/budget.sqlite",
        columns=COLUMNS,
    )


def people() -> pd.DataFrame:
    """`band` is determined by `age`, `income` depends on it, `sex` on nothing; some cells are empty."""
    rng = np.random.default_rng(11)
    age = rng.integers(0, 10, ROWS)
    band = np.where(age < 4, "young", "old").astype(object)
    income = np.clip(age / 20 + rng.random(ROWS) / 2, 0, 1)
    income[rng.random(ROWS) < 0.1] = np.nan
    sex = rng.choice(np.array(["f", "m", None], dtype=object), ROWS)
    return pd.DataFrame({"age": age, "band": band, "income": income, "sex": sex})


def entropy(counts: Any) -> float:
    shares = np.asarray(counts, dtype=float).ravel() / np.sum(counts)
    return float(-sum(share * math.log2(share) for share in shares if share > 0))


@cache
def by_pandas() -> Floats:
    """Entropies of cross tables, with single entropies on the diagonal."""
    data = people()
    data["income"] = pd.cut(data["income"], np.linspace(0, 1, 6), right=False)
    cells = {name: pd.Series([str(value) for value in data[name]]) for name in NAMES}  # a missing value is a cell too
    return np.array([[entropy(pd.crosstab(cells[a], cells[b]).to_numpy()) for b in NAMES] for a in NAMES])


def as_vector(matrix: Floats) -> Floats:
    return np.concatenate([np.diagonal(matrix), matrix[np.triu_indices(len(matrix), 1)]])


def test_the_exact_numbers_are_the_entropies_of_cross_tables() -> None:
    measured = MAP.measure(Records(contract(), people()))
    assert as_vector(by_pandas()) == pytest.approx(measured, abs=1e-12)
    assert ("H(age)", "H(sex)", "H(age, band)", "H(income, sex)") == tuple(MAP.names[place] for place in (0, 3, 4, 9))


def test_all_numbers_count_the_same_rows_of_a_person() -> None:
    # With one row of each of 40 people the map obeys H(a, b) ≤ log2 40; rows chosen anew for each pair would still, but
    # the entropies of a column and of its pairs would belong to different tables, and H(a) > H(a, b) would occur.
    data = people().assign(p=np.arange(ROWS) % 40)
    terms = contract(unit=Unit("replace", person="p", max_rows=1, at_least=40))
    kept = dict(Records(terms, data).group_counts([NAMES]))[NAMES]
    expected = [entropy(kept.project(*group).counts) for group in MAP.groups]
    assert 40 == kept.counts.sum()
    assert expected == pytest.approx(MAP.measure(Records(terms, data)), abs=1e-12)


# Consistency


def broken(entropies: Floats, limits: Floats) -> float:
    """By how much the entropies break an inequality about one or two columns."""
    single = np.diagonal(entropies)
    return float(
        max(
            (single - limits).max(),
            -single.min(),
            (np.maximum(single[:, None], single) - entropies).max(),
            (entropies - single[:, None] - single)[~np.eye(len(single), dtype=bool)].max(),
        )
    )


def broken_triples(entropies: Floats) -> float:
    triples = itertools.permutations(range(len(entropies)), 3)
    excess = [entropies[a, c] + entropies[b, b] - entropies[a, b] - entropies[b, c] for a, b, c in triples]
    return max(excess, default=0.0)


def distance(first: Floats, second: Floats) -> float:
    """The root of the sum of squares in which every pair counts its three entropies."""
    difference = as_vector(first - second)
    weights = np.ones(len(difference))
    weights[: len(first)] = len(first) - 1
    return float(np.sqrt(weights @ difference**2))


@st.composite
def real_entropies(draw: st.DrawFn) -> tuple[Floats, Floats]:
    """Entropies of the columns of some table, and what they could be at most."""
    size = draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sizes = rng.integers(1, 9, size)
    hidden = rng.integers(0, 9, (draw(st.integers(1, 40)), 1))
    own = rng.integers(0, 9, (len(hidden), size))
    table = np.where(rng.random(own.shape) < rng.random(size), hidden, own) % sizes
    keys = [[table[:, a] * 9 + table[:, b] for b in range(size)] for a in range(size)]
    counts = [[np.unique(key, return_counts=True)[1] for key in row] for row in keys]
    return np.array([[entropy(count) for count in row] for row in counts]), np.log2(sizes)


@st.composite
def noisy_entropies(draw: st.DrawFn) -> tuple[Floats, Floats, Floats, float]:
    """Real entropies, their limits, noisy entropies, and the noise's scale."""
    real, limits = draw(real_entropies())
    scale = draw(st.sampled_from([0.001, 0.05, 0.5, 3.0]))
    noise = np.random.default_rng(draw(st.integers(0, 2**32))).normal(0, scale, real.shape)
    return real, limits, real + np.triu(noise) + np.triu(noise, 1).T, scale


@settings(max_examples=150, deadline=None)
@given(noisy_entropies())
def test_consistent_entropies_obey_every_inequality(drawn: tuple[Floats, Floats, Floats, float]) -> None:
    _, limits, noisy, scale = drawn
    found = consistent(noisy, limits, 1e-3 * scale)
    assert np.array_equal(found, found.T)
    assert broken(found, limits) <= 1e-14
    # The search stops within its tolerance of an inequality; the repair of pairs moves them by little more.
    assert broken_triples(found) <= 0.02 * scale


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(noisy_entropies())
def test_consistent_entropies_are_nearer_to_the_truth_and_nothing_possible_is_nearer_to_the_noisy_ones(
    drawn: tuple[Floats, Floats, Floats, float],
) -> None:
    real, limits, noisy, scale = drawn
    found = consistent(noisy, limits, 1e-3 * scale)
    assert distance(found, real) <= distance(noisy, real) + 0.05 * scale
    assert distance(found, noisy) <= distance(real, noisy) + 0.05 * scale


@settings(max_examples=30, deadline=None)
@given(noisy_entropies())
def test_consistent_entropies_are_the_nearest(drawn: tuple[Floats, Floats, Floats, float]) -> None:
    """A general solver for problems with inequalities finds the same."""
    from scipy.optimize import minimize

    _, limits, noisy, scale = drawn
    size = len(limits)
    pairs = np.triu_indices(size, 1)

    def matrix(vector: Floats) -> Floats:
        full = np.zeros((size, size))
        full[pairs] = vector[size:]
        return full + full.T + np.diag(vector[:size])

    def slack(vector: Floats) -> Floats:
        full, single = matrix(vector), vector[:size]
        triples = [
            full[a, b] + full[b, c] - full[a, c] - single[b] for a, b, c in itertools.permutations(range(size), 3)
        ]
        both = [single[a] + single[b] - full[a, b] for a, b in zip(*pairs, strict=True)]
        each = [full[a, b] - single[c] for a, b in zip(*pairs, strict=True) for c in (a, b)]
        return np.array([*single, *(limits - single), *both, *each, *triples])

    found = consistent(noisy, limits, 1e-3 * scale)
    best = minimize(
        lambda vector: (distance(matrix(vector), noisy) / scale) ** 2,
        as_vector(found),
        constraints={"type": "ineq", "fun": slack},
        method="SLSQP",
        options={"maxiter": 500},
    )
    assert distance(matrix(best.x), found) <= 0.1 * scale


@settings(max_examples=50, deadline=None)
@given(real_entropies())
def test_entropies_without_noise_stay_as_they_are(drawn: tuple[Floats, Floats]) -> None:
    real, limits = drawn
    assert np.allclose(real, consistent(real, limits, 1e-9), rtol=0, atol=1e-8)


def test_fifty_columns_are_made_consistent_even_when_noise_hides_everything() -> None:
    rng = np.random.default_rng(3)
    limits = np.log2(rng.integers(2, 50, 50).astype(float))
    for scale in (0.01, 1.0, 30.0):
        noise = rng.normal(0, scale, (50, 50))
        noisy = limits[:, None] + limits + np.triu(noise, 1) + np.triu(noise, 1).T
        np.fill_diagonal(noisy, limits + np.diagonal(noise))
        found = consistent(noisy, limits, 1e-3 * scale)
        assert broken(found, limits) <= 1e-13


# What follows from the map


def released(noise: Calibrated, seed: int) -> InformationMap:
    exact = MAP.lattice(contract()).rounded(as_vector(by_pandas()))
    return MAP.value(contract(), noise.apply(exact, SeededNoise(np.random.default_rng(seed))))


def calibrated(mechanism: Mechanism) -> Calibrated:
    return Calibrated(mechanism, MAP.sensitivity(contract()))


def test_a_map_with_little_noise_tells_which_columns_tell_about_which() -> None:
    # The noise's scale is √10 · h(1/3000) / √(2 · 5000), below 0.0002 bits; ten times that is never seen.
    found = released(calibrated(Gaussian(5_000.0)), 1)
    truth = by_pandas()
    assert found.entropy("age") == pytest.approx(truth[0, 0], abs=0.002)
    assert found.entropy("income", "age") == pytest.approx(truth[0, 2], abs=0.002)
    assert found.mutual_information("band", "age") == pytest.approx(found.entropy("band"), abs=0.004)
    assert found.mutual_information("sex", "age") == pytest.approx(0, abs=0.02)  # 30 cells and 3,000 rows
    assert 0.2 < found.symmetric_uncertainty("age", "band") < 0.6
    assert 1.0 == found.symmetric_uncertainty("sex", "sex")
    with pytest.raises(DeclarationError, match="Known: age, band, income, sex"):
        found.entropy("height")


def test_information_and_uncertainty_are_computed_from_consistent_entropies() -> None:
    for seed in range(20):
        found = released(calibrated(Laplace(0.5)), seed)  # noise of about a bit
        single = np.diagonal(found.entropies)
        assert (found.information >= 0).all()
        assert (found.information <= np.minimum(single[:, None], single) + 1e-12).all()
        assert (found.uncertainty >= 0).all()
        assert (found.uncertainty <= 1).all()
        assert found.information == pytest.approx(single[:, None] + single - found.entropies)


def test_a_constant_column_tells_nothing() -> None:
    found = InformationMap(("a", "b"), np.zeros((2, 2)), np.zeros((2, 2)), np.zeros(2), 1e-6)
    assert 0.0 == found.symmetric_uncertainty("a", "b") == found.mutual_information("a", "b")


RELEASES = 400
#: More misses in 400 releases have a probability below 10^-8 if one has 0.05; 120 counts make a false alarm of 10^-6.
MOST_MISSES = 50


@pytest.mark.parametrize(
    "mechanism",
    [
        Gaussian(100.0),
        *(pytest.param(noise, marks=pytest.mark.slow) for noise in (Gaussian(0.5), Laplace(1.0), Laplace(50.0))),
    ],
)
def test_error_bars_contain_the_truth_as_often_as_they_say(mechanism: Mechanism) -> None:
    from scipy.stats import binom

    assert binom.sf(MOST_MISSES, RELEASES, 0.05) < 1e-8
    noise, truth = calibrated(mechanism), by_pandas()
    real = InformationMap(NAMES, truth, truth, np.full(4, 9.0), 0.0)
    misses = np.zeros((3, 4, 4))
    for seed in range(RELEASES):
        found = released(noise, seed)
        ends = (found.entropy_ends, found.information_ends, found.uncertainty_ends)
        for kind, (matrix, end) in enumerate(zip((truth, real.information, real.uncertainty), ends, strict=True)):
            low, high = end(noise, 0.95)
            # The oracle's own arithmetic may be off by a little.
            misses[kind] += (matrix < low - 1e-12) | (matrix > high + 1e-12)
            assert (low <= high).all()
    assert misses.max() <= MOST_MISSES
    assert misses[0].max() >= 2  # with 5 % on each side of the bars not all are hidden by what is impossible


@pytest.mark.parametrize("mechanism", [Gaussian(0.001), Laplace(0.01)])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_the_sum_of_three_noises_stays_within_its_spread_and_no_less(mechanism: Mechanism, confidence: float) -> None:
    noise = Calibrated(mechanism, Sensitivity(l1=3, l2_squared=3, linf=2))
    draws = 400_000
    zeros = np.zeros((3, draws), dtype=np.int64)
    sums = np.abs(noise.apply(zeros, SeededNoise(np.random.default_rng(4))).sum(axis=0))
    outside = (sums > spread_of_three(noise, confidence)).mean()
    # Five and a half standard deviations: a false alarm has a probability below 10^-7. The three steps that the
    # Laplace bound adds are below a hundredth of its scale of 300, the step of the Gaussian one of its scale of 39.
    margin = 5.5 * math.sqrt(confidence * (1 - confidence) / draws)
    assert 0.9 * (1 - confidence) - margin <= outside <= 1 - confidence + margin


def law(kind: str, scale: float) -> Floats:
    values = np.arange(-400, 401)
    weights = np.exp(-np.abs(values) / scale) if kind == "laplace" else np.exp(-(values**2) / (2 * scale**2))
    return weights / weights.sum()


@pytest.mark.parametrize("scale", [0.1, 0.3, 0.7, 1.0, 1.9, 2.0, 2.1, 5.0])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_the_spread_of_three_holds_for_exact_laws_of_every_scale(scale: float, confidence: float) -> None:
    for kind, mechanism in (("gaussian", Gaussian(1 / (2 * scale**2))), ("laplace", Laplace(1 / scale))):
        noise = Calibrated(mechanism, Sensitivity(1, 1, 2))
        one = law(kind, noise.scale)
        three = np.convolve(np.convolve(one, one), one)
        sums = np.arange(len(three)) - len(three) // 2
        outside = three[np.abs(sums) > spread_of_three(noise, confidence)].sum()
        assert outside <= (1 - confidence) * (1 + 1e-9)


# The statistic and the curator


def test_the_sensitivity_of_a_map_is_that_of_one_entropy_for_each_number() -> None:
    from reaedp.statistics.entropy.sensitivities import shannon_sensitivity

    one = shannon_sensitivity(ROWS, change="replace")
    found, step = MAP.sensitivity(contract()), MAP.step(contract())
    # Rounded up to a step, which is at most a 1024th of it.
    assert one <= found.linf * step <= one * (1 + 2 / 1024)
    assert (10 * found.linf, 10 * found.linf**2) == (found.l1, found.l2_squared)


def test_gaussian_noise_on_many_entropies_is_far_below_laplace_noise() -> None:
    many = tuple(Integer(name=f"c{i}", lower=0, upper=9, provenance="public") for i in range(50))
    terms = Contract(
        dataset="d", unit=Unit("replace", at_least=10**6), budget=Budget(1, 1e-6), ledger="unused", columns=many
    )
    wanted = EntropyMap(*(column.name for column in many))
    assert 1275 == wanted.cells(terms)
    gaussian = Request("map", wanted, Gaussian.within(1, 1e-6, wanted.sensitivity(terms)))
    forecasts = [Forecast.of(request, terms) for request in (gaussian, Request("map", wanted, Laplace(1)))]
    assert forecasts[0].expected.mean_error < forecasts[1].expected.mean_error / 9
    assert ["bits", "bits"] == [forecast.expected.unit for forecast in forecasts]
    assert forecasts[0].expected.mean_error < 0.004
    assert forecasts[0].words.startswith("Off by about 0.00")


def test_a_release_has_a_row_for_each_column_and_each_pair(tmp_path: Path) -> None:
    ledger_in(tmp_path)
    curator = Curator(contract(tmp_path), people())
    release = curator.release(MAP, Gaussian(1.0))
    table = pd.DataFrame(MAP.frame(release.value, release.noise))
    assert 10 == len(table)
    assert [(name, name) for name in NAMES] + list(itertools.combinations(NAMES, 2)) == list(
        zip(table["first"], table["second"], strict=True)
    )
    assert not table.isna().any().any()
    for name, low, high in (
        ("entropy", "low_95", "high_95"),
        ("mutual_information", "mutual_information_low_95", "mutual_information_high_95"),
        ("symmetric_uncertainty", "symmetric_uncertainty_low_95", "symmetric_uncertainty_high_95"),
    ):
        assert ((table[low] <= table[name]) & (table[name] <= table[high])).all()
    expected = [release.value.entropy(*pair) for pair in zip(table["first"], table["second"], strict=True)]
    assert expected == table["entropy"].tolist()


@pytest.mark.parametrize("columns", [(), ("age",), ("age", "age"), ("age", 1)])
def test_a_map_needs_two_different_column_names(columns: tuple[Any, ...]) -> None:
    with pytest.raises(DeclarationError, match="two or more different"):
        EntropyMap(*columns)
