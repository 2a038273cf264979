"""All that a plan can ask for is audited as whole releases, and the page on auditing says what was found."""

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import numpy as np
import pytest

from reaedp.answer import Shape
from reaedp.audits import release_channel, whole_release
from reaedp.audits.canary_cells import CanaryKeys, PublishedTables
from reaedp.audits.clones import Crowds, clearest, seen
from reaedp.audits.finding import Verdict
from reaedp.audits.neighbour_files import Canary, neighbour_files
from reaedp.audits.repeated_release import RepeatedRelease
from reaedp.audits.whole_release import audit_release
from reaedp.errors import ReaedpError
from reaedp.mechanisms.noise import SeededNoise
from reaedp.mechanisms.record_plan import plan_records
from reaedp.plan.kinds.counted import MechanismName, PlannedRelease
from reaedp.plan.kinds.kind import key_types
from reaedp.plan.plan import KINDS
from reaedp.privacy.unit import Unit
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.synthetic import SyntheticRecords

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

import whole_releases  # noqa: E402

#: Without a plan: what `reaedp learn` makes.
UNPLANNED = "learn"


def options(kind: str) -> Iterator[tuple[str, Any]]:
    """Keys of a kind that have a closed list of values, with each value."""
    for key, hint in key_types(KINDS[kind]).items():
        if get_origin(hint) is Literal:
            yield from ((key, value) for value in get_args(hint))
        elif hint is bool:
            yield from ((key, value) for value in (False, True))


def asked(case: whole_releases.Case, key: str) -> Any:
    """The value of a key in a row, also where the plan leaves it out."""
    return getattr(KINDS[case.kind](name="audited", kind=case.kind, **case.keys), key)


def test_every_kind_of_a_plan_is_in_the_benchmark_of_the_door() -> None:
    assert {*KINDS, UNPLANNED} == {case.kind for case in whole_releases.CASES.values()}


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_value_of_every_option_is_in_the_benchmark_of_the_door(kind: str) -> None:
    family = [case for case in whole_releases.CASES.values() if KINDS.get(case.kind) is KINDS[kind]]
    for key, value in options(kind):
        assert value in {asked(case, key) for case in family}, (key, value)


def possible(kind: str, mechanism: str) -> bool:
    """Whether a plan may ask for this kind with this noise."""
    columns = ("a", "b") if kind == "entropy-map" else ("a",)
    given = {"given": ("b",)} if "given" in whole_releases.CASES[_first(kind)].keys else {}
    price = {"epsilon": 1.0} | ({} if mechanism == "laplace" else {"delta": 1e-6})
    terms = whole_releases.contract(whole_releases.UNITS["row, add-remove"])
    try:
        planned = KINDS[kind](name="x", kind=kind, columns=columns, mechanism=mechanism, **given, **price)  # type: ignore[call-arg]
        planned.request(terms).charge(terms)
    except ReaedpError:
        return False
    return True


def _first(kind: str) -> str:
    return next(name for name, case in whole_releases.CASES.items() if case.kind == kind)


def test_every_counted_kind_is_in_the_benchmark_with_each_noise_that_it_may_have() -> None:
    pairs = {(kind, mechanism) for kind in PlannedRelease.kinds for mechanism in get_args(MechanismName)}
    wanted = {pair for pair in pairs if possible(*pair)}
    rows = {
        (case.kind, case.keys["mechanism"])
        for case in whole_releases.CASES.values()
        if case.kind in PlannedRelease.kinds
    }
    assert len(wanted) >= 2 * len(PlannedRelease.kinds)
    assert wanted == rows


def test_every_shape_of_an_answer_has_a_channel() -> None:
    assert set(get_args(Shape)) == set(release_channel._CHANNELS)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(whole_releases.CASES))
