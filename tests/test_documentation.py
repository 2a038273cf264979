"""What the documentation says is there, and what is there is in the documentation."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import reaedp

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    "file", ["README.md", "CONTRIBUTING.md", *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("docs/*.md"))]
)
def test_links_lead_somewhere(file: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / file).read_text(encoding="utf-8")):
        if "://" not in target:
            assert ((ROOT / file).parent / target).exists(), f"{file} points to {target}"


def test_every_kind_in_plans_is_documented() -> None:
    from reaedp.contract.contract import KINDS
    from reaedp.plan import KINDS as RELEASES

    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    for name in (*KINDS, *RELEASES):
        assert f"`{name}`" in text


def test_the_demo_runs(tmp_path: Path) -> None:
    pytest.importorskip("statsmodels", reason="the demo's data set comes with statsmodels")
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "demo.py"), str(tmp_path / "demo")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr
    assert (tmp_path / "demo" / "published" / "release.json").exists()


def test_every_public_name_exists_and_no_other_is_promised() -> None:
    for name in reaedp.__all__:
        assert getattr(reaedp, name).__doc__, name
    assert sorted(reaedp.__all__) == list(reaedp.__all__) == dir(reaedp)
    with pytest.raises(AttributeError):
        _ = reaedp.nothing  # type: ignore[attr-defined]
