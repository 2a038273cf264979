"""The measures of the comparison of synthesizers against brute force on tiny tables, its file of runs, its tables."""

import itertools
import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from compared import distances, learners  # noqa: E402
from compared.axis import Axis, Codes  # noqa: E402
from compared.contenders import CONTENDERS, _digest  # noqa: E402
from compared.measures import MEASURES, measured  # noqa: E402
from compared.report import OURS, losses, page  # noqa: E402
from compared.runs import Run, keep, latest, read  # noqa: E402
from compared.tables import Compared  # noqa: E402
from harness.synthesis_job import Table  # noqa: E402
from k_marginal import values  # noqa: E402

SIZES = (2, 3, 4, 2, 3)


def rows(seed: int, many: int = 30) -> Codes:
    return np.random.default_rng(seed).integers(0, SIZES, (many, len(SIZES))).astype(np.int32)


def brute_distance(real: Codes, made: Codes, columns: tuple[int, ...]) -> float:
    truth, found = (Counter(tuple(row[list(columns)].tolist()) for row in table) for table in (real, made))
    cells = truth.keys() | found.keys()
    return 0.5 * sum(abs(truth[cell] / len(real) - found[cell] / len(made)) for cell in cells)


@pytest.mark.parametrize("seed", range(5))
def test_total_variations_are_those_of_every_table_by_brute_force(seed: int) -> None:
    real, made = rows(seed), rows(seed + 100, 45)
    found = distances.total_variations(real, made, SIZES)
    for ways in (1, 2, 3, 4):
        every = [brute_distance(real, made, columns) for columns in itertools.combinations(range(len(SIZES)), ways)]
        assert found[f"tv{ways}"] == pytest.approx(sum(every) / len(every))
        assert found[f"tv{ways}_worst"] == pytest.approx(max(every))
    triples = itertools.combinations(range(len(SIZES)), 3)
    assert found["workload3"] == pytest.approx(np.mean([2 * brute_distance(real, made, three) for three in triples]))


def test_the_k_marginal_score_is_that_of_the_area_with_every_pair() -> None:
    real, made = rows(1), rows(2, 50)
    every = [brute_distance(real, made, (1, *pair)) for pair in itertools.combinations((0, 2, 3, 4), 2)]
    # sdnist: (2 - mean of the sums of absolute differences) times 500.
    expected = (2 - np.mean([2 * distance for distance in every])) * 500
    assert distances.k_marginal(real, made, SIZES, 1) == pytest.approx(expected)
    assert distances.k_marginal(real, real, SIZES, 1) == pytest.approx(1000)


def test_numbers_are_shown_to_the_package_of_the_score_as_middles_and_missing_ones_as_n() -> None:
    axes = (Axis.category("area", 2), Axis.number("AGEP", (0, 5, 10), null=True), Axis.number("NOC", (0, 1, 2)))
    codes = np.array([[1, 0, 1], [0, 1, 0], [1, 2, 1]], dtype=np.int32)
    found = values(Compared("ma", axes, codes, codes, "NOC", "area"), codes)
    assert {"PUMA": [1, 0, 1], "AGEP": ["N", "2", "7"], "NOC": [1, 0, 1]} == found.to_dict("list")


def test_contenders_are_told_what_is_public_and_what_is_predicted(tmp_path: Path) -> None:
    job = Table(tmp_path, {"a": 2, "b": 3}, ["b"], 2, 1.0, 1e-6, 4, "a")
    job.write(pd.DataFrame({"a": [0, 1], "b": [2, 0]}))
    assert job == Table.read(str(tmp_path))
    assert [[0, 2], [1, 0]] == job.frame().to_numpy().tolist()


@pytest.mark.parametrize("seed", range(5))
def test_impossible_pairs_are_those_that_no_real_row_has(seed: int) -> None:
    real, made = rows(seed, 8), rows(seed + 50, 20)
    made[0, 0] = -1  # a lost value makes no pair possible
    shares = []
    for first, second in itertools.combinations(range(len(SIZES)), 2):
        seen = {(row[first], row[second]) for row in real}
        shares.append(sum((row[first], row[second]) not in seen for row in made) / len(made))
    assert distances.impossible_pairs(real, made, SIZES) == pytest.approx((np.mean(shares), max(shares)))
    assert distances.impossible_pairs(real, real, SIZES) == (0, 0)


