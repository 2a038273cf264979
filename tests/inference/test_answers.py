"""Answers: figures of noisy tables with intervals that hold as often as they say."""

import math
from dataclasses import replace

import numpy as np
import pytest

from modelled import COLUMNS, people, released_by
from reaedp import Boolean, Category, DeclarationError, Integer, Number
from reaedp.contract import Column
from reaedp.inference.answer import from_table
from reaedp.inference.ask import Sources, ask
from reaedp.inference.caps import capped
from reaedp.inference.counted import CountedTable, evenly
from reaedp.inference.question import read_question
from reaedp.inference.sources import Replays, noised
from reaedp.inference.tails import Bound, lowest, reach, tail_of_each_end
from reaedp.synthesis.learned import LearnedModel

AGE = Integer(name="age", lower=0, upper=39, provenance="public", null="drop", nan="drop", unparsable="drop")
SEX = Category(name="sex", levels=("f", "m"), provenance="public", null="drop", unseen="drop")
SMOKES = Boolean(name="smokes", provenance="public", null="drop", unparsable="drop")
AXES = (AGE, SEX, SMOKES)
SCALE = 20.0


def truth(rng: np.random.Generator) -> np.ndarray:
    ages = np.exp(-((np.arange(40) - 15.0) ** 2) / 200)
    law = ages[:, None, None] * np.array([0.7, 0.3])[None, :, None] * np.array([0.6, 0.4])[None, None, :]
    law = law * (1 + 0.5 * np.sin(np.arange(40))[:, None, None] * np.array([1.0, -1.0])[None, :, None])
    return rng.multinomial(20_000, (law / law.sum()).ravel()).reshape(law.shape).astype(np.float64)


def table(counts: np.ndarray, axes: tuple[Column, ...] = AXES, merge: int = 1, laplace: bool = False) -> CountedTable:
    merged, within = evenly(axes)
    if merge > 1:
        cells = np.arange(axes[0].size) // merge
        merged = (cells, *merged[1:])
        within = (np.ones(axes[0].size) / np.bincount(cells)[cells], *within[1:])
        counts = np.add.reduceat(counts, np.arange(0, axes[0].size, merge), axis=0)
    return CountedTable("a table", axes, merged, within, counts, noised(counts, SCALE, laplace), laplace)


def exact(question: str, counts: np.ndarray) -> np.ndarray:
    """The true figures, by a table without noise."""
    found = from_table(read_question(question, AXES), table(counts), 0.95, np.random.default_rng(0))
    return found.value


QUESTIONS = (
    "count by sex, smokes",
    "count where age >= 10 and sex = f",
    "share of smokes = true by sex",
    "mean age by sex",
    "sum age where smokes = yes",
    "median age by sex",
    "difference of mean age between sex = f and sex = m",
    "ratio of mean age between sex = f and sex = m",
)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    ("question", "laplace"),
    [*((text, False) for text in QUESTIONS), ("count by sex, smokes", True), ("mean age", True)],
)
def test_intervals_cover_as_often_as_they_say(question: str, laplace: bool) -> None:
    """60 noisy tables: at 95 % fewer than 46 hits of one group have a chance below 10^-6."""
    rng = np.random.default_rng(1)
    counts = truth(rng)
    true, asked = exact(question, counts), read_question(question, AXES)
    hits, shape = np.zeros(len(true)), (60, *counts.shape)
    noise = rng.laplace(0, SCALE / math.sqrt(2), shape) if laplace else rng.normal(0, SCALE, shape)
    for one in noise:
        found = from_table(asked, table(counts + one, laplace=laplace), 0.95, rng)
        assert (found.low <= found.value).all()
        assert (found.value <= found.high).all()
        hits += (found.low <= true + 1e-9) & (true - 1e-9 <= found.high)
    assert (hits >= 46).all()


def test_the_known_width_of_a_count_is_found() -> None:
    """80 cells of deviation 20: 1.96 · 20 · √80 = 351 either way; 400 copies tell it within 18 % but once in 10^6."""
    counts = truth(np.random.default_rng(3))
    found = from_table(read_question("count by sex", AXES), table(counts), 0.95, np.random.default_rng(4))
    assert 351 == pytest.approx(((found.high - found.low) / 2)[0], rel=0.18)


@pytest.mark.parametrize("question", ["count by age, sex", "count where age >= 10 and sex = f", "mean age by sex"])
def test_what_is_merged_is_bounded_and_not_guessed(question: str) -> None:
    """Runs of four ages are counted together, and the truth inside them is uneven."""
    rng = np.random.default_rng(5)
    counts = truth(rng)
    true = exact(question, counts)
    made = table(counts + 0.0, merge=4)
    found = from_table(read_question(question, AXES), replace(made, redrawn=noised(made.counts, 1e-9)), 0.95, rng)
    assert ((found.low <= true + 1e-6) & (true <= found.high + 1e-6)).all()
    assert found.width > 0
    inside = np.abs(found.value - true).max()
    assert inside > 0, "the believed value alone would be wrong"


