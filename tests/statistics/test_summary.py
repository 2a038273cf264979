"""Sums, means and variances at the price of a count: how far a unit moves them, and what follows from them."""

import math
import re
from datetime import date
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reaedp import (
    Boolean,
    Budget,
    Category,
    Contract,
    Curator,
    Date,
    Gaussian,
    Integer,
    Laplace,
    Ledger,
    Number,
    Release,
    Summary,
    Unit,
)
from reaedp.curator.records import Records
from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.summary.comparison import compared
from reaedp.statistics.summary.parts import MOST_STEPS, Parts, lattice_steps
from reaedp.statistics.summary.reach import reach
from reaedp.statistics.summary.summaries import Summaries

X = Number(name="x", lower=0, upper=1, bins=2, provenance="public", nan="drop")
Y = Integer(name="y", lower=-1, upper=2, provenance="public", outside="cell")
G = Category(name="g", levels=("a", "b"), provenance="public", null="drop", unseen="drop")
#: Ends, a value between lattice points, values beyond both ends, and values that are missing or dropped.
VALUES = (0.0, 0.3, 0.75, 1.0, -7.0, math.inf, None)
SUMMARIES = (
    Summary("x"),
    Summary("x", statistics="sd"),
    Summary("x", "g", clipped=True),
    Summary(("x", "y"), "g", ("mean", "variance"), clipped=True),
)


def contract(unit: Unit, *columns: Any) -> Contract:
    return Contract(dataset="d", unit=unit, budget=Budget(1, 1e-6), ledger="unused", columns=columns or (X, Y, G))


def brought(statistic: Summary, unit: Unit, bundles: list[tuple[Any, ...]]) -> np.ndarray:
    """What each bundle of rows adds to the answer: all in one query, as groups and people of their own."""
    rows = [(number, f"me{number}", *row) for number, bundle in enumerate(bundles) for row in bundle]
    frame = pd.DataFrame(rows, columns=["n", "p", "x", "y", "g"]).astype({"x": "Float64", "y": "Int64"})
    number = Integer(name="n", lower=0, upper=len(bundles) - 1, provenance="public", null="drop", nan="drop",
                     unparsable="drop", infinite="drop", outside="drop")  # fmt: skip
    apart = Summary(statistic.of, ("n", *statistic.by), statistic.statistics, clipped=statistic.clipped)
    found = apart.answer(Records(contract(unit, X, Y, G, number), frame)).reshape(len(bundles), -1)
    parts = statistic.parts(contract(unit))
    return parts[0].coordinates.of(found) if parts[0].centred else found


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("change", ["add-remove", "replace"])
@pytest.mark.parametrize("limit", [None, 1, 2])
@pytest.mark.parametrize("statistic", SUMMARIES, ids=lambda summary: summary.title)
def test_the_sensitivity_is_attained_and_never_exceeded_by_any_neighbour(
    change: str, limit: int | None, statistic: Summary
) -> None:
    """Every set of up to max_rows + 1 rows that one unit can bring; nothing for a row that is replaced."""
    unit = Unit(change, person=limit and "p", max_rows=limit)  # type: ignore[arg-type]
    rows = [(x, 2 if x == 1.0 else 9 if x == -7.0 else -1, g) for x, g in product(VALUES, "ab")]
    sizes = range(1, limit + 2) if limit else range(1, 2)
    bundles = [bundle for size in sizes for bundle in combinations_with_replacement(rows, size)]
    found = brought(statistic, unit, bundles)
    nothing = np.zeros((1, found.shape[1]), dtype=np.int64)
    old = np.concatenate([nothing, found]) if change == "replace" else nothing
    moves = (found[None, :, :] - old[:, None, :]).reshape(-1, found.shape[1])
    reached = np.abs(moves).sum(axis=1).max(), (moves**2).sum(axis=1).max(), np.abs(moves).max()
    claimed = statistic.sensitivity(contract(unit))
    if change == "replace" and not statistic.by and statistic.degree == 2:  # a few steps of rounding are allowed for
        bounds = np.array([claimed.l1, claimed.l2_squared, claimed.linf])
        assert (0 <= bounds - reached).all()
        assert (bounds - reached <= 1e-6 * bounds).all()
    else:
        assert Sensitivity(*map(int, reached)) == claimed


