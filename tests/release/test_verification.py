"""`reaedp verify` on folders that are not what they should be: words and an exit code, nothing else."""

import hashlib
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from reaedp import Contract, Curator, Laplace, Ledger, Marginal, Plan, publish, verify
from reaedp.cli.app import app
from reaedp.errors import DeclarationError, ReaedpError
from reaedp.ledger.canonical_json import digest
from reaedp.release.strict_json import NotStrict, read_strict


@pytest.fixture
def released(made: Path, tmp_path: Path) -> Path:
    """A release with its ledger, to be spoilt."""
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy"


def _folder(place: Path) -> None:
    (place / "more").mkdir()
    (place / "more" / "x.csv").write_text("1")


def _link(place: Path) -> None:
    (place / "ages.csv").rename(place.parent / "elsewhere.csv")
    (place / "ages.csv").symlink_to(place.parent / "elsewhere.csv")


def _dangling(place: Path) -> None:
    (place / "more.csv").symlink_to(place / "nothing")


def _pipe(place: Path) -> None:
    (place / "ages.csv").unlink()
    os.mkfifo(place / "ages.csv")


def _manifest_pipe(place: Path) -> None:
    (place / "release.json").unlink()
    os.mkfifo(place / "release.json")


def _manifest_folder(place: Path) -> None:
    (place / "release.json").unlink()
    (place / "release.json").mkdir()


def _manifest_link(place: Path) -> None:
    (place / "release.json").rename(place.parent / "elsewhere.json")
    (place / "release.json").symlink_to(place.parent / "elsewhere.json")


def _signed(place: Path) -> None:
    (place / "release.json.sig").mkdir()


def _device(place: Path) -> None:
    (place / "more.csv").symlink_to("/dev/zero")


@pytest.mark.parametrize(
    "spoil",
    [_folder, _link, _dangling, _pipe, _device, _manifest_pipe, _manifest_folder, _manifest_link, _signed],
)
def test_anything_but_regular_files_is_refused_in_words(released: Path, spoil: Callable[[Path], None]) -> None:
    spoil(released / "out")
    with pytest.raises(ReaedpError, match="regular file"):
        verify(released / "out")


def test_the_command_says_so_with_an_exit_code(released: Path) -> None:
    (released / "out" / "more").mkdir()
    result = CliRunner().invoke(app, ["verify", str(released / "out")])
    assert isinstance(result.exception, ReaedpError)
    assert (1, "A release folder must hold regular files only") == (
        result.exception.exit_code,
        str(result.exception)[:45],
    )


