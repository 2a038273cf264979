"""What is read from a release folder is what was released, for every kind; what is no such folder is refused."""

import json
import math
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mutated_manifests as folders
from reaedp import (
    Boolean,
    Budget,
    Category,
    Contract,
    Date,
    Integer,
    Number,
    Plan,
    PlannedRelease,
    PlannedSynthetic,
    Release,
    Unit,
    publish,
    read,
    verify,
)
from reaedp.errors import ReaedpError
from reaedp.ledger.ledger import Ledger
from reaedp.plan.kind_tables import MECHANISMS, STATISTICS
from reaedp.release.release import Written
from tests_support import ledger_in, small_plan

PLANS = {kind: family for kind, family in folders.FAMILIES.items() if kind != "learned"}
Published = dict[str, tuple[Path, tuple[Release, ...]]]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """The folder of every plan, and the releases as they were handed out."""
    found = {}
    for name, (contract, plan, data) in PLANS.items():
        home = tmp_path_factory.mktemp("read")
        (home / "contract.toml").write_text(contract)
        (home / "plan.toml").write_text(f'contract = "contract.toml"\n{plan}')
        Ledger.create(home / "ledger.sqlite").close()
        source = folders.saved(home, data())
        found[name] = (
            home / "out",
            publish(Plan.load(home / "plan.toml"), source, home / "out", audited=False, page=False),
        )
    return found


def every(published: Published) -> Iterator[tuple[Release, Release]]:
    """Every release, and what is read of it."""
    for folder, releases in published.values():
        again = read(folder)
        assert [release.name for release in releases] == list(again)
        for release in releases:
            yield release, again[release.name]


@pytest.mark.slow
def test_every_kind_is_read_as_it_was_written(published: Published) -> None:
    seen = set()
    for written, found in every(published):
        assert written == found
        assert hash(written) == hash(found)
        assert (written.price, written.entry, written.noise) == (found.price, found.entry, found.noise)
        assert (written.epsilon, written.mean_error) == (found.epsilon, found.mean_error)
        assert written.attachments == found.attachments
        assert repr(written) == repr(found)
        assert written._repr_html_() == found._repr_html_()
        assert json.loads(json.dumps(written.details)) == found.details
        seen |= {type(written.statistic), type(written.noise.mechanism)}
    own = {kind for kind in (*STATISTICS.values(), *MECHANISMS.values()) if kind.__module__.startswith("reaedp.")}
    assert own == seen


@pytest.mark.slow
def test_what_follows_from_a_release_follows_from_what_is_read(published: Published) -> None:
    for written, found in every(published):
        if written.name in ("ages", "visits", "counted"):
            for confidence in (0.5, 0.95):
                ends = zip(written.intervals(confidence), found.intervals(confidence), strict=True)
                assert all(np.array_equal(one.values, other.values) for one, other in ends)
            assert written.entropy(0.9) == found.entropy(0.9)
            assert written.counts.axes == found.counts.axes
        if written.name == "map":
            assert written.value.mutual_information("age", "sex") == found.value.mutual_information("age", "sex")
        if written.name == "height":
            times = np.linspace(1, 18, 7)
            assert np.array_equal(written.value.on(times, written.noise), found.value.on(times, found.noise))
        if written.name in ("rows", "kept", "passed"):
            columns = written.value.values.values()
            missing = np.any(
                [np.ma.getmaskarray(values) for values in columns], axis=0
            )  # which trouble it had is not said
            assert not missing.all()
            assert np.array_equal(written.value.codes[~missing], found.value.codes[~missing])


@pytest.mark.slow
def test_synthetic_curves_that_are_read_are_known_between_the_declared_times(published: Published) -> None:
    """Two times determine the one coefficient that has a seed; the others are zero."""
    folder, (written,) = published["drawn curves"]
    found = read(folder)["drawn"]
    times = np.linspace(1, 18, 7)
    assert np.allclose(written.value.on(times), found.value.on(times), rtol=1e-9, atol=1e-9)
    narrow = (written.value.narrowed().on(times), found.value.narrowed().on(times))
    assert np.allclose(*narrow, rtol=1e-9, atol=1e-9)


@pytest.mark.slow
def test_synthetic_curves_that_few_times_do_not_determine_say_so(published: Published) -> None:
    folder, (written,) = published["drawn curves"]
    found = read(folder)["drawn"]
    unknown = replace(found.value, coefficients=np.full((30, 3), np.nan))
    assert np.array_equal(written.value.frame()["value"], unknown.frame()["value"])
    for ask in (lambda: unknown.on(np.array([2.0])), unknown.narrowed):
        with pytest.raises(ReaedpError, match="too few to say"):
            ask()


@pytest.mark.slow
def test_an_entropy_by_two_routes_has_the_interval_that_was_written(published: Published) -> None:
    folder, _ = published["bits"]
    either = read(folder)["either"]
    low, high = either.entropy().low, either.entropy().high
    assert low <= either.entropy().value <= high
    if either.value.route == "histogram":
        with pytest.raises(ReaedpError, match=r"at a confidence of 0\.95 only; given 0\.5"):
            either.entropy(0.5)


@pytest.mark.slow
def test_releases_that_differ_are_not_equal(published: Published) -> None:
    folder, releases = published["counts"]
    again = read(folder)
    names = list(again)
    assert [[one == other for other in releases] for one in again.values()] == [
        [place == other for other in range(len(names))] for place in range(len(names))
    ]
    assert again["ages"] != "ages"