def test_parts_of_every_row_are_not_negative_and_make_one_row() -> None:
    parts = Parts(X, steps=1000, degree=2, clipped=False)
    codes = np.arange(1001)
    upper = np.floor(codes * codes / 1000 + 0.5).astype(np.int64)
    lower = np.floor((1000 - codes) * (1000 - codes) / 1000 + 0.5).astype(np.int64)
    one = np.ones(1001, dtype=np.int64)
    found = parts.assembled(one, [upper, lower], [0 * one] * len(parts.missing))
    assert (found >= 0).all()
    assert (found.sum(axis=1) == 1000).all()
    assert np.abs(found @ parts.position - codes).max() <= parts.rounding


def test_the_lattice_has_every_whole_number_of_every_column() -> None:
    widths = (100, 365, 7)
    columns = [Integer(name=str(width), lower=0, upper=width, provenance="public") for width in widths]
    steps = lattice_steps(columns)
    assert [0, 0, 0] == [steps % width for width in widths]
    assert MOST_STEPS // 2 < steps <= MOST_STEPS
    assert MOST_STEPS == lattice_steps([*columns, Integer(name="far", lower=0, upper=10**6 + 3, provenance="public")])


AGE = Integer(name="age", lower=0, upper=100, provenance="public")
SEEN = Date(name="seen", lower=date(2020, 1, 1), upper=date(2020, 12, 31), every="month", provenance="public")
SMOKES = Boolean(name="smokes", provenance="public")
SHARE = Number(name="x", lower=0, upper=1, bins=2, provenance="public", null="drop", nan="drop")
PEOPLE = (AGE, SEEN, SMOKES, SHARE, G)


def people(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "age": rng.integers(-5, 120, rows),
            "seen": pd.Timestamp("2019-12-25") + pd.to_timedelta(rng.integers(0, 380, rows), unit="D"),
            "smokes": rng.random(rows) < 0.3,
            "x": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(0.5, 0.4, rows)),
            "g": rng.choice(["a", "b", "c"], rows),
        }
    )


def true_figures(frame: pd.DataFrame, column: str, group: str) -> tuple[float, float, float]:
    """Count, mean and variance of clipped values, by pandas; rows without x or of another group are dropped."""
    kept = frame[(frame["g"] == group) & frame["x"].notna()]
    values = kept[column]
    if column == "seen":
        values = (values.dt.normalize() - pd.Timestamp("1970-01-01")).dt.days.clip(18262, 18627)
    elif column != "smokes":
        values = values.clip(0, 100 if column == "age" else 1)
    values = values.astype(float)
    return float(len(values)), float(values.mean()), float(values.var(ddof=0))


def test_exact_parts_give_the_figures_of_the_clipped_rows() -> None:
    frame = people(500)
    terms = contract(Unit("add-remove"), *PEOPLE)
    statistic = Summary(("age", "seen", "smokes", "x"), "g", ("count", "mean", "variance"))
    value = statistic.value(terms, statistic.answer(Records(terms, frame)))
    noise = Calibrated(Laplace(1e6), statistic.sensitivity(terms))
    found = statistic.frame(value, noise)
    for column, group in product(statistic.of, "ab"):
        chosen = (found["column"] == column) & (found["g"] == group)
        figures = dict(zip(found["statistic"][chosen], found["value"][chosen], strict=True))
        count, mean, variance = true_figures(frame, column, group)
        assert count == figures["count"]
        # Rounding to a lattice of a million steps.
        width = {"age": 100.0, "seen": 365.0}.get(column, 1.0)
        assert math.isclose(mean, figures["mean"], abs_tol=2e-6 * width)
        assert math.isclose(variance, figures["variance"], abs_tol=1e-5 * width**2)


