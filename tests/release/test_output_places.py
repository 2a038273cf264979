"""Nothing is written into a release folder but a release, and the custodian's files are the custodian's."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from reaedp import Plan, publish
from reaedp.errors import DeclarationError, NotDisclosable
from reaedp.place import outside_releases

Run = Callable[..., CompletedProcess[str]]

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
    "reproduce": (2, ("reproduce", "--quick", "--out", "{place}/paper")),
}  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release, a copy of it, and a link to that."""
    from conftest import CONTRACT, PLAN

    home = tmp_path_factory.mktemp("places")
    (home / "contract.toml").write_text(CONTRACT)
    (home / "plan.toml").write_text(PLAN)
    (home / "data.csv").write_text("age,sex\n" + "".join(f"{37 * i % 100},{'fm'[i % 2]}\n" for i in range(500)))
    publish(Plan.load(home / "plan.toml"), str(home / "data.csv"), home / "out", audited=False, page=False)
    shutil.copytree(home / "out", home / "copy")
    (home / "link").symlink_to("copy")
    return home


def run(home: Path, *arguments: str) -> CompletedProcess[str]:
    import subprocess
    import sys

    command = [sys.executable, "-m", "reaedp", *arguments]
    return subprocess.run(command, cwd=home, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("what", COMMANDS)
def test_no_command_writes_into_a_copy_of_a_release(home: Path, what: str) -> None:
    code, arguments = COMMANDS[what]
    before = {path.name: path.read_bytes() for path in (home / "copy").iterdir()}
    done = run(home, *(argument.format(place="copy") for argument in arguments))
    assert code == done.returncode, done.stderr + done.stdout
    assert "release folder" in done.stderr
    assert "Traceback" not in done.stderr
    assert before == {path.name: path.read_bytes() for path in (home / "copy").iterdir()}


@pytest.mark.parametrize("place", ["copy", "copy/new", "copy/a/b/c", "link/new", "link/../copy/x", "elsewhere/../copy"])
def test_no_way_leads_into_a_release(home: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
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
    os.umask(0o022)
    assert 0 == run(home, "evaluate", "out", "--data", "data.csv", "--out", "private").returncode
    done = run(home, "report", "out", "--custodian", "--data", "data.csv", "--evaluation", "private")
    assert 0 == done.returncode, done.stderr
    for folder in (home / "private", home / "out-not-to-be-published"):
        assert 0o700 == folder.stat().st_mode & 0o777
        assert {0o600} == {path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert {"evaluation.csv", "NOT-TO-BE-PUBLISHED.txt"} == {path.name for path in (home / "private").iterdir()}
