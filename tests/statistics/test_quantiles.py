"""Quantiles and distribution functions: what is counted, what one unit moves, what is read off, and what is said."""

import itertools
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reaedp import (
    Budget,
    Category,
    ChosenQuantiles,
    Contract,
    Curator,
    Date,
    DeclarationError,
    Exponential,
    Forecast,
    Gaussian,
    Integer,
    Laplace,
    Marginal,
    Number,
    Plan,
    PlannedQuantiles,
    PlannedRelease,
    Quantiles,
    Request,
    Unit,
    best_quantiles,
    evaluate,
    public_report,
    publish,
    read,
    verify,
)
from reaedp.audits.finding import Verdict
from reaedp.audits.request_audit import audit_request
from reaedp.curator.records import Records
from reaedp.errors import ReaedpError
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.plan.advice import advice
from reaedp.plan.calibration import Calibration
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.quantiles.chosen_quantiles import parts_of, places_of, rank_error
from reaedp.statistics.quantiles.distribution import FEW, Distribution, few
from reaedp.statistics.quantiles.reach import deviations, reaches, widest
from tests_support import ledger_in

AGE = Integer(name="age", lower=0, upper=2, provenance="public", outside="nearest")
SEX = Category(name="sex", levels=("f", "m"), provenance="public")
INCOME = Number(name="income", lower=0, upper=100_000, bins=5_000, provenance="public")
UNITS = [
    Unit("add-remove"),
    Unit("replace"),
    *(Unit(change, person="who", max_rows=rows) for rows in (1, 2, 3) for change in ("add-remove", "replace")),
]
ONE = Sensitivity(1, 1, 1)


def contract(unit: Unit, *columns: Any, ledger: str = "none.sqlite") -> Contract:
    return Contract(
        dataset="d", unit=unit, budget=Budget(1e6, 1e-6), ledger=ledger, columns=columns or (AGE, SEX, INCOME)
    )


def frame(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["who", "age", "sex"]).astype(str)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: f"{unit.change}-{unit.rows}")
@pytest.mark.parametrize("per_person", [False, True])
def test_no_unit_of_a_tiny_table_moves_counts_farther_than_is_said(unit: Unit, per_person: bool) -> None:
    """One person has all tables of up to four rows; two others have two rows each, or one. One table for all."""
    if per_person and unit.person is None:
        pytest.skip("rows belong to nobody")
    others = [("a", 0, "f"), ("b", 1, "f"), ("a", 2, "m"), ("b", 1, "m")][: 2 if unit.rows == 1 else 4]
    cells = [(0, "f"), (2, "f"), (2, "m"), ("?", "m")]
    most = unit.rows + 1 if unit.person else 1
    own = [rows for size in range(most + 1) for rows in itertools.combinations_with_replacement(cells, size)]
    worlds = [[*others, *(("c", *row) for row in rows)] for rows in own]
    rows = [(f"{who}{world}", age, sex, f"w{world}") for world, table in enumerate(worlds) for who, age, sex in table]
    world = Category(name="world", levels=tuple(f"w{number}" for number in range(len(own))), provenance="public")
    terms = contract(unit, AGE, SEX, world)
    records = Records(terms, pd.DataFrame(rows, columns=["who", "age", "sex", "world"]).astype(str))
    statistic = Quantiles(of="age", at=0.5, by=("world", "sex"), per_person=per_person)
    chosen = ChosenQuantiles(of="age", at=0.5, by=("world", "sex"), per_person=per_person)
    declared, moved = statistic.sensitivity(terms), 0
    for answer in (statistic.answer(records), chosen.answer(records).counts):
        found = answer.reshape(world.size, -1)[: len(own)]
        pairs = itertools.product(found, repeat=2) if unit.change == "replace" else ((found[0], one) for one in found)
        for first, second in pairs:
            move = np.abs(second - first)
            moved = max(moved, int(move.sum()))
            assert int(move.sum()) <= declared.l1
            assert int((move**2).sum()) <= declared.l2_squared
            assert int(move.max()) <= declared.linf
    assert declared.l1 == moved


