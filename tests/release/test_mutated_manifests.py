"""Hundreds of spoilt folders: none passes that says something else, and none gives a traceback."""

from pathlib import Path

import pytest

from mutated_manifests import FAMILIES, Outcome, outcomes, written
from reaedp.plan.description import mechanism_record, statistic_record
from reaedp.plan.kind_tables import MECHANISMS, STATISTICS
from reaedp.release.verification.contents import _CHECKS

#: Counts are spoilt in every way; the folders of all other kinds, of which there are many, mostly by their numbers.
OTHERS = tuple(kind for kind in FAMILIES if kind != "counts")


@pytest.fixture(
    scope="module",
    params=[pytest.param(("counts",), id="counts"), pytest.param(OTHERS, id="other kinds", marks=pytest.mark.slow)],
)
def kinds(request: pytest.FixtureRequest) -> tuple[str, ...]:
    some: tuple[str, ...] = request.param
    return some


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, kinds: tuple[str, ...]) -> Path:
    if "image" in kinds:
        pytest.importorskip("PIL.Image", reason="needs the extra images")
    return tmp_path_factory.mktemp("mutated") / "home"


@pytest.fixture(scope="module")
def found(home: Path, kinds: tuple[str, ...]) -> list[Outcome]:
    """An error that is not the project's own would end this with a traceback."""
    return list(outcomes(home, kinds))


def test_every_statistic_and_every_mechanism_is_in_a_folder_that_is_spoilt(tmp_path: Path) -> None:
    requests = [request for kind in FAMILIES for request in written(tmp_path, kind).requests()]
    assert set(STATISTICS) == {statistic_record(request.statistic)["name"] for request in requests}
    assert set(MECHANISMS) == {mechanism_record(request.mechanism)["name"] for request in requests}


def names(some: list[Outcome]) -> list[str]:
    return [f"{one.mutation.family}, {one.mutation.name}" for one in some]


def test_more_than_a_thousand_mutations_are_tried(found: list[Outcome], kinds: tuple[str, ...]) -> None:
    assert (400 if "counts" in kinds else 600) <= len(found)
    assert len(found) == len(set(names(found)))


def test_with_the_ledger_at_hand_none_passes(found: list[Outcome]) -> None:
    assert [] == names([one for one in found if one.ledger is None])


def test_without_the_ledger_only_what_no_reader_can_tell_passes(found: list[Outcome]) -> None:
    passed = [one for one in found if one.alone is None]
    assert [] == names([one for one in passed if not one.mutation.silent])
    # Otherwise what is marked as silent would be marked in vain.
    assert [] == names([one for one in found if one.mutation.silent and one.alone is not None])


@pytest.mark.parametrize("kinds", [("counts",)], indirect=True, ids=["counts"])
@pytest.mark.parametrize(
    "lie", ["a statistic moved to another column", "other bounds", "another budget", "a release renamed everywhere"]
)
def test_an_entry_objects_to_what_it_did_not_pay_for_even_if_it_was_never_finished(
    found: list[Outcome], lie: str
) -> None:
    (one,) = [one for one in found if one.mutation.name == lie]
    assert one.alone is None
    assert one.unfinished is not None
    assert "Ledger entry" in one.unfinished


def test_every_refusal_is_said_in_words(found: list[Outcome]) -> None:
    said = {text for one in found for text in (one.alone, one.unfinished, one.ledger) if text is not None}
    assert all(len(text.split()) > 3 and text.endswith(".") for text in said)


def test_every_statistic_has_a_check_of_its_numbers() -> None:
    ours = {kind for kind in STATISTICS.values() if kind.__module__.startswith("reaedp.")}
    assert ours == set(_CHECKS.ways)
