"""Other libraries, each in a virtual environment of its own, because their pins clash.

`peers/NAME.txt` pins what an environment holds. A line `# alone: PACKAGE` installs a package without what it asks for,
for packages that ask for much more than their part that is measured here needs. Contenders are scripts that time one
job and print what `stopwatch.report` prints.
"""

import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parent.parent
CONTENDERS, PEERS = HOME / "contenders", HOME / "peers"
#: Environments and made-up data; ignored by git and safe to delete.
DATA = Path(os.environ.get("REAEDP_BENCH", HOME / "data")).absolute()
OURS = "reaedp"
PATIENCE = 4.0


class Unavailable(Exception):
    """Why there is no figure of a contender: it did not install, it failed, or it took too long."""


def python_of(peer: str) -> Path:
    """The interpreter of a peer's environment, which is made if it is missing or its pins have changed."""
    if peer == OURS:
        return Path(sys.executable)
    wanted = (PEERS / f"{peer}.txt").read_text(encoding="utf-8")
    home = DATA / "environments" / peer
    ready, broken = home / "ready.txt", home / "broken.txt"
    if ready.exists() and ready.read_text(encoding="utf-8") == wanted:
        return home / "bin" / "python"
    if broken.exists() and broken.read_text(encoding="utf-8").startswith(wanted):
        raise Unavailable(broken.read_text(encoding="utf-8").removeprefix(wanted))
    print(f"installing {peer} …", file=sys.stderr, flush=True)
    shutil.rmtree(home, ignore_errors=True)
    venv.create(home, with_pip=True)
    reason = _install(home, wanted, PEERS / f"{peer}.txt")
    (broken if reason else ready).write_text(wanted + reason, encoding="utf-8")
    if reason:
        raise Unavailable(reason)
    return home / "bin" / "python"


def _install(home: Path, wanted: str, requirements: Path) -> str:
    """The reason why it failed; empty if it did not."""
    pip = [str(home / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    alone = re.findall(r"^# alone: (.+)$", wanted, flags=re.MULTILINE)
    for arguments in [["--no-deps", *alone]] * bool(alone) + [["--requirement", str(requirements)]]:
        done = subprocess.run([*pip, *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            return f"does not install: {_last_words(done.stderr)}"
    return ""


def run(
    contender: str, *arguments: object, peer: str = OURS, cap: float, settings: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """What a contender reports, from a process of its own in an empty folder.

    It is ended after `cap` seconds of the processor, which other work on the machine does not disturb, and at the
    latest after `PATIENCE` times as many on the clock.
    """
    command = [str(python_of(peer)), "-W", "ignore", str(CONTENDERS / f"{contender}.py"), *map(str, arguments)]
    own = [str(HOME.parent / "src")] if peer == OURS else []
    surroundings = os.environ | {"PYTHONPATH": os.pathsep.join([str(HOME), *own])} | dict(settings or {})
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=surroundings,
            cwd=folder,
            start_new_session=True,
        ) as child,
    ):
        resource.prlimit(child.pid, resource.RLIMIT_CPU, (math.ceil(cap), math.ceil(cap) + 10))
        try:
            out, errors = child.communicate(timeout=PATIENCE * cap)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            raise Unavailable(f"no result after {PATIENCE * cap:.0f} s") from None
    if child.returncode == -signal.SIGXCPU:
        raise Unavailable(f"no result after {cap:.0f} s of the processor")
    if child.returncode:
        # What ends a process that it started, the limit too, it reports as a failure of its own.
        words = _last_words(errors) or f"exit code {child.returncode}"
        raise Unavailable(f"fails within the limit of {cap:.0f} s of the processor for each process: {words}")
    return json.loads(out.strip().splitlines()[-1])  # type: ignore[no-any-return]


def _last_words(errors: str) -> str:
    """The last line that is no advice, cut to a readable length."""
    lines = [line.strip() for line in errors.splitlines() if line.strip() and "[notice]" not in line]
    telling = [line for line in lines if re.match(r"ERROR|[\w.]*(Error|Exception)\b", line)]
    return (telling or lines or [""])[-1][:200]
