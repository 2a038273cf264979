"""What is taken along does what was clicked, without the studio."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reaedp import verify
from reaedp.studio.project import Project
from reaedp.studio.take_along import commands, init_command, script
from studio_support import Guest
from tests_support import CONTRACT, PLAN, ledger_in


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "clinic"
    place.mkdir()
    rows = "".join(f"{(37 * i) % 100},{'fm'[i % 2]}\n" for i in range(500))
    (place / "it's data.csv").write_text(f"age,sex\n{rows}", encoding="utf-8")
    (place / "contract.toml").write_text(CONTRACT, encoding="utf-8")
    (place / "plan.toml").write_text(PLAN, encoding="utf-8")
    ledger_in(place)
    Project(place, "clinic").remember("it's data.csv")
    return place


def test_downloads_are_the_files_as_they_are_and_the_notebook_has_the_script(folder: Path) -> None:
    guest = Guest(folder.parent)
    for name, content in (("contract.toml", CONTRACT), ("plan.toml", PLAN)):
        answer = guest.ask(f"/p/clinic/files/{name}")
        assert content == answer.text
        assert f'attachment; filename="{name}"' == answer.headers["content-disposition"]
    text = guest.page("/p/clinic/files/release.py")
    compile(text, "release.py", "exec")
    cells = json.loads(guest.page("/p/clinic/files/release.ipynb"))["cells"]
    for cell in cells:
        assert cell["cell_type"] == "markdown" or cell["source"] in text
    assert "reaedp release plan.toml --data" in commands(Project(folder, "clinic"))[4]
    assert init_command(Project(folder, "clinic")) is None  # somebody wrote that contract by hand


@pytest.mark.slow
def test_the_script_makes_a_release_that_verifies(folder: Path) -> None:
    (folder / "release.py").write_text(script(Project(folder, "clinic")), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "release.py"], cwd=folder, capture_output=True, text=True, check=False, env=dict(os.environ)
    )
    assert 0 == done.returncode, done.stderr
    assert "ages: ε = 0.25" in done.stdout
    assert verify(folder / "published", str(folder / "budget.sqlite"))
