"""Rates at the price of a count: how far a unit moves their parts, what follows from them, and how often it holds."""

from datetime import date
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
    Rates,
    Unit,
)
from reaedp.curator.records import Records
from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.summary.reach import reach

X = Number(name="x", lower=0, upper=3, bins=2, provenance="public", nan="drop")
Y = Integer(name="y", lower=0, upper=7, provenance="public", outside="cell")
F = Boolean(name="f", provenance="public")
G = Category(name="g", levels=("a", "b"), provenance="public", null="drop", unseen="drop")
DAY = Date(name="day", lower=date(2020, 1, 1), upper=date(2020, 12, 31), every="month", provenance="public")
BAND = Category(name="band", levels=("young", "old"), provenance="public")
#: Ends, values between lattice points, values beyond both ends, and values that are missing or dropped.
VALUES = ((0.0, 0), (0.7, 3), (3.0, 7), (-5.0, 9), (9.0, 1), (None, 2))
RATES = (
    Rates("f"),
    Rates("x", "g", at_least=0.5, below=2),
    Rates("g", levels="a"),
    Rates("x", "g", per="y"),
    Rates("f", "g", standard="y", weights=(1, 2, 3, 4, 5, 6, 7, 8)),
)


def contract(unit: Unit, *columns: Any) -> Contract:
    return Contract(
        dataset="d", unit=unit, budget=Budget(1, 1e-6), ledger="unused", columns=columns or (X, Y, F, G, DAY, BAND)
    )


def brought(statistic: Rates, unit: Unit, bundles: list[tuple[Any, ...]]) -> np.ndarray:
    """What each bundle of rows adds to the answer: all in one query, as groups and people of their own."""
    rows = [(number, f"me{number}", *row) for number, bundle in enumerate(bundles) for row in bundle]
    kinds = {"x": "Float64", "y": "Int64", "f": "boolean"}
    frame = pd.DataFrame(rows, columns=["n", "p", "x", "y", "f", "g"]).astype(kinds)
    number = Integer(name="n", lower=0, upper=len(bundles) - 1, provenance="public", null="drop", nan="drop",
                     unparsable="drop", infinite="drop", outside="drop")  # fmt: skip
    terms = contract(unit, X, Y, F, G, number)
    shared = statistic.shared(terms)
    sums = Records(terms, frame).part_sums((shared,), ("n", *statistic.grouping))
    return shared.coordinates.of(sums).reshape(len(bundles), -1)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("change", ["add-remove", "replace"])
@pytest.mark.parametrize("limit", [None, 1, 2])
@pytest.mark.parametrize("statistic", RATES, ids=lambda rates: rates.title)
def test_the_sensitivity_is_attained_and_never_exceeded_by_any_neighbour(
    change: str, limit: int | None, statistic: Rates
) -> None:
    """Every set of up to max_rows + 1 rows that one unit can bring; nothing for a row that is replaced."""
    unit = Unit(change, person=limit and "p", max_rows=limit)  # type: ignore[arg-type]
    rows = [(x, y, f, g) for (x, y), (f, g) in product(VALUES, [(True, "a"), (False, "b"), (None, "a")])]
    sizes = range(1, limit + 2) if limit else range(1, 2)
    bundles = [bundle for size in sizes for bundle in combinations_with_replacement(rows, size)]
    found = brought(statistic, unit, bundles)
    nothing = np.zeros((1, found.shape[1]), dtype=np.int64)
    distinct = np.unique(np.concatenate([nothing, found]), axis=0)
    old = distinct if change == "replace" else nothing
    declared, reached = statistic.sensitivity(contract(unit)), [0, 0, 0]
    for before in old:
        moves = distinct - before
        sizes_of = np.abs(moves).sum(axis=1).max(), (moves**2).sum(axis=1).max(), np.abs(moves).max()
        reached = [max(pair) for pair in zip(reached, map(int, sizes_of), strict=True)]
    assert Sensitivity(*reached) == declared