@pytest.mark.parametrize(
    "weights", [(1.0,), (0.5, 0.5), (0.9, 0.1), (0.5, 0.0, 0.5), (0.7, 0.7, 0.3, 0.3), (1, 1, 1, 1)]
)
def test_weighted_sums_of_laplace_noise_go_as_far_as_said(weights: tuple[float, ...]) -> None:
    """400,000 draws: the share beyond the 95 % reach is .05 ± .0017 (5 deviations: false alarm below 1e-6)."""
    noise = Calibrated(Laplace(1.0), Sensitivity(10**6, 10**12, 10**6))
    rng = np.random.default_rng(7)
    sums = rng.laplace(scale=noise.scale, size=(400_000, len(weights))) @ np.array(weights)
    beyond = float((np.abs(sums) > reach(noise, np.array(weights), 0.95)).mean())
    assert abs(beyond - 0.05) < 0.0018


def released(statistic: Summary, exact: np.ndarray, mechanism: Any, runs: int, terms: Contract) -> list[Summaries]:
    noise = Calibrated(mechanism, statistic.sensitivity(terms))
    source = SeededNoise(np.random.default_rng(3))
    return [statistic.value(terms, noise.apply(exact, source)) for _ in range(runs)]


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("mechanism", [Laplace(1.0), Laplace(0.1), Gaussian(0.02)])
@pytest.mark.parametrize("statistics", [("count", "sum", "mean"), ("mean", "variance", "sd")])
def test_intervals_of_the_rows_own_figures_cover_as_often_as_they_say(
    mechanism: Any, statistics: tuple[str, ...]
) -> None:
    """600 groups of 10 to 4,000 rows: 5 deviations of a share of .95 are .045; means of tiny groups cover more."""
    terms = contract(Unit("add-remove"), AGE, Integer(name="group", lower=1, upper=600, provenance="public"))
    statistic = Summary("age", "group", statistics)
    rng = np.random.default_rng(5)
    rows = np.repeat(np.arange(1, 604), np.r_[np.geomspace(10, 4_000, 600).astype(int), 0, 0, 0])
    ages = rng.beta(2, 5, len(rows)) * 100 // 1
    exact = statistic.answer(Records(terms, pd.DataFrame({"age": ages.astype(int), "group": rows})))
    noise = Calibrated(mechanism, statistic.sensitivity(terms))
    (value,) = released(statistic, exact, mechanism, 1, terms)
    true, found = statistic.frame(statistic.value(terms, exact), noise), statistic.frame(value, noise)
    covered = (found["low_95"] <= true["value"]) & (true["value"] <= found["high_95"])
    real = np.asarray([int(cell) <= 600 if cell.isdigit() else False for cell in found["group"]])
    for name in statistics:
        chosen = real & (found["statistic"] == name)
        assert covered[chosen].mean() >= 0.905, name
    for name in {"count", "sum"} & set(statistics):
        assert covered[real & (found["statistic"] == name)].mean() <= 0.99, name
    unknown = found["note"] != ""
    assert (found["low_95"][unknown & (found["statistic"] == "mean")] == 0).all()
    assert (found["high_95"][unknown & (found["statistic"] == "mean")] == 100).all()


def test_an_interval_of_a_mean_is_the_set_of_means_that_noise_allows() -> None:
    """Against a search over all means on a fine grid."""
    terms = contract(Unit("add-remove"), AGE)
    statistic = Summary("age", statistics="mean")
    noise = Calibrated(Laplace(1.0), statistic.sensitivity(terms))
    (parts,) = statistic.parts(terms)
    noisy = np.zeros((1, len(parts.names)), dtype=np.int64)
    noisy[0, :2] = np.array([30, 10]) * parts.steps
    frame = statistic.frame(statistic.value(terms, noisy.ravel()), noise)
    places = np.linspace(0, 1, 20_001)
    allowed = np.abs(10 - 40 * places) * parts.steps <= reach(noise, np.stack([-places, 1 - places], axis=1), 0.95)
    ends = 100 * places[allowed][[0, -1]]
    assert np.allclose(ends, [frame["low_95"][0], frame["high_95"][0]], atol=0.02)