@pytest.mark.slow
def test_what_verify_refuses_is_not_read(published: Published, tmp_path: Path) -> None:
    folder, _ = published["counts"]
    for number, name in enumerate(("ages.csv", "frequent.parquet", "README.txt", "release.json")):
        copy = tmp_path / str(number)
        shutil.copytree(folder, copy)
        content = (copy / name).read_bytes()
        for spoilt in (content[: len(content) // 2], b"", b"\x00" * 100, None):
            (copy / name).unlink(missing_ok=True)
            if spoilt is not None:
                (copy / name).write_bytes(spoilt)
            words = []
            for look in (verify, read):
                with pytest.raises(ReaedpError) as caught:
                    look(copy)
                words.append(str(caught.value))
            assert words[0] == words[1]


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_a_manifest_with_any_value_in_any_place_is_read_or_refused_in_words(made: Path, data: st.DataObject) -> None:
    """Whatever stands in a manifest, nothing but the project's own error comes out."""
    record = json.loads((made / "out" / "release.json").read_text())
    place: Any = record
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else list(range(len(place)))))
        if not (isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans())):
            break
        place = place[key]
    anything = st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=20),
        st.lists(st.integers(), max_size=2), st.dictionaries(st.text(max_size=5), st.integers(), max_size=2),
    )  # fmt: skip
    before = place[key]
    place[key] = data.draw(anything)
    content = (made / "out" / "release.json").read_bytes()
    try:
        (made / "out" / "release.json").write_text(json.dumps(record))
        if before != place[key]:
            with suppress(ReaedpError):
                assert all(isinstance(release, Release) for release in read(made / "out").values())
    finally:
        (made / "out" / "release.json").write_bytes(content)


def test_a_small_release_is_read_as_it_was_written(tmp_path: Path) -> None:
    """The quick part of what the slow tests show of every kind."""
    plan = small_plan(tmp_path)
    (written,) = publish(plan, pd.DataFrame({"x": [1.0, 2.0, 9.0]}), tmp_path / "out", audited=False, page=False)
    found = read(tmp_path / "out")["h"]
    assert written == found
    assert (written.entry, written.epsilon) == (found.entry, found.epsilon)
    assert np.array_equal(written.intervals(0.9).low.values, found.intervals(0.9).low.values)


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(ReaedpError, match="is not a release folder"):
            read(place)


EVERY_COLUMN = (
    Number(name="height", lower=0, upper=2, bins=4, provenance="public"),
    Integer(name="age", lower=0, upper=99, width=7, provenance="public"),
    Category(name="sex", levels=("f", "m", "<null>"), provenance="public"),
    Boolean(name="smokes", provenance="public"),
    Date(name="seen", lower=date(2020, 1, 15), upper=date(2020, 4, 3), every="month", provenance="public"),
)


@pytest.mark.slow
def test_values_of_every_kind_of_column_come_back_with_their_types(tmp_path: Path) -> None:
    """Histograms of one column each, and synthetic rows of all, with cells for troubles."""
    contract = Contract(
        dataset="all",
        unit=Unit("add-remove"),
        budget=Budget(10, 1e-5),
        ledger=ledger_in(tmp_path),
        columns=EVERY_COLUMN,
    )
    names = tuple(column.name for column in EVERY_COLUMN)
    rows = {
        "height": [1.5, None],
        "age": [20, None],
        "sex": ["f", None],
        "smokes": [True, None],
        "seen": ["2020-02-03", None],
    }
    counts = tuple(
        PlannedRelease(name=name, kind="histogram", columns=(name,), mechanism="laplace", epsilon=1.0) for name in names
    )
    wanted = PlannedSynthetic(
        name="rows", kind="synthetic", columns=names, rows=200, method="network", epsilon=2.0, delta=1e-6
    )
    plan = Plan(contract, (*counts, wanted))
    frame = pd.DataFrame({name: pd.Series(values * 500, dtype=object) for name, values in rows.items()})
    written = publish(plan, frame, tmp_path / "out", audited=False, page=False)
    found = read(tmp_path / "out")
    assert list(written) == list(found.values())
    for one, other in zip(written, found.values(), strict=True):
        assert one.to_pandas().equals(other.to_pandas())
    records = found["rows"].to_pandas()
    assert ["float64", "Int64", "string", "boolean", "datetime64[s]"] == [str(kind) for kind in records.dtypes]


@pytest.mark.slow
def test_a_mean_curve_of_the_first_version_is_read_as_it_is_written(published: Published) -> None:
    """Its manifest does not tell the noisy numbers, so that the columns are all there is."""
    from reaedp.release.verification.derived import Rebuilt
    from reaedp.release.verification.values import value

    folder, (written,) = published["curve"]
    found = read(folder)["height"]
    old: Any = Rebuilt({"details": {}}, None, found.statistic, found.noise)  # type: ignore[arg-type]
    assert isinstance(value(old, written.columns()), Written)


@pytest.mark.slow
def test_nothing_infinite_in_the_details_makes_two_releases_differ(published: Published) -> None:
    for _, found in every(published):
        assert all(math.isfinite(number) for number in found.details.values() if isinstance(number, float))


GOLDEN = sorted((Path(__file__).parents[1] / "golden").rglob("release.json"))


@pytest.mark.parametrize("manifest", GOLDEN, ids=lambda path: "-".join(path.parts[-4:-1]))
def test_folders_of_earlier_versions_are_read(manifest: Path) -> None:
    again = read(manifest.parent)
    for name, release in again.items():
        stored = pd.read_parquet(manifest.parent / f"{name}.parquet")
        assert list(stored) == list(release.columns())
        assert len(stored) == len(release.to_pandas())
        assert release._repr_html_().startswith("<div>")