def test_corners_of_two_ranges_are_not_negative_and_make_one_row() -> None:
    """All pairs of steps on a small lattice, as engines compute them in doubles."""
    steps = 24
    first, second = (grid.ravel() for grid in np.meshgrid(np.arange(steps + 1), np.arange(steps + 1)))
    both = np.floor(first.astype(float) * second.astype(float) / float(steps) + 0.5).astype(np.int64)
    corners = np.stack([steps - first - second + both, first - both, second - both, both])
    assert (corners >= 0).all()
    assert (corners.sum(axis=0) == steps).all()


def people(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "x": rng.normal(1.5, 1, rows),
            "y": rng.integers(0, 8, rows),
            "f": pd.array(rng.random(rows) < 0.3, dtype="boolean").copy(),
            "g": rng.choice(["a", "b", "c"], rows),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 366, rows), unit="D"),
            "band": rng.choice(["young", "old"], rows, p=[0.7, 0.3]),
        }
    )


def figures(statistic: Rates, frame: pd.DataFrame) -> dict[str, float]:
    """Figures of group a from exact parts."""
    terms = contract(Unit("add-remove"))
    statistic.check(terms)
    value = statistic.value(terms, statistic.answer(Records(terms, frame)))
    found = statistic.frame(value, Calibrated(Laplace(1e6), statistic.sensitivity(terms)))
    chosen = found["g"] == "a"
    return dict(zip(found["statistic"][chosen], found["value"][chosen], strict=True))


def test_exact_parts_give_the_rates_that_pandas_gives() -> None:
    frame = people(700)
    frame.loc[:49, "f"] = pd.NA
    a = frame[frame["g"] == "a"]
    assert figures(Rates("f", "g"), frame)["rate"] == pytest.approx(float(a["f"].mean()), abs=1e-9)
    assert figures(Rates("f", "g"), frame)["missing share"] == pytest.approx(float(a["f"].isna().mean()), abs=1e-9)
    assert figures(Rates("f", "g", levels="false"), frame)["cases"] == pytest.approx(float((~a["f"]).sum()), abs=1e-6)
    within = ((a["x"] >= 0.5) & (a["x"] < 2)).mean()
    assert figures(Rates("x", "g", at_least=0.5, below=2), frame)["rate"] == pytest.approx(within, abs=1e-9)
    late = (a["day"] >= "2020-07-01").mean()
    assert figures(Rates("day", "g", at_least="2020-07-01"), frame)["rate"] == pytest.approx(late, abs=1e-9)
    early = (a["day"] < "2020-03-05").mean()
    assert figures(Rates("day", "g", below=date(2020, 3, 5)), frame)["rate"] == pytest.approx(early, abs=1e-9)
    ratio = a["x"].clip(0, 3).sum() / a["y"].sum()
    assert figures(Rates("x", "g", per="y"), frame)["rate"] == pytest.approx(ratio, rel=1e-5)


def test_a_standardised_rate_weighs_the_rates_of_its_strata() -> None:
    frame = people(700)
    a = frame[frame["g"] == "a"]
    each = a.groupby("band")["f"].mean()
    found = figures(Rates("f", "g", standard="band", weights=(1, 3)), frame)
    assert found["standardised rate"] == pytest.approx(0.25 * each["young"] + 0.75 * each["old"], abs=1e-9)
    assert found["rate"] == pytest.approx(float(a["f"].mean()), abs=1e-9)


GROUP = Integer(name="group", lower=1, upper=400, provenance="public")