def test_a_group_that_is_merged_with_others_has_no_mean_of_its_own() -> None:
    rng = np.random.default_rng(6)
    found = from_table(read_question("share by sex where age = 7", AXES), table(truth(rng), merge=4), 0.95, rng)
    assert np.isfinite(found.high).all(), "a share is bounded"
    asked = read_question("mean smokes where age = 7", AXES)
    found = from_table(asked, table(truth(rng), merge=4), 0.95, rng)
    assert np.isnan(found.high).all()
    assert "merged" in found.note[0]


def test_a_group_of_fewer_rows_than_noise_could_make_has_no_interval() -> None:
    rng = np.random.default_rng(7)
    counts = truth(rng)
    counts[:, 1] = 0
    found = from_table(
        read_question("mean age by sex", AXES), table(counts + rng.normal(0, SCALE, counts.shape)), 0.95, rng
    )
    assert np.isfinite(found.high[0])
    assert np.isnan(found.high[1])
    assert "too few rows" in found.note[1]


def test_counts_of_single_columns_cap_those_of_merged_cells() -> None:
    rng = np.random.default_rng(8)
    counts = truth(rng)
    asked = read_question("count by age, sex", AXES)
    ages = table(counts.sum(axis=(1, 2)) + rng.normal(0, SCALE, 40), (AGE,))
    merged = table(counts + rng.normal(0, SCALE, counts.shape), merge=4)
    plain = from_table(asked, merged, 0.95, rng)
    below = capped(asked, [(merged, plain)], [ages], 0.95, rng)
    assert below is not None
    assert below.width < 0.8 * plain.width
    true = exact("count by age, sex", counts)
    assert 0.95 < ((below.low <= true) & (true <= below.high)).mean()
    assert capped(asked, [(table(counts), plain)], [ages], 0.95, rng) is None, "nothing is merged"


@pytest.mark.parametrize("question", ["share by age where sex = f", "share of sex = f where age < 20", "share of sex"])
def test_shares_lie_between_what_counts_of_part_and_whole_leave(question: str) -> None:
    """60 noisy tables: at 95 % fewer than 46 hits of one group have a chance below 10^-6."""
    rng = np.random.default_rng(25)
    counts = truth(rng)
    true, asked = exact(question, counts), read_question(question, AXES)
    asked = asked if len(asked.columns) > 1 else read_question(f"{question} where age >= 0", AXES)
    hits = np.zeros(len(true))
    for _ in range(60):
        ages = table(counts.sum(axis=(1, 2)) + rng.normal(0, SCALE, 40), (AGE,))
        merged = table(counts + rng.normal(0, SCALE, counts.shape), merge=4)
        found = capped(asked, [(merged, from_table(asked, merged, 0.95, rng))], [ages], 0.95, rng)
        assert found is not None
        assert ((found.low <= found.value) & (found.value <= found.high)).all()
        hits += (found.low <= true + 1e-9) & (true - 1e-9 <= found.high)
    assert (hits >= 46).all()


def test_counts_of_single_columns_cap_shares_of_merged_cells() -> None:
    rng = np.random.default_rng(26)
    counts = truth(rng)
    counts[8] = 0
    sources = Sources(AXES, (table(counts, merge=4), table(counts.sum(axis=(1, 2)), (AGE,))), {}, ())
    found = ask(sources, "share by age where sex = f")
    assert found.high[8] < 0.02
    assert found.high[9] > 0.03
    assert "with other counts" in found.source


def test_a_share_of_too_few_rows_keeps_its_value_and_has_no_interval() -> None:
    rng = np.random.default_rng(27)
    counts = truth(rng)
    counts[:, 1] = 3
    merged = table(counts + rng.normal(0, SCALE, counts.shape), merge=4)
    ages = table(counts.sum(axis=(1, 2)), (AGE,))
    asked = read_question("share of smokes = true by sex where age < 21", AXES)
    plain = from_table(asked, merged, 0.95, rng)
    found = capped(asked, [(merged, plain)], [ages], 0.95, rng)
    assert found is not None
    assert np.isfinite(plain.value).all()
    assert plain.value[1] == found.value[1]
    assert [False, True] == np.isnan(found.high).tolist() == np.isnan(found.low).tolist()
    assert "too few rows" in found.note[1]


@pytest.mark.slow
def test_an_interval_that_can_err_at_one_end_only_spends_its_chance_there() -> None:
    """Four ages together: the number in one of them is at least none and at most all, whatever the noise.

    2,400 upper ends of deviation 20: at 5 % each, beyond the whole count lie 5 ± 2.2 % but once in 10^6.
    """
    rng, counts = np.random.default_rng(9), truth(np.random.default_rng(9))
    asked, whole = read_question("count by age, sex, smokes", AXES), counts.reshape(10, 4, 2, 2).sum(axis=1)
    missed = []
    for _ in range(60):
        found = from_table(asked, table(counts + rng.normal(0, SCALE / 2, counts.shape), merge=4), 0.95, rng)
        assert (found.low == 0).all()
        missed.append(found.high.reshape(10, 4, 2, 2)[:, 0] < whole)
    assert 0.05 == pytest.approx(np.mean(missed), abs=0.022)


