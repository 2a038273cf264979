"""What Windows lacks is simulated: modules and calls of POSIX are hidden, folders are neither opened nor replaced."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reaedp import Ledger
from reaedp.disk import file_lock, system
from reaedp.disk.system import is_own_folder, path_in, rename_folder, sync, user_name
from reaedp.ledger import writers_queue
from source_rules import parsed, walked

SOURCE = Path(__file__).parents[1] / "src" / "reaedp"
#: Modules of the standard library that only POSIX has.
POSIX_MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
#: Names of `os` that Windows lacks, or has only in the newest Python.
POSIX_NAMES = {
    "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "chown", "fchmod", "fchown", "fork", "geteuid", "getgid",
    "getpgid", "getuid", "killpg", "lchown", "mkfifo", "posix_fallocate", "pread", "preadv", "pwrite", "pwritev",
    "sched_getaffinity", "setsid", "statvfs", "sync", "uname", "wait",
}  # fmt: skip
#: Names that other libraries on this machine expect.
KEPT = {"O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "uname"}
#: Hides all this, and then does what its arguments say. The library for locks knows its systems by itself.
WITHOUT = f"""
import builtins, os, sys
import portalocker, subprocess, tempfile, asyncio, multiprocessing
ordinary = builtins.__import__
def hiding(name, scope=None, *others, **named):
    if name in {POSIX_MODULES!r} and str((scope or {{}}).get("__name__")).startswith("reaedp"):
        raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
    return ordinary(name, scope, *others, **named)
builtins.__import__ = hiding
for name in {POSIX_NAMES - KEPT!r}:
    if hasattr(os, name):
        delattr(os, name)
sys.argv[0] = "reaedp"
from reaedp.cli import main
main()
"""


def without_posix(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", WITHOUT, *arguments]
    environment = os.environ | {"USERNAME": "keeper"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.slow
def test_a_release_is_made_verified_and_shown_without_what_posix_adds(clinic: Path) -> None:
    for arguments in (
        ("check", "contract.toml"),
        ("release", "plan.toml", "--data", "data.csv", "--out", "published"),
        ("verify", "published", "--ledger", "budget.sqlite"),
        ("report", "published"),
        ("ledger", "show", "budget.sqlite"),
        ("evaluate", "published", "--data", "data.csv", "--out", "seen"),
    ):
        done = without_posix(clinic, *arguments)
        assert (0, "") == (done.returncode, done.stderr if "Traceback" in done.stderr else ""), done.stderr
    assert (clinic / "published" / "report.html").exists()
    with Ledger.open(clinic / "budget.sqlite") as ledger:
        assert "keeper" in {entry.user for entry in ledger.history()}


def test_what_is_hidden_is_missed_by_code_that_uses_it(tmp_path: Path) -> None:
    """Else the journey above could not fail."""
    spoilt = WITHOUT.replace("from reaedp.cli import main\nmain()", "__name__ = 'reaedp.x'\nimport fcntl")
    done = subprocess.run([sys.executable, "-c", spoilt], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "No module named 'fcntl'" in done.stderr


def used(path: Path) -> set[str]:
    nodes = walked(parsed(path))
    modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    names = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os"
    }
    return (modules & POSIX_MODULES) | (names & POSIX_NAMES)


def test_only_the_folder_for_disks_uses_what_one_system_alone_has() -> None:
    found = {str(path.relative_to(SOURCE)): used(path) for path in SOURCE.rglob("*.py")}
    #: Each of these asks first whether it is there.
    asked = {"sched_getaffinity", "posix_fallocate"}
    strangers = {name: words - asked for name, words in found.items() if words - asked and not name.startswith("disk")}
    assert {} == strangers
    assert {"fcntl"} == found[str(Path("disk", "file_lock.py"))]


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that opens no folder, and that gives no folder a name which another has."""
    ordinary, plain = os.open, Path.rename

    def opened(path: Path, flags: int, *mode: int) -> int:
        if Path(path).is_dir():
            raise PermissionError(13, "Permission denied")
        if flags & (os.O_RDWR | os.O_WRONLY) == 0:
            raise PermissionError(13, "a file that is only read cannot be forced to disk")
        return ordinary(path, flags, *mode)

    def renamed(self: Path, target: Path) -> Path:
        if Path(target).exists():
            raise FileExistsError(17, "Cannot create a file when that file already exists")
        return plain(self, target)

    monkeypatch.setattr(system, "_WINDOWS", True)
    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(Path, "rename", renamed)


def test_where_folders_cannot_be_opened_or_replaced_they_are_finished_all_the_same(
    tmp_path: Path, windows: None
) -> None:
    made, wanted = tmp_path / "made", tmp_path / "wanted"
    made.mkdir()
    (made / "file").write_bytes(b"x")
    wanted.mkdir()
    sync(made)
    sync(made / "file")
    rename_folder(made, wanted)
    assert b"x" == (wanted / "file").read_bytes()


def test_a_ledger_is_charged_where_bytes_cannot_be_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers_queue, "HAS_BYTES", False)
    ledger = Ledger.create(tmp_path / "budget.sqlite")
    assert not writers_queue.queue_of(tmp_path / "budget.sqlite").exists()
    ledger.verify()


def test_the_user_is_named_without_a_list_of_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pwd", None)
    monkeypatch.setenv("LOGNAME", "somebody")
    assert "somebody" == user_name()
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    assert "unknown" == user_name()


def test_a_link_to_a_folder_is_not_ones_own_folder(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    assert (True, False) == (is_own_folder(tmp_path), is_own_folder(tmp_path / "link"))


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("duckdb:///srv/a.db", "/srv/a.db"),
        ("duckdb:///C:/data/a.db", "C:/data/a.db"),
        ("duckdb://C:/data/a.db", "C:/data/a.db"),
        ("duckdb://a.db", "a.db"),
        ("duckdb:///C/a.db", "/C/a.db"),
    ],
)
def test_an_address_may_name_a_drive(address: str, path: str) -> None:
    assert path == path_in(address)


def test_a_file_that_cannot_be_locked_at_all_is_no_other_process(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    os.close(writing)
    with pytest.raises(OSError, match="cannot be locked"):
        file_lock.try_lock(writing)