def test_rare_levels_are_off_by_their_share_and_lost_ones_count_as_one() -> None:
    real = np.array([[0]] * 990 + [[1]] * 6 + [[2]] * 4, dtype=np.int32)
    made = np.array([[0]] * 497 + [[1]] * 3 + [[3]] * 0, dtype=np.int32)
    # Level 1 is exact, level 2 lost, level 0 is not rare, nobody has level 3.
    assert distances.rare_levels(real, made, [4]) == pytest.approx((0 + 1) / 2)
    assert distances.rare_levels(real, np.full((10, 1), 1, dtype=np.int32), [4]) == pytest.approx(1)
    assert distances.rare_levels(np.zeros((10, 1), np.int32), made, [4]) is None


def test_quantiles_lie_evenly_within_cells_in_the_columns_own_unit() -> None:
    axis = Axis.number("price", [0, 10, 20, 40])
    codes = np.array([0, 0, 1, 1, 2, 2, 2, 2], dtype=np.int32)
    # A quarter of the rows in [0, 10), a quarter in [10, 20), half in [20, 40).
    expected = [2, 10, 20, 30, 38, 39.6]
    shares = np.bincount(codes) / len(codes)
    assert distances.quantiles(shares, axis.edges) == pytest.approx(expected)
    shifted = np.zeros((8, 1), dtype=np.int32)
    assert distances.quantile_errors(codes[:, None], codes[:, None], [axis])["price"] == pytest.approx([0] * 6)
    errors = distances.quantile_errors(codes[:, None], shifted, [axis])["price"]
    assert errors == pytest.approx([0.5 - 2, 2.5 - 10, 5 - 20, 7.5 - 30, 9.5 - 38, 9.9 - 39.6])


def test_empty_cells_between_do_not_move_quantiles_and_missing_values_are_left_out() -> None:
    axis = Axis.number("hours", [0, 1, 2, 3], null=True)
    assert 4 == axis.size
    assert [1, 2, 3, 3, 0] == axis.codes(np.array([0.5, 1.0, 2.5, 99.0, np.nan])).tolist()
    codes = np.array([0, 0, 0, 1, 3], dtype=np.int32)
    found = distances.quantiles(np.bincount(codes, minlength=4)[1:] / 5, axis.edges)
    assert found == pytest.approx([0.1, 0.5, 1, 2.5, 2.9, 2.98])


def test_the_error_of_quantiles_is_in_standard_deviations_and_a_lost_column_counts_as_one() -> None:
    axis = Axis.number("x", [0, 2, 4], null=True)
    real = np.array([[1], [2]] * 10, dtype=np.int32)  # middles 1 and 3: the deviation is 1
    made = np.array([[1]] * 20, dtype=np.int32)
    errors = distances.quantile_errors(real, made, [axis])["x"]
    assert distances.quantile_error(real, made, [axis]) == pytest.approx(np.minimum(1, np.abs(errors)).mean())
    assert distances.quantile_error(real, np.zeros((5, 1), np.int32), [axis]) == pytest.approx(1)
    assert distances.quantile_error(real, made, [Axis.category("x", 3)]) is None


