"""Every proof has a planted bug, every planted bug can be planted, and the runner knows a caught one from a survivor.

Whether the bugs are caught is for `make mutants`, which takes minutes.
"""

import ast
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import claims
from planted import ROOT, Mutant, Section, mutants, rows_on_page, sections
from run import Notes, Outcome, _verdict

MUTANTS, SECTIONS = mutants(), sections()
NAMED = Counter(name for section in SECTIONS for name, _ in section.planted)


@cache
def functions(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_there_are_at_least_sixty() -> None:
    assert len(MUTANTS) >= 60


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: f"{section.folder}: {section.title}")
def test_every_section_names_a_planted_bug_in_a_sentence(section: Section) -> None:
    assert section.planted, "write **Planted bug** `name`: what it spoils."
    for name, what in section.planted:
        assert name.replace("-", "").isalnum(), name
        assert len(what) > 15, name
        assert what.endswith("."), name


def test_every_planted_bug_has_one_name_one_section_and_one_entry() -> None:
    assert Counter(mutant.name for mutant in MUTANTS) == NAMED
    assert {1} == set(NAMED.values())


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_planted_bug_spoils_one_place_and_names_tests_that_exist(mutant: Mutant) -> None:
    path = ROOT / mutant.file
    assert path.is_relative_to(ROOT / "src")
    spoilt = mutant.spoilt(path.read_text(encoding="utf-8"))
    assert mutant.new not in ("", mutant.old) or mutant.old
    assert spoilt != path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        ast.parse(spoilt)
    assert mutant.caught_by
    for test in mutant.caught_by:
        file, _, function = test.partition("::")
        assert function in functions(file), test


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: f"{section.folder}: {section.title}")
def test_every_section_names_a_test_that_catches_its_bugs(section: Section) -> None:
    for mutant in MUTANTS:
        if mutant.name in dict(section.planted):
            assert section.folder == mutant.folder, f"{mutant.name} belongs into tests/mutants/{section.folder}.toml"
            assert any(f"`{test}`" in section.text for test in mutant.caught_by), mutant.name


def test_the_page_has_a_row_for_every_planted_bug_and_none_besides() -> None:
    """`make mutants MUTANTS="--write new-name"` adds one."""
    rows = rows_on_page()
    assert {mutant.name for mutant in MUTANTS} == rows.keys()
    for section in SECTIONS:
        for name, what in section.planted:
            assert what.replace("|", "\\|") in rows[name], f"docs/mutants.md says something else of {name}"


def test_every_claim_stands_on_a_page_with_its_proof_its_bugs_and_a_test_that_catches_each() -> None:
    """`python tests/mutants/claims.py` writes the page."""
    written = claims.PAGE.read_text(encoding="utf-8")
    assert claims.page() == written
    for section in SECTIONS:
        assert f"[{section.title}](../src/reaedp/{section.folder}/PROOFS.md#" in written


def test_a_bug_must_be_found_in_exactly_one_place() -> None:
    bug = Mutant("twice", "src/x.py", "a", "b", ("tests/x.py::test",), "x")
    assert "b = 1\n" == bug.spoilt("a = 1\n")
    for source in ("a = a\n", "c = 1\n"):
        with pytest.raises(ValueError, match="times"):
            bug.spoilt(source)


FAILED = "FAILED tests/a.py::test_b[x, y] - assert 1 == 2"


@pytest.mark.parametrize(
    ("code", "output", "caught"),
    [
        (1, FAILED, "tests/a.py::test_b[x, y]"),
        (1, "FAILED tests/a.py::test_b - AssertionError: assert 1 == 2", "tests/a.py::test_b"),
        (1, "FAILED tests/a.py::test_b", "tests/a.py::test_b"),
        (0, "3 passed", None),
        (None, "", None),
        (1, "ERROR tests/a.py::test_b - RuntimeError: no server", None),
        (2, "ERROR tests/a.py - NameError: name 'x' is not defined", None),
        (2, FAILED, None),
        (4, "ERROR: not found: tests/a.py::test_c", None),
        (5, "no tests ran", None),
        (1, "FAILED tests/a.py::test_b - NameError: name 'x' is not defined", None),
        (1, "FAILED tests/a.py::test_b - ImportError: cannot import name 'x'", None),
    ],
)
def test_only_a_test_that_fails_catches_a_bug(code: int | None, output: str, caught: str | None) -> None:
    test, words = _verdict(code, output, 600.0)
    assert caught == test
    assert caught is not None or words


def test_no_source_is_spoilt_now() -> None:
    """The runner works on copies: whatever it planted must not be found here."""
    for mutant in MUTANTS:
        assert mutant.old in Path(ROOT / mutant.file).read_text(encoding="utf-8"), mutant.name


def test_what_was_caught_is_noted_until_the_bug_its_file_or_its_tests_change(tmp_path: Path) -> None:
    file, bug = tmp_path / "caught.jsonl", MUTANTS[0]
    others = [replace(bug, new=f"{bug.new} "), replace(bug, file=MUTANTS[-1].file)]
    notes = Notes.of(file, [bug])
    assert [] == notes.recalled([bug])
    notes.add(Outcome(bug, None, "all of its tests pass", 1.0))
    assert [] == notes.recalled([bug])
    caught = Outcome(bug, bug.caught_by[0], "assert 1 == 2", 1.0)
    notes.add(caught)
    assert [caught] == notes.recalled([bug])
    assert [[], []] == [Notes.of(file, [other]).recalled([other]) for other in others]