def exact_groups(statistic: Rates, terms: Contract) -> np.ndarray:
    """400 groups of 10 to 3,000 rows."""
    rng = np.random.default_rng(5)
    rows = np.repeat(np.arange(1, 401), np.geomspace(10, 3_000, 400).astype(int))
    data = {"group": rows, "f": rng.random(len(rows)) < 0.2, "x": rng.gamma(2, 0.5, len(rows))}
    data |= {"y": rng.integers(0, 8, len(rows)), "band": rng.choice(["young", "old"], len(rows))}
    return statistic.answer(Records(terms, pd.DataFrame(data)))


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("mechanism", [Laplace(0.5), Gaussian(0.02)], ids=str)
@pytest.mark.parametrize(
    "statistic",
    [Rates("f", "group"), Rates("x", "group", per="y"), Rates("f", "group", standard="band", weights=(1, 2))],
    ids=lambda rates: rates.title,
)
def test_intervals_of_the_rows_own_rates_cover_as_often_as_they_say(statistic: Rates, mechanism: Any) -> None:
    """400 groups: 5 deviations of a share of .95 are .055; small groups, of which little is known, are covered more."""
    terms = contract(Unit("add-remove"), X, Y, F, BAND, GROUP)
    exact = exact_groups(statistic, terms)
    noise = Calibrated(mechanism, statistic.sensitivity(terms))
    value = statistic.value(terms, noise.apply(exact, SeededNoise(np.random.default_rng(3))))
    true, found = statistic.frame(statistic.value(terms, exact), noise), statistic.frame(value, noise)
    covered = (found["low_95"] <= true["value"]) & (true["value"] <= found["high_95"])
    real = np.asarray([cell.isdigit() for cell in found["group"]])
    for name in {"count", "rate", "missing share", "standardised rate"} & set(found["statistic"]):
        assert covered[real & (found["statistic"] == name)].mean() >= 0.895, name
    rates = real & (found["statistic"] == "rate") & (found["note"] == "")
    assert covered[rates].mean() <= 0.995
    narrow = (found["high_95"] - found["low_95"])[rates]
    assert narrow[-50:].mean() < narrow[:50].mean()


def test_an_interval_of_a_share_is_the_set_of_shares_that_noise_allows() -> None:
    """Against a search over all shares on a fine grid."""
    terms = contract(Unit("add-remove"), F)
    statistic = Rates("f")
    noise, steps = Calibrated(Laplace(1.0), statistic.sensitivity(terms)), statistic.shared(terms).steps
    frame = statistic.frame(statistic.value(terms, np.array([30, 10, 0, 0]) * steps), noise)
    shares = np.linspace(0, 1, 20_001)
    allowed = np.abs(10 - 40 * shares) * steps <= reach(noise, np.stack([-shares, 1 - shares], axis=1), 0.95)
    place = frame["statistic"].tolist().index("rate")
    assert np.allclose(shares[allowed][[0, -1]], [frame["low_95"][place], frame["high_95"][place]], atol=2e-4)


@pytest.mark.parametrize(
    "statistic", [Rates("f", "group"), Rates("x", "group", per="y")], ids=lambda rates: rates.title
)
def test_sampling_is_in_the_interval_of_the_population_rate(statistic: Rates) -> None:
    """400 samples of 300, a group each: 5 deviations of a share of .95 are .055."""
    terms = contract(Unit("add-remove"), X, Y, F, GROUP)
    shared, rng = statistic.shared(terms), np.random.default_rng(8)
    exact = np.zeros((GROUP.size, len(shared.names)), dtype=np.int64)
    if statistic.per is None:
        rate, yes = 0.15, rng.binomial(300, 0.15, 400)
        exact[:400, :2] = np.stack([300 - yes, yes], axis=1)
    else:  # at the corners, where a row says most
        rate, exact[:400, :4] = 0.5 * 3 / (0.4 * 7), rng.multinomial(300, [0.3, 0.3, 0.2, 0.2], 400)
    noise = Calibrated(Laplace(1.0), statistic.sensitivity(terms))
    noisy = noise.apply((exact * shared.steps).ravel(), SeededNoise(np.random.default_rng(9)))
    frame = statistic.frame(statistic.value(terms, noisy), noise)
    held = (frame["low_95"] <= rate) & (rate <= frame["high_95"])
    real = np.asarray([cell.isdigit() for cell in frame["group"]])
    assert held[real & (frame["statistic"] == "population rate")].mean() > 0.895
    assert held[real & (frame["statistic"] == "rate")].mean() < 0.6