def told(seed: int, many: int, *, target: bool) -> Codes:
    """The last column is told by the first: the level that it is, or the greater the greater."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, many)
    return np.column_stack([first, rng.integers(0, 3, many), first if target else rng.integers(0, 4, many)]).astype(
        np.int32
    )


@pytest.mark.slow
@pytest.mark.parametrize("number", [False, True])
def test_models_predict_what_synthetic_rows_keep_and_nothing_else(number: bool) -> None:
    last = Axis.number("y", [0, 1, 2, 3, 4]) if number else Axis.category("y", 4)
    axes = (Axis.category("a", 4), Axis.category("b", 3), last)
    table = Compared("t", axes, told(0, 600, target=True), told(1, 300, target=True), "y")
    good, bad = (learners.downstream(table, told(2, 600, target=kept)) for kept in (True, False))
    names = {"r2"} if number else {"auc", "accuracy"}
    assert {f"{name}_{model}" for name in names for model in learners.MODELS} == good.keys() == bad.keys()
    assert all(value == pytest.approx(1, abs=1e-6) for value in good.values())
    # Of 300 rows a constant or a random guess gets at most half, far beyond any chance.
    assert all(value < 0.65 for value in bad.values())


def test_a_discriminator_tells_only_rows_that_differ() -> None:
    real = told(0, 2000, target=True)
    assert learners.discriminator(real, told(2, 2000, target=False)) > 0.8
    # The AUC of 1,000 and 1,000 equal rows has a deviation of .013; six of them.
    assert learners.discriminator(real, told(3, 2000, target=True)) == pytest.approx(0.5, abs=0.08)


def test_every_measure_has_a_name_in_the_tables() -> None:
    axes = tuple(Axis.category(name, size) for name, size in zip("abcde", SIZES, strict=True))
    table = Compared("t", axes, rows(0, 60), rows(1, 40), "a", area="b")
    found = measured(table, rows(2, 60))
    assert found.keys() <= {measure.name for measure in MEASURES}
    assert found["k_marginal"] == pytest.approx(distances.k_marginal(table.train, rows(2, 60), SIZES, 1), abs=1e-5)


def run(**facts: object) -> Run:
    common = {
        "table": "t", "contender": OURS, "epsilon": 1.0, "delta": 1e-6, "seed": 0, "version": "1",
        "date": "2026-01-01 00:00 UTC", "machine": "m", "load": 1.0, "figures": {"tv2": 0.1},
    }  # fmt: skip
    return Run(**(common | facts))  # type: ignore[arg-type]


def test_runs_are_kept_once_for_each_task_and_the_version_measured_last_counts(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    assert [] == read(path)
    old, new = run(), run(version="2", figures={"tv2": 0.05})
    other = run(contender="dpmm MST", failure="too long", figures={})
    for one in (old, run(seed=1), other, new):
        keep(path, one)
    assert [run(seed=1), other, new] == read(path)
    assert {new.task: new, other.task: other} == {one.task: one for one in latest(read(path))}
    assert all(json.loads(line)["delta"] == 1e-6 for line in path.read_text(encoding="utf-8").splitlines())


def test_losses_are_shown_and_a_worst_case_may_be_five_percent_behind() -> None:
    ours = run(figures={"tv2": 0.05, "tv2_worst": 0.104, "auc_boosting": 0.8})
    theirs = run(contender="dpmm MST", figures={"tv2": 0.04, "tv2_worst": 0.1, "auc_boosting": 0.9})
    found = [(measure.name, name) for _, _, measure, _, name, _ in losses([ours, theirs])]
    assert [("tv2", "dpmm MST"), ("auc_boosting", "dpmm MST")] == found
    failed = run(contender="mbi AIM", failure="no result after 5 s", figures={})
    text = page([ours, theirs, failed], ["t", "u"], [OURS, "mbi AIM", "dpmm AIM"])
    assert "**.040**" in text
    assert "**.900**" in text
    assert "**.100**" not in text
    assert "no result after 5 s" in text
    assert f"| {OURS} | 1 at 1 | – |" in text
    assert "| dpmm AIM | – | – |" in text
    assert "Nowhere" in page([theirs, run(figures={"tv2": 0.04})], [], [])
    assert "No other library has been run" in page([run(), run(contender="bootstrap")], [], [])


def test_quantiles_are_shown_in_their_own_units_beside_the_best_of_the_others() -> None:
    ours = [run(quantiles={"age": [1.0, -3.0]}), run(seed=1, quantiles={"age": [0.0, 4.0], "pay": [8.0, 8.0]})]
    others = [
        run(contender="dpmm MST", quantiles={"age": [-1.0, 1.0]}),
        run(contender="mbi MST", quantiles={"age": [5.0, 1.0]}),
        run(contender="bootstrap", quantiles={"age": [0.0, 0.0]}),
    ]
    text = page([*ours, *others, run(epsilon=3.0, quantiles={"age": [1.0]})], [], [])
    assert "| t | age | 2.00 | **1.00** dpmm MST | 1.00 | – |" in text
    assert "pay" not in text  # one of our runs lost it


def test_a_reference_that_is_not_private_is_never_a_loss() -> None:
    assert [] == losses([run(), run(contender="bootstrap", figures={"tv2": 0.01})])


def test_the_version_of_our_rows_follows_the_code_that_makes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("compared.contenders.HOME", tmp_path / "benchmarks")
    room = tmp_path / "src" / "rows"
    room.mkdir(parents=True)
    (room / "one.py").write_text("a = 1\n")
    before = _digest(room)
    (room / "PROOFS.md").write_text("words")
    assert before == _digest(room)
    (room / "one.py").write_text("a = 2\n")
    after = _digest(room)
    (room / "one.py").rename(room / "two.py")
    assert 3 == len({before, after, _digest(room)})


def test_every_contender_has_a_script_and_pins() -> None:
    for contender in CONTENDERS.values():
        assert (BENCHMARKS / "contenders" / f"synthesis_{contender.script}.py").exists()
        assert contender.missing or contender.version
        assert contender.environment == "reaedp" or (BENCHMARKS / "peers" / f"{contender.environment}.txt").exists()
