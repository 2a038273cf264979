"""Releases of every kind: studio, command, script and notebook write the same folder, but for the time."""

import contextlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reaedp.curator import curator
from reaedp.mechanisms.noise import SeededNoise
from reaedp.plan.plan import Plan
from reaedp.release import publication
from reaedp.studio.project import Project
from studio_support import Guest
from test_same_files import run
from test_studio_plan import WANTED, folder_of
from tests_support import CONTRACT, ledger_in

pytestmark = pytest.mark.slow

PAY = '[columns.pay]\nkind = "integer"\nlower = 0\nupper = 9\nprovenance = "public"\n'
#: All kinds that columns allow, each for a small price.
KINDS: dict[str, dict[str, Any]] = {
    **{kind: {**fields, "epsilon": "0.05"} for kind, fields in WANTED.items()},
    "rate": {"of": "sex", "levels": "f", "mechanism": "laplace", "epsilon": "0.05"},
}
#: What a clock says, the names of ledgers, which are drawn, and digests of both.
_TIMES = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:00|Z)?|\b[0-9a-f]{32,64}\b")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = folder_of(tmp_path, contract=CONTRACT + PAY)
    rows = "".join(f"{(37 * i) % 100},{'fm'[i % 2]},{i % 10}\n" for i in range(3_000))
    (folder / "people.csv").write_text(f"age,sex,pay\n{rows}", encoding="utf-8")
    Project(folder, "clinic").remember("people.csv")
    return tmp_path


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: _TIMES.sub(b"", path.read_bytes()) for path in sorted(folder.iterdir())}


def test_every_kind_is_released_alike_by_studio_command_script_and_notebook(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publication, "audited_before", lambda *_: None)  # tested elsewhere, and slow
    monkeypatch.setattr(publication, "public_report", lambda *_: "<!doctype html>")
    monkeypatch.setattr(curator, "SecretNoise", lambda: SeededNoise(np.random.default_rng(7)))
    guest, clinic = Guest(place), place / "clinic"
    for kind, fields in KINDS.items():
        guest.done("/p/clinic/plan/add", {"name": kind, **fields}, at="/p/clinic/plan", add=kind)
    assert list(KINDS) == [one.kind for one in Plan.load(clinic / "plan.toml").releases]
    script = guest.page("/p/clinic/files/release.py")
    cells = json.loads(guest.page("/p/clinic/files/release.ipynb"))["cells"]
    for copy in ("typed", "scripted", "noted"):
        shutil.copytree(clinic, place / copy, ignore=shutil.ignore_patterns("budget.sqlite*"))
        ledger_in(place / copy)  # a ledger knows when it is copied

    guest.done("/p/clinic/release", {"typed": "clinic", "folder": "published"})
    assert guest.workspace.works.at((clinic, "release")).ended.wait(180)
    written = content(clinic / "published")
    assert set(KINDS) <= {name.split(".")[0] for name in written}
    run(place / "typed", "release plan.toml --data people.csv --out published")
    assert written == content(place / "typed" / "published")
    with contextlib.chdir(place / "scripted"):
        exec(compile(script, "release.py", "exec"), {})
    assert written == content(place / "scripted" / "published")
    names: dict[str, Any] = {}
    with contextlib.chdir(place / "noted"):
        for cell in cells:
            exec(cell["source"] if cell["cell_type"] == "code" else "", names)
    assert written == content(place / "noted" / "published")
