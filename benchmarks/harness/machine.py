"""Where and with what something was measured."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

#: What our own figures depend on.
OURS = ("reaedp", "duckdb", "narwhals", "numpy", "opendp", "dp-accounting", "scikit-learn", "scipy")
#: What measuring itself changes.
RESULTS = ("benchmarks/RESULTS.md", "benchmarks/growth.svg")


def processor() -> str:
    """The name that the processor gives itself."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text(encoding="utf-8").splitlines() if information.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def memory() -> float:
    """Gigabytes of the whole machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def load() -> float:
    """How many processes wanted to run in the last minute, ours among them."""
    return os.getloadavg()[0]


def versions() -> dict[str, str]:
    """Python, our package and what it stands on."""
    return {"python": platform.python_version()} | {name: metadata.version(name) for name in OURS}


def commit(folder: Path = Path(__file__).parent) -> str:
    """The state of the source, with a mark if something but results has changed since; empty outside a repository."""
    try:
        name = _git(folder, "rev-parse", "--short", "HEAD")
        changed = _git(
            folder, "diff", "--name-only", "HEAD", "--", ":(top)", *(f":(top,exclude){one}" for one in RESULTS)
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f"{name}-dirty" if changed else name


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def today() -> str:
    """The date and the time in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
