"""What the documentation says is there, and what is there is in the documentation."""

import re
from pathlib import Path

import pytest

import reaedp

ROOT = Path(__file__).parent.parent


GUIDES = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/*.md"))


@pytest.mark.parametrize("file", ["README.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md", *GUIDES])
def test_links_lead_somewhere(file: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / file).read_text(encoding="utf-8")):
        if "://" not in target:
            assert ((ROOT / file).parent / target).exists(), f"{file} points to {target}"


def test_every_kind_in_plans_is_documented() -> None:
    from reaedp.contract.contract import KINDS
    from reaedp.plan.plan import KINDS as RELEASES

    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    for name in (*KINDS, *RELEASES):
        assert f"`{name}`" in text


def test_every_public_name_exists_and_no_other_is_promised() -> None:
    for name in reaedp.__all__:
        assert getattr(reaedp, name).__doc__, name
    assert sorted(reaedp.__all__) == list(reaedp.__all__) == dir(reaedp)
    with pytest.raises(AttributeError):
        _ = reaedp.nothing  # type: ignore[attr-defined]


def test_the_version_is_that_of_the_installed_package() -> None:
    from importlib.metadata import version

    assert version("reaedp") == reaedp.__version__
