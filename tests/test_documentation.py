"""What the documentation shows is run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import reaedp
from reaedp import Contract, Plan

ROOT = Path(__file__).parent.parent


def blocks(file: str, language: str) -> list[str]:
    text = (ROOT / file).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def test_the_python_example_of_the_readme_runs(tmp_path: Path) -> None:
    (example,) = blocks("README.md", "python")
    assert len([line for line in example.splitlines() if line.strip()]) <= 25
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert 0 == done.returncode, done.stderr
    assert 5 == len(done.stdout.splitlines())
    assert "" == done.stderr


def test_the_contract_and_the_plan_of_the_readme_are_right(tmp_path: Path) -> None:
    contract, plan = blocks("README.md", "toml")
    (tmp_path / "contract.toml").write_text(contract, encoding="utf-8")
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    assert Contract.load(tmp_path / "contract.toml") == Plan.load(tmp_path / "plan.toml").contract
    assert 2 == len(Plan.load(tmp_path / "plan.toml").requests())


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