def test_sampling_is_in_the_interval_of_the_population_mean() -> None:
    """300 samples of 200, a group each: 5 deviations of a share of .95 are .063."""
    group = Integer(name="group", lower=1, upper=300, provenance="public", null="drop", nan="drop", unparsable="drop")
    terms = contract(Unit("add-remove"), AGE, group)
    statistic = Summary("age", "group", statistics=("mean", "sd"))
    noise = Calibrated(Laplace(1.0), statistic.sensitivity(terms))
    (parts,), source, rng = statistic.parts(terms), SeededNoise(np.random.default_rng(9)), np.random.default_rng(8)
    ages, weights = np.array([0, 25, 50, 75, 100]), np.array([1, 2, 4, 2, 1]) / 10
    samples = np.zeros((group.size, 200), dtype=np.int64)
    samples[:300] = rng.choice(ages, (300, 200), p=weights)
    codes = samples * (parts.steps // 100)
    sums = [
        (c.astype(float) ** 2 / parts.steps + 0.5).astype(np.int64).sum(axis=1) for c in (codes, parts.steps - codes)
    ]
    nothing = np.zeros(group.size, dtype=np.int64)
    exact = parts.assembled(np.full(group.size, 200), sums, [nothing] * 3)
    frame = statistic.frame(statistic.value(terms, noise.apply(exact.ravel(), source)), noise)
    sampled = (frame["statistic"] == "population mean") & np.asarray([cell.isdigit() for cell in frame["group"]])
    assert 300 == sampled.sum()
    assert ((frame["low_95"] <= 50) & (50 <= frame["high_95"]))[sampled].mean() > 0.95 - 0.063


@pytest.fixture
def release(tmp_path: Any) -> Release:
    Ledger.create(str(tmp_path / "b.sqlite")).close()
    terms = Contract(
        dataset="d", unit=Unit("add-remove"), budget=Budget(9, 1e-6), ledger=str(tmp_path / "b.sqlite"), columns=PEOPLE
    )
    curator = Curator(terms, people(4_000), noise=SeededNoise(np.random.default_rng(2)))
    return curator.release(Summary(("age", "seen"), "g"), Laplace(2.0))


def test_groups_are_compared_by_difference_and_ratio(release: Release) -> None:
    means = {
        cell: value
        for cell, column, name, value in zip(
            *(release.columns()[key] for key in ("g", "column", "statistic", "value")), strict=True
        )
        if (column, name) == ("age", "mean")
    }
    found = release.compare("mean", of="age", g=("a", "b"))
    assert math.isclose(means["a"] - means["b"], found.difference.value)
    assert math.isclose(means["a"] / means["b"], found.ratio.value)
    assert found.difference.low < found.difference.value < found.difference.high
    assert found.ratio.low < found.ratio.value < found.ratio.high
    wider = release.compare("mean", of="age", confidence=0.999, g=("a", "b"))
    assert wider.difference.high > found.difference.high
    assert release.compare("mean", of="age", g=("b", "a")).ratio.low == pytest.approx(1 / found.ratio.high, rel=1e-6)


def test_a_comparison_is_printed_in_words_and_dates_have_no_ratio(release: Release) -> None:
    ages = str(release.compare("mean", of="age", g=("a", "b")))
    assert re.fullmatch(r"difference −?[\d.]+ \(−?[\d.]+ to −?[\d.]+\), ratio [\d.]+ \([\d.]+ to [\d.]+\)", ages)
    dates = release.compare("mean", of="seen", g=("a", "b"))
    assert dates.difference.known
    assert not dates.ratio.known
    assert str(dates).endswith("ratio not known")


def test_differences_and_ratios_of_groups_cover_as_often_as_they_say() -> None:
    """800 pairs of groups: 5 deviations of a share of .95 are .039."""
    group = Integer(name="group", lower=1, upper=1_600, provenance="public", null="drop", nan="drop", unparsable="drop")
    terms, statistic = contract(Unit("add-remove"), AGE, group), Summary("age", "group", "mean")
    rng = np.random.default_rng(12)
    rows = np.repeat(np.arange(1, 1_601), rng.integers(60, 400, 1_600))
    ages = (rng.beta(2, 3 + rows % 2, len(rows)) * 100).astype(int)
    exact = statistic.answer(Records(terms, pd.DataFrame({"age": ages, "group": rows})))
    noise = Calibrated(Laplace(1.0), statistic.sensitivity(terms))
    (value,) = released(statistic, exact, Laplace(1.0), 1, terms)
    true = statistic.value(terms, exact).of(0, noise, 0.95).mean().values
    found, held = value.of(0, noise, 0.95).mean(), []
    for one in range(0, 1_600, 2):
        told = compared(found, (one, one + 1))
        right = true[one] - true[one + 1], true[one] / true[one + 1]
        held.append(
            [part.low <= at <= part.high for part, at in zip((told.difference, told.ratio), right, strict=True)]
        )
    assert (np.abs(np.mean(held, axis=0) - 0.95) < 0.039).all()


@pytest.mark.parametrize("change", ["add-remove", "replace"])
def test_shares_of_missing_and_of_clipped_values_are_told_apart(change: Any) -> None:
    terms, statistic = contract(Unit(change), AGE), Summary("age", statistics="mean", clipped=True)
    ages = pd.Series([-5] * 3 + [120] * 5 + [0, 50, 100] * 4 + [None, "word"] * 10, dtype=object)
    value = statistic.value(terms, statistic.answer(Records(terms, pd.DataFrame({"age": ages}))))
    found = statistic.frame(value, Calibrated(Laplace(1e6), statistic.sensitivity(terms)))
    told = dict(zip(found["statistic"], found["value"], strict=True))
    assert 20 / 40 == pytest.approx(told["missing share"])
    assert 8 / 20 == pytest.approx(told["clipped share"])
    assert (4 * 150 + 5 * 100) / 20 == pytest.approx(told["mean"])


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"g": ("a", "b")}, "Name the column"),
        ({"of": "age", "g": "a"}, "a pair of cells"),
        ({"of": "age", "g": ("a", "z")}, "cell of g"),
        ({"of": "age"}, "a pair of cells"),
    ],
)
def test_what_cannot_be_compared_is_said(release: Release, asked: dict[str, Any], words: str) -> None:
    with pytest.raises(DeclarationError, match=words):
        release.compare("mean", **asked)


