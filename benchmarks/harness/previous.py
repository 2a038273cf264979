"""The release before, as people have it: a wheel of its commit, in a virtual environment with what it asks for."""

import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path

from harness.peer import DATA, HOME


@dataclass(frozen=True, slots=True)
class Installed:
    """An interpreter, and the folder from which it imports this package."""

    python: Path
    source: Path


def previous(commit: str) -> Installed:
    """The program as it was at a commit; its wheel and its environment are made once and kept."""
    home = DATA / "environments" / f"reaedp-{commit}"
    python = home / "bin" / "python"
    if not (home / "ready.txt").exists():
        print(f"installing the release of {commit} …", file=sys.stderr, flush=True)
        venv.create(home, with_pip=True, clear=True)
        _pip(python, "install", str(wheel(commit)))
        (home / "ready.txt").write_text(commit, encoding="utf-8")
    place = "import reaedp; print(reaedp.__path__[0])"
    found = subprocess.run([python, "-I", "-c", place], check=True, capture_output=True, text=True)
    return Installed(python, Path(found.stdout.strip()).parent)


def wheel(commit: str) -> Path:
    """The wheel of a commit, built from what git holds of it."""
    place = DATA / "wheels" / commit
    if not list(place.glob("*.whl")):
        with tempfile.TemporaryDirectory() as folder:
            held = subprocess.run(["git", "archive", commit], cwd=HOME.parent, check=True, capture_output=True)
            subprocess.run(["tar", "-x", "-C", folder], input=held.stdout, check=True)
            _pip(Path(sys.executable), "wheel", "--no-deps", "--wheel-dir", str(place), folder)
    (built,) = place.glob("*.whl")
    return built


def _pip(python: Path, *arguments: str) -> None:
    subprocess.run([python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments], check=True)