@pytest.mark.parametrize("gap", [0.0, 1.0, 3.0, 8.0, 12.0, 40.0])
@pytest.mark.parametrize("noise", [(1.0, 1.0), (0.2, 1.0), (0.0, 1.0)])
def test_ends_err_no_more_often_than_they_may_however_far_apart_they_are(
    gap: float, noise: tuple[float, float]
) -> None:
    """20,000 draws: 5 % are 5 ± .77 % but once in 10^6; the truth is anywhere between the ends."""
    rng = np.random.default_rng(10)
    for truth_at in (0.0, gap / 2, gap):
        low, high = rng.normal(0, noise[0], 20_000), gap + rng.normal(0, noise[1], 20_000)
        tails = [tail_of_each_end(one, noise, 0.05, 400, laplace=False) for one in (high - low).tolist()]
        far = np.array([reach(tail, 400, laplace=False) for tail in tails])
        missed = (low - far * noise[0] > truth_at) | (high + far * noise[1] < truth_at)
        assert missed.mean() < 0.0577


@pytest.mark.parametrize("bounds", [(0.0,), (0.0, 0.0, 0.0), (0.0, 2.0, 4.0), (0.0, 5.0, 5.0), (0.0, 0.0, 30.0)])
def test_the_lowest_of_several_noisy_bounds_lies_above_what_all_of_them_bound(bounds: tuple[float, ...]) -> None:
    """As above; one bound alone is used as if there were no other when these are far away."""
    rng = np.random.default_rng(11)
    noisy = [Bound(one + rng.normal(0, 1, 20_000), np.ones(20_000), 400) for one in bounds]
    found = lowest(noisy, np.full(20_000, 0.05))
    assert (found < 0).mean() < 0.0577
    if bounds == (0.0,):
        assert found - noisy[0].value == pytest.approx(1.67, abs=0.02)


@pytest.fixture(scope="module")
def learned() -> LearnedModel:
    found: LearnedModel = released_by()["network"].value.model.learned
    return found


def test_a_model_is_asked_through_its_tables_and_says_what_no_table_joins(learned: LearnedModel) -> None:
    sources = Sources(COLUMNS, (), {"people": learned}, ())
    real = people()
    found = ask(sources, "count by sex", replays=0)
    assert "noisy counts of sex" in found.source
    true = real["sex"].value_counts()[["f", "m"]].to_numpy()
    assert (np.abs(found.value - true) < 6 * learned.column_scale).all()
    joined = {table.group for table in learned.tables}
    assert joined, "the model has tables"
    lonely = replace(learned, tables=())
    alone = ask(Sources(COLUMNS, (), {"people": lonely}, ()), "mean age by sex", replays=0)
    assert np.isnan(alone.high).all()
    assert "no table joins sex × age" in alone.note[0]
    assert abs(alone.value[1] - real[real["sex"] == "m"]["age"].mean()) < 3


def test_replayed_intervals_hold_the_truth_and_are_not_wider_than_they_need(learned: LearnedModel) -> None:
    sources = Sources(COLUMNS, (), {"people": learned}, ())
    real = people()
    found = ask(sources, "count by sex, city", replays=12)
    true = real.groupby(["sex", "city"]).size().reindex([(s, c) for s in "fm" for c in COLUMNS[2].levels], fill_value=0)
    assert 0.8 <= ((found.low <= true.to_numpy()) & (true.to_numpy() <= found.high)).mean()
    again = ask(sources, "count by sex, city", replays=12)
    assert (found.low == again.low).all(), "the same question has the same answer"


def test_replays_move_the_fit_about_as_much_as_noise_does(learned: LearnedModel) -> None:
    """The fit leaves some of a table's noise, never more; without noise replays would all be alike."""
    made = Replays(learned, 10, 1, lambda _: None).made()
    noisy = max(learned.tables, key=lambda table: table.counts.size)
    spread = np.std([learned.evidence.expected(noisy, beliefs) for beliefs in made], axis=0).mean()
    assert 0.1 * learned.table_scale < spread < 1.5 * learned.table_scale


def test_what_a_folder_does_not_have_is_refused_with_what_it_has() -> None:
    number = Number(name="income", lower=0, upper=9, bins=3, provenance="public")
    both = Sources((AGE, number), (table(np.ones(40), (AGE,)), table(np.ones(6), (number,))), {}, ())
    with pytest.raises(DeclarationError, match="Nothing in this folder has income × age together"):
        ask(both, "mean income where age > 3")
    with pytest.raises(DeclarationError, match="confidence must be"):
        ask(both, "count", confidence=1.0)
    with pytest.raises(DeclarationError, match="replays must be"):
        ask(both, "count", replays=3)
    with pytest.raises(DeclarationError, match="no release of rows or counts"):
        ask(Sources((), (), {}, ()), "count")
    with pytest.raises(DeclarationError, match="at most 1,000 groups"):
        ask(replace(both, tables=(replace(both.tables[0], axes=(replace(AGE, upper=4000),)),)), "count by age")