def test_a_person_counts_once_by_the_middle_of_their_rows() -> None:
    rng = np.random.default_rng(1)
    rows = [(f"p{rng.integers(40)}", rng.choice(["0", "1", "2", "x", ""]), rng.choice(["f", "m"])) for _ in range(150)]
    expected: Counter[tuple[int, int]] = Counter()
    for who in {row[0] for row in rows}:
        own = sorted((int(age), "fm".index(sex)) for name, age, sex in rows if name == who and age in "012" and age)
        if own:
            age, sex = own[(len(own) - 1) // 2]
            expected[sex, age] += 1
    terms = contract(Unit("add-remove", person="who", max_rows=50))
    found = Records(terms, frame(rows)).middle_counts(("sex", "age")).values
    assert expected == Counter({tuple(place): int(found[tuple(place)]) for place in np.argwhere(found)})


def test_quantiles_of_exact_counts_are_those_of_the_rows() -> None:
    rng = np.random.default_rng(2)
    column = Integer(name="x", lower=0, upper=50, provenance="public")
    values = rng.integers(0, 51, 2_001)
    exact = Distribution((column,), np.bincount(values, minlength=column.size)[None, :])
    at = (0.1, 0.25, 0.5, 0.9)
    assert np.quantile(values, at, method="inverted_cdf").tolist() == exact.values_at(at).tolist()


def test_a_value_inside_a_wide_bin_is_near_that_of_the_rows() -> None:
    rng = np.random.default_rng(3)
    column = Number(name="x", lower=0, upper=10, bins=40, provenance="public")
    values = np.clip(rng.normal(5, 1.5, 200_000), 0, 10)
    counts = np.append(np.histogram(values, column.boundaries)[0], np.zeros(column.size - 40, dtype=int))
    at = tuple(rank / 20 for rank in range(1, 20))
    found = Distribution((column,), counts[None, :].astype(np.int64)).values_at(at)
    assert np.abs(found - np.quantile(values, at)).max() < 0.01  # a bin is 0.25 wide


@pytest.mark.parametrize(
    "mechanism",
    [Laplace(0.5), *(pytest.param(noise, marks=pytest.mark.slow) for noise in (Laplace(4.0), Gaussian(0.05)))],
    ids=str,
)
def test_intervals_cover_the_quantile_of_the_rows_as_often_as_they_say(mechanism: Any) -> None:
    column = Integer(name="x", lower=0, upper=19, provenance="public")
    noise = Calibrated(mechanism, ONE)
    values = np.random.default_rng(4).binomial(19, 0.3, 400)
    exact, at, runs = np.bincount(values, minlength=column.size), (0.1, 0.5, 0.8), 1_500
    true = np.quantile(values, at, method="inverted_cdf")
    noisy = noise.apply(np.tile(exact, (runs, 1)), SeededNoise(np.random.default_rng(5)))
    # The groups of one release are as good as so many releases.
    groups = Category(name="g", levels=tuple(map(str, range(runs - 2))), provenance="public")
    found = Distribution((groups, column), noisy).read(at, noise)
    low, high = (found[name].reshape(runs, -1) for name in ("low_95", "high_95"))
    covered = ((low <= true) & (true <= high)).mean(axis=0)
    # Of 1,500 runs each covered with 95 %, fewer than 92 % are in less than one of 10^6 cases.
    assert (covered >= 0.92).all()
    assert ((high - low).mean(axis=0) < 12).all()


@pytest.mark.parametrize("mechanism", [Laplace(1.0), Gaussian(0.05)], ids=str)
def test_the_noise_of_ranks_stays_within_its_reach_as_often_as_it_says(mechanism: Any) -> None:
    noise, cells, runs = Calibrated(mechanism, ONE), 40, 10_000
    drawn = noise.apply(np.zeros((runs, cells), dtype=np.int64), SeededNoise(np.random.default_rng(11)))
    sums = np.concatenate([np.zeros((runs, 1)), np.cumsum(drawn, axis=1)], axis=1)
    for rank in (0.1, 0.5):
        within = np.abs(sums - rank * sums[:, -1:]) <= reaches(noise, np.arange(cells + 1), cells, rank, 0.95)
        # A share of 10,000 runs is off by 0.011 in fewer than one of 10^6 cases; a lattice of halves gives up to 0.02.
        assert (within.mean(axis=0) >= 0.939).all()
        assert (within.mean(axis=0) <= 0.981).all()


@pytest.mark.parametrize("cells", [2, 61, 700])
@pytest.mark.parametrize("scale", [2, 4, 20, 400])
def test_noise_of_any_scale_reaches_as_far_in_deviations_as_that_of_a_moderate_one(cells: int, scale: float) -> None:
    """Two deviations or a little more. A law whose narrow peaks lie between nodes would seem to reach without end."""
    assert 1.9 <= widest(Calibrated(Laplace(1 / scale), ONE), cells, 0.95) <= 2.3


@pytest.mark.parametrize("scale", [0.7, 1.0, 1.17, 1.39, 2.0, 4.2])
@pytest.mark.parametrize("cells", [2, 3, 40])
def test_gaussian_noise_reaches_as_far_as_its_exact_law_and_little_farther(cells: int, scale: float) -> None:
    """All sums of counts below and above, by the discrete law itself, from the finest noise that releases have."""
    noise, whole = Calibrated(Gaussian(1 / (2 * scale**2)), ONE), np.arange(-512, 512)
    assert scale == pytest.approx(noise.scale)
    weights = np.exp(-(whole**2) / (2 * scale**2))
    law = np.fft.fft(np.fft.ifftshift(weights / weights.sum()))
    wide = widest(noise, cells, 0.95)
    assert wide < 2 + 0.72 / scale
    for below, rank in itertools.product({0, 1, cells // 2, cells - 1, cells}, (0.02, 0.25, 0.5, 0.98)):
        sums = [np.fft.fftshift(np.fft.ifft(law**many).real) for many in (below, cells - below)]
        near = [one > 1e-9 for one in sums]
        chances = np.outer(*(one[some] for one, some in zip(sums, near, strict=True)))
        size = np.abs(np.subtract.outer((1 - rank) * whole[near[0]], rank * whole[near[1]])) - 1e-9
        place = np.array([below])
        for reach in (reaches(noise, place, cells, rank, 0.95), wide * deviations(scale**2, place, cells, rank)):
            assert chances[size <= reach[0]].sum() >= 0.95


def test_shares_of_a_distribution_function_of_coarse_noise_are_narrow() -> None:
    """4,000 rows in 61 cells with noise of scale 4: a share is off by 4 √2 √61 / 4,000 at most, times two."""
    column = Integer(name="x", lower=0, upper=60, provenance="public")
    noisy = np.append(np.full(61, 66), np.zeros(column.size - 61, dtype=int))[None, :]
    found = Distribution((column,), noisy).function(Calibrated(Laplace(0.25), ONE))
    assert (found["at_most_high_95"] - found["at_most_low_95"]).max() < 4 * 4 * math.sqrt(2 * 61) / 4_000


def test_shares_of_a_distribution_function_cover_and_rise() -> None:
    column = Integer(name="x", lower=0, upper=9, provenance="public")
    noise, runs = Calibrated(Laplace(1.0), ONE), 1_000
    exact = np.append(np.arange(10, 110, 10), np.zeros(column.size - 10, dtype=int))
    noisy = noise.apply(np.tile(exact, (runs, 1)), SeededNoise(np.random.default_rng(6)))
    groups = Category(name="g", levels=tuple(map(str, range(runs - 2))), provenance="public")
    found = Distribution((groups, column), noisy).function(noise)
    at_most, low, high = (found[f"at_most{end}"].reshape(runs, -1) for end in ("", "_low_95", "_high_95"))
    assert (np.diff(at_most, axis=1) >= 0).all()
    true = np.cumsum(exact[:10]) / exact.sum()
    # As above; ranges of one kind for all shares are a little too wide rather than too narrow.
    assert (((low <= true) & (true <= high)).mean(axis=0) >= 0.92).all()


@pytest.mark.parametrize("way", ["counts", "choice"])
def test_ties_at_the_clips_break_nothing(way: str, tmp_path: Path) -> None:
    """Four tenths of the rows lie at one end and as many at the other, most of them beyond it."""
    values = np.concatenate([np.full(4_000, -5.0), np.linspace(40_000, 60_000, 2_000), np.full(4_000, 1e9)])
    terms = contract(Unit("add-remove"), INCOME, ledger=ledger_in(tmp_path))
    curator = Curator(terms, pd.DataFrame({"income": values}))
    kind, mechanism = (Quantiles, Laplace(50.0)) if way == "counts" else (ChosenQuantiles, Exponential(50.0))
    found = curator.release(kind(of="income", at="deciles"), mechanism).columns()["value"]
    assert [True] * 3 == (found[:3] < 20).tolist()
    assert [True] * 3 == (found[6:] > 99_980).tolist()
    assert abs(found[4] - 50_000) < 400


def test_an_empty_group_is_never_released_in_silence(tmp_path: Path) -> None:
    """Noise alone makes enough rows of an empty group in one release of a thousand; this seed is none of them."""
    terms = contract(Unit("add-remove"), AGE, SEX, ledger=ledger_in(tmp_path))
    noise = SeededNoise(np.random.default_rng(1))
    curator = Curator(terms, pd.DataFrame({"age": [0, 1, 2] * 500, "sex": ["f"] * 1_500}), noise=noise)
    for statistic, mechanism in (
        (Quantiles(of="age", by="sex"), Laplace(1.0)),
        (Quantiles(of="age", by="sex", at="cdf"), Gaussian(0.5)),
        (ChosenQuantiles(of="age", by="sex"), Exponential(1.0)),
    ):
        found = curator.release(statistic, mechanism).columns()
        notes = {
            sex: {note for whose, note in zip(found["sex"], found["note"], strict=True) if whose == sex} for sex in "fm"
        }
        assert {"f": {""}, "m": {FEW}} == notes


@pytest.mark.parametrize("groups", [1, 4, 100])
def test_a_release_with_an_empty_group_that_seems_to_have_rows_is_one_of_a_thousand(groups: int) -> None:
    """20,000 releases of empty groups, of which 20 are expected to show one at most: 45 or more once in 10^6."""
    rng = np.random.default_rng(20)
    shown = 0
    for _ in range(20):
        drawn = rng.laplace(0, 7.0, (1_000, groups))
        shown += sum((few(rows, 7.0) == "").any() for rows in drawn)
    assert shown < 45
    assert "" == few(np.array([7.0 * 30] * groups), 7.0)[0]


def test_a_plan_takes_the_way_that_misses_fewer_ranks_by_public_facts_alone() -> None:
    terms = contract(Unit("add-remove", at_least=10_000))
    chosen = {
        (of, at): type(best_quantiles(terms, Quantiles(of=of, at=at), 1.0).statistic).__name__
        for of in ("age", "income")
        for at in ("median", "deciles", "cdf")
    }
    assert {
        ("age", "median"): "Quantiles",
        ("age", "deciles"): "Quantiles",
        ("age", "cdf"): "Quantiles",
        ("income", "median"): "ChosenQuantiles",
        ("income", "deciles"): "ChosenQuantiles",
        ("income", "cdf"): "Quantiles",
    } == chosen
    planned = PlannedQuantiles(name="q", kind="quantiles", of="income", at="median", epsilon=1.0)
    words = Forecast.of(planned.request(terms), terms).words
    assert words.startswith("Chosen by their ranks: ranks are off by about 1.1 rows")
    assert "A noisy distribution function would miss about 38" in words
    assert "If values are spread evenly, that is 11 of income." in words


@pytest.mark.parametrize("at_least", [None, 20_000])
def test_cells_that_many_rows_share_are_read_off_counts_and_the_plan_says_what_they_hide(at_least: int | None) -> None:
    """A cell of 400 rows hides more than noise does, unless it is a single value; what is not promised is not known."""
    wide = Number(name="wide", lower=0, upper=200_000, bins=50, provenance="public")
    whole = Integer(name="whole", lower=0, upper=49, provenance="public")
    stepped = Number(name="stepped", lower=0, upper=50, bins=50, step=1, provenance="public")
    runs = Integer(name="runs", lower=0, upper=499, width=10, provenance="public")
    terms = contract(Unit("add-remove", at_least=at_least), wide, whole, stepped, runs)
    ways = {
        of: best_quantiles(terms, Quantiles(of=of, at="median"), 1.0) for of in ("wide", "whole", "stepped", "runs")
    }
    hidden = {of for of, way in ways.items() if isinstance(way.statistic, Quantiles)}
    assert ({"wide", "runs"} if at_least else set()) == hidden
    requested = PlannedQuantiles(
        name="q", kind="quantiles", of="wide", at="median", epsilon=1.0, mechanism="exponential"
    )
    words = Forecast.of(requested.request(terms), terms).words
    told = "About 400 rows share a cell, and nobody sees how they lie in it: that may add about 33 ranks."
    assert (told in words) == (at_least is not None)


def test_a_histogram_of_the_same_plan_gives_quantiles_for_free(tmp_path: Path) -> None:
    terms = contract(Unit("add-remove"), AGE, SEX, ledger=ledger_in(tmp_path))
    wanted = (
        PlannedRelease(name="both", kind="histogram", columns=("age", "sex"), mechanism="laplace", epsilon=5.0),
        PlannedQuantiles(name="ages", kind="quantiles", of="age", at="median", by=("sex",), epsilon=1.0),
    )
    plan = Plan(terms, wanted)
    assert any("The release both of this plan includes it" in line for line in advice(plan.requests(), terms))
    release = Curator(terms, pd.DataFrame({"age": [0, 1, 1, 2] * 500, "sex": ["f", "m"] * 1_000})).release(
        Marginal("age", "sex"), Laplace(5.0)
    )
    found = release.quantiles("median", of="age").frame()
    assert ([1], [1], [1]) == tuple(found[name].tolist() for name in ("value", "low_95", "high_95"))
    assert ["f", "m", "<null>", "<unseen>"] == release.quantiles("median", of="age", by=("sex",)).frame()[
        "sex"
    ].tolist()


def test_calibration_finds_the_price_of_a_median() -> None:
    asked = Calibration(kind="median", change="add-remove", bins=5_000)
    solved = asked.solve(error=10.0)
    noise = Calibrated(Exponential(solved.epsilon or 0), ONE)
    assert rank_error(noise, (0.5,), places_of(5_000), 0.95) <= 10.0
    assert int(parts_of(INCOME).sum()) == places_of(5_000)


def test_chosen_quantiles_miss_no_more_ranks_than_they_say() -> None:
    noise, at = Calibrated(Exponential(1.0), ONE), tuple(rank / 10 for rank in range(1, 10))
    statistic = ChosenQuantiles(of="income", at=at)
    rng, rows = np.random.default_rng(7), 20_000
    values = np.sort(rng.uniform(0, 100_000, rows))
    counts = np.histogram(values, INCOME.boundaries)[0][None, :].astype(np.int64)

    class Made:
        contract = contract(Unit("add-remove"))

        def counts(self, _: tuple[str, ...]) -> Any:
            from reaedp.table import Table

            return Table((INCOME,), np.append(counts, np.zeros(INCOME.size - INCOME.regular, dtype=np.int64)))

    answer, source = statistic.answer(Made()), SeededNoise(np.random.default_rng(8))  # type: ignore[arg-type]
    missed = []
    for _ in range(20):
        found = statistic.frame(statistic.value(Made.contract, noise.apply(answer, source)), noise)
        missed.append(np.abs(np.searchsorted(values, found["value"]) - np.array(at) * rows))
    # The bound holds for 95 % of values, and is far above what is usual: none of 180 exceeds it.
    assert np.max(missed) <= found["rank_error_95"][0]
    assert np.mean(missed) < 12


def test_what_cannot_be_ranked_is_refused_before_the_charge() -> None:
    terms = contract(Unit("add-remove"))
    for statistic, words in (
        (Quantiles(of="sex"), "numbers or dates"),
        (Quantiles(of="age", per_person=True), "unit.person"),
        (ChosenQuantiles(of="age", at="cdf"), "needs ranks"),
        (Quantiles(of="income", by=("age", "sex")), "at most"),
    ):
        with pytest.raises(DeclarationError, match=words):
            statistic.check(contract(Unit("add-remove"), AGE, SEX, _wide()) if words == "at most" else terms)
    for at in (0, 1, 1.5, "halves", (0.5, 0.5), (0.1234567,), None):
        with pytest.raises(DeclarationError, match="at must be"):
            Quantiles(of="age", at=at)  # type: ignore[arg-type]
    with pytest.raises(DeclarationError, match="each once"):
        Quantiles(of="age", by=("age",))


def _wide() -> Number:
    return Number(name="income", lower=0, upper=1, bins=50_000, provenance="public")


def test_dates_have_quantiles(tmp_path: Path) -> None:
    seen = Date(
        name="seen",
        lower=pd.Timestamp("2020-01-01").date(),
        upper=pd.Timestamp("2020-12-31").date(),
        every="week",
        provenance="public",
    )
    terms = contract(Unit("add-remove"), seen, ledger=ledger_in(tmp_path))
    days = pd.date_range("2020-01-01", "2020-12-31").astype(str).tolist() * 20
    curator = Curator(terms, pd.DataFrame({"seen": days}))
    for statistic, mechanism in ((Quantiles(of="seen"), Laplace(9.0)), (ChosenQuantiles(of="seen"), Exponential(9.0))):
        (found,) = curator.release(statistic, mechanism).columns()["value"]
        assert abs((pd.Timestamp(found) - pd.Timestamp("2020-07-01")).days) <= 8


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Quantiles by both ways, and a distribution function, in one folder."""
    home = tmp_path_factory.mktemp("quantiles")
    unit = Unit("replace", person="who", max_rows=2, at_least=900)
    terms = contract(unit, AGE, SEX, INCOME, ledger=ledger_in(home))
    rng = np.random.default_rng(9)
    rows = {"who": np.arange(3_000) // 3, "age": rng.integers(0, 3, 3_000), "sex": rng.choice(["f", "m"], 3_000)}
    pd.DataFrame(rows | {"income": rng.lognormal(10, 0.5, 3_000)}).to_csv(home / "data.csv", index=False)
    keys: dict[str, Any] = {"kind": "quantiles", "epsilon": 20.0}
    wanted = (
        PlannedQuantiles(name="ages", of="age", at="cdf", by=("sex",), **keys),
        PlannedQuantiles(name="deciles", of="age", at="deciles", mechanism="laplace", **keys),
        PlannedQuantiles(name="middle", of="income", at=(0.25, 0.5), by=("sex",), per_person=True, **keys),
    )
    publish(Plan(terms, wanted), str(home / "data.csv"), home / "out", audited=False, page=False)
    return home


def test_a_folder_of_quantiles_verifies_and_is_read_again(published: Path) -> None:
    assert any("middle: 8 rows agree" in line for line in verify(published / "out"))
    again = read(published / "out")
    assert {"noisy_rows", "places"} == set(again["middle"].details)
    assert (
        again["middle"].columns()["value"].tolist()
        == pd.read_parquet(published / "out" / "middle.parquet")["value"].tolist()
    )
    assert "quantile, value: a rank" in (published / "out" / "README.txt").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_report_has_a_section_with_a_chart_for_every_way(published: Path) -> None:
    page = public_report(published / "out")
    assert page.count("share of rows at or below") >= 3
    assert "with 95 % confidence, a value misses its rank" in page.lower()


def test_an_edited_place_or_count_is_found(published: Path, tmp_path: Path) -> None:
    import shutil

    for name, key in (("middle", "places"), ("ages", "noisy_counts")):
        shutil.copytree(published / "out", tmp_path / name)
        path = tmp_path / name / "release.json"
        record = json.loads(path.read_text(encoding="utf-8"))
        release = next(one for one in record["releases"] if one["name"] == name)
        release["details"][key][0] += 40
        path.write_text(json.dumps(record), encoding="utf-8")
        with pytest.raises(ReaedpError):
            verify(tmp_path / name)


def test_an_evaluation_tells_the_ranks_that_are_missed(published: Path) -> None:
    lines = evaluate(published / "out", str(published / "data.csv"), rng=np.random.default_rng(1))
    figures = {(line.release, line.measure): line.value for line in lines}
    assert figures["deciles", "mean rank error, rows"] < 5
    assert figures["middle", "largest rank error, rows"] < 1_000
    assert figures["ages", "largest error, share of rows"] <= 1


class TooCheap(Exponential):
    """Chooses as if one row moved scores by an eighth of what it can."""

    def step_scale(self, sensitivity: Sensitivity, step: Any, levels: int) -> float:
        return Exponential.step_scale(self, sensitivity, step, levels) / 8


@pytest.mark.slow
@pytest.mark.parametrize("at", ["median", pytest.param("quartiles", marks=pytest.mark.slow)])
def test_the_audit_convicts_a_choice_that_is_too_cheap_and_no_other(at: str) -> None:
    """At ε = 2, a choice that costs eight times as much is told apart by 4,000 runs nearly always."""
    terms = contract(Unit("replace", person="who", max_rows=2, at_least=200), AGE, SEX)
    statistic, rng = ChosenQuantiles(of="age", at=at, by="sex"), np.random.default_rng(10)
    sound = audit_request(Request("q", statistic, Exponential(2.0)), terms, rng=rng, runs=4_000)
    assert Verdict.VIOLATED not in {finding.verdict for finding in sound}
    broken = audit_request(Request("q", statistic, TooCheap(2.0)), terms, rng=rng, runs=4_000)
    assert Verdict.VIOLATED in {finding.verdict for finding in broken}
