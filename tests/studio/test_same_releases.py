"""Releases of every kind: studio, command, script and notebook write the same folder, but for the time."""

import contextlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reaedp.curator import curator
from reaedp.mechanisms.noise import SeededNoise
from reaedp.plan.plan import KINDS as EVERY_KIND
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


CURVE = """
[curves.height]
form = "wide"
points = ["h1", "h2", "h3"]
at = [1.0, 2.0, 3.0]
interval = [1.0, 3.0]
basis = "fourier"
rank = 3
clip = 30.0
offset = 80.0
provenance = "public"
"""
CURVES: dict[str, dict[str, Any]] = {
    "mean-curve": {"curve": "height", "epsilon": "0.5"},
    "synthetic-curves": {"curve": "height", "curves": "5", "kept": "1", "spread": "0.5", "epsilon": "0.4"},
}
PICTURE = '[picture]\nwidth = 12\nheight = 9\nchannels = 1\nlower = 0\nupper = 255\nprovenance = "public"\n'
HEAD = CONTRACT.split("[columns.age]")[0]


def of_columns(place: Path) -> tuple[Path, str, dict[str, dict[str, Any]]]:
    """A project without a plan, its data, and the fields of the releases that are wanted."""
    folder = folder_of(place, contract=CONTRACT + PAY)
    rows = "".join(f"{(37 * i) % 100},{'fm'[i % 2]},{i % 10}\n" for i in range(3_000))
    (folder / "people.csv").write_text(f"age,sex,pay\n{rows}", encoding="utf-8")
    return folder, "people.csv", KINDS


def of_curves(place: Path) -> tuple[Path, str, dict[str, dict[str, Any]]]:
    """The same with heights at three ages for each person."""
    folder = folder_of(place, contract=HEAD + CURVE)
    rows = "".join(f"{70 + i % 9},{80 + i % 11},{90 + i % 13}\n" for i in range(3_000))
    (folder / "heights.csv").write_text(f"h1,h2,h3\n{rows}", encoding="utf-8")
    return folder, "heights.csv", CURVES


def of_a_picture(place: Path) -> tuple[Path, str, dict[str, dict[str, Any]]]:
    """The same with a picture, whose privacy unit is a pixel."""
    from PIL import Image

    folder = folder_of(place, contract=HEAD.replace("add-remove", "replace") + PICTURE)
    Image.fromarray(np.arange(108, dtype=np.uint8).reshape(9, 12)).save(folder / "scan.png")
    return folder, "scan.png", {"image": {"mechanism": "laplace", "epsilon": "0.5"}}


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: _TIMES.sub(b"", path.read_bytes()) for path in sorted(folder.iterdir())}


def test_all_kinds_are_among_those_that_are_released() -> None:
    released = {*KINDS, *CURVES, "image"}
    assert released == {kind for kind, one in EVERY_KIND.items() if one.__module__.startswith("reaedp.")}


@pytest.mark.parametrize("made", [of_columns, of_curves, of_a_picture])
def test_every_kind_is_released_alike_by_studio_command_script_and_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Callable[[Path], tuple[Path, str, dict[str, Any]]]
) -> None:
    monkeypatch.setattr(publication, "audited_before", lambda *_: None)  # tested elsewhere, and slow
    monkeypatch.setattr(publication, "public_report", lambda *_: "<!doctype html>")
    monkeypatch.setattr(curator, "SecretNoise", lambda: SeededNoise(np.random.default_rng(7)))
    clinic, data, wanted = made(tmp_path)
    Project(clinic, "clinic").remember(data)
    guest, place = Guest(tmp_path), tmp_path
    for kind, fields in wanted.items():
        guest.done("/p/clinic/plan/add", {"name": kind, **fields}, at="/p/clinic/plan", add=kind)
    assert list(wanted) == [one.kind for one in Plan.load(clinic / "plan.toml").releases]
    script = guest.page("/p/clinic/files/release.py")
    cells = json.loads(guest.page("/p/clinic/files/release.ipynb"))["cells"]
    for copy in ("typed", "scripted", "noted"):
        shutil.copytree(clinic, place / copy, ignore=shutil.ignore_patterns("budget.sqlite*"))
        ledger_in(place / copy)  # a ledger knows when it is copied

    guest.done("/p/clinic/release", {"typed": "clinic", "folder": "published"})
    assert guest.workspace.works.at((clinic, "release")).ended.wait(180)
    written = content(clinic / "published")
    assert set(wanted) <= {name.split(".")[0] for name in written}
    run(place / "typed", f"release plan.toml --data {data} --out published")
    assert written == content(place / "typed" / "published")
    with contextlib.chdir(place / "scripted"):
        exec(compile(script, "release.py", "exec"), {})
    assert written == content(place / "scripted" / "published")
    names: dict[str, Any] = {}
    with contextlib.chdir(place / "noted"):
        for cell in cells:
            exec(cell["source"] if cell["cell_type"] == "code" else "", names)
    assert written == content(place / "noted" / "published")