def test_many_weights_go_as_far_as_said() -> None:
    """400,000 draws: the share beyond the 95 % reach is .05 ± .0018 (5 deviations: false alarm below 1e-6)."""
    noise = Calibrated(Laplace(1.0), Sensitivity(10**6, 10**12, 10**6))
    rng = np.random.default_rng(7)
    for weights in ([1.0] * 9, [1.0] + [0.02] * 10, [0.3] * 6 + [0.7] * 6):
        sums = sum(rng.laplace(scale=weight * noise.scale, size=400_000) for weight in weights)
        assert abs(float((np.abs(sums) > reach(noise, np.array(weights), 0.95)).mean()) - 0.05) < 0.0018


def test_groups_are_compared_and_empty_ones_say_so(tmp_path: Any) -> None:
    Ledger.create(str(tmp_path / "b.sqlite")).close()
    terms = Contract(
        dataset="d", unit=Unit("add-remove"), budget=Budget(9, 1e-6), ledger=str(tmp_path / "b.sqlite"),
        columns=(X, Y, F, G),
    )  # fmt: skip
    curator = Curator(terms, people(3_000), noise=SeededNoise(np.random.default_rng(2)))
    release = curator.release(Rates("f", "g"), Laplace(2.0))
    found = release.compare("rate", g=("a", "b")).difference
    assert found.known
    assert found.low < found.value < found.high
    with pytest.raises(DeclarationError, match="statistic"):
        release.compare("mean", g=("a", "b"))
    nobody = Curator(terms, people(0), noise=SeededNoise(np.random.default_rng(2)))
    for statistic in (Rates("f", "g"), Rates("x", "g", per="y")):
        frame = nobody.release(statistic, Laplace(1.0)).frame()
        rates = frame["statistic"] == "rate"
        assert (frame["note"][rates] != "").all()
        assert np.isfinite(frame["value"]).all()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"of": "g"}, "levels must say"),
        ({"of": "g", "levels": "z"}, "level of g"),
        ({"of": "g", "at_least": 1}, "has levels and no limits"),
        ({"of": "x"}, "needs at_least or below"),
        ({"of": "x", "levels": "a"}, "needs at_least or below"),
        ({"of": "x", "at_least": 7}, "not above its upper bound"),
        ({"of": "x", "at_least": "2020-01-02"}, "must be a number"),
        ({"of": "x", "at_least": 2, "below": 1}, "less than below"),
        ({"of": "day", "at_least": 3}, "must be a date"),
        ({"of": "day", "per": "x"}, "to stand in a ratio"),
        ({"of": "x", "per": "x"}, "another column"),
        ({"of": "f", "standard": "band", "weights": (1, 2, 3)}, "each of the 2 cells"),
    ],
)
def test_what_is_no_rate_is_refused_by_public_facts(given: dict[str, Any], words: str) -> None:
    with pytest.raises(DeclarationError, match=words):
        Rates(**given).check(contract(Unit("add-remove")))


@pytest.mark.parametrize(
    "given",
    [
        {"of": 3},
        {"of": "x", "by": ("g", "g")},
        {"of": "x", "at_least": 1, "per": "y"},
        {"of": "x", "at_least": "soon"},
        {"of": "f", "weights": (1, 2)},
        {"of": "f", "standard": "band", "weights": (0, 0)},
        {"of": "f", "by": "band", "standard": "band", "weights": (1, 1)},
        {"of": "f", "standard": "band", "weights": (1, -1)},
    ],
)
def test_what_cannot_be_meant_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(DeclarationError):
        Rates(**given)


@pytest.mark.parametrize("rows", [1_000, 10**5, 10**9])
def test_the_ratio_of_a_population_is_told_however_many_rows_there_are(rows: int) -> None:
    """Products of counts and steps leave 64 bits from a hundred thousand rows on."""
    statistic = Rates("x", per="y")
    terms = contract(Unit("add-remove"), X, Y)
    parts = statistic.shared(terms)
    even = np.array([0 if name in parts.missing else rows * parts.steps // 4 for name in parts.names], dtype=np.int64)
    noise = Calibrated(Laplace(1.0), statistic.sensitivity(terms))
    frame = statistic.frame(statistic.value(terms, even), noise)
    place = frame["statistic"].tolist().index("population rate")
    assert np.isfinite(frame["high_95"][place])
    assert frame["low_95"][place] <= frame["value"][place] <= frame["high_95"][place]
