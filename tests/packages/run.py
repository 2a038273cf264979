"""Install a built wheel where nothing else is, outside of the repository, and run the demo from it.

    python tests/packages/run.py dist

The folder holds one wheel and one sdist, as `make dist` builds them: the sdist from the tree, the wheel from the sdist.
"""

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
#: Kinds of files of the package that are not code, and that it does not work or is not understood without.
BESIDE_CODE = (".csv.gz", ".toml", ".md", ".html", ".css", ".js", ".typed")
#: What a stranger needs to check, build and cite the source.
IN_SDIST = (
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE",
    "Makefile",
    "README.md",
    "SECURITY.md",
    "pyproject.toml",
    "uv.lock",
)


def in_tree() -> set[str]:
    """The files of the package as they lie in the tree."""
    source = ROOT / "src"
    files = (path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(source).as_posix() for path in files if path.name.endswith((".py", *BESIDE_CODE))}


def missing(wheel: Path, sdist: Path) -> list[str]:
    """What a package lacks or should not have, in words."""
    packed = set(zipfile.ZipFile(wheel).namelist())
    with tarfile.open(sdist) as archive:
        source = {PurePosixPath(*PurePosixPath(name).parts[1:]).as_posix() for name in archive.getnames()}
    foreign = {name for name in packed if not name.startswith(("reaedp/", "reaedp-"))}
    return [
        *(f"the wheel lacks {name}" for name in sorted(in_tree() - packed)),
        *(f"the wheel has {name}, which is no part of the package" for name in sorted(foreign)),
        *(f"the sdist lacks {name}" for name in sorted({*IN_SDIST, "tests/conftest.py"} - source)),
    ]


def installed(wheel: Path, folder: Path) -> Path:
    """The interpreter of a new environment that has the wheel and what it requires, and nothing else."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
    return python


def walked(python: Path, folder: Path) -> list[str]:
    """What the installed program does wrong far from the repository, in words."""
    hidden = ("PYTHONPATH", "REAEDP_DATA", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment["REAEDP_STATE"] = str(folder / "state")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, *words], cwd=folder, env=environment, text=True, capture_output=True, check=False
        )

    home = run("-c", "import reaedp; print(reaedp.__file__)").stdout.strip()
    if not Path(home).is_relative_to(python.parents[1]):
        return [f"reaedp was imported from {home}, and not from the wheel"]
    said, made = run("-m", "reaedp", "--version"), run("-m", "reaedp", "demo", "demo")
    print(said.stdout + made.stdout, end="")
    found = [] if said.returncode == 0 else [f"reaedp --version failed: {said.stderr}"]
    if made.returncode:
        return [*found, f"reaedp demo failed with exit code {made.returncode}: {made.stderr}"]
    files = ("published/release.json", "published/report.html", "not-to-be-published/custodian-report.html")
    return found + [f"the demo did not write {file}" for file in files if not (folder / "demo" / file).exists()]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path, help="where the wheel and the sdist are")
    folder = options.parse_args().folder.resolve()
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    found = missing(wheel, sdist)
    if not found:
        with tempfile.TemporaryDirectory(prefix="reaedp-dist-") as name:
            away = Path(name) / "away"
            away.mkdir()
            found = walked(installed(wheel, Path(name) / "environment"), away)
    for trouble in found:
        print(trouble, file=sys.stderr)
    if not found:
        print(
            f"{wheel.name} ({wheel.stat().st_size:,} bytes) and {sdist.name} ({sdist.stat().st_size:,} bytes) are good."
        )
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
