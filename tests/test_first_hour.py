"""From a file that an office has to a verified release, by the commands that its custodian types, without an editor."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from office_files import OFFICES

#: Two of the ten in full; `tests/drafting/test_init.py` drafts and looks at all.
WALKED = ("Stata with labels", "several rows per person")


@pytest.mark.slow
@pytest.mark.parametrize("name", WALKED)
def test_at_most_eight_commands_lead_to_a_verified_release(tmp_path: Path, name: str) -> None:
    office = OFFICES[name]
    office.make(tmp_path / office.file)
    assert len(office.commands) <= 8
    for command in office.commands:
        done = subprocess.run(
            [sys.executable, "-m", "reaedp", *shlex.split(command)],
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip
        assert 0 == done.returncode, f"{command}: {done.stderr}"
    assert "which confirms this folder" in done.stdout
