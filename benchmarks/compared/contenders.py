"""Who is compared: the script that runs it, its environment, its settings, the version that a run is filed under."""

import hashlib
import os
import re
import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from harness.peer import HOME, OURS, PEERS

CHECKOUTS = Path(os.environ.get("REAEDP_CHECKOUTS", HOME / "data" / "checkouts"))
#: The folders of our program that decide which rows it makes; if they change, our runs are made again.
ROOMS = ("mechanisms", "synthesis")


@dataclass(frozen=True)
class Contender:
    """`packages` are those of the environment's pins that make its version; `checkout` is code on no registry."""

    name: str
    script: str
    environment: str
    arguments: tuple[object, ...] = ()
    packages: tuple[str, ...] = ()
    checkout: str = ""
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def missing(self) -> bool:
        """Whether its code is not here."""
        return bool(self.checkout) and not (CHECKOUTS / self.checkout).exists()

    @cached_property
    def version(self) -> str:
        """Ours: the source that rows follow from. Theirs: pins and the commit of a checkout."""
        if self.environment == OURS and self.script == "reaedp":
            return f"source {_digest(*(HOME.parent / 'src' / 'reaedp' / room for room in ROOMS))}"
        if self.environment == OURS:
            return "exact counts"
        found = (
            [f"{self.checkout} {_git(CHECKOUTS / self.checkout, 'log', '-1', '--format=%h')}"] if self.checkout else []
        )
        pins = (PEERS / f"{self.environment}.txt").read_text(encoding="utf-8")
        found += [
            f"{package} {version}"
            for package in self.packages
            for version in re.findall(rf"^(?:# alone: )?{re.escape(package)}(?:\[.*\])?==(.+)$", pins, re.MULTILINE)
        ]
        return ", ".join(found)


def _digest(*folders: Path) -> str:
    """Eight digits that change with any line of code below these folders."""
    files = sorted(file for folder in folders for file in folder.rglob("*.py"))
    told = [str(file.relative_to(HOME.parent)).encode() + b"\0" + file.read_bytes() for file in files]
    return hashlib.sha256(b"\0".join(told)).hexdigest()[:8]


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _aim(megabytes: int) -> tuple[object, ...]:
    """AIM's largest model, and its steps a round: few for the smallest, which is for trials, else its own 1,000."""
    return ("AIM", megabytes, 100 if megabytes == 1 else 1000)


#: With doubles mbi's own sampling fails ("output array is read-only"); private-GSD declares single numbers itself.
_SINGLE = {"JAX_ENABLE_X64": "0"}
CONTENDERS = {
    one.name: one
    for one in (
        Contender("REAEDP", "reaedp", OURS),
        Contender("bootstrap", "exact", OURS, ("bootstrap",)),
        Contender("independent", "exact", OURS, ("independent",)),
        Contender("dpmm MST", "dpmm", "dpmm", ("MST",), ("dpmm",)),
        Contender("dpmm PrivBayes", "dpmm", "dpmm", ("PrivBayes",), ("dpmm",)),
        Contender("dpmm AIM, 1 MB", "dpmm", "dpmm", _aim(1), ("dpmm",)),
        Contender("dpmm AIM", "dpmm", "dpmm", _aim(80), ("dpmm",)),
        Contender("OpenDP MST", "opendp", "opendp", ("MST",), ("opendp", "mbi")),
        Contender("OpenDP AIM, 1 MB", "opendp", "opendp", _aim(1), ("opendp", "mbi")),
        Contender("SmartNoise MST", "smartnoise", "smartnoise_synth", ("MST",), ("smartnoise-synth", "mbi")),
        Contender("SmartNoise AIM, 1 MB", "smartnoise", "smartnoise_synth", _aim(1), ("smartnoise-synth", "mbi")),
        Contender("mbi MST", "mbi", "mbi", ("MST",), ("jax",), "mbi", _SINGLE),
        Contender("mbi AIM, 1 MB", "mbi", "mbi", _aim(1), ("jax",), "mbi", _SINGLE),
        Contender("mbi AIM, 8 MB", "mbi", "mbi", _aim(8), ("jax",), "mbi", _SINGLE),
        Contender("mbi AIM", "mbi", "mbi", _aim(80), ("jax",), "mbi", _SINGLE),
        Contender("private-GSD", "private_gsd", "private_gsd", (1000,), ("jax",), "private_gsd", _SINGLE),
        Contender("Tab-PE, 15 rounds", "tab_pe", "tab_pe", (15,), (), "DPSDA"),
        Contender("Tab-PE, 30 rounds", "tab_pe", "tab_pe", (30,), (), "DPSDA"),
    )
}
