"""What a killed process left behind is removed by the next one, and nothing else is."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reaedp.disk.claimed_folder import LOCK, ClaimedFolder, clear
from reaedp.plan.plan import Plan
from reaedp.release.folder import new_folder
from reaedp.release.publication import publish

#: Makes a folder, says so, and waits to be killed.
MAKER = """
import sys
from pathlib import Path
from reaedp.disk.claimed_folder import ClaimedFolder
made = ClaimedFolder.make(Path(sys.argv[1]), "release")
(made.path / "half.csv").write_text("1,2")
print("made", flush=True)
sys.stdin.read()
"""
#: Begins a release, and says so in the middle of it.
RELEASER = """
import sys
from reaedp import Plan, publish
def progress(step):
    if step.startswith("histogram"):
        print("made", flush=True)
        sys.stdin.read()
publish(Plan.load("plan.toml"), "data.csv", "out", progress, audited=False)
"""


def started(code: str, folder: Path) -> "subprocess.Popen[str]":
    """A process that has said that it is in the middle of its work."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert "made\n" == process.stdout.readline()
    return process


def kill(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def hidden(folder: Path) -> list[Path]:
    return sorted(folder.glob(".reaedp-*"))


def test_a_killed_release_is_cleared_away_by_the_next_into_the_same_place(clinic: Path) -> None:
    kill(started(RELEASER, clinic))
    assert 1 == len(hidden(clinic))
    assert not (clinic / "out").exists()
    plan = clinic / "plan.toml"
    plan.write_text(
        plan.read_text().replace("share = 0.25", "epsilon = 0.001").partition('[[release]]\nname = "both"')[0]
    )
    publish(Plan.load(plan), clinic / "data.csv", clinic / "out", audited=False)
    assert (clinic / "out" / "release.json").exists()
    assert [] == hidden(clinic)


def test_a_folder_of_a_living_process_is_left_alone(tmp_path: Path) -> None:
    process = started(MAKER, tmp_path)
    (around,) = hidden(tmp_path)
    with new_folder(tmp_path / "out", 10):
        assert 2 == len(hidden(tmp_path))
    assert [around] == hidden(tmp_path)
    assert "1,2" == (around / "files" / "half.csv").read_text()
    kill(process)
    clear(tmp_path, "release")
    assert [] == hidden(tmp_path)


def test_what_only_looks_like_ours_is_left_alone(tmp_path: Path) -> None:
    kill(started(MAKER, tmp_path))
    (ours,) = hidden(tmp_path)
    others = {name: tmp_path / f".reaedp-release-{name}" for name in ("theirs", "empty", "link", "file")}
    for name in ("theirs", "empty"):
        others[name].mkdir()
    (others["theirs"] / LOCK).write_text("a lock of somebody else")
    others["link"].symlink_to(tmp_path / "kept")
    others["file"].write_text("no folder")
    kept = ours.rename(tmp_path / "kept")
    clear(tmp_path, "release")
    assert sorted(others.values()) == hidden(tmp_path)
    assert kept.exists()


def test_nothing_is_left_of_a_folder_whose_work_failed(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), new_folder(tmp_path / "out", 10):
        raise ZeroDivisionError
    assert [] == list(tmp_path.iterdir())


def test_a_forked_process_does_not_remove_the_folder_of_its_parent(tmp_path: Path) -> None:
    made = ClaimedFolder.make(tmp_path, "release")
    child = os.fork()
    if child == 0:
        made.remove()
        os._exit(0)
    os.waitpid(child, 0)
    assert made.path.exists()
    made.remove()
    assert [] == hidden(tmp_path)


def test_what_an_engine_of_a_killed_process_spilled_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    engine = "import sys; from reaedp.disk.duckdb_engine import connect; held = connect()"
    code = f"{engine}; print('made', flush=True); sys.stdin.read()"
    kill(started(code, tmp_path))
    (left,) = hidden(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", "from reaedp.disk.duckdb_engine import connect; connect().execute('SELECT 1')"],
        check=False,
    )
    assert 0 == done.returncode
    assert not left.exists()
    assert [] == hidden(tmp_path)


#: What else writes under a hidden name, or makes up data: each stops where it holds something.
STOPPED = {
    "evaluation": """
import reaedp.evaluation.results as held
held.write_lines = {pause}
held.write_results(Path("out"), [])
""",
    "reproduction": """
import reaedp.paper.reproduction as held
held.markdown, held.page = {pause}, lambda done: ""
held._write(Path("out"), [])
""",
    "contract": """
import os
from reaedp.contract.document import _replace
Path("contract.toml").touch()
os.fsync = {pause}
_replace(Path("contract.toml"), "")
""",
    "audit": """
import numpy as np
import reaedp.audits.replay as held
from reaedp.plan.plan import Plan
held.Rehearsal = {pause}
plan = Plan.load("plan.toml")
try:
    held.replay(plan.contract, plan, rng=np.random.default_rng(0))
except AttributeError:
    pass  # there was no rehearsal
""",
}
PAUSE = "lambda *_: (print('made', flush=True), sys.stdin.read())[1]"


@pytest.mark.slow
@pytest.mark.parametrize("purpose", STOPPED)
def test_what_a_killed_command_hid_is_removed_when_the_next_one_comes(
    clinic: Path, purpose: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(clinic))
    code = "import sys\nfrom pathlib import Path\n" + STOPPED[purpose]
    kill(started(code.format(pause=PAUSE), clinic))
    assert [purpose] == [path.name.split("-")[1] for path in hidden(clinic)]
    done = subprocess.run(
        [sys.executable, "-c", code.format(pause="lambda *_: ''")], cwd=clinic, check=False, capture_output=True
    )
    assert 0 == done.returncode, done.stderr
    assert [] == hidden(clinic)