def test_dates_have_means_that_are_days(release: Release) -> None:
    frame = release.columns()
    chosen = (frame["column"] == "seen") & (frame["statistic"] == "mean")
    assert all(date(2020, 6, 1) < date.fromisoformat(day) < date(2020, 8, 1) for day in frame["date"][chosen])
    assert not ((frame["column"] == "seen") & (frame["statistic"] == "sum")).any()


def test_intervals_at_any_level_are_nested(release: Release) -> None:
    narrow, wide = release.summary(0.5), release.summary(0.99)
    assert (wide["low"] <= narrow["low"]).all()
    assert (wide["high"] >= narrow["high"]).all()


@pytest.mark.parametrize("given", [{"of": ()}, {"of": ("x", "x")}, {"of": "x", "statistics": "median"}, {"of": 3}])
def test_a_summary_of_nothing_or_of_unknown_figures_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(DeclarationError):
        Summary(**given)


@pytest.mark.parametrize("column", [G, Integer(name="one", lower=3, upper=3, provenance="public")])
def test_columns_without_a_range_have_no_mean(column: Any) -> None:
    with pytest.raises(DeclarationError, match="mean"):
        Summary(column.name).check(contract(Unit("add-remove"), column))


def test_tiny_numbers_above_a_bound_are_at_it() -> None:
    """Products of denormal numbers fail on some engines; those here are never formed."""
    wide = Number(name="x", lower=0, upper=1e9, bins=1, provenance="public")
    terms = contract(Unit("add-remove"), wide)
    found = Summary("x").answer(Records(terms, pd.DataFrame({"x": [5e-324, 1e-300, 1e9, math.nextafter(1e9, 0)]})))
    assert [2 * MOST_STEPS, 2 * MOST_STEPS] == found[:2].tolist()
    assert Fraction(1, 2) == Fraction(int(found[0]), int(found[:2].sum()))
