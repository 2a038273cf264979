"""Install the lowest and the highest versions that pyproject.toml allows, and make the same journey with each.

    python tests/versions/run.py [--python 3.11 3.12 …] [--record docs/versions.md]

Each set is resolved by uv into an environment of its own, from wheels alone: where a version has none for a Python, the
next one is taken. A Python that is not on this machine is left out with a word.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
RESOLUTIONS = ("lowest-direct", "highest")
#: What stands between these lines of a page is written anew.
BEGIN, END = "<!-- made by make versions -->", "<!-- end -->"


def uv(*words: object, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "uv", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def found(python: str) -> str | None:
    done = uv("python", "find", "--system", "--no-python-downloads", "--no-project", python)
    kept = sorted(Path.home().glob(f".pyenv/versions/{python}*/bin/python"))  # which uv sees only if it is switched on
    return done.stdout.strip() if done.returncode == 0 else str(kept[-1]) if kept else None


def versions(interpreter: Path) -> dict[str, str]:
    listed = uv("pip", "freeze", "--python", interpreter).stdout
    return dict(line.split("==") for line in listed.splitlines() if "==" in line)


def journey(interpreter: str, resolution: str, place: Path, wheel: Path) -> tuple[bool, dict[str, str]]:
    """Whether all went well, and with which versions."""
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    # What a wheel depends on is not direct to uv; what pyproject.toml names is.
    chosen = (
        "--resolution",
        resolution,
        "--only-binary",
        ":all:",
        "--extra",
        "second-opinion",
        "-r",
        ROOT / "pyproject.toml",
    )
    for step in (("venv", "--python", interpreter, place), ("pip", "install", "--python", python, *chosen, wheel)):
        done = uv(*step)
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            return False, {}
    environment = {**os.environ, "PYTHONPATH": "", "HOME": str(place), "XDG_STATE_HOME": ""}
    walked = subprocess.run([python, Path(__file__).with_name("journey.py")], env=environment, check=False)
    return walked.returncode == 0, versions(python)


def built(folder: Path) -> Path:
    done = uv("build", "--wheel", "--out-dir", folder, ROOT)
    if done.returncode:
        sys.exit(done.stderr)
    return next(folder.glob("*.whl"))


def direct() -> list[str]:
    """The libraries that pyproject.toml names, in its order."""
    listed = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("dependencies = [", 1)[1].split("]", 1)[0]
    return re.findall(r'"([A-Za-z0-9-]+)', listed)


def table(results: dict[str, tuple[bool, dict[str, str]]]) -> str:
    lines = ["| | " + " | ".join(results) + " |", "|---|" + "---|" * len(results)]
    lines += [
        f"| {name} | " + " | ".join(known.get(name, "–") for _, known in results.values()) + " |" for name in direct()
    ]
    lines.append("| **journey** | " + " | ".join("passed" if good else "FAILED" for good, _ in results.values()) + " |")
    return "\n".join(lines)


def record(path: Path, text: str) -> None:
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    path.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--python", nargs="+", default=PYTHONS)
    options.add_argument("--record", type=Path)
    chosen = options.parse_args()
    results, absent = {}, []
    with tempfile.TemporaryDirectory(prefix="reaedp-versions-") as name:
        wheel = built(Path(name))
        for python in chosen.python:
            if (interpreter := found(python)) is None:
                absent.append(python)
                continue
            for resolution in RESOLUTIONS:
                print(f"Python {python}, {resolution} …", flush=True)
                title = f"{python} {resolution.partition('-')[0]}"
                results[title] = journey(interpreter, resolution, Path(name) / title.replace(" ", "-"), wheel)
            if len({tuple(known.items()) for title, (_, known) in results.items() if title.startswith(python)}) == 1:
                sys.exit(f"Python {python}: the lowest versions are the highest, so that nothing was shown.")
    text = table(results) + "".join(f"\n\nPython {python} was not on the machine." for python in absent)
    print(text)
    if chosen.record is not None:
        record(chosen.record, text)
    sys.exit(not all(good for good, _ in results.values()))


if __name__ == "__main__":
    main()
