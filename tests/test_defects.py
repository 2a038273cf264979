"""What nobody foresaw is a sentence, a code and a file that quotes nothing; what was foreseen has its own error."""

import gzip
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from reaedp import Ledger, Plan, cli, publish
from reaedp.cli import guard
from reaedp.cli.app import app
from reaedp.errors import DeclarationError, Defect, ReaedpError, repeated
from reaedp.release.folder import new_folder
from reaedp.release.readme import factor, hundredths, posterior

SECRET = "s3cret-of-a-row"


class Panic(BaseException):
    """As libraries that are not written in Python raise it."""


def recursion() -> None:
    recursion()


def broken(kind: type[BaseException]) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        password = SECRET  # noqa: F841 - no local variable may be told
        raise kind(SECRET)

    return fail


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("REAEDP_STATE", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "reaedp"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["reaedp", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0)


@pytest.mark.parametrize("kind", [RuntimeError, MemoryError, RecursionError, OSError, UnicodeError, Panic])
def test_any_exception_is_a_sentence_a_code_and_a_file_without_secrets(
    kind: type[BaseException], state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("reaedp.contract.document.Document.read", broken(kind))
    assert Defect.exit_code == run(monkeypatch, "check", f"/{SECRET}/plan.toml") == 70
    said = capsys.readouterr()
    (file,) = state.iterdir()
    assert "" == said.out
    assert 1 == said.err.count("\n")
    assert str(file) in said.err
    assert "Traceback" not in said.err
    details = file.read_text(encoding="utf-8")
    assert SECRET not in said.err + details
    assert details.startswith("command: check\n")
    assert f".{kind.__name__}\n" in details
    assert "  reaedp/cli/app.py:" in details
    assert all(line.startswith("  reaedp/") for line in details.splitlines() if line.startswith("  "))
    assert 0o600 == stat.S_IMODE(file.stat().st_mode)


def test_a_recursion_without_end_is_told_by_its_ends(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("reaedp.contract.document.Document.read", lambda _: recursion())
    assert 70 == run(monkeypatch, "check", "plan.toml")
    (file,) = state.iterdir()
    assert len(file.read_text().splitlines()) < 100
    assert str(file) in capsys.readouterr().err


def test_only_names_of_commands_are_told_and_no_argument(state: Path) -> None:
    for words, command in {
        ("ledger", "show", SECRET): "ledger show",
        ("release", SECRET): "release",
        (SECRET, "release"): "none",
        (f"--{SECRET}",): "none",
        (): "none",
    }.items():
        guard.defect(RuntimeError(SECRET), words)
        (file,) = state.iterdir()
        assert file.read_text().startswith(f"command: {command}\n")
        assert SECRET not in file.read_text()
        file.unlink()


def test_causes_are_told_by_their_types(state: Path) -> None:
    try:
        try:
            raise KeyError(SECRET)
        except KeyError as error:
            raise ValueError(SECRET) from error
    except ValueError as error:
        guard.defect(error, ["check"])
    (file,) = state.iterdir()
    found = [line for line in file.read_text().splitlines() if line.startswith("exception: ")]
    assert ["exception: builtins.ValueError", "exception: builtins.KeyError"] == found


def test_details_go_to_temporary_files_or_nowhere_if_there_is_no_other_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.delenv("REAEDP_STATE", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(guard.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    assert str(tmp_path / "temporary" / "reaedp-defect-") in str(guard.defect(RuntimeError(), ["check"]))
    monkeypatch.setattr(guard.tempfile, "gettempdir", lambda: str(tmp_path / "file" / "x"))
    assert "could not be saved" in str(guard.defect(RuntimeError(), ["check"]))


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_an_end_that_was_asked_for_is_no_defect(
    end: type[BaseException], state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["reaedp", "check", "plan.toml"])
    monkeypatch.setattr("reaedp.cli.app.app", broken(end))
    with pytest.raises(end):
        cli.main()
    assert not state.exists()


def test_an_error_of_ours_is_no_defect(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 2 == run(monkeypatch, "check", "no-such-file.toml")
    assert not state.exists()
    assert callable(app)


def test_a_message_repeats_no_more_than_it_must() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert "'a'" == repeated("a")
    assert "too long to be repeated (int)" in repeated(16**6_000)
    assert "too long to be repeated (list)" in repeated(deep)
    assert len(repeated("x" * 10_000)) < 600
    while deep:  # a list so deep is taken apart by hand: Python's own way back is a recursion
        deep = deep.pop()  # type: ignore[assignment]


# Each case that was foreseen has an error of its own.


@pytest.mark.slow
def test_a_budget_of_a_thousand_is_told_in_powers_of_ten(clinic: Path, reaedp: Callable[..., object]) -> None:
    assert ("10^435", "100", 1.0) == (factor(1_000.0), hundredths(posterior(0.01, 1_000.0)), posterior(0.01, 1_000.0))
    assert ("2.72", "2.7") == (factor(1.0), hundredths(posterior(0.01, 1.0)))
    for name in ("contract.toml", "plan.toml"):
        text = (clinic / name).read_text()
        (clinic / name).write_text(text.replace("epsilon = 1.0", "epsilon = 2000.0").replace("0.25", "0.5"))
    for command in (
        ("plan", "plan.toml"),
        ("release", "plan.toml", "--data", "data.csv", "--out", "out"),
        ("ledger", "show", "budget.sqlite"),
        ("ledger", "verify", "budget.sqlite", "--second-opinion"),
    ):
        done = reaedp(*command)
        assert (0, "") == (done.returncode, done.stderr), command  # type: ignore[attr-defined]
    assert "10^" in (clinic / "out" / "README.txt").read_text()


def refused(path: Path) -> str:
    with pytest.raises(DeclarationError) as caught, new_folder(path, 10):
        pytest.fail("made a folder")
    return str(caught.value)


def test_a_folder_that_may_not_be_looked_into_is_refused_before_the_charge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Nothing was charged" in refused(tmp_path / ("x" * 300))
    assert "Nothing was charged" in refused(tmp_path / "a\0b" / "out")

    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "exists", forbidden)
    assert "Permission denied. Nothing was charged" in refused(tmp_path / "out")


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("release", "plan.toml", "--data", "data.csv", "--out", "{long}"),
        ("init", "data.csv", "--out", "{long}"),
        ("init", "data.csv", "--out", "/proc/nowhere/x.toml"),
        ("plan", "plan.toml", "--html", "{long}"),
        ("ledger", "show", "{long}"),
        ("evaluate", "out", "--data", "data.csv", "--out", "{long}"),
        ("report", "{long}"),
        ("verify", "{long}"),
        ("check", "{long}"),
    ],
)
def test_a_place_that_cannot_be_written_or_read_is_exit_code_2(
    clinic: Path, command: tuple[str, ...], state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(clinic)
    code = run(monkeypatch, *(word.format(long="x" * 300) for word in command))
    assert (2, []) == (code, list(state.glob("reaedp-defect-*")))


def test_a_disk_that_is_full_after_the_charge_is_told_in_our_words(clinic: Path) -> None:
    """The limit on the size of files takes hold once everything is charged and counted."""
    code = (
        "import resource, signal\n"
        "from reaedp import Plan, publish\nfrom reaedp.release import folder\n"
        "write = folder.write_values\n"
        "def full(*given):\n"
        "    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "    return write(*given)\n"
        "folder.write_values = full\n"
        "from reaedp.errors import ReaedpError\n"
        "try:\n"
        "    publish(Plan.load('plan.toml'), 'data.csv', 'out', audited=False)\n"
        "except ReaedpError as error:\n"
        "    print(error, error.__context__ is None or error.__suppress_context__)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=clinic, capture_output=True, text=True, check=False)
    assert "could not be written" in done.stdout, done.stderr
    assert "The charge stands: ledger entries 2, 3, 4. True" in done.stdout
    assert "data.csv" not in done.stdout
    assert not (clinic / "out").exists()
    assert not [path for path in clinic.iterdir() if path.name.startswith(".out")]
    with Ledger.open(clinic / "budget.sqlite") as ledger:
        assert ledger.spent("clinic") > 0


@pytest.mark.slow
@pytest.mark.parametrize("spoil", ["cut", "turned", "empty"])
def test_a_damaged_gzip_gives_no_traceback_and_no_word_of_a_row(clinic: Path, spoil: str, tmp_path: Path) -> None:
    whole = gzip.compress((clinic / "data.csv").read_bytes().replace(b"f\n", f"{SECRET}\n".encode()), mtime=0)
    middle = len(whole) // 2
    damaged = {
        "cut": whole[:middle],
        "turned": whole[:middle] + bytes(255 - byte for byte in whole[middle : middle + 20]) + whole[middle + 20 :],
        "empty": b"",
    }[spoil]
    (clinic / "data.csv.gz").write_bytes(damaged)
    command = [sys.executable, "-m", "reaedp", "release", "plan.toml", "--data", "data.csv.gz", "--out", "out"]
    environment = os.environ | {"XDG_STATE_HOME": str(tmp_path / "state")}
    done = subprocess.run(command, cwd=clinic, capture_output=True, text=True, check=False, env=environment)
    assert "Traceback" not in done.stderr
    assert SECRET not in done.stderr + done.stdout
    assert done.returncode in (0, 1, 2, 70)
    assert not [path for path in clinic.iterdir() if path.name.startswith(".out")]


def test_our_errors_say_what_they_are() -> None:
    assert issubclass(Defect, ReaedpError)
    assert {1, 2, 3, 4, 5, 70, 130} == {kind.exit_code for kind in (ReaedpError, *_below(ReaedpError))}
    assert callable(publish)
    assert callable(Plan.load)


def _below(kind: type[ReaedpError]) -> list[type[ReaedpError]]:
    return [each for child in kind.__subclasses__() for each in (child, *_below(child))]
