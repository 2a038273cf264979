"""Nothing is written into a release folder but a release, and the custodian's files are the custodian's."""

import os
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reaedp.cli.app import app
from reaedp.errors import DeclarationError, NotDisclosable, ReaedpError
from reaedp.release.place import outside_releases

COMMANDS = {
    "evaluate": (5, ("evaluate", "out", "--data", "data.csv", "--out", "{place}/private")),
    "custodian report": (5, ("report", "out", "--custodian", "--data", "data.csv", "--out", "{place}/report.html")),
    "public report": (2, ("report", "out", "--out", "{place}/report.html")),
    "plan page": (2, ("plan", "plan.toml", "--html", "{place}/plan.html")),
    "plan plot": (2, ("plan", "plan.toml", "--plot", "{place}/plan.csv")),
    "calibrate plot": (2, ("calibrate", "--change", "replace", "--error-bits", "0.1", "--plot", "{place}/c.csv")),
    "release": (2, ("release", "plan.toml", "--data", "data.csv", "--out", "{place}/again")),
    "init": (2, ("init", "data.csv", "--out", "{place}/contract.toml")),
    "checkpoint": (2, ("ledger", "checkpoint", "budget.sqlite", "--out", "{place}/mark.json")),
    "keys": (2, ("keys", "create", "{place}/keeper.key")),
    "algorithm1": (2, ("algorithm1", "c.toml", "--data", "d", "--column", "x", "--epsilon", "1", "--out", "{place}/a")),
    "entropies": (2, ("entropies", ".", "--epsilon", "1", "--out", "{place}/all")),
    "reproduce": (2, ("reproduce", "--quick", "--out", "{place}/paper")),
}  # fmt: skip


@pytest.fixture
def home(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release, a copy of it, and a link to that; the commands are typed beside them."""
    home = tmp_path / "home"
    shutil.copytree(made, home)
    shutil.copytree(home / "out", home / "copy")
    (home / "link").symlink_to("copy")
    monkeypatch.chdir(home)
    return home


@pytest.mark.parametrize("what", COMMANDS)
def test_no_command_writes_into_a_copy_of_a_release(home: Path, what: str) -> None:
    code, arguments = COMMANDS[what]
    before = {path.name: path.read_bytes() for path in (home / "copy").iterdir()}
    done = CliRunner().invoke(app, [argument.format(place="copy") for argument in arguments])
    assert isinstance(done.exception, ReaedpError), done.output
    assert code == done.exception.exit_code
    assert "release folder" in str(done.exception)
    assert before == {path.name: path.read_bytes() for path in (home / "copy").iterdir()}


@pytest.mark.parametrize(
    "place", ["copy", "copy/new", "copy/a/b/c", "link/new", "link/../copy/x", "elsewhere/../copy", "copy/out"]
)
def test_no_way_leads_into_a_release(home: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "copy" / "out").symlink_to("../elsewhere")
    with pytest.raises(DeclarationError, match="release folder"):
        outside_releases(Path(place))
    with pytest.raises(NotDisclosable, match="must not be published"):
        outside_releases(Path(place), secret=True)
    monkeypatch.chdir(home / "copy")
    with pytest.raises(DeclarationError):
        outside_releases(Path("x.html"))


def test_a_place_beside_a_release_is_free(home: Path) -> None:
    for place in ("new", "copy-not-to-be-published/x", "copy/../new"):
        assert home / place == outside_releases(home / place)


def test_what_the_custodian_writes_is_for_its_owner_only(home: Path) -> None:
    """Also where files are made for everyone by default."""
    before = os.umask(0)
    try:
        evaluated = CliRunner().invoke(app, ["evaluate", "out", "--data", "data.csv", "--out", "private"])
        reported = CliRunner().invoke(
            app, ["report", "out", "--custodian", "--data", "data.csv", "--evaluation", "private"]
        )
    finally:
        os.umask(before)
    assert (0, 0) == (evaluated.exit_code, reported.exit_code)
    for folder in (home / "private", home / "out-not-to-be-published"):
        assert 0o700 == folder.stat().st_mode & 0o777
        assert {0o600} == {path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert {"evaluation.csv", "NOT-TO-BE-PUBLISHED.txt"} == {path.name for path in (home / "private").iterdir()}