@pytest.mark.parametrize("name", ["/etc/hostname", "../secret", "a/b", ".", "..", "", "a\u0000b", "ages.csv"])
def test_nothing_outside_the_folder_is_read(released: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    record = json.loads((released / "out" / "release.json").read_text())
    record["releases"][0]["name"] = name
    (released / "out" / "release.json").write_text(json.dumps(record))
    opened: list[str] = []
    real = os.open
    monkeypatch.setattr(os, "open", lambda path, *rest: (opened.append(str(path)), real(path, *rest))[1])
    with pytest.raises(ReaedpError, match=r"releases\[0\].name must be 1 to 100 letters"):
        verify(released / "out")
    assert {str(released / "out" / "release.json")} == set(opened)


@pytest.mark.parametrize("place", ["nowhere", ".", "data.csv"])
def test_a_folder_that_is_none_is_a_wrong_argument(clinic: Path, place: str) -> None:
    with pytest.raises(DeclarationError, match="is not a release folder"):
        verify(clinic / place)


def test_looking_at_a_ledger_that_is_not_there_makes_none(released: Path) -> None:
    with pytest.raises(DeclarationError, match="no ledger"):
        verify(released / "out", str(released / "other.sqlite"))
    assert not (released / "other.sqlite").exists()


def test_a_second_folder_on_the_same_entries_is_refused(released: Path) -> None:
    """A copy is the same release; one with another moment is a second one."""
    shutil.copytree(released / "out", released / "copy")
    assert "confirms this folder" in verify(released / "copy", str(released / "budget.sqlite"))[-1]
    record = json.loads((released / "copy" / "release.json").read_text())
    record["created"] = "2031" + record["created"][4:]
    (released / "copy" / "release.json").write_text(json.dumps(record))
    assert verify(released / "copy")
    with pytest.raises(ReaedpError, match=r"belongs to a different release\.json"):
        verify(released / "copy", str(released / "budget.sqlite"))


def test_a_release_that_was_never_finished_is_told_as_such(clinic: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a crash between the folder and the ledger leaves it."""
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "finish", lambda *_: None)
        publish(Plan.load(clinic / "plan.toml"), str(clinic / "data.csv"), clinic / "out", audited=False, page=False)
    last = verify(clinic / "out", str(clinic / "budget.sqlite"))[-1]
    assert "never marked as finished: the ledger cannot confirm these numbers" in last


def test_an_entry_is_finished_once_and_its_manifest_stays(clinic: Path) -> None:
    contract = Contract.load(clinic / "contract.toml")
    release = Curator(contract, str(clinic / "data.csv")).release(Marginal("age"), Laplace(0.1))
    with Ledger.open(contract.ledger) as book:
        book.finish([release.entry], digest("a folder made later"))
        charge, finish = book.payment(release.entry) or (None, None)
        assert (None, True) == (finish and finish.manifest, charge is not None)
        assert [None, None, None] == [book.payment(number) for number in (0, 1, 99)]
        assert 3 == book.verify()


def test_entries_of_an_earlier_version_keep_their_text_and_are_told_as_such(released: Path) -> None:
    """The same charges as the earlier version wrote them: without request and manifest, in a chain of its own."""
    with Ledger.open(released / "budget.sqlite") as book:
        charges = [entry.charge for entry in book.history("clinic") if entry.charge]
        terms = Contract.load(released / "contract.toml")
    from dataclasses import replace

    with Ledger.create(released / "old.sqlite") as old:
        old.register("clinic", terms.budget, terms.unit)
        old.finish(old.charge([replace(charge, request=None) for charge in charges]))
        assert 5 == old.verify()
    with sqlite3.connect(released / "old.sqlite") as rows:
        bodies = "".join(body for (body,) in rows.execute("SELECT body FROM reaedp_entries"))
    assert '"part":null' in bodies
    assert '"request"' not in bodies
    assert '"manifest"' not in bodies
    manifest = released / "out" / "release.json"
    record = json.loads(manifest.read_text())
    record["ledger"] = {key: record["ledger"][key] for key in ("spent", "remaining")}  # it named no ledger either
    words = re.sub("  Charged to the ledger .*\n.*\n", "", (released / "out" / "README.txt").read_text())
    (released / "out" / "README.txt").write_text(words)
    record["files"]["README.txt"] = hashlib.sha256(words.encode()).hexdigest()
    manifest.write_text(json.dumps(record))
    last = verify(released / "out", str(released / "old.sqlite"))[-1]
    assert "does not say what for (it was written by an earlier version)" in last
    assert "cannot confirm these numbers (finished" in last


def test_a_folder_of_the_first_format_is_still_read_and_told_as_such(released: Path) -> None:
    record = json.loads((released / "out" / "release.json").read_text())
    columns = {column["name"]: column for column in record["columns"]}
    for release in record["releases"]:
        release["columns"] = [columns[name] for name in release["statistic"]["columns"]]
    first = {key: value for key, value in record.items() if key not in ("columns", "curves", "picture", "audit")}
    (released / "out" / "release.json").write_text(json.dumps(first | {"format": 1}))
    assert any("earlier version" in line for line in verify(released / "out"))
    with pytest.raises(ReaedpError, match="paid for something other than"):
        verify(released / "out", str(released / "budget.sqlite"))


def test_levels_that_look_like_formulas_verify(tmp_path: Path, clinic: Path) -> None:
    levels = ["=1+1", "-3", "a,b", 'say "x"', "", "-cmd", "ä\u2028"]
    text = (clinic / "contract.toml").read_text().replace('["f", "m"]', json.dumps(levels))
    (clinic / "contract.toml").write_text(text, encoding="utf-8")
    data = pd.DataFrame({"age": 5.0, "sex": [levels[row % 7] for row in range(3_000)]})
    publish(Plan.load(clinic / "plan.toml"), data, tmp_path / "out", audited=False, page=False)
    assert verify(tmp_path / "out", str(clinic / "budget.sqlite"))


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (b'{"a": 1, "a": 1}', "twice"),
        (b"[NaN]", "finite"),
        (b"[-Infinity]", "finite"),
        (b"[1e999]", "fit into a double"),
        (b"[" + b"9" * 51 + b"]", "digits"),
        (b"[" * 33 + b"]" * 33, "nested"),
        (b"[" * 100_000, "nested"),
        (b'["\\udc00"]', "half a character"),
        (b"\xff", "UTF-8"),
        (b"{} {}", "valid JSON"),
        (b"", "valid JSON"),
    ],
)
def test_json_with_two_meanings_or_none_is_refused(text: bytes, rule: str) -> None:
    with pytest.raises(NotStrict, match=rule):
        read_strict(text)
