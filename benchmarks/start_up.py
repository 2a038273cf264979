"""The start of the command line: what a person waits for before anything happens.

    python benchmarks/start_up.py [--rounds 7]

Slow libraries are imported inside the commands that need them, so that help comes at once.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from harness.row import Row
from harness.script import parser, present
from harness.stopwatch import best

SECONDS = 0.3


def rows(options: argparse.Namespace) -> Iterator[Row]:
    program = Path(sys.executable).with_name("reaedp")
    commands = {"ours": [str(program), "--help"], "python": [sys.executable, "-c", "pass"]}
    found = best(
        {name: lambda command=command: subprocess.run(command, check=True, capture_output=True)
         for name, command in commands.items()},
        options.rounds,
    )  # fmt: skip
    shared = {"section": "Start-up", "what": "reaedp --help", "ours": found["ours"], "limit": True}
    yield Row(against=f"{SECONDS} s", theirs=SECONDS, goal=1.0, **shared)
    yield Row(against="an empty Python script", theirs=found["python"], **shared)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=7)
    present(options.parse_args(), rows)


if __name__ == "__main__":
    main()