def test_every_kind_is_released_with_a_charge_and_a_folder_that_agrees(name: str) -> None:
    request, terms = whole_releases.CASES[name].request(whole_releases.CASES[name].units[-1])
    rng = np.random.default_rng(3)
    found = audit_release(request, terms, rng=rng, runs=16, noise=SeededNoise(rng))
    assert found
    assert Verdict.NOT_COVERED not in {finding.verdict for finding in found}
    for judged, folder in zip(found[::2], found[1::2], strict=True):
        assert judged.claim is not None
        assert judged.measured is not None
        assert judged.power is not None
        assert Verdict.CONSISTENT == folder.verdict


def documented() -> dict[tuple[str, str], list[list[str]]]:
    """Rows of the table in the page about auditing, by what and by unit."""
    rows: dict[tuple[str, str], list[list[str]]] = {}
    for line in (ROOT / "docs" / "auditing.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) == len(whole_releases.HEADINGS):
            rows.setdefault((cells[0], cells[1]), []).append(cells)
    return rows


def test_every_row_of_the_benchmark_is_in_the_page_about_auditing_and_no_other() -> None:
    found = set(documented()) - {whole_releases.HEADINGS[:2]}
    assert {(name, unit) for name, case in whole_releases.CASES.items() for unit in case.units} == found


def test_rows_that_were_run_replace_those_of_the_page_and_the_others_stay() -> None:
    (first, one), (second, two) = [(name, case.units[0]) for name, case in list(whole_releases.CASES.items())[:2]]
    top = f"words\n\n{whole_releases.TOP}\n|---|\n"
    page = f"{top}| {second} | {two} | old |\n| gone | {one} | old |\n\nmore\n\nwords\n"
    line = f"| {first} | {one} | new |"
    wanted = f"{top}{line}\n| {second} | {two} | old |\n\nmore\n\nwords\n"
    assert wanted == whole_releases.rewritten(page, {(first, one): [line]})


def test_a_documented_row_that_shows_less_than_half_of_its_charge_says_why() -> None:
    for (name, _), rows in documented().items():
        for row in rows[: None if name != whole_releases.HEADINGS[0] else 0]:
            shown, missed, note = row[3], row[5], row[7]
            weak = missed == "any" or shown == "nothing" or float(shown.rpartition(": ")[2]) < 0.5
            assert note or not weak, row


def test_clones_are_chosen_where_runs_show_most() -> None:
    unit = Unit("add-remove", at_least=100)
    plan = plan_records(4.0, 5e-7, 1, unit=unit, gamma=1.0, plausible=np.array([6]))
    best = clearest(plan, unit, 100)

    def gap(clones: int) -> float:
        before, after = (seen(plan.test, plan.stopping, crowd) for crowd in Crowds.of(clones, 100, unit))
        return float(np.abs(after - before).sum())

    # Where hardly anything or everything passes, both worlds look alike.
    assert gap(best) > 10 * max(gap(0), gap(plan.test.certain))


def test_counts_of_keys_are_read_off_rows_that_come_in_proportion() -> None:
    canary = Canary(np.array([[1, 1]], dtype=np.int32), np.array([[0, 0]], dtype=np.int32))
    tables = [np.array([[20, 20], [20, 21]]), np.array([[21, 20], [20, 20]])]
    keys = CanaryKeys.of(canary, (0, 1), tables)
    codes = np.array([[i, j] for i in range(2) for j in range(2)], dtype=np.int32)
    for table, sign in zip(tables, (-1, 1), strict=True):
        value = SyntheticRecords((), np.repeat(codes, 50 * table.ravel(), axis=0), {}, {})
        counts = keys.counts(value)
        assert counts == pytest.approx([table[1, 1], table[0, 0]])
        # Two cells, each one off, at a scale of one half.
        assert keys.score(counts[None], 0.5) == pytest.approx([sign * 4.0])


@pytest.mark.parametrize("unit", ["row, replace", "person, add-remove"])
def test_published_tables_give_the_likelihood_ratio_of_both_files(tmp_path: Path, unit: str) -> None:
    """Cell by cell of the declared columns, some of which tables merge."""
    terms = whole_releases.contract(whole_releases.UNITS[unit], whole_releases.FINE, whole_releases.COLUMNS[0])
    keys = {"method": "network", "columns": ("r", "a"), "rows": 1, "epsilon": 40.0, "delta": 1e-6}
    request = KINDS["synthetic"](name="audited", kind="synthetic", **keys).request(terms)
    (case,) = neighbour_files(request, terms, tmp_path)
    rng = np.random.default_rng(8)
    worlds = [
        RepeatedRelease(terms, request, path, tmp_path / place, SeededNoise(rng))
        for place, path in (("first", case.first), ("second", case.second))
    ]
    (release,) = worlds[1].releases(1)
    learned = release.value.model.learned
    exact = [world.counts(("r", "a")) for world in worlds]

    def ratio(noisy: Any, scales: Any, place: Any) -> float:
        tables = [np.zeros(noisy.shape), np.zeros(noisy.shape)]
        for cell in np.ndindex(exact[0].shape):
            for table, counts in zip(tables, exact, strict=True):
                table[place(cell)] += counts[cell]
        first, second = (((noisy - table) / scales) ** 2 / 2 for table in tables)
        return float((first - second).sum())

    wanted = 0.0
    for column, (single, scale) in enumerate(zip(learned.singles, learned.evidence.column_scales, strict=True)):
        wanted += ratio(single.values, scale, lambda cell, column=column: cell[column])
    for table in learned.tables:

        def place(cell: Any, table: Any = table) -> Any:
            own = [learned.evidence.mergings[one].cell[cell[learned.evidence.owners[one]]] for one in table.group]
            return tuple(merging.cell[one] for merging, one in zip(table.mergings, own, strict=True))

        wanted += ratio(table.counts, table.scales, place)
    assert any(table.counts.size < exact[0].size for table in learned.tables)
    tables = PublishedTables(lambda names: [world.counts(names) for world in worlds])
    assert tables.score(release.value) == pytest.approx(wanted)
    assert abs(wanted) > 1e-3


def test_keys_of_everyone_else_are_above_the_threshold_also_for_a_small_charge(tmp_path: Path) -> None:
    keys = {**whole_releases.CASES["amortised"].keys, "epsilon": 0.5}
    terms = whole_releases.contract(whole_releases.UNITS["row, add-remove"])
    request = KINDS["synthetic"](name="audited", kind="synthetic", **keys).request(terms)
    (case,) = whole_release.neighbour_files(request, terms, tmp_path)
    assert isinstance(request.mechanism, Amortised)
    threshold = request.mechanism.keys.threshold(request.statistic.sensitivity(terms))
    rows = case.first.read_text().splitlines()[1:]
    assert math.inf > min(rows.count(row) for row in set(rows)) >= 2 * threshold


def test_what_one_mixed_record_can_show_at_best_is_what_the_table_says() -> None:
    guesses, epsilon = whole_releases.mixed_at_best()
    assert f"right guesses are {guesses:.3f} at best and ε = {epsilon:.2f} is all" in whole_releases.MIXED
    assert whole_releases.MIXED in whole_releases.PAGE.read_text(encoding="utf-8")


@pytest.mark.quick_every(2)
@pytest.mark.parametrize(("end", "steady"), [("", True), ("0,1,2,3,4\r\n", False)], ids=["turned", "one more"])
def test_the_order_of_curves_is_no_change_and_one_more_curve_is(tmp_path: Path, end: str, steady: bool) -> None:
    request, terms = whole_releases.CASES["synthetic curves, even"].request("row, add-remove")
    file = next(iter(neighbour_files(request, terms, tmp_path))).first
    repeated = RepeatedRelease(terms, request, file, tmp_path / "runs", SeededNoise(np.random.default_rng(1)))
    assert 1 == len(list(repeated.releases(1)))
    header, *lines = file.read_bytes().decode().splitlines(keepends=True)
    assert lines != lines[::-1]
    file.write_text("".join([header, *lines[::-1]]) + end, newline="")
    for _ in range(10):
        repeated.exact()
    assert steady == repeated.steady
